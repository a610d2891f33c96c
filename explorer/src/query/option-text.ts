/** A resource path with its options, as the Query screen shows and edits it. */
export interface QueryText {
  /** Below the root of the service, percent-encoded as in a URL: `Customers('A%2FB')/Orders`. */
  readonly path: string;
  /** Decoded values by name. */
  readonly options: ReadonlyMap<string, string>;
}

/** One `name=value` of a text, with the offsets of its name, its value and its end. */
export interface OptionPiece {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** The path ends at a question mark outside strings, or at the first one. */
const PATH = /^(?:(?:[^'?]|'[^']*')*(?=\?)|[^?]*)/u;
/** Strings may contain `&`, unless `$name=` follows. An apostrophe without a second one is itself, as in `$search=O'Brien`. */
const OPTION = /(?:[^&']|'(?:(?!&\s*[$@]\w+=)[^'])*'|')+/gu;

/**
 * Reads the text of a query, such as `Orders?$filter=Total gt 5&$top=5`. It accepts what people write and paste: line breaks
 * outside strings, `&` within strings, percent-encoding or none, and the URL of the service, `root`, in front. Of a repeated
 * name the last value counts; `pieces` has them all.
 */
export function readQueryText(text: string, root = ""): QueryText & { readonly pieces: readonly OptionPiece[] } {
  const first = root !== "" && text.trimStart().startsWith(root) ? text.indexOf(root) + root.length : 0;
  const [path = ""] = PATH.exec(text.slice(first)) ?? [];
  const start = first + path.length + 1;
  const pieces = Array.from(text.slice(start).matchAll(OPTION))
    .filter(([written]) => written.trim() !== "")
    .map(({ 0: written, index }) => readPiece(written, start + index));
  const options = new Map(pieces.map(({ name, value }) => [name, value]));
  return { path: path.trim().replace(/^\/+/u, "").replaceAll("?", "%3F"), pieces, options };
}

function readPiece(written: string, at: number): OptionPiece {
  const [before = "", blanks = "", name = ""] = /^(\s*)([^=]*)(?:=\s*)?/u.exec(written) ?? [];
  // Blanks replace line breaks outside strings, one for one, so that positions remain.
  const value = written
    .slice(before.length)
    .trimEnd()
    .replaceAll(/'[^']*'|[\r\n\t]/gu, (found) => (found.length === 1 ? " " : found));
  return {
    name: decode(name.trimEnd()),
    value: decode(value),
    start: at + blanks.length,
    valueStart: at + before.length,
    end: at + written.length,
  };
}

/** Decodes valid escapes, and keeps every other percent sign. A plus sign is itself. */
function decode(text: string): string {
  return text.replaceAll(/(?:%[\dA-F]{2})+/giu, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

/** Returns the offset in the text of the query that an offset in the decoded value of an option has. */
export function offsetInText(text: string, { valueStart, end }: OptionPiece, offset: number): number {
  let decoded = 0;
  for (const { 0: unit, index } of text.slice(valueStart, end).matchAll(/(?:%[\dA-F]{2})+|./gisu)) {
    decoded += decode(unit).length;
    if (decoded > offset) return valueStart + index;
  }
  return end;
}

/** Writes a query as text for people: only characters that would be read differently are encoded. */
export function writeQueryText(query: QueryText): string {
  return assemble(query.path, query.options, (text) => {
    const encoded = text
      .replaceAll(/%(?=[\dA-F]{2})/giu, "%25")
      .replaceAll(/^\s+|(?<!\s)\s+$|[&#\p{Cc}]/gu, (found) => encodeURIComponent(found));
    // An apostrophe without a second one would begin a string, which hides the ampersands after it.
    return encoded.split("'").length % 2 === 0 ? encoded.replaceAll("'", "%27") : encoded;
  });
}

/** Writes a query as the target of a request, relative to the root of the service: all that a URL reserves is encoded. */
export function toRequestTarget({ path, options }: QueryText): string {
  // A path may be encoded already.
  const target = encode(path, /%(?:24|26|2B|2C|2F|3A|3B|3D|40)|%25(?=[\dA-F]{2})/giu);
  return assemble(target, options, (text) => encode(text, /%(?:24|2C|2F|3A|3B|3D|3F|40)/gu));
}

function assemble(path: string, options: QueryText["options"], encoded: (text: string) => string): string {
  const nameOf = (name: string): string => encoded(name).replaceAll("=", "%3D").replaceAll("'", "%27");
  const pairs = Array.from(options, ([name, value]) => `${nameOf(name)}=${encoded(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

/** Encodes a text for a URL, but for the codes that stay readable. Half of a surrogate pair has no encoding. */
export function encode(text: string, readable: RegExp): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\uFFFD")).replaceAll(readable, (code) =>
    decodeURIComponent(code),
  );
}
