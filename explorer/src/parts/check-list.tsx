import type { JSX } from "preact";
import { CheckField } from "./field.tsx";

/** Chooses several names of a list; shows nothing for an empty list. Chosen ones keep the order in which they were chosen. */
export function CheckList(props: {
  readonly label: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  /** How many are chosen; by default any number. */
  readonly least?: number;
  readonly most?: number;
  readonly onChange: (chosen: readonly string[]) => void;
}): JSX.Element | null {
  const { label, names, chosen, least = 0, most = Infinity, onChange } = props;
  const all = [...new Set([...names, ...chosen])];
  return all.length === 0 ? null : (
    <fieldset class="check-list">
      <legend class="field-label">{label}</legend>
      {all.map((name) => (
        <CheckField
          key={name}
          label={name}
          checked={chosen.includes(name)}
          disabled={chosen.includes(name) ? chosen.length <= least : chosen.length >= most}
          onChange={(isChosen) => onChange(isChosen ? [...chosen, name] : chosen.filter((each) => each !== name))}
        />
      ))}
    </fieldset>
  );
}
