import type { JSX } from "preact";
import type { PropertyType } from "../model/model.ts";
import { isEditedAsJson, type ValueShape } from "../query/literals.ts";
import { type Choice, type FieldProps, SelectField, TextField } from "./field.tsx";

/** What a field for a value needs to know. */
export interface ValueFieldProps extends Omit<FieldProps, "hint"> {
  readonly shape: ValueShape & { readonly maxLength?: number | null; readonly isMultiLine?: boolean };
  /** What the reader typed; null for the value null. */
  readonly typed: string | null;
  readonly onChange: (typed: string | null) => void;
  /** Whether null is a choice. */
  readonly isNullable: boolean;
  readonly hint?: string | null | undefined;
}

/** Shows a field that fits a type: a list of choices, a line of text, or several. */
export function ValueField(props: ValueFieldProps): JSX.Element {
  const { shape, typed, onChange, isNullable } = props;
  const choices = choicesOf(shape);
  if (choices === null) return <TypedField {...props} />;
  const none = isNullable ? [{ value: "", label: "null" }] : [];
  const missing = isNullable || typed !== null ? [] : [{ value: "", label: "Choose" }];
  return (
    <SelectField
      {...props}
      value={typed ?? ""}
      choices={[...none, ...missing, ...choices]}
      onChange={(value) => onChange(value === "" ? null : value)}
    />
  );
}

function TypedField(props: ValueFieldProps): JSX.Element {
  const { shape, typed, onChange, isNullable } = props;
  const isJson = isEditedAsJson(shape);
  return (
    <div class="value-field">
      <TextField
        {...props}
        value={typed ?? ""}
        hint={props.hint ?? hintOf(shape)}
        placeholder={typed === null && isNullable ? "null" : ""}
        isCode={isJson || !isText(shape.type)}
        isLong={isJson || shape.isMultiLine === true || (isText(shape.type) && (typed ?? "").length > 80)}
        onInput={onChange}
      />
      {isNullable ? (
        <label class="check value-field-null">
          <input
            type="checkbox"
            checked={typed === null}
            aria-label={`${props.label} is null`}
            onChange={(event) => onChange(event.currentTarget.checked ? null : "")}
          />
          <span>null</span>
        </label>
      ) : null}
    </div>
  );
}

function choicesOf({ type, isCollection }: ValueShape): readonly Choice[] | null {
  if (isCollection) return null;
  if (type.kind === "primitive" && type.name === "Edm.Boolean") {
    return ["true", "false"].map((value) => ({ value, label: value }));
  }
  if (type.kind !== "enum" || type.enum.isFlags) return null;
  return type.enum.members.map(({ name, description }) => ({
    value: name,
    label: description === null ? name : `${name}: ${description}`,
  }));
}

function isText(type: PropertyType): boolean {
  return type.kind === "primitive" && type.name === "Edm.String";
}

/** What to type, for types whose form is not obvious. */
const HINTS: Readonly<Record<string, string>> = {
  "Edm.Date": "Such as 2024-02-29",
  "Edm.TimeOfDay": "Such as 13:20:00",
  "Edm.DateTimeOffset": "Such as 2024-02-29T13:20:00Z",
  "Edm.Duration": "Such as P1DT2H30M",
  "Edm.Guid": "Such as 01234567-89ab-cdef-0123-456789abcdef",
  "Edm.Binary": "In base64url, such as T0RhdGE",
};

function hintOf({ type, isCollection, maxLength }: ValueFieldProps["shape"]): string | null {
  if (isCollection) return "A list, as JSON";
  if (type.kind === "complex") return "An object, as JSON";
  if (type.kind === "enum") return `Of ${type.enum.members.map(({ name }) => name).join(", ")}; several with commas`;
  if (isText(type)) return typeof maxLength === "number" ? `At most ${String(maxLength)} characters` : null;
  return HINTS[type.name] ?? null;
}
