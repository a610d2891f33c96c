import { protocolError } from "../base/errors/odata-error.ts";
import { readHeaderParameter, splitHeaderList } from "./headers.ts";

/** The JSON representation of a response. */
export interface JsonFormat {
  readonly metadata: MetadataLevel;
  /** Whether Int64 and Decimal are strings. */
  readonly ieee754Compatible: boolean;
  readonly contentType: string;
}

/** The ranges of an Accept header that JSON satisfies. */
const JSON_RANGES: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

/** A parameter counts 1, so a type counts more than all parameters together. */
const TYPE_SPECIFICITY: ReadonlyMap<string, number> = new Map([
  ["application/*", 4],
  ["application/json", 8],
]);

/** The representation if the client states no preference. */
const DEFAULT_JSON_FORMAT: JsonFormat = toJsonFormat({}, false);

/**
 * Chooses the JSON representation of a response: by `$format` if present, otherwise by the quality and specificity of the
 * ranges in Accept.
 * @throws ODataError `UnsupportedFormat` for another `$format`, `NotAcceptable` if no range includes JSON
 * @see docs/reference/formats.md; RFC 9110, section 12.5.1
 */
export function negotiateJson(
  format: string | undefined,
  accept: string | undefined,
  acceptCharset: string | undefined,
  parameters: MediaParameters = "lenient",
): JsonFormat {
  const asksCharset = acceptCharset !== undefined && acceptCharset.trim() !== "";
  if (format !== undefined) return readFormatOption(format, asksCharset, parameters);
  if (accept === undefined || accept === "*/*" || accept === "application/json" || accept.trim() === "") {
    return asksCharset ? toJsonFormat({}, true) : DEFAULT_JSON_FORMAT;
  }
  const ranges = readRanges(accept, parameters).filter((candidate) => JSON_RANGES.has(candidate.type));
  const range = bestJsonRange(ranges);
  if (range === undefined) throw notAcceptable("application/json", ranges);
  return toJsonFormat(range, asksCharset);
}

/**
 * Checks that a client accepts text, for `/$count` and `/$value`. A client that accepts JSON gets text, too.
 * @throws ODataError as `negotiateJson`
 * @see docs/reference/formats.md
 */
export function negotiateText(
  format: string | undefined,
  accept: string | undefined,
  acceptCharset: string | undefined,
  parameters: MediaParameters = "lenient",
): string {
  const ranges = negotiateRaw("text/plain", format, accept, parameters);
  const asksCharset = acceptCharset !== undefined && acceptCharset.trim() !== "";
  return toTextType(asksCharset || ranges.some((range) => range.type === "text/plain" && range.charset));
}

/**
 * Checks that a client accepts bytes of a type, for `/$value` of a binary property. A client that accepts JSON gets bytes, too.
 * @param type in lower case, without parameters
 * @throws ODataError as `negotiateJson`
 * @see docs/reference/formats.md
 */
export function checkBytesAccepted(
  type: string,
  format: string | undefined,
  accept: string | undefined,
  parameters: MediaParameters = "lenient",
): void {
  negotiateRaw(type, format, accept, parameters);
}

/**
 * Checks that a client accepts the only type of a resource.
 * @param contentType the type, with or without parameters
 * @throws ODataError as `negotiateJson`
 * @see RFC 9110, section 12.5.1
 */
export function negotiateType(contentType: string, format: string | undefined, accept: string | undefined): void {
  if (format !== undefined) readFormatOption(format, false, "lenient");
  else if (accept !== undefined && accept.trim() !== "") {
    const type = contentType.replace(/;.*$/s, "");
    if (!takesType(readRanges(accept, "lenient"), type)) throw notAcceptable(type, []);
  }
}

/** Checks that a client accepts a type, or JSON. `$format` overrides Accept. @returns the ranges in Accept */
function negotiateRaw(
  type: string,
  format: string | undefined,
  accept: string | undefined,
  parameters: MediaParameters,
): readonly MediaRange[] {
  if (format !== undefined) {
    readFormatOption(format, false, parameters);
    return [];
  }
  if (accept === undefined || accept.trim() === "") return [];
  const sent = readRanges(accept, parameters);
  const ranges = sent.filter(({ refused }) => refused === null);
  // One acceptable type is enough.
  if ([type, "application/json"].some((candidate) => takesType(ranges, candidate))) return ranges;
  throw notAcceptable(
    type,
    sent.filter((range) => range.type === type || JSON_RANGES.has(range.type)),
  );
}

