import type { JsonSyntaxError } from "./json-errors.ts";
import { JsonNumber } from "./json-value.ts";
import { JsonWindow } from "./json-window.ts";

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
/** From this length on, an engine may represent a part of a text as a view into it. */
const VIEW_LENGTH = 13;
/** A text of at most this length may stay in memory as long as a value from it. */
const MAX_KEPT_LENGTH = 8192;
/** Maximum number of names that are kept with their successor: more than objects usually have. */
const MAX_SUCCESSORS = 256;

/** The length from which joining the parts of one value is a step of its own: it is one call of the engine. */
const LONG_LENGTH = 1 << 20;

/** The length of the longest escape, such as `\\u0041`. */
const LONGEST_ESCAPE = 6;
/** The letters that may follow a backslash, except `u` with four hexadecimal digits. */
const ESCAPED = String.raw`"\/bfnrt`;

/** The part of a number that is being read. */
type NumberPart = "integer" | "fraction" | "exponent";

/**
 * Reads the tokens of a JSON text from left to right. Each read moves `at` forward or throws. A read that reaches `until`
 * returns null: repeat it after `extend`.
 */
export class JsonScanner extends JsonWindow {
  /** Whether a string or a number has been read in part. */
  isWithin = false;
  /** Whether the parts of a long value are complete, so that the next read joins them. */
  isJoinDue = false;
  readonly #successors = new Map<string, string>();
  /** The parts of a string or number whose end has not been reached; null between them. */
  #pieces: string[] | null = null;
  #isNumber = false;
  /** Position of the part of a number that is being read. */
  #numberStart = 0;
  #numberPart: NumberPart = "integer";
  /** Position of its digits. */
  #digitsStart = 0;
  /** Takes the word `true`, `false` or `null`, whose first character is next. */
  takeWord<Value extends boolean | null>(word: string, value: Value): Value {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected("a value");
    this.at += word.length;
    return value;
  }

  /** Continues the string or number that has been read in part. */
  takeRest(): string | number | JsonNumber | null {
    return this.#isNumber ? this.#takeLongNumber() : this.takeString();
  }

  /**
   * Takes a string, whose opening quote is next.
   * @see RFC 8259, section 7
   */
  takeString(): string | null {
    if (this.isJoinDue) return this.#join();
    const { text, until } = this;
    const start = this.#pieces === null ? this.at + 1 : this.at;
    const firstEnd = this.#plainEnd(start);
    let end = firstEnd;
    let lastEscape = -1;
    while (end < until && text.charCodeAt(end) === BACKSLASH) {
      lastEscape = end;
      end = this.#plainEnd(end + 2);
    }
    const isPaused = end >= until;
    // A pause does not split an escape.
    if (isPaused && lastEscape >= 0 && end - lastEscape < LONGEST_ESCAPE) end = lastEscape;
    if (!isPaused && text.charCodeAt(end) !== QUOTE) throw this.#stringFault(firstEnd);
    // All escapes are handled in one step: one by one, millions of them would take seconds.
    const piece = end === firstEnd ? this.#cut(start, end) : parseString(`"${text.slice(start, end)}"`);
    if (piece === null) throw this.#stringFault(firstEnd);
    if (isPaused) return this.#pauseAt(end, piece);
    this.at = end + 1;
    return this.#pieces === null ? piece : this.#end(piece);
  }

  /** Keeps a part of a value whose rest follows. */
  #pauseAt(end: number, piece: string): null {
    this.#pieces ??= [];
    this.#pieces.push(piece);
    this.at = end;
    this.isWithin = true;
    return null;
  }

  /** Ends a value of several parts with the last of them. @returns null if joining them is a step of its own */
  #end(last: string): string | null {
    this.#pieces ??= [];
    this.#pieces.push(last);
    this.isJoinDue = this.lengthWithin > LONG_LENGTH;
    return this.isJoinDue ? null : this.#join();
  }

  #join(): string {
    const pieces = this.#pieces ?? [];
    this.#pieces = null;
    this.isWithin = false;
    this.isJoinDue = false;
    return pieces.join("");
  }

  /** The number of characters of the value that has been read in part. */
  get lengthWithin(): number {
    return this.#pieces?.reduce((length, piece) => length + piece.length, 0) ?? 0;
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
  takeName(previous: string): string | null {
    const isNew = this.#pieces === null;
    const start = this.at + 1;
    const guess = isNew ? this.#successors.get(previous) : undefined;
    if (guess !== undefined && this.text.startsWith(guess, start)) {
      const end = start + guess.length;
      if (this.text.charCodeAt(end) === QUOTE) {
        this.at = end + 1;
        return guess;
      }
    }
    const name = this.takeString();
    // A name with escapes is written differently in the text.
    const isPlain = isNew && name !== null && this.at - 1 - start === name.length;
    if (isPlain && this.#successors.size < MAX_SUCCESSORS) this.#successors.set(previous, name);
    return name;
  }

  /** Returns the offset of the quote, backslash, control character or end after a run of plain characters. */
  #plainEnd(start: number): number {
    const { text, until } = this;
    let end = start;
    let code = text.charCodeAt(end);
    while (code >= FIRST_PRINTABLE && code !== QUOTE && code !== BACKSLASH && end < until) {
      end += 1;
      code = text.charCodeAt(end);
    }
    return end;
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
  takeNumber(): number | JsonNumber | null {
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
    if (count === 0 || (count > 1 && text.charCodeAt(first) === ZERO)) throw this.#badNumber(first, count);
    this.at = end;
    if (count <= MAX_EXACT_DIGITS && code !== POINT && code !== 101 && code !== 69) return isNegative ? -value : value;
    this.#isNumber = true;
    this.#numberStart = this.position - (end - start);
    this.#numberPart = "integer";
    this.#digitsStart = this.position - count;
    return this.#takeLongNumber();
  }

  #badNumber(first: number, count: number): JsonSyntaxError {
    this.at = first;
    return this.unexpected(count === 0 ? "a digit" : "a number without zeros in front");
  }

  /** Takes the rest of a number that keeps its text. */
  #takeLongNumber(): JsonNumber | null {
    const { text } = this;
    while (!this.isJoinDue) {
      const code = this.#skipDigits();
      if (this.at >= this.until) {
        const piece = this.#cut(this.offsetOf(this.#numberStart), this.at);
        this.#numberStart = this.position;
        return this.#pauseAt(this.at, piece);
      }
      if (this.position === this.#digitsStart) throw this.unexpected("a digit");
      if (code === POINT && this.#numberPart === "integer") {
        this.#numberPart = "fraction";
        this.at += 1;
      } else if ((code === 101 || code === 69) && this.#numberPart !== "exponent") {
        const sign = text.charCodeAt(this.at + 1);
        this.#numberPart = "exponent";
        this.at += sign === PLUS || sign === MINUS ? 2 : 1;
      } else {
        const last = this.#cut(this.offsetOf(this.#numberStart), this.at);
        const digits = this.#pieces === null ? last : this.#end(last);
        return digits === null ? null : this.#asNumber(digits);
      }
      this.#digitsStart = this.position;
    }
    return this.#asNumber(this.#join());
  }

  #asNumber(digits: string): JsonNumber {
    this.#isNumber = false;
    return new JsonNumber(digits);
  }

  /** Returns the code of the character after the digits. */
  #skipDigits(): number {
    const { text, until } = this;
    let end = this.at;
    let code = text.charCodeAt(end);
    while (code >= ZERO && code <= NINE && end < until) {
      end += 1;
      code = text.charCodeAt(end);
    }
    this.at = end;
    return code;
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
