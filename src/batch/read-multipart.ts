import { readHeaderParameter, splitHeaderList } from "../http/headers.ts";
import { BatchIds, OperationCount, unreadable } from "./batch-faults.ts";
import type { BatchItem, BatchOperation, ChangeSet } from "./batch-request.ts";
import { readHeaderBlock } from "./read-header-block.ts";
import { readOperation } from "./read-operation.ts";
import { MultipartError, type MultipartFault, splitMultipart } from "./split-multipart.ts";

/** The state of reading one batch. */
interface Reading {
  readonly ids: BatchIds;
  readonly count: OperationCount;
}

/**
 * Reads a batch in multipart/mixed: all of its framing, before anything is executed.
 * @param maxParts the most operations, those of change sets included; null for no limit
 * @throws ODataError `InvalidBody` with the part at fault, `PayloadTooLarge` for too many operations
 * @see OData Protocol 4.0, section 11.7.1
 */
export function readMultipart(bytes: Uint8Array, boundary: string, maxParts: number | null): readonly BatchItem[] {
  const reading: Reading = { ids: new BatchIds(), count: new OperationCount(maxParts) };
  const items: BatchItem[] = [];
  for (const part of partsOf(bytes, boundary, "The body")) {
    const place = `Part ${String(items.length + 1)}`;
    const { type, inner, headers, content } = openPart(part, place);
    if (type === "application/http") {
      items.push(addOperation(content, headers, place, reading));
    } else if (type === "multipart/mixed") {
      items.push(readChangeSet(content, inner, place, reading));
    } else {
      throw unreadable(place, "must have the Content-Type application/http or multipart/mixed.");
    }
  }
  return items;
}

function readChangeSet(bytes: Uint8Array, boundary: string | null, place: string, reading: Reading): ChangeSet {
  if (boundary === null) throw unreadable(place, "is a change set without a valid boundary in its Content-Type.");
  const operations: BatchOperation[] = [];
  for (const part of partsOf(bytes, boundary, place)) {
    const inner = `${place}.${String(operations.length + 1)}`;
    const { type, headers, content } = openPart(part, inner);
    if (type === "multipart/mixed") throw unreadable(inner, "is a change set within a change set.");
    if (type !== "application/http") throw unreadable(inner, "must have the Content-Type application/http.");
    operations.push(addOperation(content, headers, inner, reading));
  }
  // An empty change set has a response, so it counts, too.
  if (operations.length === 0) reading.count.add();
  return { kind: "changeSet", id: undefined, operations };
}

function addOperation(
  content: Uint8Array,
  headers: ReadonlyMap<string, string>,
  place: string,
  { ids, count }: Reading,
): BatchOperation {
  count.add();
  const operation = readOperation(content, headers.get("content-id"), place);
  if (operation.id !== undefined) ids.add(operation.id, place);
  return operation;
}

/** Splits a body. @throws ODataError `InvalidBody` if its delimiters are missing */
function* partsOf(bytes: Uint8Array, boundary: string, place: string): Iterable<Uint8Array> {
  try {
    yield* splitMultipart(bytes, boundary);
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    throw unreadable(place, FAULTS[error.fault](boundary));
  }
}

const FAULTS: Readonly<Record<MultipartFault, (boundary: string) => string>> = {
  "no-delimiter": (boundary) => `has no line ${JSON.stringify(`--${boundary}`)}, the boundary of its Content-Type.`,
  "not-closed": (boundary) => `is cut off: the closing line ${JSON.stringify(`--${boundary}--`)} is missing.`,
  misplaced: (boundary) => `has other characters before ${JSON.stringify(`--${boundary}`)}: begin a line with it.`,
};

/** A part with its headers. */
interface OpenPart {
  /** The media type in lower case. */
  readonly type: string;
  /** The boundary of a change set; null if it is missing or invalid. */
  readonly inner: string | null;
  readonly headers: ReadonlyMap<string, string>;
  readonly content: Uint8Array;
}

/** Codings that leave the bytes as they are. @see RFC 2045, section 6.2 */
const IDENTITY: ReadonlySet<string> = new Set(["binary", "8bit", "7bit"]);

function openPart(part: Uint8Array, place: string): OpenPart {
  const block = readHeaderBlock(part, 0);
  if (typeof block === "string") throw unreadable(place, block);
  const { headers, end } = block;
  const coding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!IDENTITY.has(coding)) throw unreadable(place, "must have the Content-Transfer-Encoding binary.");
  const { type, boundary } = readMultipartType(headers.get("content-type") ?? "");
  return { type, inner: boundary, headers, content: part.subarray(end) };
}

/** The characters of a boundary. A blank must not be the last one. @see RFC 2046, section 5.1.1 */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

/** A media type in lower case, and its boundary; null without a valid one. */
export interface MultipartType {
  readonly type: string;
  readonly boundary: string | null;
}

/** Reads a Content-Type. The boundary may be anywhere among the parameters. @see RFC 9110, section 8.3.1 */
export function readMultipartType(header: string): MultipartType {
  const [type = "", ...parameters] = splitHeaderList(header, ";");
  const found = parameters.map(readHeaderParameter).find(({ name }) => name === "boundary");
  const boundary = found !== undefined && BOUNDARY.test(found.value) ? found.value : null;
  return { type: type.toLowerCase(), boundary };
}
