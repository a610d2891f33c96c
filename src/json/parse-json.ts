import { JsonScanner } from "./json-scanner.ts";
import type { JsonSyntaxError } from "./json-syntax-error.ts";
import type { JsonValue } from "./json-value.ts";

/** Bounds of one parse. */
export interface ParseJsonOptions {
  /** Most arrays and objects within one another; Infinity for no limit. */
  readonly maxDepth: number;
}

/** An array or object that is being read. */
type Container =
  | { readonly kind: "array"; readonly items: JsonValue[] }
  | { readonly kind: "object"; readonly members: Record<string, JsonValue>; name: string };

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/**
 * Parses a JSON text without loss, in one pass and without recursion: integers of up to 15 digits are numbers, all
 * other numbers keep their text; objects have no prototype, so that `__proto__` is an ordinary name.
 * @throws JsonSyntaxError when the text is not JSON, is deeper than `maxDepth`, or has a member twice
 * @see RFC 8259; OData JSON Format 4.0, section 4.5
 */
export function parseJson(text: string, options: ParseJsonOptions): JsonValue {
  const scanner = new JsonScanner(text);
  const stack: Container[] = [];
  for (;;) {
    let value = openOrTake(scanner, stack, options.maxDepth);
    // A complete value may end the container around it, that one the next, and so on.
    while (value !== undefined) {
      const container = stack.at(-1);
      if (container === undefined) return endOfText(scanner, value);
      value = add(scanner, stack, container, value);
    }
  }
}

/** Takes a value whole, or opens a container and answers undefined: its first value is next. */
function openOrTake(scanner: JsonScanner, stack: Container[], maxDepth: number): JsonValue | undefined {
  const code = scanner.peek();
  switch (code) {
    case QUOTE:
      return scanner.takeString();
    case OPEN_BRACE:
    case OPEN_BRACKET:
      if (stack.length >= maxDepth) throw scanner.fault(`The JSON text nests deeper than ${maxDepth} levels`);
      scanner.at += 1;
      return code === OPEN_BRACE ? openObject(scanner, stack) : openArray(scanner, stack);
    case 116:
      return scanner.takeWord("true", true);
    case 102:
      return scanner.takeWord("false", false);
    case 110:
      return scanner.takeWord("null", null);
    default:
      if (code === 45 || (code >= 48 && code <= 57)) return scanner.takeNumber();
      throw scanner.unexpected("a value");
  }
}

function openArray(scanner: JsonScanner, stack: Container[]): JsonValue | undefined {
  const items: JsonValue[] = [];
  if (scanner.peek() === CLOSE_BRACKET) {
    scanner.at += 1;
    return items;
  }
  stack.push({ kind: "array", items });
  return undefined;
}

function openObject(scanner: JsonScanner, stack: Container[]): JsonValue | undefined {
  const members: Record<string, JsonValue> = { __proto__: null };
  if (scanner.peek() === CLOSE_BRACE) {
    scanner.at += 1;
    return members;
  }
  const container: Container = { kind: "object", members, name: "" };
  stack.push(container);
  takeName(scanner, stack, container);
  return undefined;
}

/** Takes a member's name and colon. */
function takeName(scanner: JsonScanner, stack: readonly Container[], container: Container & { kind: "object" }): void {
  if (scanner.peek() !== QUOTE) throw scanner.unexpected('a member name in "quotes"');
  const position = scanner.at;
  container.name = scanner.takeString();
  if (container.name in container.members) throw duplicate(scanner, stack, position);
  if (scanner.peek() !== COLON) throw scanner.unexpected('":" after the member name');
  scanner.at += 1;
}

/** Puts a value into its container; answers the container's own value when it ends here, else undefined. */
function add(scanner: JsonScanner, stack: Container[], container: Container, value: JsonValue): JsonValue | undefined {
  const isArray = container.kind === "array";
  if (isArray) container.items.push(value);
  else container.members[container.name] = value;
  const code = scanner.peek();
  if (code === COMMA) {
    scanner.at += 1;
    if (!isArray) takeName(scanner, stack, container);
    return undefined;
  }
  if (code !== (isArray ? CLOSE_BRACKET : CLOSE_BRACE)) throw scanner.unexpected(isArray ? '"," or "]"' : '"," or "}"');
  scanner.at += 1;
  stack.pop();
  return isArray ? container.items : container.members;
}

function endOfText(scanner: JsonScanner, value: JsonValue): JsonValue {
  if (Number.isNaN(scanner.peek())) return value;
  throw scanner.unexpected("nothing more after the value");
}

function duplicate(scanner: JsonScanner, stack: readonly Container[], position: number): JsonSyntaxError {
  const names = stack.flatMap((container) => (container.kind === "object" ? [container.name] : []));
  const name = JSON.stringify(names.at(-1));
  return scanner.fault(`The member ${name} is given twice`, position, names.join("/"));
}
