/** A part of the bytes of a stream: from `start` to the byte before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What is known of bytes before they are stored. */
export interface StreamFacts {
  /** The Content-Type that the client states. */
  readonly contentType: string;
  /** The number of bytes that the client announces; undefined if it announces none. */
  readonly length: number | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Bytes in a store. */
export interface StoredBytes {
  /** Identifies the bytes in their store: at most 255 characters that the store chooses. */
  readonly id: string;
  /** The number of bytes. */
  readonly length: number;
  /** Changes with the bytes, such as their digest: visible ASCII characters without quotes, at most 255. */
  readonly etag: string;
}

/**
 * A place for the bytes of streams outside of the rows: a folder, or a bucket of an object store.
 * @see docs/guides/streams.md, Stores
 */
export interface StreamStore {
  /**
   * Stores bytes under a new id.
   * @throws the error of the stream, or of the store. Then nothing is left of the bytes.
   */
  write(bytes: ReadableStream<Uint8Array>, facts: StreamFacts): Promise<StoredBytes>;
  /** Returns stored bytes, or a part of them. @throws Error for an id that is not stored */
  read(id: string, range: ByteRange): Promise<ReadableStream<Uint8Array>>;
  /** Deletes bytes. An id that is not stored is no error. */
  delete(id: string): Promise<void>;
}

/** The bytes of a stream are in another property of the entity. */
export interface ColumnStore {
  readonly kind: "ColumnStore";
  /** The key of an `edm.binary().nullable().ignored()` of the same entity type. */
  readonly property: string;
}

/** The options of `edm.stream`. */
export interface StreamOptions {
  /** Where the bytes are. */
  readonly store: StreamStore | ColumnStore;
  /** The most bytes: 104,857,600 if absent, 16,777,216 in a column. `null`: no limit, for a store outside of the rows. */
  readonly maxBytes?: number | null | undefined;
  /** The media types that clients may send, such as `image/png`; all if absent. */
  readonly accepts?: readonly string[] | undefined;
  /** Milliseconds in which a client has to send or take a byte: 30,000 if absent; `null`: no limit. */
  readonly idleTimeout?: number | null | undefined;
}

/** The resolved options of a stream. */
export interface StreamTraits {
  /** The key of the stored property with the reference to the bytes. */
  readonly field: string;
  /** The key of the stored property with the bytes; null: they are in `store`. */
  readonly content: string | null;
  readonly store: StreamStore | null;
  readonly maxBytes: number | null;
  /** In lower case; null: all. */
  readonly accepts: readonly string[] | null;
  readonly idleTimeout: number | null;
}

const COLUMN_BYTES = 16_777_216;
const STORE_BYTES = 104_857_600;
const IDLE = 30_000;

/**
 * Keeps the bytes of a stream in a column, which is read and written whole.
 * @param property the key of an `edm.binary().nullable().ignored()` of the same entity type
 * @see docs/guides/streams.md
 */
export function columnStore(property: string): ColumnStore {
  return Object.freeze({ kind: "ColumnStore", property });
}

/** Whether a store is a column. */
export function isColumn(store: StreamStore | ColumnStore): store is ColumnStore {
  return "kind" in store;
}

/** Resolves the checked options of a stream. @param field its key */
export function streamTraits(field: string, { store, maxBytes, accepts, idleTimeout }: StreamOptions): StreamTraits {
  const [content, outside] = isColumn(store) ? [store.property, null] : [null, store];
  const usual = content === null ? STORE_BYTES : COLUMN_BYTES;
  return Object.freeze({
    field,
    content,
    store: outside,
    maxBytes: maxBytes === undefined ? usual : maxBytes,
    accepts: accepts?.map((type) => type.toLowerCase()) ?? null,
    idleTimeout: idleTimeout === undefined ? IDLE : idleTimeout,
  });
}
