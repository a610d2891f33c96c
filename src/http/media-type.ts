import { protocolError } from "../errors/odata-error.ts";
import { readHeaderParameter, splitHeaderList } from "./headers.ts";

/** How much control information a JSON response carries. @see OData JSON Format 4.0, section 3.1 */
export type MetadataLevel = "none" | "minimal" | "full";

/** The JSON representation that a response has. */
export interface JsonFormat {
  readonly metadata: MetadataLevel;
  /** Whether Int64 and Decimal are strings. */
  readonly ieee754Compatible: boolean;
  /** The Content-Type of the response. */
  readonly contentType: string;
}

/** One range of an Accept header, as far as it can name JSON or text. */
interface MediaRange {
  readonly type: string;
  readonly quality: number;
  readonly metadata: MetadataLevel | undefined;
  readonly ieee754Compatible: boolean | undefined;
  /** Whether control information that a client needs first comes first, as it always does here. */
  readonly streaming: boolean | undefined;
  readonly charset: boolean;
  /** False for a value of odata.metadata that does not exist: such a range asks for nothing that there is. */
  readonly exists: boolean;
}

/** More ranges than any client sends; those behind are not read, so that the work stays bounded. */
const MAX_RANGES = 64;

const METADATA_LEVELS: ReadonlyMap<string, MetadataLevel> = new Map([
  ["none", "none"],
  ["minimal", "minimal"],
  ["full", "full"],
]);

/** Text in the Accept header that a client names when it wants JSON: the ranges that JSON satisfies. */
const JSON_RANGES: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

/** A parameter counts 1, so a type must count more than all of them. */
const TYPE_SPECIFICITY: ReadonlyMap<string, number> = new Map([
  ["application/*", 4],
  ["application/json", 8],
]);

const BINARY_TYPE = "application/octet-stream";

/** The representation when the client asks for nothing special. */
export const DEFAULT_JSON_FORMAT: JsonFormat = toJsonFormat({}, false);

/**
 * Chooses the JSON representation of a response: `$format` before Accept, the Accept header by quality and
 * specificity.
 * @param format the text of `$format`; undefined when absent
 * @param accept the Accept header; undefined when absent
 * @param acceptCharset the Accept-Charset header; undefined when absent
 * @throws ODataError `UnsupportedFormat` for another `$format`, `NotAcceptable` when no range takes JSON
 * @see specification, Cross-cutting request rules, 2 and 3; decisions, Negotiation; RFC 9110, section 12.5.1
 */
export function negotiateJson(
  format: string | undefined,
  accept: string | undefined,
  acceptCharset: string | undefined,
): JsonFormat {
  const asksCharset = acceptCharset !== undefined && acceptCharset.trim() !== "";
  if (format !== undefined) return readFormatOption(format, asksCharset);
  if (accept === undefined || accept === "*/*" || accept === "application/json" || accept.trim() === "") {
    return asksCharset ? toJsonFormat({}, true) : DEFAULT_JSON_FORMAT;
  }
  const range = bestJsonRange(readRanges(accept).filter((candidate) => JSON_RANGES.has(candidate.type)));
  if (range === undefined) throw notAcceptable("application/json");
  return toJsonFormat(range, asksCharset);
}

/**
 * Checks that a client takes text, for `/$count` and `/$value`. One that takes JSON does: such clients read the text.
 * @throws ODataError as `negotiateJson`
 * @see decisions, Negotiation
 */
export function negotiateText(
  format: string | undefined,
  accept: string | undefined,
  acceptCharset: string | undefined,
): string {
  const ranges = negotiateRaw("text/plain", format, accept);
  const asksCharset = acceptCharset !== undefined && acceptCharset.trim() !== "";
  return toTextType(asksCharset || ranges.some((range) => range.type === "text/plain" && range.charset));
}

/**
 * Checks that a client takes bytes, for `/$value` of a binary property. One that takes JSON does.
 * @throws ODataError as `negotiateJson`
 * @see decisions, Negotiation
 */
export function negotiateBinary(format: string | undefined, accept: string | undefined): string {
  negotiateRaw(BINARY_TYPE, format, accept);
  return BINARY_TYPE;
}

/**
 * Checks that a client takes the one type that a resource has.
 * @param contentType the type, with or without parameters
 * @throws ODataError as `negotiateJson`
 * @see RFC 9110, section 12.5.1
 */
export function negotiateType(contentType: string, format: string | undefined, accept: string | undefined): void {
  if (format !== undefined) readFormatOption(format, false);
  else if (accept !== undefined && accept.trim() !== "") {
    const type = contentType.replace(/;.*$/s, "");
    if (!takesType(readRanges(accept), type)) throw notAcceptable(type);
  }
}

/** Whether ranges take a type: the most specific one that names it decides. */
function takesType(ranges: readonly MediaRange[], type: string): boolean {
  const specific = [type, `${type.split("/", 1).join("")}/*`, "*/*"]
    .map((name) => ranges.find((range) => range.type === name))
    .find((range) => range !== undefined);
  return specific !== undefined && specific.quality > 0;
}

