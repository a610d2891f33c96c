import { readHeaderParameter, splitHeaderList } from "../http/headers.ts";

/** The codings of a response. `identity` is none. @see RFC 9110, section 8.4.1 */
export type ContentCoding = "zstd" | "br" | "gzip" | "identity";

/** The coding of a response, and whether it must be used. */
export interface ChosenCoding {
  readonly coding: ContentCoding;
  /** Whether the client refuses a response without coding, however short it is. */
  readonly isRequired: boolean;
}

/** More codings than any client sends. The rest is ignored, to bound the work. */
const MAX_CODINGS = 32;
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Chooses the coding of a response: the one with the highest quality, and of several the first available. Without the
 * header, no coding. A coding without `q` is better than none.
 * @param available the codings of the server without `identity`, the best first
 * @returns null if the client accepts none of them, and refuses a response without coding
 * @see RFC 9110, section 12.5.3
 */
export function chooseCoding(header: string | undefined, available: readonly ContentCoding[]): ChosenCoding | null {
  if (header === undefined) return { coding: "identity", isRequired: false };
  const stated = readQualities(header);
  const others = stated.get("*");
  const identity = stated.get("identity") ?? others;
  const isRequired = identity === 0;
  let best: ContentCoding = "identity";
  // Without a statement, identity is acceptable, but worse than every coding that the client names.
  let quality = identity ?? 0;
  for (const coding of available) {
    const each = stated.get(coding) ?? others ?? 0;
    if (each > quality || (each > 0 && each === quality && best === "identity")) [best, quality] = [coding, each];
  }
  return best === "identity" && isRequired ? null : { coding: best, isRequired };
}

/** Returns the qualities of the codings of a header, by name. The names of RFC 1952 and HTTP/1.0 mean the same. */
function readQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const item of splitHeaderList(header).slice(0, MAX_CODINGS)) {
    const [name = "", ...parameters] = splitHeaderList(item, ";");
    const coding = name.toLowerCase();
    const { value = "1" } = parameters.map(readHeaderParameter).find((each) => each.name === "q") ?? {};
    if (QUALITY.test(value)) qualities.set(coding === "x-gzip" ? "gzip" : coding, Number(value));
  }
  return qualities;
}
