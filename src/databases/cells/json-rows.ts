import type { Pace, Steps } from "../../base/maybe.ts";
import type { EtagDigest } from "../../edm/model.ts";
import type { JsonFindings, JsonPatch, ScanJson } from "./json-cells.ts";

/** A member of the objects that a database wrote. */
export interface JsonMember {
  /** The number of bytes before its value: the separator and the name. */
  readonly head: number;
  readonly nullable: boolean;
  readonly scan: ScanJson;
  /** Whether the response lacks the member, which is only checked. It is not the first one. */
  readonly isHidden?: boolean | undefined;
  /** Its part in an ETag; absent: none, or in the middle of its members. */
  readonly digested?: DigestedMember | undefined;
}

/** The place of an ETag, or the first or last one of the members that it is made of, which follow it and each other. */
type DigestedMember =
  | { readonly kind: "place" }
  | { readonly kind: "member"; readonly isFirst: boolean; readonly end: DigestEnd | undefined };

/** The end of the members of an ETag. */
interface DigestEnd {
  readonly digest: EtagDigest;
  /** Whether the response lacks these members. */
  readonly isHidden: boolean;
}

/** Objects as the response contains them, with commas between them. */
interface JsonRows {
  readonly bytes: Uint8Array;
  /** The number of entities, those of expansions included. */
  readonly total: number;
  /** Where the last object starts. */
  readonly lastStart: number;
  /** Where the object before it starts; 0 without one. */
  readonly previousStart: number;
}

const COMMA = 44;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const LOWER_N = 110;
const OPENING = 123;
const CLOSING = 125;
const NULL_LENGTH = 4;
const NOTHING: JsonRows = Object.freeze({ bytes: new Uint8Array(0), total: 0, lastStart: 0, previousStart: 0 });

/**
 * Checks the values of objects that a database wrote, with commas between them, and writes those differently that JavaScript
 * writes differently.
 * @param count the number of objects
 * @param members their members, in order; at least one
 * @returns null if a value is not in the form that the response requires: then the rows must be read instead
 */
export function* scanRows(
  bytes: Uint8Array,
  count: number,
  members: readonly JsonMember[],
  pace: Pace,
): Steps<JsonRows | null> {
  if (count === 0) return NOTHING;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const findings: JsonFindings = { patches: [], entities: count, view };
  const place: RowPlace = { at: 0, lastStart: 0, previousStart: 0 };
  for (let row = 0; row < count;) {
    const scanned = scanSome(bytes, place, count - row, members, findings);
    if (scanned === 0) return null;
    row += scanned;
    if (pace.isOver) yield;
  }
  const { lastStart, previousStart } = place;
  const { patches, entities: total } = findings;
  if (patches.length === 0) return { bytes, total, lastStart, previousStart };
  return {
    bytes: patched(bytes, patches),
    total,
    lastStart: lastStart + growthBefore(lastStart, patches),
    previousStart: previousStart + growthBefore(previousStart, patches),
  };
}

interface RowPlace {
  at: number;
  lastStart: number;
  previousStart: number;
}

/** The number of bytes that are scanned between two readings of the clock, if they are more than one object. */
const SCANNED_BYTES = 1 << 18;

/** Scans some objects, at least one. Loops are faster outside of generators. @returns their number; 0 as -1 of `ScanJson` */
function scanSome(
  bytes: Uint8Array,
  place: RowPlace,
  count: number,
  members: readonly JsonMember[],
  findings: JsonFindings,
): number {
  const limit = place.at + SCANNED_BYTES;
  let scanned = 0;
  while (scanned < count && place.at < limit) {
    place.previousStart = place.lastStart;
    place.lastStart = place.at;
    const end = scanObject(bytes, place.at, members, findings);
    if (end < 0) return 0;
    place.at = end + 1;
    scanned += 1;
  }
  return scanned;
}

/** Makes the scan of a related entity. */
export function scanEntity(members: readonly JsonMember[]): ScanJson {
  return (bytes, at, findings) => {
    findings.entities += 1;
    return scanObject(bytes, at, members, findings);
  };
}

/**
 * Makes the scan of an array of related entities. With a link that is stored twice, an entity follows itself, which rows may
 * contain once.
 * @param most their greatest number; undefined: no limit
 * @param mayRepeat whether they are found by links; the members then contain their key
 */
export function scanEntities(members: readonly JsonMember[], most: number | undefined, mayRepeat: boolean): ScanJson {
  const limit = most ?? Infinity;
  return (bytes, start, findings) => {
    if (bytes[start] !== OPENING_BRACKET) return -1;
    let at = start + 1;
    if (bytes[at] === CLOSING_BRACKET) return at + 1;
    let previous = at;
    for (let count = 1; count <= limit; count += 1) {
      const first = at;
      at = scanObject(bytes, first, members, findings);
      if (at < 0) return -1;
      if (mayRepeat && isRepeated(bytes, previous, first, at)) return -1;
      previous = first;
      if (bytes[at] === CLOSING_BRACKET) {
        findings.entities += count;
        return at + 1;
      }
      at += 1;
    }
    return -1;
  };
}

/** Whether an object has the bytes of the one before it, from which a comma separates it. The first one has none before it. */
function isRepeated(bytes: Uint8Array, previous: number, start: number, end: number): boolean {
  const length = end - start;
  if (start - previous !== length + 1) return false;
  for (let offset = 0; offset < length; offset += 1) {
    if (bytes[previous + offset] !== bytes[start + offset]) return false;
  }
  return true;
}

