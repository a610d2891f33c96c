import { JsonNumber } from "./json-value.ts";

/** A text that the parser does not accept. The caller chooses the error code of the response. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  /** Offset of the fault in the text, in UTF-16 code units. */
  readonly position: number;
  /**
   * For a repeated member: the path of names and indexes to it, separated by `/`.
   */
  readonly path: string | undefined;

  constructor(message: string, position: number, path?: string) {
    super(message);
    this.position = position;
    this.path = path;
  }
}

/** A JSON text with more values than the limit. The caller chooses the error code of the response. */
export class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";

  /** @param maxValues maximum number of values */
  constructor(maxValues: number) {
    super(`more than ${String(maxValues)} JSON values: each object, array, member and item is one`);
  }
}

const NEWLINE = 10;
const QUOTE = 34;
const BACKSLASH = 92;
const MINUS = 45;
const PLUS = 43;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const FIRST_PRINTABLE = 32;
/** A double represents every integer of this many digits exactly. */
const MAX_EXACT_DIGITS = 15;
const SHOWN_LENGTH = 20;
/** From this length on, an engine may represent a part of a text as a view into it. */
const VIEW_LENGTH = 13;
/** A text of at most this length may stay in memory as long as a value from it. */
const MAX_KEPT_LENGTH = 8192;
/** Maximum number of names that are kept with their successor: more than objects usually have. */
const MAX_SUCCESSORS = 256;

/** The letters that may follow a backslash, except `u` with four hexadecimal digits. */
const ESCAPED = String.raw`"\/bfnrt`;

/** Reads the tokens of a JSON text from left to right. Each read moves `at` forward or throws. */
export class JsonScanner {
  readonly text: string;
  /** Offset of the next character. */
  at: number;
  readonly #successors = new Map<string, string>();

  constructor(text: string) {
    this.text = text;
    // A byte order mark may precede the text. @see RFC 8259, section 8.1
    this.at = text.charCodeAt(0) === 0xfe_ff ? 1 : 0;
  }

  /** Skips blanks and returns the code of the next character without taking it; NaN at the end. */
  peek(): number {
    let code = this.text.charCodeAt(this.at);
    while (code === 32 || code === 10 || code === 13 || code === 9) {
      this.at += 1;
      code = this.text.charCodeAt(this.at);
    }
    return code;
  }

  /** Takes the word `true`, `false` or `null`, whose first character is next. */
  takeWord<Value extends boolean | null>(word: string, value: Value): Value {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected("a value");
    this.at += word.length;
    return value;
  }

  /**
   * Takes a string, whose opening quote is next.
   * @see RFC 8259, section 7
   */
  takeString(): string {
    const start = this.at + 1;
    const end = this.#plainEnd(start);
    if (this.text.charCodeAt(end) !== QUOTE) return this.#takeEscaped(start, end);
    this.at = end + 1;
    return this.#cut(start, end);
  }

