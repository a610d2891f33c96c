import { JsonLimitError, type JsonSyntaxError } from "./json-errors.ts";
import { JsonScanner } from "./json-scanner.ts";
import { type JsonValue, keepNames } from "./write-json.ts";

/** The limits of one parse. */
export interface ParseJsonOptions {
  /** Maximum nesting of arrays and objects; Infinity for no limit. */
  readonly maxDepth: number;
  /** Maximum number of objects, arrays and single values in total; absent for no limit. */
  readonly maxValues?: number;
  /** Maximum number of characters of a member name; absent for no limit. A long name is stored in one call of the engine. */
  readonly maxNameLength?: number;
}

/** An array under construction. */
interface OpenArray {
  readonly kind: "array";
  readonly value: JsonValue[];
}

/** The token that is next: a value, an item or `]`, a member or `}`, a name, a colon, a comma or the end of the container, or nothing. */
type Phase = "value" | "first item" | "first name" | "name" | "colon" | "separator" | "end";

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const LETTER_T = 116;
const LETTER_F = 102;
const LETTER_N = 110;
/** Maximum number of characters of a name or path in an error. */
const MAX_SHOWN = 128;

/**
 * Parses a JSON text without loss, in one pass and without recursion: integers of up to 15 digits are numbers, all
 * other numbers keep their text; objects have no prototype, so that `__proto__` is an ordinary name.
 * @throws JsonSyntaxError when the text is not JSON, is deeper than `maxDepth`, or has a member twice; JsonLimitError
 * with the first value beyond `maxValues`
 * @see RFC 8259; OData JSON Format 4.0, section 4.5
 */
export function parseJson(text: string, options: ParseJsonOptions): JsonValue {
  return new JsonParse(text, options).run();
}

/** One parse. */
class JsonParse {
  readonly #scanner: JsonScanner;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  readonly #maxNameLength: number;
  /** The open containers around `#open`, the innermost last. */
  readonly #stack: (OpenArray | OpenObject)[] = [];
  /** The innermost open container. */
  #open: OpenArray | OpenObject | undefined;
  #phase: Phase = "value";
  #values = 0;
  #value: JsonValue = null;

  constructor(text: string, { maxDepth, maxValues = Infinity, maxNameLength = Infinity }: ParseJsonOptions) {
    this.#scanner = new JsonScanner(text);
    this.#maxDepth = maxDepth;
    this.#maxValues = maxValues;
    this.#maxNameLength = maxNameLength;
  }

  run(): JsonValue {
    const scanner = this.#scanner;
    while (this.#phase !== "end") this.#step(scanner.peek());
    if (!Number.isNaN(scanner.peek())) throw scanner.unexpected("nothing more after the value");
    return this.#value;
  }

  #step(code: number): void {
    switch (this.#phase) {
      case "value":
      case "end":
        this.#takeValue(code);
        return;
      case "name":
        this.#takeName(code);
        return;
      case "separator":
        this.#takeSeparator(code);
        return;
      case "first item":
        if (code === CLOSE_BRACKET) this.#close();
        else this.#takeValue(code);
        return;
      case "first name":
        if (code === CLOSE_BRACE) this.#close();
        else this.#takeName(code);
        return;
      case "colon":
        this.#takeColon(code);
    }
  }

  /** Takes a single value, or opens a container. */
  #takeValue(code: number): void {
    const scanner = this.#scanner;
    if (this.#values >= this.#maxValues) throw new JsonLimitError(this.#maxValues);
    if (Number.isNaN(code)) throw scanner.unexpected("a value");
    this.#values += 1;
    switch (code) {
      case QUOTE:
        return this.#end(scanner.takeString());
      case OPEN_BRACE:
        return this.#enter(new OpenObject());
      case OPEN_BRACKET:
        return this.#enter({ kind: "array", value: [] });
      case LETTER_T:
        return this.#end(scanner.takeWord("true", true));
      case LETTER_F:
        return this.#end(scanner.takeWord("false", false));
      case LETTER_N:
        return this.#end(scanner.takeWord("null", null));
      default:
        return this.#end(scanner.takeNumber());
    }
  }

