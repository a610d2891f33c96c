import type { PropertyType } from "../model/model.ts";
import { literalText, readTyped } from "./literals.ts";

/** What a person typed as a value of JSON, or what is wrong with it. */
export type TypedJson =
  | { readonly value: unknown; readonly message: null }
  | { readonly value: null; readonly message: string };

/** The type of a property or parameter. */
export interface ValueShape {
  readonly type: PropertyType;
  readonly isCollection: boolean;
}

/** Types whose JSON value is a number. Int64 and Decimal are texts, so that no digit is lost. */
const NUMBERS: ReadonlySet<string> = new Set(
  ["Byte", "SByte", "Int16", "Int32", "Single", "Double"].map((name) => `Edm.${name}`),
);

/** Returns whether a value is edited as JSON: a complex value, or several values. */
export function isEditedAsJson({ type, isCollection }: ValueShape): boolean {
  return isCollection || type.kind === "complex";
}

/**
 * Reads what a person typed, as the member of a body with `IEEE754Compatible=true`.
 * @see OData JSON Format 4.0, section 7.1
 */
export function readTypedJson(typed: string, shape: ValueShape): TypedJson {
  if (isEditedAsJson(shape)) return readJson(typed, shape);
  const { type } = shape;
  const { literal, message } = readTyped(typed, type);
  if (literal === null) return { value: null, message };
  const text = literalText(literal);
  if (type.kind !== "primitive") return { value: text, message: null };
  if (type.name === "Edm.Boolean") return { value: text === "true", message: null };
  const isNumber = NUMBERS.has(type.name) && Number.isFinite(Number(text));
  return { value: isNumber ? Number(text) : text, message: null };
}

function readJson(typed: string, { isCollection }: ValueShape): TypedJson {
  try {
    const value: unknown = JSON.parse(typed);
    if (Array.isArray(value) === isCollection) return { value, message: null };
    return {
      value: null,
      message: isCollection ? "Type an array, such as [1, 2]." : 'Type an object, such as {"A": 1}.',
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { value: null, message: `This is not JSON: ${reason}` };
  }
}

/** Returns a value of JSON as the text that a person edits. */
export function typedOf(value: unknown, shape: ValueShape): string {
  if (value === null || value === undefined) return "";
  if (isEditedAsJson(shape)) return JSON.stringify(value, null, 2);
  return typeof value === "string" ? value : JSON.stringify(value);
}
