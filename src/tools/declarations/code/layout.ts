/** The width of lines of `oxfmt` without settings. */
const WIDTH = 100;

/** Most letters of East Asia, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** One level. */
const STEP = "  ";

/** An expression to lay out. A string is code that has one line. */
export type Code = string | ObjectCode | ArrayCode | ChainCode;

/** An object literal. */
export interface ObjectCode {
  readonly kind: "object";
  readonly entries: ReadonlyArray<readonly [key: string, value: Code]>;
  /** Whether each entry has its own line, even if all fit on one. */
  readonly isExpanded: boolean;
}

/** An array literal. */
interface ArrayCode {
  readonly kind: "array";
  readonly items: readonly Code[];
}

/** Calls, one on the result of the other: `edm.string().key()`, `hasMany(() => Order).describe("…")`. */
export interface ChainCode {
  readonly kind: "chain";
  readonly root: string;
  /** The first has no name if the root itself is called. */
  readonly calls: readonly ChainCall[];
}

/** One call of a chain. */
interface ChainCall {
  /** With its dot. */
  readonly name: string;
  readonly args: readonly Code[];
}

/** Makes an object literal that has one line if it fits. */
export function object(entries: ObjectCode["entries"]): ObjectCode {
  return { kind: "object", entries, isExpanded: false };
}

/** Makes an object literal with a line for each entry, so that changes of entries merge. */
export function lines(entries: ObjectCode["entries"]): ObjectCode {
  return { kind: "object", entries, isExpanded: entries.length > 0 };
}

/** Makes the call of a function. */
export function call(root: string, ...args: readonly Code[]): ChainCode {
  return { kind: "chain", root, calls: [{ name: "", args }] };
}

/** Makes the call of a method. */
export function chained(chain: ChainCode, name: string, ...args: readonly Code[]): ChainCode {
  return { ...chain, calls: [...chain.calls, { name: `.${name}`, args }] };
}

/** Writes a statement such as `export const a = <code>;`, as `oxfmt` does. @param start the text before the code */
export function statement(start: string, code: Code): string {
  return `${start}${layOut(code, { indent: "", column: widthOf(start), after: 1 })};\n`;
}

/** Returns whether a line is not wider than `oxfmt` allows. */
export function fitsLine(line: string): boolean {
  return widthOf(line) <= WIDTH;
}

/** The position of an expression. */
interface Position {
  readonly indent: string;
  /** The width of the line before it. */
  readonly column: number;
  /** The width of the text that must follow it on its last line. */
  readonly after: number;
}

function layOut(code: Code, position: Position): string {
  const single = flat(code);
  if (single !== null && fits(single, position)) return single;
  if (typeof code === "string") return code;
  switch (code.kind) {
    case "object":
      return expandedObject(code, position.indent);
    case "array":
      return `[\n${code.items.map((item) => entryLine("", item, position.indent + STEP)).join("")}${position.indent}]`;
    case "chain":
      return brokenChain(code, position);
  }
}

/** Returns the code on one line; null if a part has several. */
function flat(code: Code): string | null {
  if (typeof code === "string") return code;
  switch (code.kind) {
    case "object":
      return flatObject(code);
    case "array":
      return joined(code.items, (items) => `[${items}]`);
    case "chain": {
      if (isForcedToBreak(code)) return null;
      const calls = code.calls.map(({ name, args }) => joined(args, (given) => `${name}(${given})`));
      return calls.includes(null) ? null : `${code.root}${calls.join("")}`;
    }
  }
}

function flatObject({ entries, isExpanded }: ObjectCode): string | null {
  if (isExpanded) return null;
  if (entries.length === 0) return "{}";
  const members = entries.map(([key, value]) => {
    const single = flat(value);
    if (single === null) return null;
    return key === single ? key : `${key}: ${single}`;
  });
  return members.includes(null) ? null : `{ ${members.join(", ")} }`;
}

function joined(codes: readonly Code[], wrap: (text: string) => string): string | null {
  const singles = codes.map(flat);
  return singles.includes(null) ? null : wrap(singles.join(", "));
}

function expandedObject({ entries }: ObjectCode, indent: string): string {
  return `{\n${entries.map(([key, value]) => entryLine(key, value, indent + STEP)).join("")}${indent}}`;
}

/** Writes an entry of an object or, without a key, of a list. */
function entryLine(key: string, value: Code, indent: string): string {
  if (key === value) return `${indent}${key},\n`;
  const start = key === "" ? indent : `${indent}${key}: `;
  const position = { indent, column: widthOf(start), after: 1 };
  const single = flat(value);
  const below = { indent: indent + STEP, column: widthOf(indent + STEP), after: 1 };
  if (key !== "" && single !== null && !fits(single, position) && movesBelow(key, value, position)) {
    return `${start.trimEnd()}\n${below.indent}${layOut(value, below)},\n`;
  }
  return `${start}${layOut(value, position)},\n`;
}

