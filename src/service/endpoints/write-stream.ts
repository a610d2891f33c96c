import { isODataError, protocolError, type ODataError } from "../../base/errors/odata-error.ts";
import { chain } from "../../base/maybe.ts";
import { bareMediaType, isMediaType } from "../../edm/media-type.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { StoredBytes, StreamTraits } from "../../edm/stream-property.ts";
import { checkStored, MAX_STREAM_TEXT, writeStreamReference } from "../../edm/stream-reference.ts";
import { answeredDeletion, answeredValue } from "../../engine/entities/handler-answer.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { refusalOfProperty, refusedProperties } from "../../engine/rules/property-access.ts";
import { runDelete, runPatch } from "../../engine/writes/write-entity.ts";
import { streamOf } from "../../http/body-stream.ts";
import { checkBodyHeaders } from "../../http/read-json-body.ts";
import { WRITTEN_ENTITY_OPTIONS } from "../../language/binder/option-rules.ts";
import { sha256Base64 } from "../../payload/sha256.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindEntity, queryReaderOf, readJsonFormat } from "./bind-query.ts";
import { callCreate } from "./create-entity.ts";
import { authorizeCreation, entityNotFound, missingEntityError, requireEntity } from "./current-entity.ts";
import { savesEntity } from "./entity-result.ts";
import type { Execution } from "./execution.ts";
import { executeJudged } from "./judged-write.ts";
import { patchHandler } from "./patch-entity.ts";
import { entitySetOf } from "./read-collection.ts";
import { runtimeOf } from "./service-runtime.ts";
import { minimalPreference, noContentResponse, type Endpoint, inStages, routed } from "./stages.ts";
import { type AddressedStream, bindStream, checkStreamMatch, etagOfStream, findStream } from "./stream-address.ts";
import { receivedBytes } from "./stream-chunks.ts";

/**
 * `PUT /Set(key)/Stream`, and `/Set(key)/$value` of a media entity: stores the body, and then the reference to it through the patch
 * handler. If the entity is not written, nothing is left of the body.
 * @throws ODataError for the key, the headers of the body, a precondition, a missing entity; `PayloadTooLarge`; the error of the
 *   handler
 * @see OData Protocol 4.0, sections 11.4.7.2 and 11.4.8.1; docs/guides/streams.md
 */
export const replaceStream: Endpoint = inStages({
  bind: (request) => {
    const bound = bindWritten(request);
    return { ...bound, contentType: readContentType(request, bound.stream) };
  },
  execute: async (bound, execution) => {
    checkStreamMatch(execution, (await findStream(execution, bound, false)).reference);
    const { contentType, stream } = bound;
    const stored = await storeBody(execution, stream, contentType);
    const write = async (): Promise<string> => {
      await patchStream(execution, bound, stored.values);
      return etagOfStream({ ...stored.bytes, contentType });
    };
    return keepOrDiscard(stored, stream, write, async (id) => {
      const { reference } = await findStream(execution, bound, false);
      return reference?.id === id;
    });
  },
  write: (etag, _bound, request) => noContentResponse(request, { ETag: etag, ...minimalPreference(request) }),
});

/**
 * `DELETE /Set(key)/Stream`: leaves the entity without the bytes.
 * @throws ODataError for the key, a precondition, a missing entity; the error of the handler
 * @see OData Protocol 4.0, section 11.4.8.2; docs/guides/streams.md
 */
export const clearStream: Endpoint = inStages({
  bind: bindWritten,
  execute: async (bound, execution) => {
    checkStreamMatch(execution, (await findStream(execution, bound, false)).reference);
    const { field, content } = bound.stream;
    await patchStream(execution, bound, Object.fromEntries([field, content ?? field].map((each) => [each, null])));
  },
  write: (_cleared, _bound, request) => noContentResponse(request),
});

/**
 * `DELETE /Set(key)/$value`: deletes the media entity.
 * @throws ODataError for the key, a precondition with the ETag of its media, a missing entity; the error of the handler
 * @see OData Protocol 4.0, section 11.4.7.3
 */
