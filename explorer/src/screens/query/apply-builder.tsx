import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import {
  aliasOf,
  type ApplyForm,
  NO_GROUPS,
  readApply,
  type Total,
  type TotalMethod,
  writeApply,
} from "../../query/apply-text.ts";
import { comparable } from "../../query/operators.ts";
import { CheckList } from "./check-list.tsx";
import { FilterBuilder } from "./filter-builder.tsx";
import { filterPaths, type QueryPlace } from "./filter-paths.ts";
import { Pick, Remove } from "./pick.tsx";
import { Section } from "./section.tsx";
import { useEdited } from "./use-edited.ts";

const METHODS: Readonly<Record<TotalMethod, string>> = {
  count: "number of rows",
  sum: "sum of",
  average: "average of",
  min: "least",
  max: "greatest",
  countdistinct: "different values of",
};
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
  const paths = filterPaths(place).filter(({ property }) => property !== null);
  const groupable = paths.map(({ path }) => path).filter((path) => place.set?.abilities.groupable(path) ?? true);
  return (
    <div class="query-rows">
      <CheckList
        label="Groups by"
        names={groupable}
        chosen={form.groupBy}
        onChange={(groupBy) => {
          change({ ...form, groupBy });
        }}
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
      <Button
        icon="add"
        onClick={() => {
          const alias = aliasOf("count", null, [...form.totals.map((total) => total.alias), ...form.groupBy]);
          change({ ...form, totals: [...form.totals, { method: "count", path: null, alias }] });
        }}
      >
        Total
      </Button>
      {writeApply({ ...form, filter: "" }) === writeApply(NO_GROUPS) ? null : (
        <Section title="Only of the rows with" text={form.filter}>
          <FilterBuilder
            place={place}
            text={form.filter}
            onChange={(filter) => {
              change({ ...form, filter });
            }}
          />
        </Section>
      )}
    </div>
  );
}

function TotalFields(props: {
  readonly total: Total;
  readonly place: QueryPlace;
  readonly taken: readonly string[];
  readonly onChange: (total: Total | null) => void;
}): JSX.Element {
  const { total, place, taken, onChange } = props;
  const pathsOf = (method: string): readonly string[] =>
    comparable(place.type)
      .map(({ path }) => path)
      .filter((path) => place.set?.abilities.methodsOf(path).includes(method) ?? true);
  const methods = Object.entries(METHODS).filter(([method]) => method === "count" || pathsOf(method).length > 0);
  const change = (method: string, path: string | null): void => {
    const known = Object.keys(METHODS).find((each): each is TotalMethod => each === method) ?? "count";
    onChange({ method: known, path, alias: aliasOf(known, path, taken) });
  };
  return (
    <div class="filter-row">
      <Pick
        label="Total"
        value={total.method}
        choices={methods}
        onPick={(method) => {
          const paths = pathsOf(method);
          const path = total.path !== null && paths.includes(total.path) ? total.path : (paths[0] ?? null);
          change(method, method === "count" ? null : path);
        }}
      />
      {total.path === null ? null : (
        <Pick
          label="Total of"
          value={total.path}
          choices={pathsOf(total.method)}
          onPick={(path) => {
            change(total.method, path);
          }}
        />
      )}
      <span class="dim small">
        as <code>{total.alias}</code>
      </span>
      <Remove
        what={`the total ${total.alias}`}
        onRemove={() => {
          onChange(null);
        }}
      />
    </div>
  );
}
