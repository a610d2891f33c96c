import { parseJson } from "../base/json/parse-json.ts";
import { isJsonObject } from "../base/json/write-json.ts";
import { keptPer, keptPerPair, once } from "../base/memo.ts";
import { offsetStart } from "../edm/date-time-offset.ts";
import { durationFractionOf, wholeSecondsOf } from "../edm/duration.ts";
import type { EntitySet, EntityType, EtagDigest, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue, ValueCodec } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { PropertyAccess } from "../language/query/capabilities.ts";
import type { SelectedProperty } from "../language/query/clauses.ts";
import type { RowShape } from "../language/query/row-shape.ts";
import { storedBehind } from "../language/query/shown-entity.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { compileScalarReader, requireObject, requireRow } from "./property-reader.ts";
import { sha256Base64 } from "./sha256.ts";
import { compileRowWriter } from "./write-row.ts";
import { compileMembers } from "./write-value.ts";

const encoder = new TextEncoder();

const FIRST_CAPACITY = 256;
/** Larger buffers are released after use. */
const MAX_KEPT_BYTES = 65_536;

/** A growing buffer of bytes. The memory is kept for the next use, unless it is large. */
class ByteFrame {
  #bytes: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #view: DataView = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Removes the bytes. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#allocate(FIRST_CAPACITY);
  }

  /** The current bytes, valid until the next change. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Appends a number of bytes as 4 bytes, little-endian. */
  appendSize(size: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, size, true);
    this.#length += 4;
  }

  /** Appends the number of bytes of a text as 4 bytes, little-endian, then the text as UTF-8. */
  appendText(text: string): void {
    // A UTF-16 unit takes at most three bytes of UTF-8.
    this.#reserve(4 + text.length * 3);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(this.#length + 4));
    this.#view.setUint32(this.#length, written, true);
    this.#length += 4 + written;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const { bytes } = this;
    this.#allocate(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.set(bytes);
  }

  #allocate(capacity: number): void {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }
}

/** Writes the ETag of an entity with its double quotes, as in the header and in `@odata.etag`. */
type EtagWriter = (entity: unknown) => string;

/** A value of an ETag. */
interface EtagPart {
  readonly read: (source: object) => PrimitiveValue | null;
  readonly put: (frame: ByteFrame, value: PrimitiveValue | null) => void;
}

const NULL = Uint8Array.of(0);
const BINARY = Uint8Array.of(1);
const TEXT = Uint8Array.of(2);

/** Characters of a mark: few enough for headers, and enough to tell combinations of properties apart. */
const MARK_LENGTH = 8;

/** Maximum number of bytes of values that are cached with their ETag. */
const MAX_KEPT = 256;

/**
 * Makes the ETag of an entity for a header: undefined for a set without ETags.
 * @param access the properties that the user may not read; absent or null: none
 * @throws as the writer of `etagWriter`
 */
export function etagOf(
  entitySet: EntitySet,
  entity: unknown,
  rowShape: RowShape | undefined,
  access?: PropertyAccess | null,
): string | undefined {
  const etag = etagWriter(entitySet, rowShape)?.(entity);
  return etag === undefined ? undefined : marked(etag, access?.unreadableOf(entitySet));
}

/**
 * Returns the ETag of a response that leaves properties out: a user who may read others needs another response of the same
 * entity. Writes do not compare the mark.
 * @see docs/reference/etags.md
 */
export function marked(etag: string, unreadable: ReadonlySet<StructuralProperty> | undefined): string {
  return unreadable === undefined || unreadable.size === 0 ? etag : `${etag.slice(0, -1)}.${markOf(unreadable)}"`;
}

const markOf = keptPer((unreadable: ReadonlySet<StructuralProperty>) => {
  const names = Array.from(unreadable, ({ name }) => name);
  return sha256Base64(encoder.encode(names.toSorted().join("/"))).slice(0, MARK_LENGTH);
});

