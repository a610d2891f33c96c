import type { JsonValue } from "../json/json-value.ts";
import type { EnumType } from "./model.ts";
import type { PrimitiveType } from "./primitive-type.ts";

/**
 * A single value in canonical form: Int64 is a bigint; Decimal, Guid, the temporal types and enums are canonical
 * strings; Binary is a Uint8Array; other numbers are numbers.
 */
export type PrimitiveValue = boolean | number | bigint | string | Uint8Array;

/**
 * Reads, writes and compares the values of one type with its facets. There is one frozen object per property, whose
 * functions do not use `this`.
 */
export interface ValueCodec {
  readonly type: PrimitiveType | EnumType;
  /**
   * Converts a handler's value, which is not null, to its canonical form.
   * @throws InvalidValueError for an invalid value
   */
  readonly fromHandler: (value: unknown) => PrimitiveValue;
  /**
   * Converts a parsed JSON value, which is not null, to its canonical form, and checks the facets.
   * @param ieee754Compatible whether numbers may be strings
   * @throws InvalidValueError
   */
  readonly fromJson: (value: JsonValue, ieee754Compatible: boolean) => PrimitiveValue;
  /** Returns the JSON text of a canonical value. */
  readonly toJson: (value: PrimitiveValue, ieee754Compatible: boolean) => string;
  /**
   * Converts the text of a URL literal, without prefix and quotes, to its canonical form.
   * @throws InvalidValueError
   */
  readonly fromText: (text: string) => PrimitiveValue;
  /** Returns the URL literal of a canonical value, not percent-encoded. */
  readonly toLiteral: (value: PrimitiveValue) => string;
  /** Returns the text of `/$value`. */
  readonly toText: (value: PrimitiveValue) => string;
  /** Returns a negative number, zero or a positive number; NaN for a NaN operand. */
  readonly compare: (left: PrimitiveValue, right: PrimitiveValue) => number;
}

/** An invalid value. The caller chooses the code and target of the error response. */
export class InvalidValueError extends Error {
  override readonly name = "InvalidValueError";
}
