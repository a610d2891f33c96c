import type { JSX } from "preact";
import { CheckField } from "../../parts/field.tsx";

/** Chooses several names of a list. Chosen ones keep the order in which they were chosen. */
export function CheckList(props: {
  readonly label: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}): JSX.Element {
  const { label, names, chosen, onChange } = props;
  return (
    <fieldset class="query-checks">
      <legend class="field-label">{label}</legend>
      {[...new Set([...names, ...chosen])].map((name) => (
        <CheckField
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={(isChosen) => {
            onChange(isChosen ? [...chosen, name] : chosen.filter((each) => each !== name));
          }}
        />
      ))}
    </fieldset>
  );
}
