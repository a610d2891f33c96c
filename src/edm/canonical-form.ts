import type { PrimitiveValue } from "./value-codec.ts";

/**
 * Returns a canonical value as a string.
 * @throws TypeError for any other value, which is a programming error
 */
export function asText(value: PrimitiveValue): string {
  if (typeof value === "string") return value;
  throw wrongForm(value, "a string");
}

/**
 * Returns a canonical value as a number.
 * @throws TypeError for any other value, which is a programming error
 */
export function asNumber(value: PrimitiveValue): number {
  if (typeof value === "number") return value;
  throw wrongForm(value, "a number");
}

/**
 * Returns a canonical value of Edm.Int64.
 * @throws TypeError for any other value, which is a programming error
 */
export function asBigInt(value: PrimitiveValue): bigint {
  if (typeof value === "bigint") return value;
  throw wrongForm(value, "a bigint");
}

/**
 * Returns a canonical value of Edm.Boolean.
 * @throws TypeError for any other value, which is a programming error
 */
export function asBoolean(value: PrimitiveValue): boolean {
  if (typeof value === "boolean") return value;
  throw wrongForm(value, "a boolean");
}

/**
 * Returns a canonical value of Edm.Binary.
 * @throws TypeError for any other value, which is a programming error
 */
export function asBytes(value: PrimitiveValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw wrongForm(value, "a Uint8Array");
}

function wrongForm(value: PrimitiveValue, wanted: string): TypeError {
  return new TypeError(`Expected the canonical form, ${wanted}, and got a ${typeof value}.`);
}