/** Returns the end of an object; -1 as for `ScanJson`. */
function scanObject(bytes: Uint8Array, start: number, members: readonly JsonMember[], findings: JsonFindings): number {
  let at = start;
  let separator = OPENING;
  let etagAt = 0;
  let digestStart = 0;
  let firstPatch = 0;
  for (const { head, nullable, scan, isHidden, digested } of members) {
    if (bytes[at] !== separator) return -1;
    separator = COMMA;
    const before = at;
    at += head;
    if (bytes[at] === LOWER_N) {
      if (!nullable) return -1;
      at += NULL_LENGTH;
    } else {
      at = scan(bytes, at, findings);
      if (at < 0) return -1;
    }
    if (isHidden === true) hide(before, at, findings);
    if (digested === undefined) continue;
    if (digested.kind === "place") {
      etagAt = before + head;
      continue;
    }
    if (digested.isFirst) {
      digestStart = before;
      firstPatch = patchesBefore(before, findings);
    }
    if (digested.end !== undefined) {
      const { digest, isHidden: isBeside } = digested.end;
      writeEtag(digest, { etagAt, start: digestStart + 1, end: at, firstPatch }, bytes, findings);
      if (isBeside) hide(digestStart, at, findings);
    }
  }
  return bytes[at] === CLOSING ? at + 1 : -1;
}

/** Returns a text in place of an ETag, which needs as many bytes in JSON: two quotes are escaped. */
export function etagPlace(digest: EtagDigest): string {
  return `"${"0".repeat(digest.length)}"`;
}

/** Makes the scan that finds the end of the place of an ETag. */
export function scanEtagPlace(digest: EtagDigest): ScanJson {
  const length = JSON.stringify(etagPlace(digest)).length;
  return (_bytes, at) => at + length;
}

/** The bytes before an ETag in its place. */
const BEFORE_ETAG = '"\\"'.length;

/** An ETag in an object: its place, and its members. */
interface EtagPlace {
  readonly etagAt: number;
  readonly start: number;
  readonly end: number;
  /** The number of patches before the members. */
  readonly firstPatch: number;
}

function writeEtag(
  digest: EtagDigest,
  { etagAt, start, end, firstPatch }: EtagPlace,
  bytes: Uint8Array,
  { view, patches }: JsonFindings,
): void {
  const place = etagAt + BEFORE_ETAG;
  if (firstPatch === patches.length) {
    digest.write(view, start, end, place);
    return;
  }
  const text = digest.ofText(textOf(bytes, start, end, patches.slice(firstPatch)));
  for (let index = 0; index < digest.length; index += 1) bytes[place + index] = text.charCodeAt(index);
}

/** Returns the number of patches before a place. The value that was scanned last may have some, too. */
function patchesBefore(place: number, { patches }: JsonFindings): number {
  let count = patches.length;
  while (count > 0 && (patches[count - 1]?.start ?? 0) >= place) count -= 1;
  return count;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns JSON as the response writes it. */
function textOf(bytes: Uint8Array, start: number, end: number, patches: readonly JsonPatch[]): string {
  let text = "";
  let from = start;
  for (const patch of patches) {
    text += decoder.decode(bytes.subarray(from, patch.start)) + patch.text;
    from = patch.end;
  }
  return text + decoder.decode(bytes.subarray(from, end));
}

/** Removes a member. Parts of its value may have been written differently. */
function hide(start: number, end: number, { patches }: JsonFindings): void {
  while ((patches.at(-1)?.start ?? start) > start) patches.pop();
  patches.push({ start, end, text: "" });
}

/** Writes patches in place, or into more bytes if the text before one of them has become longer. */
function patched(bytes: Uint8Array, patches: readonly JsonPatch[]): Uint8Array {
  let growth = 0;
  let mostGrowth = 0;
  for (const { start, end, text } of patches) {
    growth += text.length - (end - start);
    if (growth > mostGrowth) mostGrowth = growth;
  }
  const made = mostGrowth > 0 ? new Uint8Array(bytes.length + mostGrowth) : bytes;
  // Moved to its end, the rest is never overwritten before it is read.
  if (mostGrowth > 0) made.set(bytes, mostGrowth);
  let from = mostGrowth;
  let to = 0;
  for (const { start, end, text } of patches) {
    to = move(made, to, from, start + mostGrowth);
    // The texts are short and ASCII.
    for (let index = 0; index < text.length; index += 1) made[to++] = text.charCodeAt(index);
    from = end + mostGrowth;
  }
  to = move(made, to, from, made.length);
  return made.subarray(0, to);
}

/** Returns by how many bytes the patches before a place make the text longer. Most of them are before the last entities. */
function growthBefore(place: number, patches: readonly JsonPatch[]): number {
  let growth = 0;
  for (const { start, end, text } of patches) {
    if (start >= place) break;
    growth += text.length - (end - start);
  }
  return growth;
}

/** Short distances are cheaper to copy one by one. */
const LEAST_COPIED = 48;

/** Moves bytes to the front. @returns the end of the moved bytes */
function move(bytes: Uint8Array, to: number, from: number, end: number): number {
  const length = end - from;
  if (to === from) return end;
  if (length > LEAST_COPIED) {
    bytes.copyWithin(to, from, end);
  } else {
    for (let index = 0; index < length; index += 1) bytes[to + index] = bytes[from + index] ?? 0;
  }
  return to + length;
}
