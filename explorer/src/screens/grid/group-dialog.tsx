import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EntitySet } from "../../model/model.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/field.tsx";
import type { ApplyForm, Total } from "../../query/apply-text.ts";
import { type View, hrefOf } from "../../state/view.ts";
import type { GridProps } from "./grid-props.ts";
import { formOf, groupablePaths, groupedView, namedTotal, totalChoices, ungrouped } from "./group-view.ts";

/** Shows a form for groups and totals. */
export function GroupDialog(props: GridProps & { readonly set: EntitySet; readonly onClose: () => void }): JSX.Element {
  const { session, view, set, onClose } = props;
  const [form, setForm] = useState(() => formOf(view));
  const paths = groupablePaths(set).map((path) => ({ value: path, label: path }));
  const totals = totalChoices(set);
  const go = (next: View): void => {
    onClose();
    if (view.options.has("$search")) session.toasts.show("The search was removed: groups are made of all rows.");
    session.go(next);
  };
  return (
    <Dialog
      title="Groups and totals"
      onClose={onClose}
      actions={
        <>
          {view.options.has("$apply") ? <ButtonLink href={hrefOf(ungrouped(view))}>Show the rows</ButtonLink> : null}
          <Button
            kind="primary"
            disabled={form.groupBy.length + form.totals.length === 0}
            onClick={() => go(groupedView(view, form))}
          >
            Group
          </Button>
        </>
      }
    >
      <div class="stack grid-form">
        <Selects
          label="Group by"
          none="Nothing"
          values={form.groupBy}
          choices={paths}
          onChange={(groupBy) => setForm({ ...form, groupBy, limit: null })}
        />
        <Selects
          label="Total"
          none="None"
          values={form.totals.map(keyOf)}
          choices={totals.map((total) => ({ value: keyOf(total), label: total.label }))}
          onChange={(keys) => setForm({ ...form, limit: null, totals: totalsOf(keys, form, set) })}
        />
      </div>
    </Dialog>
  );
}

function keyOf({ method, path }: Pick<Total, "method" | "path">): string {
  return `${method} ${path ?? ""}`;
}

/** Totals that stay keep their names. */
function totalsOf(keys: readonly string[], form: ApplyForm, set: EntitySet): readonly Total[] {
  const totals: Total[] = [];
  for (const total of totalChoices(set).filter((each) => keys.includes(keyOf(each)))) {
    const old = form.totals.find((each) => keyOf(each) === keyOf(total));
    totals.push(old ?? namedTotal(total, { ...form, totals }, set.type));
  }
  return totals.toSorted((a, b) => keys.indexOf(keyOf(a)) - keys.indexOf(keyOf(b)));
}

interface SelectsProps {
  readonly label: string;
  /** The choice that removes a value. */
  readonly none: string;
  readonly values: readonly string[];
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (values: readonly string[]) => void;
}

/** Shows a list for each value, and one for a further value. */
function Selects({ label, none, values, choices, onChange }: SelectsProps): JSX.Element {
  return (
    <div class="grid-selects">
      {[...values, ""].map((value, at) => (
        <SelectField
          key={at}
          label={at === 0 ? label : `${label}, ${at + 1}`}
          isLabelHidden={at > 0}
          value={value}
          choices={[
            { value: "", label: value === "" ? further(at, none) : "Remove" },
            ...choices.filter((choice) => choice.value === value || !values.includes(choice.value)),
          ]}
          onChange={(next) => {
            const changed = [...values.slice(0, at), next, ...values.slice(at + 1)];
            onChange(changed.filter((each) => each !== ""));
          }}
        />
      ))}
    </div>
  );
}

function further(at: number, none: string): string {
  return at === 0 ? none : "And …";
}