export const deleteMedia: Endpoint = inStages({
  bind: bindStream,
  execute: (bound, execution) => {
    const { entitySet, key: keyText } = bound.addressed;
    const { key } = bound;
    const handler = routed(runtimeOf(execution.service, entitySet).handlers.delete, `DELETE ${entitySet.name}`);
    const isJudged = execution.access.pending.length > 0;
    return executeJudged(execution, { entitySet, key, handler }, isJudged, (inner) =>
      chain(findStream(inner, bound, false), async ({ reference, stored }) => {
        checkStreamMatch(inner, reference);
        const writer = inner.writer(isConditional(inner) ? { [bound.stream.field]: stored } : undefined);
        const answer = answeredValue(await runDelete(entitySet, key, writer));
        if (answeredDeletion(answer, entitySet)) return;
        throw missingEntityError(inner, () => entityNotFound(entitySet, keyText));
      }),
    );
  },
  write: (_deleted, _bound, request) => noContentResponse(request),
});

/**
 * `POST /Set` of media entities: stores the body, and creates the entity that it makes, with the values that the server supplies.
 * @throws ODataError for negotiation, the headers of the body, a query option, a rule; `PayloadTooLarge`; the error of the handler
 * @see OData Protocol 4.0, section 11.4.7.1; docs/guides/streams.md, Media entities
 */
export const createMedia: Endpoint = savesEntity({
  bind: (request) => {
    const origin = entitySetOf(request.path);
    const { target, bodies } = runtimeOf(request.service, origin);
    const { media } = origin.entityType;
    if (media?.stream === undefined) throw new Error(`${origin.name} has no media entities.`);
    const format = readJsonFormat(request);
    const contentType = readContentType(request, media.stream);
    const query = bindEntity(request, target, WRITTEN_ENTITY_OPTIONS);
    checkInChangeSet(request, media.stream);
    const { return: preferred } = request.preferences;
    const given = bodies.readNew({}, false);
    return { origin, stream: media.stream, contentType, format, query, preferred, given };
  },
  save: async ({ origin, stream, contentType, given }, execution) => {
    const handler = routed(runtimeOf(execution.service, origin).handlers.create, `POST ${origin.name}`);
    await authorizeCreation(execution, origin, given);
    const stored = await storeBody(execution, stream, contentType);
    const entity = await keepOrDiscard(stored, stream, () =>
      callCreate(origin, { ...given, ...stored.values }, execution.reader),
    );
    return { origin, outcome: "created", entity, handler, inserted: null };
  },
});

/** @throws ODataError as for `bindStream`; `Unauthorized`, `Forbidden` for a stream that the user may not change */
function bindWritten(request: AuthorizedRequest): AddressedStream {
  const bound = bindStream(request);
  const { entitySet, property } = bound.addressed;
  const ruled = queryReaderOf(request);
  if (refusedProperties(ruled, entitySet, "update").has(property)) {
    throw refusalOfProperty(ruled, "update", { property, owner: entitySet });
  }
  checkInChangeSet(request, bound.stream);
  return bound;
}

/** A change set that fails undoes rows, and not what a store has kept. @throws ODataError `NotImplemented` */
function checkInChangeSet({ arrival }: AuthorizedRequest, { store, field }: StreamTraits): void {
  if (store === null || (arrival.batch?.transactionPart ?? null) === null) return;
  const message = `The bytes of '${field}' are stored outside of the database: write them outside of change sets.`;
  throw protocolError("NotImplemented", message);
}

/**
 * Checks the headers of a body of bytes.
 * @returns its Content-Type
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`; `NotSupported` for a part of the bytes
 */
