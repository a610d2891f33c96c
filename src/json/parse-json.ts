import { JsonLimitError, type JsonSyntaxError, JsonScanner } from "./json-scanner.ts";
import type { JsonValue } from "./json-value.ts";

/** The limits of one parse. */
export interface ParseJsonOptions {
  /** Maximum nesting of arrays and objects; Infinity for no limit. */
  readonly maxDepth: number;
  /** Maximum number of objects, arrays and single values in total; absent for no limit. */
  readonly maxValues?: number;
}

/** An array under construction. */
interface OpenArray {
  readonly kind: "array";
  readonly items: JsonValue[];
}

/** An object under construction; `name` is the name of the member whose value is next. */
interface OpenObject {
  readonly kind: "object";
  readonly members: Record<string, JsonValue>;
  name: string;
}

/** The state of one parse. `stack` contains the open containers, the innermost last. */
interface Parse {
  readonly scanner: JsonScanner;
  readonly stack: (OpenArray | OpenObject)[];
  readonly maxDepth: number;
  readonly maxValues: number;
  /** The number of values so far. */
  values: number;
}

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
  const { maxDepth, maxValues = Infinity } = options;
  const parse: Parse = { scanner: new JsonScanner(text), stack: [], maxDepth, maxValues, values: 0 };
  let value = takeValue(parse);
  for (let open = parse.stack.at(-1); open !== undefined; open = parse.stack.at(-1)) {
    value = open.kind === "object" ? continueObject(parse, open, value) : continueArray(parse, open, value);
  }
  // No container is open, so `value` is the whole value.
  return endOfText(parse.scanner, value ?? null);
}

/** Takes a whole value; or opens a container, whose first value is next, and returns undefined. */
function takeValue(parse: Parse): JsonValue | undefined {
  const { scanner, stack, maxDepth } = parse;
  parse.values += 1;
  if (parse.values > parse.maxValues) throw new JsonLimitError(parse.maxValues);
  const code = scanner.peek();
  switch (code) {
    case QUOTE:
      return scanner.takeString();
    case OPEN_BRACE:
    case OPEN_BRACKET:
      if (stack.length >= maxDepth) throw scanner.fault(`The JSON text nests deeper than ${maxDepth} levels`);
      scanner.at += 1;
      return code === OPEN_BRACE ? openObject(parse) : openArray(parse);
    case LETTER_T:
      return scanner.takeWord("true", true);
    case LETTER_F:
      return scanner.takeWord("false", false);
    case LETTER_N:
      return scanner.takeWord("null", null);
    default:
      return scanner.takeNumber();
  }
}

function openArray({ scanner, stack }: Parse): JsonValue | undefined {
  const items: JsonValue[] = [];
  if (scanner.peek() === CLOSE_BRACKET) {
    scanner.at += 1;
    return items;
  }
  stack.push({ kind: "array", items });
  return undefined;
}

function openObject(parse: Parse): JsonValue | undefined {
  const members: Record<string, JsonValue> = { __proto__: null };
  if (parse.scanner.peek() === CLOSE_BRACE) {
    parse.scanner.at += 1;
    return members;
  }
  const open: OpenObject = { kind: "object", members, name: "" };
  parse.stack.push(open);
  takeName(parse, open);
  return undefined;
}

/**
 * Continues an array.
 * @param first the item that has just ended; undefined if the next item has not been read yet
 * @returns the array at its end; undefined if an item opened a container, which must be read first
 */
function continueArray(parse: Parse, { items }: OpenArray, first: JsonValue | undefined): JsonValue | undefined {
  const { scanner } = parse;
  let value = first;
  for (;;) {
    if (value === undefined) value = takeValue(parse);
    if (value === undefined) return undefined;
    items.push(value);
    value = undefined;
    const code = scanner.peek();
    if (code !== COMMA) return close(parse, code === CLOSE_BRACKET, '"," or "]"', items);
    scanner.at += 1;
  }
}

/** Continues an object, like `continueArray`. */
function continueObject(parse: Parse, open: OpenObject, first: JsonValue | undefined): JsonValue | undefined {
  const { scanner } = parse;
  let value = first;
  for (;;) {
    if (value === undefined) value = takeValue(parse);
    if (value === undefined) return undefined;
    open.members[open.name] = value;
    value = undefined;
    const code = scanner.peek();
    if (code !== COMMA) return close(parse, code === CLOSE_BRACE, '"," or "}"', open.members);
    scanner.at += 1;
    takeName(parse, open);
  }
}

function close({ scanner, stack }: Parse, isEnd: boolean, expected: string, value: JsonValue): JsonValue {
  if (!isEnd) throw scanner.unexpected(expected);
  scanner.at += 1;
  stack.pop();
  return value;
}

/** Takes a member's name and colon. */
function takeName({ scanner, stack }: Parse, open: OpenObject): void {
  if (scanner.peek() !== QUOTE) throw scanner.unexpected('a member name in "quotes"');
  const position = scanner.at;
  open.name = scanner.takeName(open.name);
  // Members have no prototype and are never undefined.
  if (open.members[open.name] !== undefined) throw duplicate(scanner, stack, position);
  if (scanner.peek() !== COLON) throw scanner.unexpected('":" after the member name');
  scanner.at += 1;
}

function endOfText(scanner: JsonScanner, value: JsonValue): JsonValue {
  if (Number.isNaN(scanner.peek())) return value;
  throw scanner.unexpected("nothing more after the value");
}

/** Makes the error of a repeated member, with the path to it. Items of arrays appear by their index. */
function duplicate(scanner: JsonScanner, stack: Parse["stack"], position: number): JsonSyntaxError {
  const names = stack.map((open) => (open.kind === "object" ? open.name : String(open.items.length)));
  const name = JSON.stringify(shorten(names.at(-1) ?? ""));
  return scanner.fault(`The member ${name} is given twice`, position, shorten(names.join("/")));
}

/** Shortens a client's text for an error. */
function shorten(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
