import type { JSX } from "preact";
import { aliasOf, METHOD_NAMES, readApply, titleOf, type Total, writeApply } from "../../query/apply-text.ts";
import { comparable } from "../../query/operators.ts";
import { CheckList } from "../field.tsx";
import { type QueryPlace, singlePaths } from "./filter-paths.ts";
import { ListEditor, OptionEditor, type OptionText, Pick } from "./option-editor.tsx";

/** Edits groups and totals; other steps stay text. */
export function ApplyBuilder({ place, ...option }: OptionText & { readonly place: QueryPlace }): JSX.Element {
  const paths = singlePaths(place.type).map(({ path }) => path);
  const names = paths.filter((path) => place.set?.abilities.groupable(path) ?? true);
  const totals = totalsOf(place);
  return (
    <OptionEditor label="Steps" read={readApply} write={writeApply} {...option}>
      {(form, change) => (
        <div class="query-rows">
          <CheckList
            label="Groups by"
            {...{ names }}
            chosen={form.groupBy}
            onChange={(groupBy) => change({ ...form, groupBy })}
          />
          <ListEditor
            what="total"
            items={form.totals}
            row={({ method, path }, pick) => (
              <Pick label="Total" value={titleOf(method, path)} choices={totals} onPick={pick} />
            )}
            added={totals.slice(0, 1).map(([, total]) => ["Total", total])}
            onChange={(next) => change({ ...form, totals: withNames(next, place, form.groupBy) })}
          />
        </div>
      )}
    </OptionEditor>
  );
}

/** Returns the totals that a set permits, with their names for people. */
function totalsOf({ type, set }: QueryPlace): readonly (readonly [string, Total])[] {
  const totals = [...METHOD_NAMES.keys()].flatMap((method): readonly Total[] => {
    if (method === "count") return set?.abilities.canCount === false ? [] : [{ method, path: null, alias: "" }];
    const paths = comparable(type).filter(({ path }) => set?.abilities.methodsOf(path).includes(method) ?? true);
    return paths.map(({ path }) => ({ method, path, alias: "" }));
  });
  return totals.map((total) => [titleOf(total.method, total.path), total]);
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
