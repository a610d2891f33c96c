import { keptPer, keptPerPair } from "../base/memo.ts";
import type { EntitySet, EntityType, StructuralProperty } from "../edm/model.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { RowShape } from "../query/row-shape.ts";
import { ByteFrame } from "./byte-frame.ts";
import { etagTextOf } from "./etag-text.ts";
import { compileScalarReader, requireObject, requireRow } from "./property-reader.ts";
import { sha256Base64 } from "./sha256.ts";

/** Writes the ETag of an entity with its double quotes, as in the header and in `@odata.etag`. */
export type EtagWriter = (entity: unknown) => string;

type PutValue = (frame: ByteFrame, source: object) => void;

const NULL = Uint8Array.of(0);
const BINARY = Uint8Array.of(1);
const TEXT = Uint8Array.of(2);

/** Maximum number of bytes of values that are cached with their ETag. */
const MAX_KEPT = 256;

/**
 * Returns the ETag writer of an entity set, made once per set; null for a set without ETags. The ETag is the Base64 SHA-256
 * over one frame per value: `00` for null; `01`, length, bytes for binary; `02`, length, type name, length, text for other
 * values. Lengths are 4 bytes, little-endian.
 * @param rowShape the layout of the entities if they are rows; otherwise they are the application's objects
 * @returns a writer that throws Error for an invalid value, and for a missing value that is not nullable
 * @see docs/reference/etags.md
 */
export function etagWriter(entitySet: EntitySet, rowShape?: RowShape): EtagWriter | null {
  if (entitySet.etag.length === 0) return null;
  return rowShape === undefined ? objectWriter(entitySet) : rowWriter(rowShape, entitySet);
}

const objectWriter = keptPer((entitySet: EntitySet) => compileEtagWriter(entitySet, undefined));
const rowWriter = keptPerPair((rowShape: RowShape, entitySet: EntitySet) => compileEtagWriter(entitySet, rowShape));

function compileEtagWriter({ entityType, etag }: EntitySet, rowShape: RowShape | undefined): EtagWriter {
  const puts = etag.map((property) => compilePut(entityType, property, rowShape));
  const frame = new ByteFrame();
  const last = { bytes: new Uint8Array(0), etag: "" };
  return (entity) => {
    const name = entityType.qualifiedName;
    const source = rowShape === undefined ? requireObject(entity, name) : requireRow(entity, name);
    frame.clear();
    for (const put of puts) put(frame, source);
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

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false;
  return true;
}

function compilePut(owner: EntityType, property: StructuralProperty, rowShape: RowShape | undefined): PutValue {
  const read = compileScalarReader(owner, property, rowShape);
  const codec = codecOf(property);
  const head = textHead(codec.type.kind === "EnumType" ? codec.type.qualifiedName : codec.type.name);
  const toText = etagTextOf(codec);
  return (frame, source) => {
    const value = read(source);
    if (value === null) {
      frame.append(NULL);
    } else if (value instanceof Uint8Array) {
      frame.append(BINARY);
      frame.appendSized(value);
    } else {
      frame.append(head);
      frame.appendText(toText(value));
    }
  };
}

/** Returns the bytes before the text of each value of a type. */
function textHead(typeName: string): Uint8Array {
  const head = new ByteFrame();
  head.append(TEXT);
  head.appendText(typeName);
  return head.bytes.slice();
}
