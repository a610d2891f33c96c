import type { HeldShare } from "./held-bytes.ts";

/**
 * Counts the bytes of the JSON values that an operation reads or computes for its response, before it keeps them. The count of
 * sources is nearly the length of the JSON; the writer of the response counts exactly.
 * @see docs/reference/limits.md, Size of a response
 */
export class ByteCount {
  /** The most bytes. Infinity: no limit. */
  readonly most: number;
  readonly #held: HeldShare | undefined;
  #used = 0;
  #isOver = false;
  /** Whether a source has found that a page with its expansions does not fit. */
  isExceeded = false;
  /** About how many rows fit, as a driver has seen which kept none; undefined: unknown. */
  rowsThatFit: number | undefined;

  /** @param held counts the bytes that all requests hold; absent: they are not counted */
  constructor(most: number, held?: HeldShare) {
    // Databases take whole numbers only.
    this.most = Math.floor(most);
    this.#held = held;
  }

  get used(): number {
    return this.#used;
  }

  get left(): number {
    const left = Math.max(this.most - this.#used, 0);
    return this.#held === undefined ? left : Math.min(left, this.#held.left);
  }

  /** Whether something did not fit, and was not kept. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Counts bytes, if they fit. Returns false if they do not: then the caller keeps nothing more. The first value may have twice as
   * many, because the bytes are not exact.
   */
  take(bytes: number): boolean {
    const left = this.#used === 0 ? this.most * 2 : this.most - this.#used;
    if (this.#isOver || bytes > left || this.#held?.take(bytes) === false) {
      this.#isOver = true;
      return false;
    }
    this.#used += bytes;
    return true;
  }

  /** Begins a part that may be dropped and read again with less. @param share of all bytes, at most */
  part(share: number = 1): ByteCount {
    return new ByteCount(Math.min(this.most - this.#used, this.most * share), this.#held);
  }

  /** Counts a part that is kept. */
  keep(part: ByteCount): void {
    this.#used += part.#used;
  }

  /** Gives back the bytes of values that are not kept: there is room again. */
  give(bytes: number): void {
    this.#used -= bytes;
    this.#held?.add(-bytes);
    this.#isOver = false;
  }

  /** Gives back everything that it counts. */
  drop(): void {
    this.give(this.#used);
  }

  /** Counts bytes that were read elsewhere, within the bytes that were left. */
  merge(used: number, isOver: boolean): void {
    this.#used += used;
    this.#held?.add(used);
    if (!isOver) return;
    this.#isOver = true;
    const held = this.#held;
    if (held !== undefined && held.left < this.most - this.#used) held.isRefused = true;
  }
}

/** The bytes of a value that is neither a text nor bytes: about those of a number or a date. */
const SHORT = 8;

/** Returns about the bytes of a cell or value as JSON. @param textLength returns those of a text */
export function bytesOfValue(value: unknown, textLength: (text: string) => number = lengthOf): number {
  if (typeof value === "string") return textLength(value) + 2;
  if (value instanceof Uint8Array) return Math.ceil(value.byteLength / 3) * 4 + 2;
  return SHORT;
}

function lengthOf({ length }: string): number {
  return length;
}

/** Returns about the bytes of a row as JSON. @param besides the bytes of names, and of everything besides its cells */
export function bytesOfRow(row: readonly unknown[], besides: number, textLength?: (text: string) => number): number {
  let bytes = besides;
  for (const cell of row) bytes += bytesOfValue(cell, textLength);
  return bytes;
}

/** Returns the rows that fit, in order. @param besides as for `bytesOfRow` */
export function fitting<Row extends readonly unknown[]>(
  rows: readonly Row[],
  bytes: ByteCount,
  besides: number,
  textLength?: (text: string) => number,
): readonly Row[] {
  const end = rows.findIndex((row) => !bytes.take(bytesOfRow(row, besides, textLength)));
  return end < 0 ? rows : rows.slice(0, end);
}

/** Returns the bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // Both halves of a surrogate pair have two bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}

/** Returns the bytes of a text as JSON, without the quotes. */
export function jsonLength(text: string): number {
  let bytes = utf8Length(text);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === 0x5c) bytes += 1;
    else if (unit < 0x20) bytes += SHORT_ESCAPES.has(unit) ? 1 : 5;
  }
  return bytes;
}

/** The characters `\b`, `\t`, `\n`, `\f` and `\r`. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);