/**
 * Checks `$format` for a resource with a fixed representation, such as `$metadata`.
 * @param takesXml whether to accept `xml` and `application/xml` in addition to JSON
 * @throws ODataError `UnsupportedFormat`
 */
export function checkFormatOption(
  format: string | undefined,
  takesXml = false,
  parameters: MediaParameters = "lenient",
): void {
  if (format === undefined) return;
  const { type, refused } = readRange(format, parameters);
  if (!takesXml || !XML_FORMATS.has(type)) readFormatOption(format, false, parameters);
  else if (refused !== null && parameters === "strict") throw unknownParameter(refused);
}

/** Programs in Java send `text/html, image/gif, image/jpeg` and everything by default. Browsers do not name this type. */
const JAVA_TYPE = "image/gif";

/**
 * Returns whether a client prefers a page for people to JSON: its Accept names `text/html` with a higher quality than it
 * gives JSON. Clients of data name JSON, or everything.
 * @param takesPageOnly whether the page is served to a client that does not accept JSON at all
 * @see RFC 9110, section 12.5.1
 */
export function prefersHtml(format: string | undefined, accept: string | undefined, takesPageOnly: boolean): boolean {
  if (format !== undefined || accept === undefined || !/text\/html/iu.test(accept)) return false;
  const ranges = readRanges(accept, "lenient");
  const html = Math.max(...ranges.filter(({ type }) => type === "text/html").map(({ quality }) => quality), 0);
  const isJson = ({ type, refused }: MediaRange): boolean => refused === null && type === "application/json";
  const stated = ranges.filter(isJson);
  const broad = ["application/*", "*/*"].map((type) => ranges.filter((range) => range.type === type));
  const deciding = [stated, ...broad].find((each) => each.length > 0) ?? [];
  if (stated.length === 0 && ranges.some(({ type }) => type === JAVA_TYPE)) return false;
  const json = Math.max(...deciding.map(({ quality }) => quality), 0);
  return html > json && (json > 0 || takesPageOnly);
}

/** Returns whether a valid `$format` requests JSON from a resource that is XML or JSON. */
export function isJsonOption(format: string | undefined): boolean {
  return format !== undefined && !XML_FORMATS.has(readRange(format, "lenient").type);
}

const XML_FORMATS: ReadonlySet<string> = new Set(["xml", "application/xml"]);

function toTextType(charset: boolean): string {
  return charset ? "text/plain;charset=utf-8" : "text/plain";
}

const PARAMETERS =
  "Use odata.metadata=none, minimal or full, odata.streaming and IEEE754Compatible with true or false, or charset=utf-8.";

function unknownParameter(parameter: string): Error {
  const message = `$format has the parameter ${parameter}, which this service does not support. ${PARAMETERS}`;
  return protocolError("NotAcceptable", message, { target: "$format" });
}

/** @param ranges the ranges that include the type, or another type that a client may accept instead */
function notAcceptable(type: string, ranges: readonly MediaRange[]): Error {
  const refused = ranges.find((range) => range.refused !== null && range.quality > 0)?.refused ?? null;
  const reason =
    refused === null
      ? "which the Accept header excludes."
      : `which the Accept header asks for with the parameter ${refused}. This service does not support it. ${PARAMETERS}`;
  return protocolError("NotAcceptable", `This resource has the type ${type}, ${reason}`, { target: "Accept" });
}

/** Returns the range that the client prefers: by quality, then specificity, then order. */
function bestJsonRange(ranges: readonly MediaRange[]): MediaRange | undefined {
  let best: MediaRange | undefined;
  for (const range of ranges) {
    if (range.refused !== null || range.quality === 0 || isExcluded(range, ranges)) continue;
    const better =
      best === undefined ||
      range.quality > best.quality ||
      (range.quality === best.quality && specificity(range) > specificity(best));
    if (better) best = range;
  }
  return best;
}