  /** Copies the text between two offsets, so that a stored value does not keep a large body in memory. */
  #cut(start: number, end: number): string {
    const part = this.text.slice(start, end);
    const isView = end - start >= VIEW_LENGTH && this.text.length > MAX_KEPT_LENGTH;
    // Engines may slice by a view into the longer text. Joining and slicing again makes a copy.
    return isView ? ` ${part}`.slice(1) : part;
  }

  /**
   * Takes a member name, whose opening quote is next. It tries the name that followed `previous` before, so that similar
   * objects share the strings of their names.
   */
  takeName(previous: string): string {
    const start = this.at + 1;
    const guess = this.#successors.get(previous);
    if (guess !== undefined && this.text.startsWith(guess, start)) {
      const end = start + guess.length;
      if (this.text.charCodeAt(end) === QUOTE) {
        this.at = end + 1;
        return guess;
      }
    }
    const name = this.takeString();
    // A name with escapes is written differently in the text.
    const isPlain = this.at - 1 - start === name.length;
    if (isPlain && this.#successors.size < MAX_SUCCESSORS) this.#successors.set(previous, name);
    return name;
  }

  /** Returns the offset of the quote, backslash, control character or end after a run of plain characters. */
  #plainEnd(start: number): number {
    const { text } = this;
    let end = start;
    let code = text.charCodeAt(end);
    while (code >= FIRST_PRINTABLE && code !== QUOTE && code !== BACKSLASH) {
      end += 1;
      code = text.charCodeAt(end);
    }
    return end;
  }

  /** Takes a string with escapes in one step, because handling millions of escapes one by one would take seconds. */
  #takeEscaped(start: number, firstEnd: number): string {
    const { text } = this;
    let end = firstEnd;
    while (text.charCodeAt(end) === BACKSLASH) end = this.#plainEnd(end + 2);
    const value = text.charCodeAt(end) === QUOTE ? parseString(text.slice(start - 1, end + 1)) : null;
    if (value === null) throw this.#stringFault(firstEnd);
    this.at = end + 1;
    return value;
  }

  /** Makes the error of the first fault in a string with escapes. */
  #stringFault(firstEnd: number): JsonSyntaxError {
    const { text } = this;
    this.at = firstEnd;
    while (text.charCodeAt(this.at) === BACKSLASH) {
      const letter = text.charAt(this.at + 1);
      if (letter === "u") {
        const isHexadecimal = /^[\da-f]{4}$/i.test(text.slice(this.at + 2, this.at + 6));
        if (!isHexadecimal) return this.unexpected(String.raw`four hexadecimal digits after \u`);
      } else if (letter === "" || !ESCAPED.includes(letter)) {
        return this.unexpected(String.raw`one of the escapes \" \\ \/ \b \f \n \r \t \uXXXX`);
      }
      this.at = this.#plainEnd(this.at + 2);
    }
    return this.unexpected(this.at < text.length ? "a control character to be written as an escape" : 'a closing "');
  }

  /**
   * Takes a number: as a number if a double represents it exactly, else as its text.
   * @see RFC 8259, section 6
   */
  takeNumber(): number | JsonNumber {
    const { text, at: start } = this;
    const isNegative = text.charCodeAt(start) === MINUS;
    const first = isNegative ? start + 1 : start;
    let end = first;
    let value = 0;
    let code = text.charCodeAt(end);
    while (code >= ZERO && code <= NINE) {
      value = value * 10 + (code - ZERO);
      end += 1;
      code = text.charCodeAt(end);
    }
    const count = end - first;
    if (end === start) throw this.unexpected("a value");
    if (count === 0 || (count > 1 && text.charCodeAt(first) === ZERO)) throw this.#badNumber(first, count);
    const isWhole = code !== POINT && code !== 101 && code !== 69;
    if (!isWhole) end = this.#fractionEnd(end);
    this.at = end;
    if (!isWhole || count > MAX_EXACT_DIGITS) return new JsonNumber(this.#cut(start, end));
    return isNegative ? -value : value;
  }

  #badNumber(first: number, count: number): JsonSyntaxError {
    this.at = first;
    return this.unexpected(count === 0 ? "a digit" : "a number without zeros in front");
  }

  #fractionEnd(start: number): number {
    let end = start;
    if (this.text.charCodeAt(end) === POINT) end = this.#digitsEnd(end + 1);
    const code = this.text.charCodeAt(end);
    if (code !== 101 && code !== 69) return end;
    const sign = this.text.charCodeAt(end + 1);
    return this.#digitsEnd(sign === PLUS || sign === MINUS ? end + 2 : end + 1);
  }

  #digitsEnd(start: number): number {
    let end = start;
    while (this.text.charCodeAt(end) >= ZERO && this.text.charCodeAt(end) <= NINE) end += 1;
    if (end > start) return end;
    this.at = start;
    throw this.unexpected("a digit");
  }

  unexpected(expected: string): JsonSyntaxError {
    if (this.at >= this.text.length) return this.fault(`The JSON text ends too early: expected ${expected}`);
    const rest = this.text.slice(this.at, this.at + SHOWN_LENGTH);
    const shown = /^(?:[\w.+-]+|[^]?)/.exec(rest)?.[0] ?? "";
    return this.fault(`Unexpected ${JSON.stringify(shown)}: expected ${expected}`);
  }

  /** Makes an error at an offset, by default `at`, with line and column. */
  fault(message: string, position: number = this.at, path?: string): JsonSyntaxError {
    let line = 1;
    let lineStart = 0;
    for (let end = 0; end < position; end += 1) {
      if (this.text.charCodeAt(end) !== NEWLINE) continue;
      line += 1;
      lineStart = end + 1;
    }
    const column = position - lineStart + 1;
    return new JsonSyntaxError(`${message} at line ${line}, column ${column} (position ${position}).`, position, path);
  }
}

/** Returns the value of a string in quotes; null if it has an invalid escape. */
function parseString(literal: string): string | null {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}
