import type { JsonPatch, ScanJson } from "./json-cells.ts";

/** A member of the objects that a database wrote. */
export interface JsonMember {
  /** The number of bytes before its value: the separator and the name. */
  readonly head: number;
  readonly nullable: boolean;
  readonly scan: ScanJson;
}

/** Objects as the response contains them, with commas between them. */
export interface JsonRows {
  readonly bytes: Uint8Array;
  /** Where the last object starts. */
  readonly lastStart: number;
}

const COMMA = 44;
const LOWER_N = 110;
const OPENING = 123;
const CLOSING = 125;
const NULL_LENGTH = 4;
const NOTHING: JsonRows = Object.freeze({ bytes: new Uint8Array(0), lastStart: 0 });

/**
 * Checks the values of objects that a database wrote, with commas between them, and writes those differently that JavaScript
 * writes differently.
 * @param count the number of objects
 * @param members their members, in order; at least one
 * @returns null if a value is not in the form that the response requires: then the rows must be read instead
 */
export function scanRows(bytes: Uint8Array, count: number, members: readonly JsonMember[]): JsonRows | null {
  if (count === 0) return NOTHING;
  const patches: JsonPatch[] = [];
  let at = 0;
  let lastStart = 0;
  for (let row = 0; row < count; row += 1) {
    lastStart = at;
    let separator = OPENING;
    for (const { head, nullable, scan } of members) {
      if (bytes[at] !== separator) return null;
      separator = COMMA;
      at += head;
      if (bytes[at] === LOWER_N) {
        if (!nullable) return null;
        at += NULL_LENGTH;
      } else {
        at = scan(bytes, at, patches);
        if (at < 0) return null;
      }
    }
    if (bytes[at] !== CLOSING) return null;
    at += 2;
  }
  return patches.length === 0 ? { bytes, lastStart } : patched(bytes, lastStart, patches);
}

function patched(bytes: Uint8Array, lastStart: number, patches: readonly JsonPatch[]): JsonRows {
  const encoder = new TextEncoder();
  let growth = 0;
  let growthBefore = 0;
  for (const { start, end, text } of patches) {
    growth += text.length - (end - start);
    if (start < lastStart) growthBefore = growth;
  }
  const made = new Uint8Array(bytes.length + growth);
  let from = 0;
  let to = 0;
  for (const { start, end, text } of patches) {
    made.set(bytes.subarray(from, start), to);
    to += start - from;
    encoder.encodeInto(text, made.subarray(to));
    to += text.length;
    from = end;
  }
  made.set(bytes.subarray(from), to);
  return { bytes: made, lastStart: lastStart + growthBefore };
}
