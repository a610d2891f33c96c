import { protocolError } from "../errors/odata-error.ts";
import { MAX_TEXT_BYTES, payloadTooLarge } from "./body-buffer.ts";
import { readHeaderParameter, splitHeaderList } from "./headers.ts";
import type { ODataRequest } from "./odata-request.ts";

/** The representation that a body has. */
export interface BodyFormat {
  /** Whether strings stand for numbers. @see OData JSON Format 4.0, section 3.2 */
  readonly ieee754Compatible: boolean;
}

const PLAIN: BodyFormat = Object.freeze({ ieee754Compatible: false });
const IEEE754_COMPATIBLE: BodyFormat = Object.freeze({ ieee754Compatible: true });

const UTF8: ReadonlySet<string> = new Set(["utf-8", "utf8"]);

/**
 * Checks the headers that tell of the body, before a byte of it is read: its length, its coding, its type. A type is
 * asked for where there is a body; without one, the reader says that it is missing.
 * @param maxBytes most bytes that are read; null for no limit
 * @returns the representation
 * @throws ODataError `PayloadTooLarge` when Content-Length is above the limit; `UnsupportedMediaType` for a body that is
 * not JSON in UTF-8, or that is compressed
 * @see specification, Cross-cutting request rules, 4 and 5; decisions, Writing (order of checks)
 */
export function checkContentHeaders(request: ODataRequest, maxBytes: number | null): BodyFormat {
  const limit = Math.min(maxBytes ?? MAX_TEXT_BYTES, MAX_TEXT_BYTES);
  const length = readContentLength(request.header("content-length"));
  if (length !== undefined && length > limit) throw payloadTooLarge(limit);
  checkCoding(request.header("content-encoding"));
  const type = request.header("content-type");
  if (type === "application/json") return PLAIN;
  if (type === undefined || type.trim() === "") {
    if (!request.hasBody) return PLAIN;
    throw unsupportedType("The request has a body and no Content-Type");
  }
  return readType(type);
}

/**
 * The number of a Content-Length header; undefined when it is absent or no number.
 */
export function readContentLength(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

function checkCoding(header: string | undefined): void {
  if (header === undefined) return;
  const coding = splitHeaderList(header).find((each) => each.toLowerCase() !== "identity");
  if (coding === undefined) return;
  throw protocolError("UnsupportedMediaType", "The body is compressed: send it as it is, without Content-Encoding.", {
    target: "Content-Encoding",
    // RFC 9110, section 15.5.16: says which codings would have been accepted.
    headers: { "Accept-Encoding": "identity" },
  });
}

function readType(header: string): BodyFormat {
  const [type = "", ...parts] = splitHeaderList(header, ";");
  if (type.toLowerCase() !== "application/json") throw unsupportedType("The body is not JSON by its Content-Type");
  let format = PLAIN;
  for (const part of parts) {
    const { name, value } = readHeaderParameter(part);
    if (name === "charset" && !UTF8.has(value.toLowerCase())) {
      throw unsupportedType("The charset of the body is not UTF-8 by its Content-Type");
    }
    if (name === "ieee754compatible") format = value.toLowerCase() === "true" ? IEEE754_COMPATIBLE : PLAIN;
  }
  return format;
}

function unsupportedType(problem: string): Error {
  return protocolError("UnsupportedMediaType", `${problem}: send JSON in UTF-8 as application/json.`, {
    target: "Content-Type",
  });
}
