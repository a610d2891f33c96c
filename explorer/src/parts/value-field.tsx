import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isNumeric } from "../format/show-value.ts";
import { isEditedAsJson, readTypedJson, type ValueShape } from "../query/literals.ts";
import { CheckField, type FieldProps, TextField } from "./field.tsx";

/** The facts of a value that its field needs. */
export interface ValueFieldProps extends FieldProps {
  readonly shape: ValueShape & { readonly maxLength?: number | null; readonly isMultiLine?: boolean };
  /** The text that the reader typed; null for the value null, and for no value where null is not permitted. */
  readonly typed: string | null;
  readonly onChange: (typed: string | null) => void;
  readonly isNullable: boolean;
}

/** Shows a field that fits a type: a list of choices, a line of text, or several. */
export function ValueField(props: ValueFieldProps): JSX.Element {
  const { shape, typed, onChange, isNullable } = props;
  const value = typed ?? "";
  const choices = choicesOf(shape);
  const hasChoices = choices.length > 0;
  // A field that becomes longer while somebody types would lose the focus.
  const [wasLong] = useState(value.length > 80);
  const hint = props.hint ?? (hasChoices ? null : hintOf(shape));
  const none = isNullable || typed === null ? [{ value: "", label: isNullable ? "null" : "Choose" }] : [];
  return (
    <TextField
      {...props}
      value={value}
      hint={hint !== null && props.error?.includes(hint) === true ? null : hint}
      placeholder={typed === null && isNullable ? "null" : ""}
      isCode={!hasChoices && !isText(shape)}
      isLong={isEditedAsJson(shape) || shape.isMultiLine === true || (isText(shape) && wasLong)}
      choices={hasChoices ? [...none, ...choices] : undefined}
      onInput={(text) => onChange(text === "" && (hasChoices || !isNullable) ? null : text)}
      beside={hasChoices ? undefined : <EmptyBox {...props} />}
    />
  );
}

/** Shows a box for values that no typed text means: null, and an empty text where a text is required and none is typed. */
export function EmptyBox({
  label,
  shape,
  typed,
  isNullable,
  required,
  error,
  onChange,
}: ValueFieldProps): JSX.Element | null {
  const isAsked = typed === "" || (typed === null && typeof error === "string");
  if (!isNullable && !(required === true && isText(shape) && isAsked)) return null;
  return (
    <CheckField
      label={[<span class="hidden">{`${label} is `}</span>, isNullable ? "null" : "empty text"]}
      checked={typed === (isNullable ? null : "")}
      onChange={(isChecked) => onChange(isChecked === isNullable ? null : "")}
    />
  );
}

/** Returns the values of a type that has few; none for other types. */
function choicesOf({ type, isCollection }: ValueShape): readonly string[] {
  if (isCollection || type.kind === "complex") return [];
  if (type.kind === "primitive") return type.name === "Edm.Boolean" ? ["true", "false"] : [];
  return type.enum.isFlags ? [] : type.enum.members.map(({ name }) => name);
}

function isText({ type, isCollection }: ValueShape): boolean {
  return !isCollection && type.kind === "primitive" && type.name === "Edm.String";
}

/** Returns a hint for types whose form is not obvious. */
function hintOf(shape: ValueFieldProps["shape"]): string | null {
  if (isEditedAsJson(shape)) return shape.isCollection ? "A list, as JSON" : "An object, as JSON";
  const { maxLength = null } = shape;
  if (isText(shape)) return maxLength === null ? null : `At most ${String(maxLength)} characters`;
  // A field without a text has the advice as its hint.
  return isNumeric(shape.type) ? null : (readTypedJson("", shape).message?.replace(/^.*? (?=Type)/u, "") ?? null);
}