/** Checks that a client takes a type, or JSON; the ranges of its Accept header. `$format` overrides that header. */
function negotiateRaw(type: string, format: string | undefined, accept: string | undefined): readonly MediaRange[] {
  if (format !== undefined) {
    readFormatOption(format, false);
    return [];
  }
  if (accept === undefined || accept.trim() === "") return [];
  const ranges = readRanges(accept).filter((candidate) => candidate.exists);
  // One acceptable type is enough.
  if (![type, "application/json"].some((candidate) => takesType(ranges, candidate))) throw notAcceptable(type);
  return ranges;
}

/**
 * Checks `$format` where the representation is fixed, as that of `$metadata`.
 * @param takesXml whether `xml` and `application/xml` are accepted beside the formats of JSON
 * @throws ODataError `UnsupportedFormat`
 */
export function checkFormatOption(format: string | undefined, takesXml = false): void {
  if (format === undefined || (takesXml && XML_FORMATS.has(readRange(format).type))) return;
  readFormatOption(format, false);
}

const XML_FORMATS: ReadonlySet<string> = new Set(["xml", "application/xml"]);

function toTextType(charset: boolean): string {
  return charset ? "text/plain;charset=utf-8" : "text/plain";
}

function notAcceptable(type: string): Error {
  return protocolError("NotAcceptable", `This resource is answered as ${type}, which the Accept header excludes.`, {
    target: "Accept",
  });
}

/** The range whose representation the client likes best: quality, then specificity, then order. */
function bestJsonRange(ranges: readonly MediaRange[]): MediaRange | undefined {
  let best: MediaRange | undefined;
  for (const range of ranges) {
    if (!range.exists || range.quality === 0 || isExcluded(range, ranges)) continue;
    const better =
      best === undefined ||
      range.quality > best.quality ||
      (range.quality === best.quality && specificity(range) > specificity(best));
    if (better) best = range;
  }
  return best;
}

/** Whether a range of quality 0 that is at least as specific forbids what `range` asks for. */
function isExcluded(range: MediaRange, ranges: readonly MediaRange[]): boolean {
  return ranges.some(
    (other) =>
      other.exists &&
      other.quality === 0 &&
      specificity(other) >= specificity(range) &&
      (other.metadata === undefined || other.metadata === (range.metadata ?? "minimal")) &&
      (other.ieee754Compatible === undefined || other.ieee754Compatible === (range.ieee754Compatible ?? false)) &&
      (other.streaming === undefined || other.streaming === (range.streaming ?? false)),
  );
}

function specificity(range: MediaRange): number {
  return (
    (TYPE_SPECIFICITY.get(range.type) ?? 0) +
    (range.metadata === undefined ? 0 : 1) +
    (range.ieee754Compatible === undefined ? 0 : 1) +
    (range.streaming === undefined ? 0 : 1)
  );
}

function readRanges(accept: string): readonly MediaRange[] {
  return splitHeaderList(accept).slice(0, MAX_RANGES).map(readRange);
}

function readRange(text: string): MediaRange {
  const [type = "", ...parts] = splitHeaderList(text, ";");
  let quality = 1;
  let metadata: MetadataLevel | undefined;
  let ieee754Compatible: boolean | undefined;
  let streaming: boolean | undefined;
  let charset = false;
  let exists = true;
  for (const part of parts) {
    const { name, value } = readHeaderParameter(part);
    if (name === "q") quality = readQuality(value);
    else if (name === "odata.metadata") {
      metadata = METADATA_LEVELS.get(value.toLowerCase());
      exists &&= metadata !== undefined;
    } else if (name === "ieee754compatible") ieee754Compatible = value.toLowerCase() === "true";
    else if (name === "odata.streaming") streaming = value.toLowerCase() === "true";
    else if (name === "charset") charset = true;
  }
  return { type: type.toLowerCase(), quality, metadata, ieee754Compatible, streaming, charset, exists };
}

/** A quality that cannot be read counts as 0: such a range asks for nothing. */
function readQuality(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

function readFormatOption(format: string, asksCharset: boolean): JsonFormat {
  const range = readRange(format);
  if ((range.type === "json" || range.type === "application/json") && range.exists) {
    return toJsonFormat(range, asksCharset);
  }
  throw protocolError(
    "UnsupportedFormat",
    "$format asks for a format that there is not: write json or application/json, where wanted with odata.metadata=none, minimal or full.",
    { target: "$format" },
  );
}

/** Makes the representation that a range asks for, with the parameters that it gives. */
function toJsonFormat(
  { metadata = "minimal", ieee754Compatible = false, streaming = false, charset = false }: Partial<MediaRange>,
  asksCharset: boolean,
): JsonFormat {
  const parameters = [
    `odata.metadata=${metadata}`,
    ...(streaming ? ["odata.streaming=true"] : []),
    ...(ieee754Compatible ? ["IEEE754Compatible=true"] : []),
    ...(charset || asksCharset ? ["charset=utf-8"] : []),
  ];
  return Object.freeze({
    metadata,
    ieee754Compatible,
    contentType: ["application/json", ...parameters].join(";"),
  });
}