/** Begins the mark of a key. No digest contains it. */
const KEY_SIGN = "-";

/** The end of an ETag with the mark of a key. */
const MARKED = /\.[^.]*-[A-Za-z0-9+/=]{8}"$/u;

/**
 * Returns the ETag of a response of a singleton: at another time it may have another entity in an equal state. Writes at the URL of
 * the entity do not compare the mark.
 * @param keyText the key of the entity, as in its URL
 * @see docs/reference/etags.md
 */
export function markedByKey(etag: string, keyText: string): string {
  const point = etag.includes(".") ? "" : ".";
  return `${etag.slice(0, -1)}${point}${KEY_SIGN}${keyMark(keyText)}"`;
}

/** Returns whether an ETag has the mark of another key. */
export function isOfOtherKey(tag: string, keyText: string): boolean {
  const start = tag.lastIndexOf(KEY_SIGN);
  return start !== -1 && tag.slice(start + 1) !== `${keyMark(keyText)}"`;
}

/** Returns an ETag list without the tags that have the mark of another key. */
export function withoutOtherKeys(tags: readonly string[], keyText: string): readonly string[] {
  return tags.filter((tag) => !(MARKED.test(tag) && isOfOtherKey(tag, keyText)));
}

function keyMark(keyText: string): string {
  return sha256Base64(encoder.encode(keyText)).slice(0, MARK_LENGTH);
}

/**
 * Returns the ETag writer of an entity set, made once per set; null for a set without ETags. The ETag is the Base64 SHA-256
 * over one frame per value: `00` for null; `01`, length, bytes for binary; `02`, length, type name, length, text for other
 * values. Lengths are 4 bytes, little-endian.
 * @returns a writer that throws Error for an invalid value, and for a missing value that is not nullable
 * @see docs/reference/etags.md
 */
export function etagWriter(entitySet: EntitySet, rowShape?: RowShape): EtagWriter | null {
  if (entitySet.etag.length === 0) return null;
  return rowShape === undefined ? objectWriter(entitySet) : rowWriter(rowShape, entitySet);
}

const objectWriter = keptPer((entitySet: EntitySet) => compileEtagWriter(entitySet, undefined));
const rowWriter = keptPerPair((rowShape: RowShape, entitySet: EntitySet) => compileEtagWriter(entitySet, rowShape));

function compileEtagWriter(entitySet: EntitySet, rowShape: RowShape | undefined): EtagWriter {
  const { digest } = entitySet;
  return digest === undefined
    ? compileValuesWriter(entitySet, rowShape)
    : compileDigestWriter(entitySet, digest, rowShape);
}

function compileValuesWriter(
  { entityType, etag }: Pick<EntitySet, "entityType" | "etag">,
  rowShape: RowShape | undefined,
): EtagWriter {
  const parts = etag.map((property) => compilePart(entityType, property, rowShape));
  const frame = new ByteFrame();
  const last = { bytes: new Uint8Array(0), etag: "" };
  return (entity) => {
    const name = entityType.qualifiedName;
    const source = rowShape === undefined ? requireObject(storedBehind(entity), name) : requireRow(entity, name);
    frame.clear();
    for (const { read, put } of parts) put(frame, read(source));
    const { bytes } = frame;
    // The ETag of an entity is often needed twice: for the header, and for the body.
    if (last.etag !== "" && isSame(bytes, last.bytes)) return last.etag;
    const etag = `"${sha256Base64(bytes)}"`;
    if (bytes.length <= MAX_KEPT) {
      last.bytes = bytes.slice();
      last.etag = etag;
    }
    return etag;
  };
}

/**
 * Returns the function that makes the ETag of some values, without quotes, from their members in the JSON of an entity.
 * @throws as the writer of `etagWriter`
 */
