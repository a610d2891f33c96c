import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { tooMuchMemory } from "../../../base/errors/odata-error.ts";
import { lengthOf, substring } from "../../../edm/code-points.ts";
import { unreadableArgument } from "./unreadable-argument.ts";

/** SQLITE_TOOBIG. @see https://sqlite.org/rescode.html#toobig */
export const TOO_BIG: number = 18;

/** Makes the error of SQLite for a value that is longer than its connection allows. */
export function tooBig(): Error {
  return Object.assign(new Error("string or blob too big"), { errcode: TOO_BIG });
}

/**
 * The most bytes that the text functions of one connection keep in one turn of the event loop. The garbage of V8 adds about
 * a third.
 */
const MOST_KEPT = 160_000_000;

/** Texts of so many characters are long: together they belong into a reader thread, as one value of their length does. */
const LONG_TEXT = 1 << 16;

/** The bytes that `node:sqlite` keeps for a call with a text, besides the characters of its argument and its result. */
const CALL = 112;

/** The bytes that it keeps for an array whose buffer is released. */
const BYTES = 400;

/** A character for whose sake V8 takes two bytes for each character of a text. */
const WIDE = /[\u0100-\uFFFF]/;

/** A function of a text. */
type ChangeText = (text: string) => string;

/**
 * Makes the functions of texts of one connection. Each returns null if an argument is null.
 *
 * - `odata_lower(text)`, `odata_upper(text)`: for Unicode; the functions of SQLite change only ASCII. Indexes may use them.
 * - `odata_lower_text(text)`, `odata_upper_text(text)`: the same, for expressions that no index serves.
 * - `odata_lower_bytes(utf8)`, `odata_upper_bytes(utf8)`: the same for the bytes of a text, whose memory they release.
 * - `odata_length(text)`, `odata_substring(text, start, length)`: for texts with U+0000, where the functions of SQLite end.
 *
 * @param readOnly whether the connection only reads; another one may create an index over any number of texts
 */
export function textFunctions(
  database: DatabaseSync,
  readOnly: boolean,
): Readonly<Record<string, (...values: SQLOutputValue[]) => SQLInputValue>> {
  const counter = makeCounter(database);
  const forIndexes = readOnly ? counter : UNCOUNTED;
  return {
    odata_lower: ofText(toLower, forIndexes),
    odata_upper: ofText(toUpper, forIndexes),
    odata_lower_text: ofText(toLower, counter),
    odata_upper_text: ofText(toUpper, counter),
    odata_lower_bytes: ofBytes(toLower, counter),
    odata_upper_bytes: ofBytes(toUpper, counter),
    odata_length: (text) => (text === null ? null : BigInt(lengthOf(counter.argument(String(text))))),
    odata_substring: (text, start, length) =>
      text === null || start === null || length === null
        ? null
        : counter.result(substring(counter.argument(String(text)), Number(start), Number(length))),
  };
}

const toLower: ChangeText = (text) => text.toLowerCase();
const toUpper: ChangeText = (text) => text.toUpperCase();

/** Makes a function of a text. */
function ofText(change: ChangeText, { argument, result }: TextCounter): (value: SQLOutputValue) => string | null {
  return (value) => {
    if (value === null) return null;
    if (value instanceof Uint8Array) throw unreadableArgument("bytes", "an Edm.String");
    return result(change(argument(String(value))));
  };
}

/**
 * Makes a function of the UTF-8 bytes of a text. `node:sqlite` keeps the arrays of all arguments and results until the statement
 * ends, but not the memory of a buffer that has been transferred.
 */
function ofBytes(change: ChangeText, counter: TextCounter): (value: SQLOutputValue) => Uint8Array | null {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  let returned: Uint8Array<ArrayBuffer> | null = null;
  return (value) => {
    if (value === null) return null;
    if (!(value instanceof Uint8Array)) throw new TypeError("The argument is no bytes.");
    returned?.buffer.transfer(0);
    returned = null;
    const text = decoder.decode(value);
    if (value.buffer instanceof ArrayBuffer) value.buffer.transfer(0);
    returned = encoder.encode(counter.bytes(change(counter.bytes(text))));
    return returned;
  };
}

/** Counts the memory of arguments and results of functions. */
interface TextCounter {
  /** Counts a call and its text, and returns the text. */
  readonly argument: ChangeText;
  /** Counts the result of a call, and returns it. */
  readonly result: ChangeText;
  /** Counts an array with the bytes of a text, and returns the text. */
  readonly bytes: ChangeText;
}

const UNCOUNTED: TextCounter = Object.freeze({
  argument: (text: string) => text,
  result: (text: string) => text,
  bytes: (text: string) => text,
});

/**
 * Makes a counter of the memory that a connection keeps until the turn of the event loop ends. A statement runs in one turn, and
 * `node:sqlite` keeps all arguments and results of functions until the statement ends.
 */
function makeCounter(database: DatabaseSync): TextCounter {
  let kept = 0;
  let long = 0;
  const keep = (bytes: number): void => {
    if (kept === 0) {
      queueMicrotask(() => {
        kept = 0;
        long = 0;
      });
    }
    kept += bytes;
    if (kept > MOST_KEPT) throw tooMuchMemory();
  };
  const see = (text: string): number => {
    const size = WIDE.test(text) ? text.length * 2 : text.length;
    if (text.length < LONG_TEXT) return size;
    long += size;
    if ("limits" in database && long > database.limits.length) throw tooBig();
    return size;
  };
  return {
    argument: (text) => {
      keep(see(text) + CALL);
      return text;
    },
    result: (text) => {
      keep(see(text));
      return text;
    },
    bytes: (text) => {
      see(text);
      keep(BYTES);
      return text;
    },
  };
}
