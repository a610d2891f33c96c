import type { ODataError } from "../../base/errors/odata-error.ts";
import { readHeaderParameter, splitHeaderList } from "../../http/headers.ts";
import {
  BatchIds,
  OperationCount,
  unreadable,
  type BatchItem,
  type BatchOperation,
  type ChangeSet,
  METHODS_WITH_BODY,
  NO_BYTES,
  REQUEST_ID_SYNTAX,
} from "./batch-request.ts";
import { readHeaderBlock, readLine } from "./read-header-block.ts";

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
interface MultipartType {
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

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const DASH = 45;
const TAB = 9;
const SPACE = 32;

/** A byte order mark in UTF-8, which some editors write before a text. */
const MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** Why a body cannot be split. */
type MultipartFault = "no-delimiter" | "not-closed" | "misplaced";

/** A body without its closing delimiter, or with a first delimiter that does not begin its line. */
export class MultipartError extends Error {
  readonly fault: MultipartFault;

  constructor(fault: MultipartFault) {
    super(fault);
    this.fault = fault;
  }
}

/**
 * Splits a multipart body at its delimiters, in one pass and without a copy. A delimiter is a whole line. Lines may end in
 * CRLF or in LF alone. Text before the first delimiter and after the closing one is skipped, and so is a byte order mark.
 * @param boundary the boundary without its dashes
 * @returns the parts
 * @throws MultipartError after the last part, if the closing delimiter is missing; before the first, if other text precedes a
 * delimiter in its line, unless it consists of dashes: the next part would be lost
 * @see RFC 2046, section 5.1.1
 */
export function* splitMultipart(bytes: Uint8Array, boundary: string): Generator<Uint8Array, void, void> {
  const delimiter = new TextEncoder().encode(`--${boundary}`);
  const telling = delimiter.findIndex((byte) => byte !== DASH);
  const begin = MARK.every((byte, index) => bytes[index] === byte) ? MARK.length : 0;
  let start = -1;
  let at = begin;
  for (;;) {
    // The end of each longer line of dashes would look like a delimiter of dashes alone that does not begin its line.
    const lineStart = start < 0 && telling >= 0 ? null : begin;
    at = findDelimiter(bytes, at, { delimiter, telling: Math.max(telling, 0), lineStart });
    if (at >= bytes.length) break;
    const line = readDelimiter(bytes, at, delimiter);
    if (line === null) {
      at += 1;
      continue;
    }
    if (start < 0 && !isLineStart(bytes, at, begin)) throw new MultipartError("misplaced");
    if (start >= 0) yield bytes.subarray(start, Math.max(start, endOfContent(bytes, at)));
    if (line.isClosing) return;
    start = line.end;
    // The next line may start another delimiter.
    at = line.end;
  }
  throw new MultipartError(start < 0 ? "no-delimiter" : "not-closed");
}

/** A search for a delimiter. */
interface Search {
  readonly delimiter: Uint8Array;
  /** The offset of its first byte that is not a dash: a long line of dashes is compared by this byte alone. */
  readonly telling: number;
  /** Where the first line starts; null to search within lines, too. */
  readonly lineStart: number | null;
}

/** Returns the offset of the next delimiter; the length of the bytes without one. */
function findDelimiter(bytes: Uint8Array, start: number, { delimiter, telling, lineStart }: Search): number {
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] !== DASH || bytes[at + telling] !== delimiter[telling]) continue;
    if (lineStart !== null && !isLineStart(bytes, at, lineStart)) continue;
    if (isAt(bytes, at, delimiter)) return at;
  }
  return bytes.length;
}

function isLineStart(bytes: Uint8Array, at: number, begin: number): boolean {
  return at === begin || bytes[at - 1] === LINE_FEED;
}

function isAt(bytes: Uint8Array, start: number, delimiter: Uint8Array): boolean {
  for (let index = 0; index < delimiter.length; index++) {
    if (bytes[start + index] !== delimiter[index]) return false;
  }
  return true;
}

interface DelimiterLine {
  readonly isClosing: boolean;
  /** The offset of the next line. */
  readonly end: number;
}

/**
 * Reads the rest of a line that starts with the delimiter: `--` if it closes the body, and any number of blanks.
 * @returns null for any other line
 */
function readDelimiter(bytes: Uint8Array, start: number, { length }: Uint8Array): DelimiterLine | null {
  let at = start + length;
  const isClosing = bytes[at] === DASH && bytes[at + 1] === DASH;
  if (isClosing) at += 2;
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  if (bytes[at] === CARRIAGE_RETURN) at++;
  if (at >= bytes.length) return { isClosing, end: bytes.length };
  return bytes[at] === LINE_FEED ? { isClosing, end: at + 1 } : null;
}

/** The line break before a delimiter belongs to the delimiter. */
function endOfContent(bytes: Uint8Array, delimiter: number): number {
  const end = delimiter - 1;
  return bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
}

/** A method as HTTP writes it. @see RFC 9110, section 9.1 */
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/**
 * Reads the request in a part of the type application/http. A fault within it belongs to this operation alone.
 * @param contentId the Content-ID of the part; otherwise the request itself may have one
 * @param place the position of the part, for errors
 * @see OData Protocol 4.0, section 11.7.1
 */
function readOperation(bytes: Uint8Array, contentId: string | undefined, place: string): BatchOperation {
  const start = afterEmptyLines(bytes);
  // The service checks the length of the URL.
  const line = readLine(bytes, start);
  const request = readRequestLine(line.text);
  if (request === null) {
    const problem = "does not start with a request line, such as GET Orders HTTP/1.1.";
    return failed(contentId, unreadable(place, problem));
  }
  const block = readHeaderBlock(bytes, line.end);
  if (typeof block === "string") return failed(contentId, unreadable(place, block));
  const { headers, end } = block;
  const id = contentId ?? headers.get("content-id");
  if (id !== undefined && !REQUEST_ID_SYNTAX.test(id)) return failed(undefined, invalidId(place));
  const { method, url } = request;
  const body = METHODS_WITH_BODY.has(method) ? bytes.subarray(end) : NO_BYTES;
  return { kind: "operation", id, method, url, headers, body, dependsOn: [], fault: undefined };
}

function failed(id: string | undefined, fault: ODataError): BatchOperation {
  const known = id !== undefined && REQUEST_ID_SYNTAX.test(id) ? id : undefined;
  return {
    kind: "operation",
    id: known,
    method: "",
    url: "",
    headers: NO_HEADERS,
    body: NO_BYTES,
    dependsOn: [],
    fault,
  };
}

function invalidId(place: string): ODataError {
  return unreadable(place, "has an invalid Content-ID: use letters, digits, and the characters - . _ ~.");
}

const BLANKS: ReadonlySet<number | undefined> = new Set([9, 10, 13, 32]);

/** Skips empty lines before the request line. @see RFC 9112, section 2.2 */
function afterEmptyLines(bytes: Uint8Array): number {
  let at = 0;
  while (BLANKS.has(bytes[at])) at++;
  return at;
}

interface RequestLine {
  readonly method: string;
  readonly url: string;
}

/** Reads `GET Orders HTTP/1.1`. The URL may contain blanks that the client did not encode; the version may be missing. */
function readRequestLine(text: string): RequestLine | null {
  const line = text.trim();
  const blank = line.search(/[ \t]/);
  const method = line.slice(0, Math.max(blank, 0));
  if (!METHOD.test(method)) return null;
  const rest = line.slice(blank);
  const version = rest.toUpperCase().lastIndexOf(" HTTP/");
  const url = (version < 0 ? rest : rest.slice(0, version)).trim();
  return url === "" ? null : { method, url };
}
