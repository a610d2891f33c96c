import { protocolError } from "../errors/odata-error.ts";
import { MAX_TEXT_BYTES, payloadTooLarge } from "./body-buffer.ts";
import { readHeaderParameter, splitHeaderList } from "./headers.ts";
import type { ODataRequest } from "./odata-request.ts";

/** The representation of a body. */
interface BodyFormat {
  /** Whether Int64 and Decimal values are strings. @see OData JSON Format 4.0, section 3.2 */
  readonly ieee754Compatible: boolean;
}

const PLAIN: BodyFormat = Object.freeze({ ieee754Compatible: false });
const IEEE754_COMPATIBLE: BodyFormat = Object.freeze({ ieee754Compatible: true });

const UTF8: ReadonlySet<string> = new Set(["utf-8", "utf8"]);

/**
 * Checks the length, coding and type of a body by its headers, before any byte is read. A request without a body needs no
 * type; the reader reports the missing body.
 * @param maxBytes the most bytes to read; null for no limit
 * @throws ODataError `PayloadTooLarge` if Content-Length is above the limit; `UnsupportedMediaType` for a body that is
 * compressed or not JSON in UTF-8
 * @see docs/reference/headers.md
 */
export function checkContentHeaders(request: ODataRequest, maxBytes: number | null): BodyFormat {
  checkBodyHeaders(request, maxBytes);
  const type = request.header("content-type");
  if (type === "application/json") return PLAIN;
  if (type === undefined || type.trim() === "") {
    if (!request.hasBody) return PLAIN;
    throw unsupportedType("The request has a body but no Content-Type");
  }
  return readType(type);
}

/**
 * Checks the length and coding of a body of any type by its headers.
 * @param maxBytes the most bytes to read; null for no limit
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 */
export function checkBodyHeaders(request: ODataRequest, maxBytes: number | null): void {
  const limit = Math.min(maxBytes ?? MAX_TEXT_BYTES, MAX_TEXT_BYTES);
  const length = readContentLength(request.header("content-length"));
  if (length !== undefined && length > limit) throw payloadTooLarge(limit);
  checkCoding(request.header("content-encoding"));
}

/** Returns the number in a Content-Length header; undefined if it is absent or not a number. */
export function readContentLength(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

function checkCoding(header: string | undefined): void {
  if (header === undefined) return;
  const coding = splitHeaderList(header).find((each) => each.toLowerCase() !== "identity");
  if (coding === undefined) return;
  throw protocolError(
    "UnsupportedMediaType",
    "The body is compressed. Send it uncompressed, without Content-Encoding.",
    {
      target: "Content-Encoding",
      // Lists the accepted codings. @see RFC 9110, section 15.5.16
      headers: { "Accept-Encoding": "identity" },
    },
  );
}

function readType(header: string): BodyFormat {
  const [type = "", ...parts] = splitHeaderList(header, ";");
  if (type.toLowerCase() !== "application/json") throw unsupportedType("The Content-Type of the body is not JSON");
  let format = PLAIN;
  for (const part of parts) {
    const { name, value } = readHeaderParameter(part);
    if (name === "charset" && !UTF8.has(value.toLowerCase())) {
      throw unsupportedType("The charset in Content-Type is not UTF-8");
    }
    if (name === "ieee754compatible") format = value.toLowerCase() === "true" ? IEEE754_COMPATIBLE : PLAIN;
  }
  return format;
}

/** Creates the error for a Content-Type that the host cannot read. */
export function malformedType(): Error {
  return unsupportedType("The Content-Type of the body is malformed");
}

function unsupportedType(problem: string): Error {
  return protocolError("UnsupportedMediaType", `${problem}. Send JSON in UTF-8 as application/json.`, {
    target: "Content-Type",
  });
}