  #enter(container: OpenArray | OpenObject): void {
    const depth = this.#open === undefined ? 0 : this.#stack.length + 1;
    if (depth >= this.#maxDepth) {
      throw this.#scanner.fault(`The JSON text nests deeper than ${this.#maxDepth} levels`);
    }
    this.#scanner.at += 1;
    if (this.#open !== undefined) this.#stack.push(this.#open);
    this.#open = container;
    this.#phase = container.kind === "array" ? "first item" : "first name";
  }

  /** Ends a value: adds it to its container. */
  #end(value: JsonValue): void {
    const open = this.#open;
    if (open === undefined) {
      this.#value = value;
      this.#phase = "end";
      return;
    }
    if (open.kind === "array") open.value.push(value);
    else open.value[open.name] = value;
    this.#phase = "separator";
    // A comma follows in most cases, so it is taken without another step.
    if (this.#scanner.peek() === COMMA) this.#takeSeparator(COMMA);
  }

  #takeSeparator(code: number): void {
    const isArray = this.#open?.kind === "array";
    if (code === COMMA) {
      this.#scanner.at += 1;
      this.#phase = isArray ? "value" : "name";
    } else if (code === (isArray ? CLOSE_BRACKET : CLOSE_BRACE)) {
      this.#close();
    } else {
      throw this.#scanner.unexpected(isArray ? '"," or "]"' : '"," or "}"');
    }
  }

  /** Ends the innermost container at its bracket. */
  #close(): void {
    this.#scanner.at += 1;
    const open = this.#open;
    if (open?.kind === "object") open.end();
    const value = open?.value ?? null;
    this.#open = this.#stack.pop();
    this.#end(value);
  }

  /** Takes a member's name. */
  #takeName(code: number): void {
    const scanner = this.#scanner;
    const open = this.#open;
    if (open?.kind !== "object") return;
    if (code !== QUOTE) throw scanner.unexpected('a member name in "quotes"');
    const start = scanner.at;
    const name = scanner.takeName(open.name);
    if (name.length > this.#maxNameLength) {
      throw scanner.fault(`A member name is longer than ${this.#maxNameLength} characters`, start);
    }
    open.name = name;
    // Members have no prototype and are never undefined.
    if (open.value[name] !== undefined) throw this.#duplicate(start);
    open.count();
    this.#phase = "colon";
    if (scanner.peek() === COLON) this.#takeColon(COLON);
  }

  #takeColon(code: number): void {
    if (code !== COLON) throw this.#scanner.unexpected('":" after the member name');
    this.#scanner.at += 1;
    this.#phase = "value";
  }

  /** Makes the error of a repeated member, with the path to it. Items of arrays appear by their index. */
  #duplicate(position: number): JsonSyntaxError {
    const names = [...this.#stack, this.#open].map((open) =>
      open?.kind === "array" ? String(open.value.length) : (open?.name ?? ""),
    );
    const name = JSON.stringify(shorten(names.at(-1) ?? ""));
    return this.#scanner.fault(`The member ${name} is given twice`, position, shorten(names.join("/")));
  }
}

/** Shortens a client's text for an error. */
function shorten(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** The number of members from which an object keeps their names. */
const MANY = 1000;

/** A name that an object lists before all others, whatever its place in the text. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** An object under construction. */
class OpenObject {
  readonly kind = "object";
  readonly value: Record<string, JsonValue> = { __proto__: null };
  /** The name of the member whose value is next. */
  name = "";
  #count = 0;
  /** The names, once they are many; null if their order is not that of the text. */
  #names: string[] | null | undefined;

  /** Counts the member whose value is next. */
  count(): void {
    this.#count += 1;
    if (this.#count > MANY) this.#note(this.name);
  }

  #note(name: string): void {
    if (this.#names === undefined) {
      const names = Object.keys(this.value);
      this.#names = names.some((each) => INDEX.test(each)) ? null : names;
    }
    if (INDEX.test(name)) this.#names = null;
    this.#names?.push(name);
  }

  /** Ends the object. */
  end(): void {
    const names = this.#names;
    if (names !== undefined && names !== null) keepNames(this.value, names);
  }
}