function readContentType({ arrival: { odata } }: AuthorizedRequest, { maxBytes, accepts }: StreamTraits): string {
  checkBodyHeaders(odata, maxBytes, Infinity);
  // A part must not replace the whole. @see RFC 9110, section 14.5
  if (odata.header("content-range") !== undefined) {
    throw protocolError("NotSupported", "A body replaces all bytes: send them whole, without Content-Range.", {
      target: "Content-Range",
    });
  }
  const sent = odata.header("content-type")?.trim() ?? "";
  const isType = isMediaType(sent) && sent.length <= MAX_STREAM_TEXT;
  if (isType && accepts?.includes(bareMediaType(sent)) !== false) return sent;
  const types = accepts === null ? "its media type" : accepts.join(" or ");
  throw protocolError("UnsupportedMediaType", `The bytes need another Content-Type. Send ${types}.`, {
    target: "Content-Type",
  });
}

/** Bytes that are stored, and the values of the entity that refer to them. */
interface StoredBody {
  readonly bytes: StoredBytes;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Stores the body of a request. @throws ODataError `PayloadTooLarge`, `InvalidBody`, `RequestTimeout`; the error of the store */
async function storeBody(execution: Execution, stream: StreamTraits, contentType: string): Promise<StoredBody> {
  const { odata } = execution.arrival;
  const { maxBytes, idleTimeout, store, field, content } = stream;
  if (store === null) {
    const body = new Uint8Array(await odata.readBody(maxBytes));
    const etag = toUrlSafe(sha256Base64(body));
    const bytes = { id: etag, length: body.length, etag };
    const reference = writeStreamReference({ ...bytes, contentType });
    return { bytes, values: { [field]: reference, [content ?? field]: body } };
  }
  const body = odata.streamBody?.() ?? streamOf(await odata.readBody(maxBytes));
  const length = odata.header("content-length");
  const facts = { contentType, length: length === undefined ? undefined : Number(length), signal: odata.signal };
  const bytes = await store.write(receivedBytes(body, maxBytes, idleTimeout), facts);
  checkStored(bytes);
  return { bytes, values: { [field]: writeStreamReference({ ...bytes, contentType }) } };
}

function toUrlSafe(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/[=]+$/u, "");
}

/**
 * Writes the entity that refers to stored bytes, and deletes them if it is not written.
 * @param isKept whether the entity refers to them, although the write has failed: its transaction may be committed
 */
async function keepOrDiscard<T>(
  { bytes }: StoredBody,
  { store }: StreamTraits,
  write: () => Promise<T>,
  isKept: (id: string) => Promise<boolean> = () => Promise.resolve(false),
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // Without an answer, the bytes stay. The error of the write is the one to report.
    const isDefinite = isODataError(error) && error.status < 500;
    const stays = store === null || (await isKept(bytes.id).catch(() => !isDefinite));
    if (!stays) await store.delete(bytes.id).catch(() => undefined);
    throw error;
  }
}

/** Writes the values of a stream through the patch handler, if the entity is still the one that the preconditions name. */
async function patchStream(execution: Execution, bound: AddressedStream, delta: object): Promise<void> {
  const { addressed, key, stream } = bound;
  const { entitySet, key: keyText } = addressed;
  const handler = patchHandler(execution.service, entitySet);
  const { validators } = definitionIn(execution.service.definition, entitySet);
  const isJudged = execution.access.pending.length > 0 || validators?.readsStored === true;
  await executeJudged(execution, { entitySet, key, handler }, isJudged, async (inner) => {
    const missing = (): ODataError => missingEntityError(inner, () => entityNotFound(entitySet, keyText));
    await requireEntity(inner, { entitySet, key }, missing);
    const written = isConditional(inner)
      ? chain(findStream(inner, bound, false), ({ reference, stored }) => {
          checkStreamMatch(inner, reference);
          return write(entitySet, { [stream.field]: stored }, inner);
        })
      : write(entitySet, undefined, inner);
    const saved = answeredValue(await written);
    if (saved === null || saved === undefined) throw missing();
  });
  execution.commit();

  function write(set: EntitySet, expected: Readonly<Record<string, unknown>> | undefined, inner: Execution): unknown {
    return runPatch(set, key, delta, inner.writer(expected));
  }
}

function isConditional({ arrival: { odata } }: Execution): boolean {
  return odata.header("if-match") !== undefined || odata.header("if-none-match") !== undefined;
}
