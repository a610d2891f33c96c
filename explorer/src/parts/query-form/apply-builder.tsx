import type { JSX } from "preact";
import {
  aliasOf,
  type ApplyForm,
  METHOD_NAMES,
  NO_GROUPS,
  readApply,
  type Total,
  type TotalMethod,
  writeApply,
} from "../../query/apply-text.ts";
import { comparable } from "../../query/operators.ts";
import { Button } from "../button.tsx";
import { CheckList } from "../check-list.tsx";
import { TextField } from "../field.tsx";
import { Pick, Remove } from "../pick.tsx";
import { FilterBuilder } from "./filter-builder.tsx";
import { filterPaths, type QueryPlace } from "./filter-paths.ts";
import { Section } from "./section.tsx";
import { useEdited } from "./use-edited.ts";

const CODEC = {
  read: readApply,
  write: (form: ApplyForm | null): string => (form === null ? "" : writeApply(form)),
};

/** Edits groups and totals; other steps stay text. */
export function ApplyBuilder(props: {
  readonly place: QueryPlace;
  readonly text: string;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const { place } = props;
  const [form, change] = useEdited(props.text, CODEC, props.onChange);
  if (form === null) {
    return <TextField label="Steps as text" isLabelHidden isCode isLong value={props.text} onInput={props.onChange} />;
  }
  const paths = filterPaths({ ...place, set: null }).filter(({ property }) => property !== null);
  const groupable = paths.map(({ path }) => path).filter((path) => place.set?.abilities.groupable(path) ?? true);
  return (
    <div class="query-rows">
      <CheckList
        label="Groups by"
        names={groupable}
        chosen={form.groupBy}
        onChange={(groupBy) => change({ ...form, groupBy })}
      />
      {form.totals.map((total, index) => (
        <TotalFields
          key={index}
          {...{ total, place }}
          taken={form.totals.toSpliced(index, 1).map(({ alias }) => alias)}
          onChange={(next) => {
            change({
              ...form,
              totals: next === null ? form.totals.toSpliced(index, 1) : form.totals.with(index, next),
            });
          }}
        />
      ))}
      <AddTotal form={form} place={place} onChange={change} />
      {writeApply({ ...form, filter: "" }) === writeApply(NO_GROUPS) ? null : (
        <Section title="Only of the rows with" text={form.filter}>
          <FilterBuilder place={place} text={form.filter} onChange={(filter) => change({ ...form, filter })} />
        </Section>
      )}
    </div>
  );
}

function AddTotal(props: {
  readonly form: ApplyForm;
  readonly place: QueryPlace;
  readonly onChange: (form: ApplyForm) => void;
}): JSX.Element {
  const { form, place, onChange } = props;
  const [first] = totalsOf(place);
  const add = (): void => {
    if (first === undefined) return;
    const { method, paths } = first;
    const [path = null] = paths;
    const alias = aliasOf(method, path, [...form.totals.map((total) => total.alias), ...form.groupBy]);
    onChange({ ...form, totals: [...form.totals, { method, path, alias }] });
  };
  return (
    <Button icon="add" disabled={first === undefined} onClick={add}>
      Total
    </Button>
  );
}

/** Returns the totals that a set permits, with the properties of each; the number of rows has none. */
function totalsOf({
  type,
  set,
}: QueryPlace): readonly { readonly method: TotalMethod; readonly paths: readonly string[] }[] {
  const own = comparable(type).map(({ path }) => path);
  const pathsOf = (method: TotalMethod): readonly string[] =>
    method === "count" ? [] : own.filter((path) => set?.abilities.methodsOf(path).includes(method) ?? true);
  return Array.from(METHOD_NAMES.keys(), (method) => ({ method, paths: pathsOf(method) })).filter(({ method, paths }) =>
    method === "count" ? set?.abilities.canCount !== false : paths.length > 0,
  );
}

function TotalFields(props: {
  readonly total: Total;
  readonly place: QueryPlace;
  readonly taken: readonly string[];
  readonly onChange: (total: Total | null) => void;
}): JSX.Element {
  const { total, place, taken, onChange } = props;
  const offered = totalsOf(place);
  const change = (method: TotalMethod, path: string | null): void => {
    onChange({ method, path, alias: aliasOf(method, path, taken) });
  };
  return (
    <div class="filter-row">
      <Pick
        label="Total"
        value={total.method}
        choices={offered.map(({ method }) => [method, METHOD_NAMES.get(method) ?? method])}
        onPick={(chosen) => {
          const next = offered.find(({ method }) => method === chosen);
          if (next === undefined) return;
          const isKept = total.path !== null && next.paths.includes(total.path);
          change(next.method, isKept ? total.path : (next.paths[0] ?? null));
        }}
      />
      {total.path === null ? null : (
        <Pick
          label="Total of"
          value={total.path}
          choices={offered.find(({ method }) => method === total.method)?.paths ?? []}
          onPick={(path) => change(total.method, path)}
        />
      )}
      <span class="dim small">
        as <code>{total.alias}</code>
      </span>
      <Remove what={`the total ${total.alias}`} onRemove={() => onChange(null)} />
    </div>
  );
}
