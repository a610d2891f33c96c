import { protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { bareMediaType } from "../../edm/media-type.ts";
import type { ByteRange } from "../../edm/stream-property.ts";
import { isRangeCurrent, readByteRange } from "../../http/byte-ranges.ts";
import { checkBytesAccepted } from "../../http/media-type.ts";
import type { ODataResponse, ResponseBody } from "../../http/odata-response.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import type { Execution } from "./execution.ts";
import { isKnown } from "./read-entity.ts";
import { noContentResponse, notModifiedResponse, okResponse, type Endpoint, inStages } from "./stages.ts";
import {
  type AddressedStream,
  bindStream,
  checkReadable,
  checkStreamMatch,
  etagOfStream,
  findStream,
  type FoundStream,
} from "./stream-address.ts";
import { sentChunks } from "./stream-chunks.ts";

/**
 * `GET /Set(key)/Stream`, and `/Set(key)/$value` of a media entity: the bytes, or the range of them that the client asks for; 204
 * without bytes.
 * @throws ODataError for the key, a query option, a precondition, a missing entity, a range without bytes; `NotAcceptable` for a
 *   media type that the client does not accept
 * @see OData Protocol 4.0, section 11.2.3; RFC 9110, section 14; docs/guides/streams.md
 */
export const readStream: Endpoint = inStages({
  bind: (request) => {
    const bound = bindStream(request);
    checkReadable(request, bound);
    return { ...bound, isRead: request.arrival.odata.method !== "HEAD" };
  },
  execute: (bound, execution) =>
    chain(findStream(execution, bound, bound.isRead), (found) => {
      checkStreamMatch(execution, found.reference);
      return { ...found, isKnown: found.reference !== null && isKnown(execution, etagOfStream(found.reference)) };
    }),
  write: (found, bound, request, execution) => writeStream(found, bound, { request, execution, attemptsLeft: 3 }),
});

interface StreamRead {
  readonly request: AuthorizedRequest;
  readonly execution: Execution;
  /** How often bytes are looked up again that another request replaces before they are opened. */
  readonly attemptsLeft: number;
}

function writeStream(
  found: FoundStream & { readonly isKnown: boolean },
  bound: AddressedStream & { readonly isRead: boolean },
  read: StreamRead,
): Maybe<ODataResponse> {
  const { request, execution } = read;
  const { reference } = found;
  if (reference === null) return noContentResponse(request);
  const etag = etagOfStream(reference);
  if (found.isKnown) return notModifiedResponse(request, etag, RANGED);
  const { contentType, length } = reference;
  const { odata } = request.arrival;
  checkAccepted(request, contentType);
  const wanted = isRangeCurrent(odata.header("if-range"), etag) ? odata.header("range") : undefined;
  const range = odata.method === "GET" ? readByteRange(wanted, length) : null;
  if (range === "none") throw notSatisfiable(length);
  const part = range ?? { start: 0, end: length };
  const headers = { ...STORED, ETag: etag, "Content-Length": String(part.end - part.start) };
  const respond = (body: ResponseBody): ODataResponse => {
    const whole: ODataResponse = { ...okResponse(request, contentType, body, headers), isStored: true };
    if (range === null) return whole;
    const shown = `bytes ${String(part.start)}-${String(part.end - 1)}/${String(length)}`;
    return { ...whole, status: 206, headers: { ...whole.headers, "Content-Range": shown } };
  };
  if (!bound.isRead) return respond(null);
  countInBatch(execution, part);
  return openPart(found, bound, part).then(
    (body) => {
      const { signal } = execution.arrival.odata;
      return respond(body instanceof Uint8Array ? body : sentChunks(body, part, bound.stream.idleTimeout, signal));
    },
    (error: unknown) => readReplaced(reference.id, error, bound, read),
  );
}

/** Reads bytes that have replaced those of an id, which are deleted. @throws the error of the read if nothing has replaced them */
async function readReplaced(
  id: string,
  error: unknown,
  bound: AddressedStream & { readonly isRead: boolean },
  read: StreamRead,
): Promise<ODataResponse> {
  const { execution, attemptsLeft } = read;
  if (attemptsLeft === 0) throw error;
  const found = await findStream(execution, bound, true);
  if (found.reference?.id === id) throw error;
  checkStreamMatch(execution, found.reference);
  return writeStream({ ...found, isKnown: false }, bound, { ...read, attemptsLeft: attemptsLeft - 1 });
}

/** The bytes of a response are never compressed, so that ranges and ETags are those of the stored ones. */
const RANGED = Object.freeze({ "Accept-Ranges": "bytes" });
/** Browsers save the bytes instead of showing them: clients may have stored a page with scripts. */
const STORED = Object.freeze({ ...RANGED, "Content-Disposition": "attachment" });

/**
 * Counts bytes for the limit of a batch, which JSON contains whole.
 * @throws ODataError `NotSupported` above the limit
 */
function countInBatch(execution: Execution, { start, end }: ByteRange): void {
  const { batch } = execution.arrival;
  if (batch === undefined) return;
  const { mostBytes } = execution;
  if (end - start > mostBytes) {
    const message = `The ${String(end - start)} bytes are too many for this batch: read them with a request of their own.`;
    throw protocolError("NotSupported", message);
  }
  batch.counted.bytes += end - start;
}

async function openPart(
  { reference, content }: FoundStream,
  { stream: { store, field } }: AddressedStream,
  part: ByteRange,
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  if (store === null) {
    if (content === null || content.length !== reference?.length) {
      throw new Error(`The bytes of the stream ${field} are not those of its reference.`);
    }
    return content.subarray(part.start, part.end);
  }
  return store.read(reference?.id ?? "", part);
}

function checkAccepted(request: AuthorizedRequest, type: string): void {
  const { mediaParameters } = request.service.definition.profile;
  const accept = request.arrival.odata.header("accept");
  checkBytesAccepted(bareMediaType(type), request.options.format, accept, mediaParameters);
}

function notSatisfiable(length: number): Error {
  return protocolError("RangeNotSatisfiable", `The stream has ${String(length)} bytes, and none is in the range.`, {
    target: "Range",
    headers: { "Content-Range": `bytes */${String(length)}`, ...RANGED },
  });
}
