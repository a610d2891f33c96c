/** A resource path with its options, as the Query screen shows and edits it. */
export interface QueryText {
  /** Below the root of the service, percent-encoded as in a URL: `Customers('A%2FB')/Orders`. */
  readonly path: string;
  /** Decoded values by name. */
  readonly options: ReadonlyMap<string, string>;
}

/** A query as it was read, with the places of its values. */
interface ReadQueryText extends QueryText {
  readonly pieces: readonly OptionPiece[];
}

/** One `name=value` of a text. */
export interface OptionPiece {
  readonly name: string;
  readonly value: string;
  /** Offset of the name. */
  readonly start: number;
  /** Offset of the value; equals `end` without a value. */
  readonly valueStart: number;
  readonly end: number;
}

/** An option that follows: within a string, only such a name ends the value before it. */
const NEXT_OPTION = /^&\s*[$@]\w+=/u;

/**
 * Reads the text of a query, such as `Orders?$filter=Total gt 5&$top=5`. It accepts what people write and paste: line breaks
 * outside strings, `&` within strings, percent-encoding or none, and the URL of the service in front. Of a repeated name the
 * last value counts; `pieces` has them all.
 * @param root the URL of the service, which may precede the path
 */
export function readQueryText(text: string, root = ""): ReadQueryText {
  const first = root !== "" && text.trimStart().startsWith(root) ? text.indexOf(root) + root.length : 0;
  const mark = pathEnd(text, first);
  const path = text.slice(first, mark).trim().replace(/^\/+/u, "").replaceAll("?", "%3F");
  const pieces: OptionPiece[] = [];
  for (let start = mark + 1; start <= text.length;) {
    const end = optionEnd(text, start);
    const piece = readPiece(text, start, end);
    if (piece !== null) pieces.push(piece);
    start = end + 1;
  }
  return { path, pieces, options: new Map(pieces.map(({ name, value }) => [name, value])) };
}

/** Returns the offset of the question mark that ends the path, or the length of the text. */
function pathEnd(text: string, first: number): number {
  let mark = text.indexOf("?", first);
  const unquoted = /^(?:[^'?]|'[^']*')*\?/u.exec(text.slice(first));
  if (unquoted !== null) mark = first + unquoted[0].length - 1;
  return mark < 0 ? text.length : mark;
}

function optionEnd(text: string, start: number): number {
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "'") isQuoted = !isQuoted;
    else if (character === "&" && (!isQuoted || NEXT_OPTION.test(text.slice(at, at + 80)))) return at;
  }
  // A string that nothing closes is an apostrophe, as in `$search=O'Brien`.
  const ampersand = isQuoted ? text.indexOf("&", start) : -1;
  return ampersand < 0 ? text.length : ampersand;
}

function readPiece(text: string, start: number, end: number): OptionPiece | null {
  const piece = text.slice(start, end);
  if (piece.trim() === "") return null;
  const nameStart = start + piece.length - piece.trimStart().length;
  const equals = piece.indexOf("=");
  const nameEnd = equals < 0 ? end : start + equals;
  const name = decodeReadably(text.slice(nameStart, nameEnd).trimEnd());
  const raw = equals < 0 ? "" : text.slice(nameEnd + 1, end);
  const valueStart = end - raw.trimStart().length;
  return { name, value: decodeReadably(withoutBreaks(raw.trim())), start: nameStart, valueStart, end };
}

/** Replaces line breaks and tabs outside strings by blanks, one for one, so that positions remain. */
function withoutBreaks(text: string): string {
  return text.replaceAll(/'[^']*'|[\r\n\t]/gu, (found) => (found.length === 1 ? " " : found));
}

/** Decodes what is validly encoded, and keeps every other percent sign. A plus sign is itself. */
function decodeReadably(text: string): string {
  return text.replaceAll(/(?:%[\dA-Fa-f]{2})+/gu, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

/** Returns the offset in the text of the query that an offset in the decoded value of an option has. */
export function offsetInText(text: string, piece: OptionPiece, offset: number): number {
  let at = piece.valueStart;
  let decoded = 0;
  while (decoded < offset && at < piece.end) {
    const [unit = text.slice(at, at + 1)] = /^(?:%[\dA-Fa-f]{2})+/u.exec(text.slice(at, piece.end)) ?? [];
    const length = decodeReadably(unit).length;
    if (decoded + length > offset) return at;
    decoded += length;
    at += unit.length;
  }
  return at;
}

/** Writes a query as text for people: only what would be read differently is encoded. */
export function writeQueryText({ path, options }: QueryText): string {
  const pairs = Array.from(options, ([name, value]) => `${encodeName(name)}=${encodeReadably(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

function encodeName(name: string): string {
  return encodeReadably(name).replaceAll("=", "%3D").replaceAll("'", "%27");
}

function encodeReadably(text: string): string {
  const encoded = text
    .replaceAll(/%(?=[\dA-Fa-f]{2})/gu, "%25")
    .replaceAll(/[&#\p{Cc}]|^\s+|\s+$/gu, (found) => encodeURIComponent(found));
  // An apostrophe without a second one would begin a string, which hides the ampersands after it.
  return encoded.split("'").length % 2 === 0 ? encoded.replaceAll("'", "%27") : encoded;
}

/** Writes a query as the target of a request, relative to the root of the service: all that a URL reserves is encoded. */
export function toRequestTarget({ path, options }: QueryText): string {
  const pairs = Array.from(
    options,
    ([name, value]) => `${encodeOption(name).replaceAll("=", "%3D")}=${encodeOption(value)}`,
  );
  const target = encodeUrl(path).replaceAll("?", "%3F").replaceAll("#", "%23");
  return pairs.length === 0 ? target : `${target}?${pairs.join("&")}`;
}

/** Encodes a path that may be encoded already. */
function encodeUrl(path: string): string {
  return path.replaceAll(/%(?![\dA-Fa-f]{2})|[^\w\-.~:/?#@!$&'()*+,;=%]+/gu, (found) =>
    encodeURIComponent(wellFormed(found)),
  );
}

/** Encodes all but the characters that a query may contain and that have no meaning of their own there. */
function encodeOption(text: string): string {
  return encodeURIComponent(wellFormed(text)).replaceAll(/%(?:24|2C|2F|3A|3B|3D|3F|40)/gu, (found) =>
    decodeURIComponent(found),
  );
}

/** Replaces half of a surrogate pair, which has no encoding. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, "\uFFFD");
}
