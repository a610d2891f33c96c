import type { ODataError } from "../errors/odata-error.ts";
import { unreadable } from "./batch-faults.ts";
import { type BatchOperation, METHODS_WITH_BODY, NO_BYTES, REQUEST_ID_SYNTAX } from "./batch-request.ts";
import { MAX_BYTES as MAX_LINE_BYTES, readHeaderBlock, readLine } from "./read-header-block.ts";

/** A method as HTTP writes it. @see RFC 9110, section 9.1 */
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/**
 * Reads the request in a part of the type application/http. A fault within it belongs to this operation alone.
 * @param contentId the Content-ID of the part; otherwise the request itself may have one
 * @param place the position of the part, for errors
 * @see OData Protocol 4.0, section 11.7.1
 */
export function readOperation(bytes: Uint8Array, contentId: string | undefined, place: string): BatchOperation {
  const start = afterEmptyLines(bytes);
  const line = readLine(bytes, start);
  if (line === null) {
    return failed(
      contentId,
      unreadable(
        place,
        `has a request line of more than ${String(MAX_LINE_BYTES)} bytes: ask for less at once, or send a POST to $query.`,
      ),
    );
  }
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
