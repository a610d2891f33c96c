import type { EntityWriter } from "./write-entity.ts";

/** A page of entities and what its envelope tells. */
export interface CollectionPayload {
  /** Null: the body is the array alone, without an envelope. */
  readonly contextUrl: string | null;
  /** Absolute, without a trailing slash. */
  readonly serviceRoot: string;
  /** The total before paging; undefined when it was not asked for. */
  readonly count?: number | bigint | undefined;
  /** The continuation link; undefined on the last page. */
  readonly nextLink?: string | undefined;
  readonly entities: readonly unknown[];
  /** How many entities are written, those of expansions included; undefined where nothing is expanded. */
  readonly total?: number | undefined;
  readonly writer: EntityWriter;
}

/** A page of at most this many entities is one string. */
const BUFFERED_ENTITIES = 1000;
/** The least length of a chunk but the last, in UTF-16 units: one long string would be copied again and again. */
const CHUNK_LENGTH = 64 * 1024;

/**
 * The body of a collection response: one string, or, for a large page, chunks that are written while they are taken
 * (anew for each iteration). The bytes are the same.
 * @throws Error when an entity has a value that the model does not allow; of a large page, while it is iterated
 * @see OData JSON Format 4.0, sections 4.5 and 12
 */
export function writeCollection(payload: CollectionPayload): string | Iterable<string> {
  if ((payload.total ?? payload.entities.length) > BUFFERED_ENTITIES) {
    return { [Symbol.iterator]: () => writeChunks(payload) };
  }
  return writeBuffered(payload);
}

function writeBuffered(payload: CollectionPayload): string {
  const { entities, writer, serviceRoot } = payload;
  let text = head(payload);
  let separator = "";
  for (const entity of entities) {
    text += separator + writer.writeItem(entity, serviceRoot);
    separator = ",";
  }
  return text + tail(payload);
}

function* writeChunks(payload: CollectionPayload): Generator<string, void, void> {
  const { entities, writer, serviceRoot } = payload;
  let text = head(payload);
  let separator = "";
  for (const entity of entities) {
    text += separator + writer.writeItem(entity, serviceRoot);
    separator = ",";
    if (text.length >= CHUNK_LENGTH) {
      yield text;
      text = "";
    }
  }
  yield text + tail(payload);
}

/** Everything before the first entity. Count and next link are no mere control information: they are always written. */
function head({ contextUrl, count, nextLink, writer }: CollectionPayload): string {
  if (contextUrl === null) return "[";
  const { metadata, ieee754Compatible } = writer.format;
  const context = metadata === "none" ? "" : `"@odata.context":${JSON.stringify(contextUrl)},`;
  const quote = ieee754Compatible ? '"' : "";
  const total = count === undefined ? "" : `"@odata.count":${quote}${String(count)}${quote},`;
  const link = nextLink === undefined ? "" : `"@odata.nextLink":${JSON.stringify(nextLink)},`;
  return `{${context}${total}${link}"value":[`;
}

function tail({ contextUrl }: CollectionPayload): string {
  return contextUrl === null ? "]" : "]}";
}
