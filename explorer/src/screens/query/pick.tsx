import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { SelectField } from "../../parts/field.tsx";

/** Shows a list of choices whose name is for screen readers: its neighbours say what it is. */
export function Pick(props: {
  readonly label: string;
  readonly value: string;
  /** Values, or values with their texts. A value that is none of them is a choice, too. */
  readonly choices: readonly (string | readonly [value: string, text: string])[];
  readonly onPick: (value: string) => void;
}): JSX.Element {
  const { label, value, onPick } = props;
  const choices = props.choices.map((each) =>
    typeof each === "string" ? { value: each, label: each } : { value: each[0], label: each[1] },
  );
  const all = choices.some((each) => each.value === value) ? choices : [{ value, label: value }, ...choices];
  return <SelectField label={label} isLabelHidden value={value} choices={all} onChange={onPick} />;
}

/** Shows a button that takes something away. */
export function Remove({ what, onRemove }: { readonly what: string; readonly onRemove: () => void }): JSX.Element {
  return <Button kind="quiet" icon="close" label={`Remove ${what}`} onClick={onRemove} />;
}
