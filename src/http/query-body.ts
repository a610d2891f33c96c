import { protocolError } from "../errors/odata-error.ts";
import { checkBodyHeaders } from "./content-headers.ts";
import { readHeaderParameter, splitHeaderList } from "./headers.ts";
import type { ODataRequest } from "./odata-request.ts";

const QUERY_SEGMENT = /\/(?:\$|%24)query\/?$/;

/**
 * Returns the path of a resource whose query options are in the body of the request; null for any other path. Clients
 * encode the dollar sign, or end paths with a slash.
 * @see OData Protocol 4.01, section 11.2.11; docs/reference/long-queries.md
 */
export function withoutQuerySegment(path: string): string | null {
  const end = path.search(QUERY_SEGMENT);
  return end < 0 ? null : path.slice(0, end);
}

/** ASCII is part of UTF-8. */
const CHARSETS: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"]);

/**
 * Checks the length, coding and type of a body with query options by its headers, before any byte is read.
 * @param maxBytes the most bytes to read; null for no limit
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 */
export function checkQueryHeaders(request: ODataRequest, maxBytes: number | null): void {
  checkBodyHeaders(request, maxBytes);
  const header = request.header("content-type") ?? "";
  if (header.trim() === "" && !request.hasBody) return;
  const [type = "", ...parameters] = splitHeaderList(header, ";");
  const charset = parameters.map(readHeaderParameter).find(({ name }) => name === "charset");
  const isText = type.toLowerCase() === "text/plain";
  if (isText && (charset === undefined || CHARSETS.has(charset.value.toLowerCase()))) return;
  throw protocolError("UnsupportedMediaType", "The query options of $query are sent as text/plain in UTF-8.", {
    target: "Content-Type",
  });
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a body with query options. Characters that a URL cannot contain are encoded, so next links can repeat the options.
 * @see RFC 3986, section 3.4
 * @returns the query string, without a question mark
 * @throws ODataError `InvalidBody` for bytes that are not UTF-8, and for a leading question mark
 */
export function readQueryText(bytes: Uint8Array): string {
  const text = decode(bytes).replace(/[\r\n]+$/, "");
  if (text.startsWith("?")) {
    throw protocolError("InvalidBody", "The body begins with a question mark: send the query options only.");
  }
  // Percent signs belong to characters that are already encoded.
  return encodeURI(text).replaceAll("%25", "%").replaceAll("#", "%23");
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw protocolError("InvalidBody", "The body is not UTF-8.", { cause });
  }
}
