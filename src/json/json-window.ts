import { JsonSyntaxError } from "./json-errors.ts";

const NEWLINE = 10;
const SHOWN_LENGTH = 20;
/** Beyond every offset that a read may reach: an escape at the end of the text skips two characters. */
const BEHIND_END = 3;
/** More characters than a read examines behind `until`: no read reaches the end of a window. */
const LOOKAHEAD = 64;

/**
 * A place in a JSON text, and the errors there. A long text arrives in windows: one string for all of it would be made in one
 * call of the engine, and be kept beside its values.
 */
export class JsonWindow {
  /** The window: the part of the text that has arrived and not been read. */
  text: string;
  /** Offset of the next character in the window. */
  at: number;
  /** Offset at which reads pause. */
  until: number;
  /** Whether no window follows. */
  #isLast: boolean;
  /** The number of characters before the window. */
  #before = 0;
  #line = 1;
  /** Position of the current line in the whole text. */
  #lineStart = 0;

  /** @param isLast whether `text` is the whole text */
  constructor(text: string, isLast: boolean = true) {
    this.text = text;
    this.until = 0;
    this.#isLast = isLast;
    // A byte order mark may precede the text. @see RFC 8259, section 8.1
    this.at = text.charCodeAt(0) === 0xfe_ff ? 1 : 0;
  }

  /** Position of the next character in the whole text. */
  get position(): number {
    return this.#before + this.at;
  }

  /** Returns the offset of a position in the window. */
  offsetOf(position: number): number {
    return position - this.#before;
  }

  /** Whether reads cannot continue before the next window. */
  get needsText(): boolean {
    return !this.#isLast && this.until >= this.text.length - LOOKAHEAD;
  }

  /** Lets reads continue for a number of characters. */
  extend(length: number): void {
    const { text, until } = this;
    const end = this.#isLast ? text.length : text.length - LOOKAHEAD;
    if (until + length < end) this.until = until + length;
    else this.until = this.#isLast ? end + BEHIND_END : Math.max(until, end);
  }

  /** Adds the next window. */
  append(text: string, isLast: boolean): void {
    const { at } = this;
    this.text = this.text.slice(at) + text;
    this.#isLast = isLast;
    this.#before += at;
    this.until -= at;
    this.at = 0;
  }

  /** Skips blanks and returns the code of the next character without taking it; NaN at the end. */
  peek(): number {
    const code = this.text.charCodeAt(this.at);
    return code === 32 || code === NEWLINE || code === 13 || code === 9 ? this.#skipBlanks() : code;
  }

  #skipBlanks(): number {
    const { text, until } = this;
    let end = this.at;
    let code = text.charCodeAt(end);
    while ((code === 32 || code === NEWLINE || code === 13 || code === 9) && end < until) {
      end += 1;
      if (code === NEWLINE) {
        this.#line += 1;
        this.#lineStart = this.#before + end;
      }
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

  /** Makes an error at a position of the current line, by default that of `at`. */
  fault(message: string, position: number = this.position, path?: string): JsonSyntaxError {
    const column = position - this.#lineStart + 1;
    const place = `at line ${this.#line}, column ${column} (position ${position})`;
    const isAtEnd = position >= this.#before + this.text.length;
    return new JsonSyntaxError(`${message} ${place}.`, { position, path, isAtEnd });
  }
}