export function etagOfJson(entityType: EntityType, etag: readonly StructuralProperty[]): (members: string) => string {
  const compiled = once(() => ({
    write: compileValuesWriter({ entityType, etag }, undefined),
    readers: etag.map((property) => [property, codecOf(property)] as const),
  }));
  let last = { members: "", etag: "" };
  return (members) => {
    // Neighbours often have the same version.
    if (members === last.members) return last.etag;
    const json = parseJson(`{${members}}`, { maxDepth: 1 });
    if (!isJsonObject(json)) throw new Error("The members are not JSON.");
    const { write, readers } = compiled();
    const values = readers.map(([{ name, field }, codec]) => {
      const value = json[name] ?? null;
      return [field, value === null ? null : codec.fromJson(value, false)];
    });
    last = { members, etag: write(Object.fromEntries(values)).slice(1, -1) };
    return last.etag;
  };
}

/** The format of the JSON that ETags of all properties are made of. */
const DIGESTED: PayloadFormat = Object.freeze({ metadata: "minimal", ieee754Compatible: false });

/** Makes the writer of the ETag of all properties: the digest of their JSON, which is the same for rows and objects. */
function compileDigestWriter(
  { entityType, etag }: EntitySet,
  digest: EtagDigest,
  rowShape: RowShape | undefined,
): EtagWriter {
  const selected = etag.map((property) => ({ property }));
  const name = entityType.qualifiedName;
  if (rowShape !== undefined) {
    const write = compileRowWriter(name, selected, DIGESTED, rowShape.columns);
    return (entity) => `"${digest.ofText(write(requireRow(entity, name), ""))}"`;
  }
  const members = compileMembers(name, selected, DIGESTED);
  return (entity) => {
    const source = requireObject(storedBehind(entity), name);
    return `"${digest.ofText(members.map((write) => write(source)).join(","))}"`;
  };
}

/**
 * Returns the function that makes the ETag of all properties from the members that a response writes anyway; null if these are
 * not what the ETag is made of.
 */
export function etagOfMembers(
  { digest, etag }: EntitySet,
  selected: readonly SelectedProperty[],
  { metadata, ieee754Compatible }: PayloadFormat,
): ((members: string) => string) | null {
  if (digest === undefined || metadata !== DIGESTED.metadata || ieee754Compatible) return null;
  const areAll = selected.length === etag.length && selected.every((each, index) => isWhole(each, etag[index]));
  return areAll ? (members) => `"${digest.ofText(members)}"` : null;
}

/**
 * Returns whether the ETag of a set changes with each of some properties. A list of properties is a promise of the application; an
 * ETag of all properties leaves some out, and shows no change of values that are computed.
 */
export function etagCovers({ digest, etag }: EntitySet, properties: readonly StructuralProperty[]): boolean {
  return digest === undefined || properties.every((property) => etag.includes(property));
}

function isWhole({ property, nested, computed }: SelectedProperty, digested: StructuralProperty | undefined): boolean {
  return property === digested && property.virtual === undefined && nested === undefined && computed === undefined;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false;
  return true;
}

function compilePart(owner: EntityType, property: StructuralProperty, rowShape: RowShape | undefined): EtagPart {
  const read = compileScalarReader(owner, property, rowShape);
  const codec = codecOf(property);
  const head = textHead(codec.type.kind === "EnumType" ? codec.type.qualifiedName : codec.type.name);
  const toText = etagTextOf(codec);
  const put: EtagPart["put"] = (frame, value) => {
    if (value === null) {
      frame.append(NULL);
    } else if (value instanceof Uint8Array) {
      frame.append(BINARY);
      frame.appendSize(value.length);
      frame.append(value);
    } else {
      frame.append(head);
      frame.appendText(toText(value));
    }
  };
  return { read, put };
}

/** Returns the bytes before the text of each value of a type. */
function textHead(typeName: string): Uint8Array {
  const head = new ByteFrame();
  head.append(TEXT);
  head.appendText(typeName);
  return head.bytes.slice();
}

