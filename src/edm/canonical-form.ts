import type { PrimitiveValue } from "./value-codec.ts";

/**
 * The canonical value of a type whose values are strings.
 * @throws TypeError when it is none: a fault of the caller, never of a client
 */
export function asText(value: PrimitiveValue): string {
  if (typeof value === "string") return value;
  throw wrongForm(value, "a string");
}

/**
 * The canonical value of a type whose values are numbers.
 * @throws TypeError when it is none: a fault of the caller, never of a client
 */
export function asNumber(value: PrimitiveValue): number {
  if (typeof value === "number") return value;
  throw wrongForm(value, "a number");
}

/**
 * The canonical value of Edm.Int64.
 * @throws TypeError when it is none: a fault of the caller, never of a client
 */
export function asBigInt(value: PrimitiveValue): bigint {
  if (typeof value === "bigint") return value;
  throw wrongForm(value, "a bigint");
}

/**
 * The canonical value of Edm.Boolean.
 * @throws TypeError when it is none: a fault of the caller, never of a client
 */
export function asBoolean(value: PrimitiveValue): boolean {
  if (typeof value === "boolean") return value;
  throw wrongForm(value, "a boolean");
}

/**
 * The canonical value of Edm.Binary.
 * @throws TypeError when it is none: a fault of the caller, never of a client
 */
export function asBytes(value: PrimitiveValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw wrongForm(value, "a Uint8Array");
}

function wrongForm(value: PrimitiveValue, wanted: string): TypeError {
  return new TypeError(`Expected the canonical form, ${wanted}, and got a ${typeof value}.`);
}