/** Whether a value that does not fit after its key begins on the next line. Short keys gain nothing by it. */
function movesBelow(key: string, value: Code, { indent, column }: Position): boolean {
  if (typeof value === "string") return /^["']/.test(value) && widthOf(key) > 4;
  if (value.kind !== "chain") return column + 1 > WIDTH;
  const { root, calls } = value;
  const isPlain = calls.length <= 2 && calls.every(({ args }) => args.length === 0);
  if (isPlain) return true;
  const [first] = calls;
  // The text up to the first place where the value itself can be broken.
  const begin = methodsOf(value).length > 1 ? root : `${root}${first?.name ?? ""}({`;
  return column + widthOf(begin) > WIDTH && widthOf(indent) < column;
}

function methodsOf({ calls }: ChainCode): readonly ChainCall[] {
  return calls.filter(({ name }) => name !== "");
}

/** `oxfmt` breaks three calls or more if an argument is not simple. */
function isForcedToBreak({ calls }: ChainCode): boolean {
  return calls.length > 2 && calls.some(({ args }) => args.some((arg) => !isSimple(arg)));
}

/** Objects within other arguments are not simple. */
function isSimple(code: Code, isNested = false): boolean {
  if (typeof code === "string") return !code.includes("=>");
  switch (code.kind) {
    case "object":
      return code.entries.length === 0 || (!isNested && code.entries.every(([, value]) => isSimple(value, true)));
    case "array":
      return code.items.every((item) => isSimple(item, true));
    case "chain":
      return code.calls.every(({ args }) => args.every((arg) => isSimple(arg, true)));
  }
}

function brokenChain(chain: ChainCode, { indent, column, after }: Position): string {
  const { root, calls } = chain;
  if (methodsOf(chain).length < 2) return trailingCalls(chain, { indent, column, after });
  const inner = indent + STEP;
  const links = calls.map(({ name, args }, index) => {
    const follows = index === calls.length - 1 ? after : 0;
    return `\n${inner}${name}${argumentsOf(args, { indent: inner, column: widthOf(inner + name), after: follows })}`;
  });
  return `${root}${links.join("")}`;
}

/** Writes the calls one after the other, each broken if the line does not hold the rest of the chain. */
function trailingCalls({ root, calls }: ChainCode, { indent, column, after }: Position): string {
  let text = root;
  for (const [index, { name, args }] of calls.entries()) {
    text += name;
    const lastLine = text.slice(text.lastIndexOf("\n") + 1);
    const begin = text.includes("\n") ? widthOf(lastLine) : column + widthOf(text);
    const rest = calls.slice(index + 1).map((each) => flat({ kind: "chain", root: "", calls: [each] }) ?? "");
    text += argumentsOf(args, { indent, column: begin, after: widthOf(rest.join("")) + after });
  }
  return text;
}

/** Writes arguments with their parentheses. An object at the end opens on the same line, if the others fit there. */
function argumentsOf(args: readonly Code[], { indent, column, after }: Position): string {
  const single = joined(args, (text) => `(${text})`);
  if (single !== null && fits(single, { indent, column, after })) return single;
  const last = args.at(-1);
  const others = joined(args.slice(0, -1), (text) => (text === "" ? "" : `${text}, `));
  const isHugged = typeof last === "object" && last.kind === "object" && last.entries.length > 0;
  if (isHugged && others !== null && column + widthOf(others) + 2 <= WIDTH) {
    return `(${others}${expandedObject(last, indent)})`;
  }
  return `(\n${args.map((arg) => entryLine("", arg, indent + STEP)).join("")}${indent})`;
}

function fits(single: string, { column, after }: Position): boolean {
  return column + widthOf(single) + after <= WIDTH;
}

/** Returns the number of columns of a text: most letters of East Asia have two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

function columnsOf(character: string): number {
  if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Characters that end a line, change its direction or are invisible: they would hide the content of a string. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\\]/gu;

const SHORT: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", " ": " " };

/** Names that an object literal or a member access can have without quotes. */
const BARE_KEY = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Returns a text as a string literal, in the quotes that need fewer escapes. No text can end the literal or its line. */
export function stringLiteral(text: string): string {
  const quote = countOf(text, '"') > countOf(text, "'") ? "'" : '"';
  const escaped = text.replaceAll(HIDDEN, escape).replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}

/** Returns a key of an object literal, quoted if necessary. */
export function objectKeyLiteral(key: string): string {
  // The key `__proto__` would set the prototype of the object.
  if (key === "__proto__") return '["__proto__"]';
  return BARE_KEY.test(key) ? key : stringLiteral(key);
}

/** Returns whether a text can be the name of a variable, apart from reserved words. */
export function isVariableName(text: string): boolean {
  return BARE_KEY.test(text);
}

function escape(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code > 0xff_ff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** The names that a module imports, by the module they come from. */
export class Imports {
  readonly #names = new Map<string, Set<string>>();
  readonly #own: string;

  /** @param own the path of the module itself, whose names it does not import */
  constructor(own: string) {
    this.#own = own;
  }

  /** Notes that the module uses a name. @returns the name */
  use(name: string, from: string): string {
    if (from === this.#own) return name;
    const names = this.#names.get(from) ?? new Set();
    this.#names.set(from, names.add(name));
    return name;
  }

  /** Returns the import statements: built-in modules, packages, then own modules, each in the order of their paths. */
  text(): string {
    const paths = [...this.#names.keys()].toSorted(
      (left, right) => rank(left) - rank(right) || (left < right ? -1 : 1),
    );
    return paths.map((path) => statementOf([...(this.#names.get(path) ?? [])].toSorted(), path)).join("");
  }
}

function rank(path: string): number {
  if (path.startsWith("node:")) return 0;
  return path.startsWith(".") ? 2 : 1;
}

function statementOf(names: readonly string[], path: string): string {
  const from = stringLiteral(path);
  // A default import, such as that of `node:process`.
  const [first = ""] = names;
  if (first.startsWith("default ")) return `import ${first.slice("default ".length)} from ${from};\n`;
  const single = `import { ${names.join(", ")} } from ${from};`;
  const isShort = fitsLine(single) || names.length === 1;
  return isShort ? `${single}\n` : `import {\n${names.map((name) => `  ${name},\n`).join("")}} from ${from};\n`;
}
