import { JsonSyntaxError } from "./json-errors.ts";
import { JsonNumber } from "./write-json.ts";

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
/** After so many plain characters of a string, the engine searches its end. */
const SHORT_RUN = 48;
/** From this length on, an engine may represent a part of a text as a view into it. */
const VIEW_LENGTH = 13;
/** A text of at most this length may stay in memory as long as a value from it. */
const MAX_KEPT_LENGTH = 8192;
/** Maximum number of names that are kept with their successor: more than objects usually have. */
const MAX_SUCCESSORS = 256;
/** Maximum number of characters of the text in an error. */
const SHOWN_LENGTH = 20;
/** The letters that may follow a backslash, except `u` with four hexadecimal digits. */
const ESCAPED = String.raw`"\/bfnrt`;

/** Reads the tokens of a JSON text from left to right. Each read moves `at` forward or throws. */
export class JsonScanner {
  readonly text: string;
  /** Offset of the next character. */
  at: number;
  #line = 1;
  /** Offset of the current line. */
  #lineStart = 0;
  readonly #successors = new Map<string, string>();
  /** Matches plain characters; made for the first long string. */
  #plain: RegExp | undefined;

  constructor(text: string) {
    this.text = text;
    // A byte order mark may precede the text. @see RFC 8259, section 8.1
    this.at = text.charCodeAt(0) === 0xfe_ff ? 1 : 0;
  }

  /** Skips blanks and returns the code of the next character without taking it; NaN at the end. */
  peek(): number {
    const code = this.text.charCodeAt(this.at);
    return code === 32 || code === NEWLINE || code === 13 || code === 9 ? this.#skipBlanks() : code;
  }

  #skipBlanks(): number {
    const { text } = this;
    let end = this.at;
    let code = text.charCodeAt(end);
    while (code === 32 || code === NEWLINE || code === 13 || code === 9) {
      end += 1;
      if (code === NEWLINE) {
        this.#line += 1;
        this.#lineStart = end;
      }
      code = text.charCodeAt(end);
    }
    this.at = end;
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
    const { text } = this;
    const start = this.at + 1;
    const firstEnd = this.#plainEnd(start);
    let end = firstEnd;
    while (text.charCodeAt(end) === BACKSLASH) end = this.#plainEnd(end + 2);
    if (text.charCodeAt(end) !== QUOTE) throw this.#stringFault(firstEnd);
    // All escapes are handled in one step: one by one, millions of them would take seconds.
    const value = end === firstEnd ? this.#cut(start, end) : parseString(text.slice(start - 1, end + 1));
    if (value === null) throw this.#stringFault(firstEnd);
    this.at = end + 1;
    return value;
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
    const limit = start + SHORT_RUN;
    let end = start;
    let code = text.charCodeAt(end);
    while (code >= FIRST_PRINTABLE && code !== QUOTE && code !== BACKSLASH) {
      end += 1;
      if (end === limit) return this.#longEnd(end);
      code = text.charCodeAt(end);
    }
    return end;
  }

  /** The engine is faster than a loop after some characters. */
  #longEnd(start: number): number {
    // oxlint-disable-next-line no-control-regex -- control characters are meant
    this.#plain ??= /[^"\\\u0000-\u001f]*/y;
    const plain = this.#plain;
    plain.lastIndex = start;
    plain.test(this.text);
    return plain.lastIndex;
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
    while (code >= ZERO && code <= NINE && end - first <= MAX_EXACT_DIGITS) {
      value = value * 10 + (code - ZERO);
      end += 1;
      code = text.charCodeAt(end);
    }
    const count = end - first;
    if (end === start) throw this.unexpected("a value");
    if (count === 0 || (count > 1 && text.charCodeAt(first) === ZERO)) {
      this.at = first;
      throw this.unexpected(count === 0 ? "a digit" : "a number without zeros in front");
    }
    this.at = end;
    if (count <= MAX_EXACT_DIGITS && code !== POINT && code !== 101 && code !== 69) return isNegative ? -value : value;
    return this.#takeLongNumber(start);
  }

  /** Takes the rest of a number that keeps its text. @param start its offset; at least one digit follows */
  #takeLongNumber(start: number): JsonNumber {
    const { text } = this;
    let code = this.#skipDigits();
    if (code === POINT) {
      this.at += 1;
      code = this.#takeDigits();
    }
    if (code === 101 || code === 69) {
      const sign = text.charCodeAt(this.at + 1);
      this.at += sign === PLUS || sign === MINUS ? 2 : 1;
      this.#takeDigits();
    }
    return new JsonNumber(this.#cut(start, this.at));
  }

  #takeDigits(): number {
    const start = this.at;
    const code = this.#skipDigits();
    if (this.at === start) throw this.unexpected("a digit");
    return code;
  }

  /** Returns the code of the character after the digits. */
  #skipDigits(): number {
    const { text } = this;
    let end = this.at;
    let code = text.charCodeAt(end);
    while (code >= ZERO && code <= NINE) {
      end += 1;
      code = text.charCodeAt(end);
    }
    this.at = end;
    return code;
  }

  /** Makes the error for the next character. */
  unexpected(expected: string): JsonSyntaxError {
    if (this.at >= this.text.length) return this.fault(`The JSON text ends too early: expected ${expected}`);
    const rest = this.text.slice(this.at, this.at + SHOWN_LENGTH);
    const shown = /^(?:[\w.+-]+|[^]?)/.exec(rest)?.[0] ?? "";
    return this.fault(`Unexpected ${JSON.stringify(shown)}: expected ${expected}`);
  }

  /** Makes an error at an offset in the current line, by default that of `at`. */
  fault(message: string, position: number = this.at, path?: string): JsonSyntaxError {
    const column = position - this.#lineStart + 1;
    const place = `at line ${this.#line}, column ${column} (position ${position})`;
    return new JsonSyntaxError(`${message} ${place}.`, { position, path, isAtEnd: position >= this.text.length });
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
