import { type ComponentChildren, type InputHTMLAttributes, type JSX, type TargetedEvent, createElement } from "preact";
import { useId } from "preact/hooks";

/** The properties of every field. */
export interface FieldProps {
  readonly label: string;
  /** Whether the label is for screen readers only. */
  readonly isLabelHidden?: boolean | undefined;
  readonly hint?: string | null | undefined;
  /** The fault of the value. */
  readonly error?: string | null | undefined;
  readonly required?: boolean | undefined;
  /** The content at the end of the line of the control. */
  readonly beside?: ComponentChildren;
}

/** The choices of a list; a text is its own label. */
type Choices = readonly (string | { readonly value: string; readonly label: string })[];

/** Further attributes of the control of a field. */
type ControlAttributes = JSX.IntrinsicElements["textarea"] & { readonly list?: string };

/** Shows a field for text, or a list if there are choices, between its label and its hint and error. */
export function TextField(
  props: FieldProps &
    Pick<InputHTMLAttributes, "placeholder" | "inputMode"> & {
      readonly value: string;
      readonly onInput: (value: string) => void;
      readonly type?: "text" | "search" | "date" | undefined;
      readonly isCode?: boolean | undefined;
      /** Whether it has several lines. */
      readonly isLong?: boolean | undefined;
      readonly choices?: Choices | undefined;
      /** Further attributes of the control. */
      readonly control?: ControlAttributes | undefined;
    },
): JSX.Element {
  const id = useId();
  const { required, value, placeholder, inputMode, choices } = props;
  const notes = (["hint", "error"] as const).filter((kind) => typeof props[kind] === "string");
  const tag = props.isLong === true ? "textarea" : "input";
  const plain = { id, required, value, placeholder, inputMode, autocomplete: "off" as const, spellcheck: false };
  const attributes = {
    ...plain,
    class: props.isCode === true ? "input code" : "input",
    type: tag === "input" ? (props.type ?? "text") : undefined,
    "aria-describedby": notes.map((kind) => `${id}-${kind}`).join(" ") || undefined,
    "aria-invalid": notes.includes("error") || undefined,
    onInput: (event: TargetedEvent<HTMLInputElement>) => props.onInput(event.currentTarget.value),
    ...props.control,
  };
  const options = choices?.map((choice) => {
    const option = typeof choice === "string" ? { value: choice, label: choice } : choice;
    return (
      <option key={option.value} value={option.value} selected={option.value === value}>
        {option.label}
      </option>
    );
  });
  const control = createElement(choices === undefined ? tag : "select", attributes, options);
  return (
    <div class="field">
      <label class={props.isLabelHidden === true ? "hidden" : "field-label"} for={id}>
        {props.label}
        {required === true ? <span class="dim"> (required)</span> : null}
      </label>
      {props.beside === undefined ? control : <div class="value-field">{[control, props.beside]}</div>}
      {notes.map((kind) => (
        <span key={kind} class={`field-${kind}`} id={`${id}-${kind}`}>
          {props[kind]}
        </span>
      ))}
    </div>
  );
}

/** Shows a box that is checked or not. */
export function CheckField(props: {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean | undefined;
}): JSX.Element {
  const { label, checked, disabled, onChange } = props;
  return (
    <label class="check">
      <input type="checkbox" {...{ checked, disabled }} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** Chooses several names of a list; shows nothing for an empty list. Chosen ones keep the order in which they were chosen. */
export function CheckList(props: {
  readonly label: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  /** How many are chosen; by default any number. */
  readonly least?: number;
  readonly most?: number;
  /** Returns the name of a choice for people; the name itself if absent. */
  readonly labelOf?: (name: string) => string;
  readonly onChange: (chosen: readonly string[]) => void;
}): JSX.Element | null {
  const { label, names, chosen, least = 0, most = Infinity, labelOf = String, onChange } = props;
  const all = [...new Set([...names, ...chosen])];
  return all.length === 0 ? null : (
    <fieldset class="check-list">
      <legend class="field-label">{label}</legend>
      {all.map((name) => (
        <CheckField
          key={name}
          label={labelOf(name)}
          checked={chosen.includes(name)}
          disabled={chosen.includes(name) ? chosen.length <= least : chosen.length >= most}
          onChange={(isChosen) => onChange(isChosen ? [...chosen, name] : chosen.filter((each) => each !== name))}
        />
      ))}
    </fieldset>
  );
}