/** Reads the values of the ETag of an entity, in canonical form, by field. */
type EtagValuesReader = (entity: unknown) => Readonly<Record<string, PrimitiveValue | null>>;

/**
 * Returns the reader of the values of an ETag, made once per set and layout. A write compares them in its statement.
 * @returns a reader that throws Error for an invalid value, and for a missing value that is not nullable
 * @see docs/reference/etags.md
 */
export function etagValuesReader(entitySet: EntitySet, rowShape: RowShape | undefined): EtagValuesReader {
  return rowShape === undefined ? objectReader(entitySet) : rowReader(rowShape, entitySet);
}

const objectReader = keptPer((entitySet: EntitySet) => compileReader(entitySet, undefined));
const rowReader = keptPerPair((rowShape: RowShape, entitySet: EntitySet) => compileReader(entitySet, rowShape));

function compileReader({ entityType, etag }: EntitySet, rowShape: RowShape | undefined): EtagValuesReader {
  const parts = etag.map((property) => [property.field, compileScalarReader(entityType, property, rowShape)] as const);
  const name = entityType.qualifiedName;
  return (entity) => {
    const source = rowShape === undefined ? requireObject(entity, name) : requireRow(entity, name);
    return Object.freeze(Object.fromEntries(parts.map(([field, read]) => [field, read(source)])));
  };
}

/** Minimum number of fraction digits in the `O` and `c` formats of .NET. */
const FRACTION_DIGITS = 7;

/**
 * Makes the function that returns the text of a value for its ETag. Equal values have the same text, however they are
 * written, such as `10:00:00.5` and `10:00:00.500`, or `PT36H` and `P1DT12H`. Offsets and scales of Decimals are significant.
 * @see docs/decisions/0005-etag-text.md
 */
function etagTextOf(codec: ValueCodec): (value: PrimitiveValue) => string {
  switch (codec.type.name) {
    case "Edm.Boolean":
      return (value) => (value === true ? "True" : "False");
    case "Edm.DateTimeOffset":
      return (value) => roundTripTimestamp(codec.toText(value));
    case "Edm.TimeOfDay":
      return (value) => roundTripTime(codec.toText(value));
    case "Edm.Duration":
      return (value) => constantDuration(codec.toText(value));
    default:
      return (value) => codec.toText(value);
  }
}

/** Writes `2024-02-29T10:00:00Z` as `2024-02-29T10:00:00.0000000+00:00`, the format `O`. */
function roundTripTimestamp(text: string): string {
  const end = offsetStart(text);
  const offset = text.slice(end);
  return `${roundTripTime(text.slice(0, end))}${offset === "Z" ? "+00:00" : offset}`;
}

/** Writes `10:00:00.5` as `10:00:00.5000000`, the format `O`. */
function roundTripTime(text: string): string {
  const point = text.indexOf(".");
  const whole = point < 0 ? text : text.slice(0, point);
  return `${whole}.${normalFraction(point < 0 ? "" : text.slice(point + 1))}`;
}

/** Writes `PT36H0.5S` as `1.12:00:00.5000000`, the format `c`. */
function constantDuration(text: string): string {
  const { start, end } = durationFractionOf(text);
  const fraction = withoutTrailingZeros(text.slice(start, end));
  const total = Math.abs(wholeSecondsOf(text));
  const days = Math.floor(total / 86_400);
  const clock = [Math.floor(total / 3600) % 24, Math.floor(total / 60) % 60, total % 60];
  const time = clock.map((part) => String(part).padStart(2, "0")).join(":");
  const sign = text.startsWith("-") ? "-" : "";
  return `${sign}${days === 0 ? "" : `${String(days)}.`}${time}${fraction === "" ? "" : `.${normalFraction(fraction)}`}`;
}

function normalFraction(digits: string): string {
  return withoutTrailingZeros(digits).padEnd(FRACTION_DIGITS, "0");
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === "0") end -= 1;
  return digits.slice(0, end);
}
