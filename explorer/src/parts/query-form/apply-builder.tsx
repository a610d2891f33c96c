import type { JSX } from "preact";
import { aliasOf, METHOD_NAMES, readApply, titleOf, type Total, writeApply } from "../../query/apply-text.ts";
import { comparable } from "../../query/operators.ts";
import { CheckList } from "../check-list.tsx";
import { FilterBuilder } from "./filter-builder.tsx";
import { type QueryPlace, singlePaths } from "./filter-paths.ts";
import { ListEditor, OptionEditor, type OptionText, Pick, Section } from "./option-editor.tsx";

/** Edits groups and totals; other steps stay text. */
export function ApplyBuilder({ place, ...option }: OptionText & { readonly place: QueryPlace }): JSX.Element {
  const paths = singlePaths(place.type).map(({ path }) => path);
  const groupable = paths.filter((path) => place.set?.abilities.groupable(path) ?? true);
  const totals = totalsOf(place);
  return (
    <OptionEditor label="Steps" read={readApply} write={writeApply} {...option}>
      {(form, change) => (
        <div class="query-rows">
          <CheckList
            label="Groups by"
            names={groupable}
            chosen={form.groupBy}
            onChange={(groupBy) => change({ ...form, groupBy })}
          />
          <ListEditor
            items={form.totals}
            what="total"
            row={(total, pick) => (
              <>
                <Pick label="Total" value={titleOf(total.method, total.path)} choices={totals} onPick={pick} />
                <span class="dim small">
                  as <code>{total.alias}</code>
                </span>
              </>
            )}
            added={[...totals.values()].slice(0, 1).map((total) => ["Total", total])}
            onChange={(next) => change({ ...form, totals: withNames(next, place, form.groupBy) })}
          />
          {form.groupBy.length + form.totals.length === 0 ? null : (
            <Section title="Only of the rows with" text={form.filter}>
              <FilterBuilder place={place} text={form.filter} onChange={(filter) => change({ ...form, filter })} />
            </Section>
          )}
        </div>
      )}
    </OptionEditor>
  );
}

/** Returns the totals that a set permits, by their names for people. */
function totalsOf({ type, set }: QueryPlace): ReadonlyMap<string, Total> {
  const [, ...methods] = METHOD_NAMES.keys();
  const ofPaths = comparable(type).flatMap(({ path }) =>
    methods
      .filter((method) => set?.abilities.methodsOf(path).includes(method) ?? true)
      .map((method) => ({ method, path, alias: "" })),
  );
  const count = { method: "count", path: null, alias: "" } as const;
  const all: readonly Total[] = [...(set?.abilities.canCount === false ? [] : [count]), ...ofPaths];
  return new Map(all.map((total) => [titleOf(total.method, total.path), total]));
}

/** Gives new totals names that no other column has. */
function withNames(totals: readonly Total[], { type }: QueryPlace, groupBy: readonly string[]): readonly Total[] {
  const taken = new Set([...groupBy, ...type.properties.keys(), ...type.navigations.keys()]);
  return totals.map((total) => {
    const alias = total.alias === "" ? aliasOf(total.method, total.path, taken) : total.alias;
    taken.add(alias);
    return { ...total, alias };
  });
}
