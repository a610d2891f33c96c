import { type ComponentChildren, type JSX, type TargetedEvent, createElement } from "preact";
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
}

/** The attributes that tie a control to its label, hint and error. */
export interface ControlAttributes {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
  readonly required: boolean | undefined;
}

/** Shows a control with its label, hint and error. */
export function Field(
  props: FieldProps & { readonly control: (attributes: ControlAttributes) => ComponentChildren },
): JSX.Element {
  const id = useId();
  const { label, hint = null, error = null } = props;
  const described = [...(hint === null ? [] : [`${id}-hint`]), ...(error === null ? [] : [`${id}-error`])];
  return (
    <div class="field">
      <label class={props.isLabelHidden === true ? "hidden" : "field-label"} for={id}>
        {label}
        {props.required === true ? <span class="dim"> (required)</span> : null}
      </label>
      {props.control({
        id,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
        "aria-invalid": error === null ? undefined : true,
        required: props.required,
      })}
      {hint === null ? null : (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error === null ? null : (
        <span class="field-error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

/** Shows a field for text. */
export function TextField(
  props: FieldProps & {
    readonly value: string;
    readonly onInput: (value: string) => void;
    readonly type?: "text" | "search" | "password" | "number" | "date" | "url" | undefined;
    readonly autocomplete?: string | undefined;
    readonly placeholder?: string | undefined;
    readonly inputMode?: "text" | "decimal" | "numeric" | undefined;
    readonly isCode?: boolean | undefined;
    /** Shows several lines. */
    readonly isLong?: boolean | undefined;
  },
): JSX.Element {
  const shared = {
    class: `input${props.isCode === true ? " code" : ""}`,
    value: props.value,
    placeholder: props.placeholder,
    spellcheck: false,
    onInput: (event: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) => props.onInput(event.currentTarget.value),
  };
  return (
    <Field
      {...props}
      control={(attributes) =>
        props.isLong === true ? (
          <textarea {...attributes} {...shared} />
        ) : (
          createElement("input", {
            ...attributes,
            ...shared,
            type: props.type ?? "text",
            autocomplete: props.autocomplete ?? "off",
            inputMode: props.inputMode,
          })
        )
      }
    />
  );
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
        <select
          {...attributes}
          class="input"
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        >
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
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.checked}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  );
}
