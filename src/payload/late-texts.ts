import { writeBase64Parts } from "../edm/base64.ts";
import type { PrimitiveValue, ValueCodec } from "../edm/value-codec.ts";
import { writeStringParts } from "../json/write-json.ts";
import { PIECE_LENGTH } from "./utf8-pieces.ts";

/** Stands in a text for a part that is written later. JSON never contains it: strings escape control characters. */
const MARK = "\u0000";

/** A value of more characters or octets is written later. */
const LONG_VALUE = 1 << 19;

/**
 * The parts of the text of an entity that are too long to be written in one turn: long values, and the rest of collections.
 * Writers leave a mark for each. Writing an entity is synchronous, so one object serves all entities of a writer.
 */
export class LateTexts {
  #parts: Iterable<string>[] | null = null;

  /** Writes parts later. @returns the mark in their place */
  defer(parts: Iterable<string>): string {
    this.#parts ??= [];
    this.#parts.push(parts);
    return MARK;
  }

  /** Begins a text. @returns the state of a text around it: a getter of the application may cause another response */
  open(): Iterable<string>[] | null {
    const outer = this.#parts;
    this.#parts = null;
    return outer;
  }

  /** Ends a text: returns it, with its late parts if there are some. */
  close(text: string, outer: Iterable<string>[] | null): string | LongText {
    const parts = this.#parts;
    this.#parts = outer;
    return parts === null ? text : new LongText(text.split(MARK), parts);
  }

  /** Ends a text that cannot be written. */
  abandon(outer: Iterable<string>[] | null): void {
    this.#parts = outer;
  }

  /** Writes a text. */
  write(work: () => string): string | LongText {
    const outer = this.open();
    try {
      return this.close(work(), outer);
    } catch (error) {
      this.abandon(outer);
      throw error;
    }
  }

  /** Writes the rest of a list later. @param writeAt writes one item */
  deferRest(start: number, length: number, writeAt: (index: number) => string): string {
    return this.defer(this.#restOf(start, length, writeAt));
  }

  *#restOf(start: number, length: number, writeAt: (index: number) => string): Generator<string, void, void> {
    let piece = "";
    for (let index = start; index < length; index += 1) {
      const text = this.write(() => writeAt(index));
      piece += ",";
      if (typeof text === "string") {
        piece += text;
      } else {
        yield piece;
        yield* text;
        piece = "";
      }
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = "";
    }
    yield piece;
  }
}

/** A text that is written while it is read: each part in its own turn. */
export class LongText implements Iterable<string> {
  readonly #texts: readonly string[];
  readonly #late: readonly Iterable<string>[];

  /** @param late the parts between the texts */
  constructor(texts: readonly string[], late: readonly Iterable<string>[]) {
    if (texts.length !== late.length + 1) throw new Error("A text has as many marks as late parts.");
    this.#texts = texts;
    this.#late = late;
  }

  *[Symbol.iterator](): Generator<string, void, void> {
    for (const [index, text] of this.#texts.entries()) {
      if (text !== "") yield text;
      yield* this.#late[index] ?? [];
    }
  }
}

/** Whether a value or the text of a list is so long that its rest is written later. */
export function isLong(value: unknown): boolean {
  if (typeof value === "string") return value.length > LONG_VALUE;
  return typeof value === "object" && value instanceof Uint8Array && value.length > LONG_VALUE;
}

/** Makes the writer of primitive values. @param late absent: long values are written at once */
export function compileScalar(
  codec: ValueCodec,
  ieee754Compatible: boolean,
  late: LateTexts | undefined,
): (value: PrimitiveValue) => string {
  const isText = codec.type.name === "Edm.String";
  if (late === undefined || (!isText && codec.type.name !== "Edm.Binary")) {
    return (value) => codec.toJson(value, ieee754Compatible);
  }
  return (value) => {
    if (!isLong(value)) return codec.toJson(value, ieee754Compatible);
    if (typeof value === "string") return late.defer(writeStringParts(value));
    return value instanceof Uint8Array ? late.defer(writeBase64Parts(value)) : codec.toJson(value, ieee754Compatible);
  };
}
