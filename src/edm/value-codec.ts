import type { JsonValue } from "../json/json-value.ts";
import type { EnumType } from "./model.ts";
import type { PrimitiveType } from "./primitive-type.ts";

/**
 * A single value in canonical form: Int64 is a bigint; Decimal, Guid, the temporal types and enums are canonical
 * strings; Binary is a Uint8Array; other numbers are numbers.
 */
export type PrimitiveValue = boolean | number | bigint | string | Uint8Array;

/**
 * How the values of one type (with its facets) are read, written and compared. One frozen object per property; none of
 * its functions needs `this`.
 */
export interface ValueCodec {
  readonly type: PrimitiveType | EnumType;
  /**
   * The canonical form of what a handler returned (never null).
   * @throws InvalidValueError when it cannot be a value of this type
   */
  readonly fromHandler: (value: unknown) => PrimitiveValue;
  /**
   * The canonical form of a parsed JSON value (never null), facets checked.
   * @param ieee754Compatible whether strings stand for numbers
   * @throws InvalidValueError
   */
  readonly fromJson: (value: JsonValue, ieee754Compatible: boolean) => PrimitiveValue;
  /** The JSON text of a canonical value. */
  readonly toJson: (value: PrimitiveValue, ieee754Compatible: boolean) => string;
  /**
   * The canonical form of the text of a URL literal, without prefix and quotes.
   * @throws InvalidValueError
   */
  readonly fromText: (text: string) => PrimitiveValue;
  /** The URL literal of a canonical value, not percent-encoded. */
  readonly toLiteral: (value: PrimitiveValue) => string;
  /** The text of `/$value`. */
  readonly toText: (value: PrimitiveValue) => string;
  /** Negative, zero or positive; NaN for a NaN operand. */
  readonly compare: (left: PrimitiveValue, right: PrimitiveValue) => number;
}

/** A value that is not one of its type; the caller knows the code and target of the answer. */
export class InvalidValueError extends Error {
  override readonly name = "InvalidValueError";
}
