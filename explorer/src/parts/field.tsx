import { type ComponentChildren, type InputHTMLAttributes, type JSX, type TargetedEvent, createElement } from "preact";
import { useId } from "preact/hooks";

/** What every field has. */
export interface FieldProps {
  readonly label: string;
  /** Whether the label is for screen readers only. */
  readonly isLabelHidden?: boolean | undefined;
  readonly hint?: string | null | undefined;
  /** What is wrong with the value. */
  readonly error?: string | null | undefined;
  readonly required?: boolean | undefined;
  /** What stands at the end of the line of the control. */
  readonly beside?: ComponentChildren;
}

/** Shows a control between its label and its hint and error, which describe it to screen readers. */
function Field(props: FieldProps & { readonly control: (attributes: object) => JSX.Element }): JSX.Element {
  const id = useId();
  const notes = (["hint", "error"] as const).filter((kind) => typeof props[kind] === "string");
  const control = props.control({
    id,
    class: "input",
    "aria-describedby": notes.map((kind) => `${id}-${kind}`).join(" ") || undefined,
    "aria-invalid": notes.includes("error") || undefined,
    required: props.required,
  });
  return (
    <div class="field">
      <label class={props.isLabelHidden === true ? "hidden" : "field-label"} for={id}>
        {props.label}
        {props.required === true ? <span class="dim"> (required)</span> : null}
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

/** Shows a field for text. */
export function TextField(
  props: FieldProps &
    Pick<InputHTMLAttributes, "autocomplete" | "placeholder" | "inputMode"> & {
      readonly value: string;
      readonly onInput: (value: string) => void;
      readonly type?: "text" | "search" | "password" | undefined;
      readonly isCode?: boolean | undefined;
      /** Whether it has several lines. */
      readonly isLong?: boolean | undefined;
    },
): JSX.Element {
  const { value, placeholder, autocomplete = "off", inputMode, isLong = false } = props;
  const text = {
    class: props.isCode === true ? "input code" : "input",
    value,
    placeholder,
    inputMode,
    autocomplete,
    type: isLong ? undefined : (props.type ?? "text"),
    spellcheck: false,
    onInput: (event: TargetedEvent<HTMLInputElement>) => props.onInput(event.currentTarget.value),
  };
  return <Field {...props} control={(tied) => createElement(isLong ? "textarea" : "input", { ...tied, ...text })} />;
}

/** One choice of a list. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Shows a field with a list of choices. */
export function SelectField(
  props: FieldProps & {
    readonly value: string;
    readonly choices: readonly Choice[];
    readonly onChange: (value: string) => void;
  },
): JSX.Element {
  return (
    <Field
      {...props}
      control={(attributes) => (
        <select {...attributes} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
          {props.choices.map(({ value, label }) => (
            <option key={value} value={value} selected={value === props.value}>
              {label}
            </option>
          ))}
        </select>
      )}
    />
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
