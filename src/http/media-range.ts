import { readHeaderParameter, splitHeaderList } from "./headers.ts";

/** How much control information a JSON response carries. @see OData JSON Format 4.0, section 3.1 */
export type MetadataLevel = "none" | "minimal" | "full";

/** One range of an Accept header, with the parameters that matter for JSON and text. */
export interface MediaRange {
  readonly type: string;
  readonly quality: number;
  readonly metadata: MetadataLevel | undefined;
  readonly ieee754Compatible: boolean | undefined;
  /** Whether control information precedes the values it applies to, which is always so here. */
  readonly streaming: boolean | undefined;
  readonly charset: boolean;
  /**
   * The first parameter that the service refuses, as the client wrote it and shortened: an unknown value of odata.metadata, and
   * for a strict service any parameter that it does not know. Nothing matches such a range. Null if there is none.
   */
  readonly refused: string | null;
}

/**
 * Whether unknown parameters and impossible values of a media type make it unacceptable; otherwise they are ignored. A strict
 * service also reads the names of OData 4.01, which lack the prefix.
 */
export type MediaParameters = "strict" | "lenient";

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
export function readRanges(accept: string, parameters: MediaParameters): readonly MediaRange[] {
  return splitHeaderList(accept)
    .slice(0, MAX_RANGES)
    .map((text) => readRange(text, parameters));
}

/** Reads a media type, or a range of them, with its parameters. */
export function readRange(text: string, parameters: MediaParameters): MediaRange {
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
export function takesType(ranges: readonly MediaRange[], type: string): boolean {
  const specific = [type, `${type.split("/", 1).join("")}/*`, "*/*"]
    .map((name) => ranges.find((range) => range.type === name))
    .find((range) => range !== undefined);
  return specific !== undefined && specific.quality > 0;
}
