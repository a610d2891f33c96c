import { toHex } from "./hex.ts";

/**
 * Writes keys, as their form encodes them, as a JSON array of arrays: integers with all digits, bytes as hexadecimal text.
 * The infinities become numbers too large for a double, and null equals no cell.
 */
export function writeKeyList(keys: readonly (readonly unknown[])[]): string {
  return `[${keys.map((key) => `[${key.map(writeValue).join(",")}]`).join(",")}]`;
}

/** As `writeKeyList`, but a flat JSON array if each key has a single value: it takes half as long to read. */
export function writeFlatKeyList(keys: readonly (readonly unknown[])[]): string {
  return keys[0]?.length === 1 ? `[${keys.map(([value]) => writeValue(value)).join(",")}]` : writeKeyList(keys);
}

function writeValue(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return String(value);
    case "number":
      if (Number.isFinite(value)) return JSON.stringify(value);
      return value < 0 ? "-9e999" : "9e999";
    case "string":
    case "boolean":
      return JSON.stringify(value);
    default:
      return value instanceof Uint8Array ? `"${toHex(value)}"` : "null";
  }
}
