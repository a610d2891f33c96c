import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EntitySet } from "../../model/model.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/field.tsx";
import { formOf, groupablePaths, groupedView, namedTotal, totalChoices } from "./group-view.ts";
import type { GridProps } from "./rows.tsx";

/** Shows a form for groups and totals. */
export function GroupDialog(props: GridProps & { readonly set: EntitySet; readonly onClose: () => void }): JSX.Element {
  const { session, view, set, onClose } = props;
  const [form, setForm] = useState(() => formOf(view));
  const paths = groupablePaths(set).map((path) => ({ value: path, label: path }));
  const totals = totalChoices(set);
  const keyOf = (total: { readonly method: string; readonly path: string | null }): string =>
    `${total.method} ${total.path ?? ""}`;
  const go = (next: typeof form): void => {
    onClose();
    if (view.options.has("$search")) session.toasts.show("The search was removed: groups are made of all rows.");
    session.go(groupedView(view, next));
  };
  return (
    <Dialog
      title="Groups and totals"
      onClose={onClose}
      actions={
        <>
          {view.options.has("$apply") ? (
            <Button
              onClick={() => {
                go({ ...form, groupBy: [], totals: [], limit: null });
              }}
            >
              Show the rows
            </Button>
          ) : null}
          <Button
            kind="primary"
            disabled={form.groupBy.length + form.totals.length === 0}
            onClick={() => {
              go(form);
            }}
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
          onChange={(groupBy) => {
            setForm({ ...form, groupBy, limit: null });
          }}
        />
        <Selects
          label="Total"
          none="None"
          values={form.totals.map(keyOf)}
          choices={totals.map((total) => ({ value: keyOf(total), label: total.label }))}
          onChange={(keys) => {
            const chosen = keys.flatMap((key) => totals.find((total) => keyOf(total) === key) ?? []);
            const next = chosen.reduce(
              (named, total) => {
                const old = form.totals.find((each) => keyOf(each) === keyOf(total));
                return { ...named, totals: [...named.totals, old ?? namedTotal(total, named, set.type)] };
              },
              { ...form, totals: [] as typeof form.totals },
            );
            setForm({ ...next, limit: null });
          }}
        />
      </div>
    </Dialog>
  );
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
            { value: "", label: at === 0 ? none : value === "" ? "And …" : "Remove" },
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