/** Returns whether a range of quality 0 that is at least as specific excludes `range`. */
function isExcluded(range: MediaRange, ranges: readonly MediaRange[]): boolean {
  return ranges.some(
    (other) =>
      other.refused === null &&
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

function readFormatOption(format: string, asksCharset: boolean, parameters: MediaParameters): JsonFormat {
  const range = readRange(format, parameters);
  const isJson = range.type === "json" || range.type === "application/json";
  if (isJson && range.refused === null) return toJsonFormat(range, asksCharset);
  if (isJson && range.refused !== null && parameters === "strict") throw unknownParameter(range.refused);
  throw protocolError(
    "UnsupportedFormat",
    "$format is not supported. Use json or application/json, optionally with odata.metadata=none, minimal or full.",
    { target: "$format" },
  );
}

/** Creates the representation that a range requests. */
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

/** How much control information a JSON response carries. @see OData JSON Format 4.0, section 3.1 */
type MetadataLevel = "none" | "minimal" | "full";

/** One range of an Accept header, with the parameters that matter for JSON and text. */
interface MediaRange {
  readonly type: string;
  readonly quality: number;
  readonly metadata: MetadataLevel | undefined;
  readonly ieee754Compatible: boolean | undefined;
  /** Whether control information precedes the values it applies to, which is always so here. */
  readonly streaming: boolean | undefined;
  readonly charset: boolean;
  /**
   * The first parameter that the service refuses, as the client wrote it and shortened: an unknown value of odata.metadata, and
   * for a strict service any parameter that it does not know. Nothing matches such a range. Null without such a parameter.
   */
  readonly refused: string | null;
}

/**
 * Whether unknown parameters and impossible values of a media type make it unacceptable; otherwise they are ignored. A strict
 * service also reads the names of OData 4.01, which lack the prefix.
 */
type MediaParameters = "strict" | "lenient";

/** More ranges than any client sends. The rest is ignored, to bound the work. */
const MAX_RANGES = 64;

const METADATA_LEVELS: ReadonlyMap<string, MetadataLevel> = new Map([
  ["none", "none"],
  ["minimal", "minimal"],
  ["full", "full"],
]);

/** The parameters of a media type that a strict service accepts, with their possible values. */
const STRICT_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ["q", /^/],
  ["odata.metadata", /^(?:none|minimal|full)$/i],
  ["odata.streaming", /^(?:true|false)$/i],
  ["ieee754compatible", /^(?:true|false)$/i],
  ["charset", /^utf-?8$/i],
]);

/** The names of OData 4.01, which lack the prefix. @see OData JSON Format 4.01, section 3 */
const LATER_NAMES: ReadonlyMap<string, string> = new Map([
  ["metadata", "odata.metadata"],
  ["streaming", "odata.streaming"],
]);

/** Reads the ranges of an Accept header. @see RFC 9110, section 12.5.1 */
function readRanges(accept: string, parameters: MediaParameters): readonly MediaRange[] {
  return splitHeaderList(accept)
    .slice(0, MAX_RANGES)
    .map((text) => readRange(text, parameters));
}

/** Reads a media type, or a range of them, with its parameters. */
function readRange(text: string, parameters: MediaParameters): MediaRange {
  const [type = "", ...parts] = splitHeaderList(text, ";");
  let quality = 1;
  let metadata: MetadataLevel | undefined;
  let ieee754Compatible: boolean | undefined;
  let streaming: boolean | undefined;
  let charset = false;
  let refused: string | null = null;
  const isStrict = parameters === "strict";
  for (const part of parts) {
    const { name: sent, value } = readHeaderParameter(part);
    const name = isStrict ? (LATER_NAMES.get(sent) ?? sent) : sent;
    if (isStrict && STRICT_VALUES.get(name)?.test(value) !== true) refused ??= shortened(part);
    if (name === "q") quality = readQuality(value);
    else if (name === "odata.metadata") {
      metadata = METADATA_LEVELS.get(value.toLowerCase());
      if (metadata === undefined) refused ??= shortened(part);
    } else if (name === "ieee754compatible") ieee754Compatible = value.toLowerCase() === "true";
    else if (name === "odata.streaming") streaming = value.toLowerCase() === "true";
    else if (name === "charset") charset = true;
  }
  return {
    type: type === "*" ? "*/*" : type.toLowerCase(),
    quality,
    metadata,
    ieee754Compatible,
    streaming,
    charset,
    refused,
  };
}

/** Longest part of a header that a message repeats. */
const MAX_SHOWN_LENGTH = 40;

function shortened(part: string): string {
  const text = part.trim();
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

/**
 * Reads every decimal number: Java writes `.2`, other clients write more than three digits. Another text counts as 0, which
 * excludes the range.
 */
function readQuality(text: string): number {
  return /^(?:\d+\.?\d*|\.\d+)$/.test(text) ? Math.min(Number(text), 1) : 0;
}

/** Returns whether ranges include a type. The most specific matching range decides. */
function takesType(ranges: readonly MediaRange[], type: string): boolean {
  const specific = [type, `${type.split("/", 1).join("")}/*`, "*/*"]
    .map((name) => ranges.find((range) => range.type === name))
    .find((range) => range !== undefined);
  return specific !== undefined && specific.quality > 0;
}
