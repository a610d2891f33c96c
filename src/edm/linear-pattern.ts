import { builtinModule, type HostGlobal } from "../base/host.ts";
import { messageOf } from "../base/message-of.ts";
import type { Pattern } from "./primitive-type.ts";

/** A regular expression in a declaration: its text, a RegExp without flags, or the result of `RE2JS.compile`. */
export type PatternInput = string | RegExp | CompiledPattern;

/** A pattern that the application compiled with the package `re2js`. */
interface CompiledPattern {
  /** Returns its text. */
  pattern(): string;
  /** Returns its flags as a number; 0 without flags. */
  flags(): number;
  /** Whether a part of a text matches. */
  test(text: string): boolean;
}

/** The part of the package `re2js` in use. */
interface PatternEngine {
  readonly compile: (text: string) => CompiledPattern;
  /** Translates the syntax of JavaScript to that of RE2. */
  readonly translateRegExp: (text: string) => string;
}

/** A regular expression that cannot be used, with the fix. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

const SYNTAX = "Write a regular expression of JavaScript without flags, look-around and backreferences.";
const INSTALL =
  "Install the optional package: npm install re2js. Where packages cannot be loaded at run time, give RE2JS.compile(…) in place of the text.";

/**
 * Compiles a regular expression for an engine whose time grows linearly with the text, whatever the expression and the text.
 * @param host the runtime, which may load packages
 * @throws PatternError for a faulty expression, and without the package `re2js`
 * @see docs/decisions/0054-validation.md
 */
export function toPattern(given: unknown, host?: HostGlobal): Pattern {
  const source = sourceOf(given);
  if (typeof source !== "string" || source === "") {
    throw new PatternError(`is ${source === "" ? "empty" : "no regular expression"}`, SYNTAX);
  }
  checkSyntax(source);
  const text = translatePattern(source);
  const { compile, translateRegExp } = isCompiled(given) ? engineOf(given) : loadEngine(host);
  try {
    const compiled = compile(translateRegExp(text));
    return { source, matches: (value) => compiled.test(value) };
  } catch (error) {
    const message = messageOf(error);
    throw new PatternError(`does not compile: ${message}`, FIXES.find(([part]) => part.test(message))?.[1] ?? SYNTAX);
  }
}

/** The fixes for forms of JavaScript that the engine lacks, by its messages. */
const FIXES: ReadonlyArray<readonly [message: RegExp, fix: string]> = [
  [/invalid repeat count/, "Repeat at most 1,000 times; nested repetitions are multiplied."],
  [
    /invalid character class range: `\\p/i,
    String.raw`Use the short name of a category or the name of a binary property, such as \p{Lu} and \p{Alphabetic}.`,
  ],
];

/** Returns the text of a declared pattern. Characters are code points with and without the flag `u`. */
function sourceOf(given: unknown): unknown {
  if (isCompiled(given)) {
    if (given.flags() !== 0) throw new PatternError("has flags", SYNTAX);
    return given.pattern();
  }
  if (!(given instanceof RegExp)) return given;
  const { source, flags } = given;
  if (flags === "" || flags === "u") return source;
  throw new PatternError(`has the flags "${flags}"`, SYNTAX);
}

/** The characters that `.` excludes in JavaScript, and the characters of `\s` there: the engine has other sets. */
const LINE_ENDS = String.raw`\n\r\u2028\u2029`;
const SPACES = String.raw`\t-\r \u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF`;
const NO_SPACES = String.raw`\0-\x08\x0E-\x1F!-\u009F\u00A1-\u167F\u1681-\u1FFF\u200B-\u2027\u202A-\u202E\u2030-\u205E\u2060-\u2FFF\u3001-\uFEFE\uFF00-\u{10FFFF}`;

/** The parts of a regular expression whose meaning depends on the engine, and all other escapes. */
const PARTS =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\(\?[a-z]*-?[a-z]*:|\\[^]|[^]/gu;

/**
 * Translates a regular expression of JavaScript so that an engine with the syntax of RE2 matches the same texts: `.`, `\s`, `\S`
 * and characters that are written as two halves.
 * @param source compiles in JavaScript with the flag `u`
 * @throws PatternError for half of a character, and for flags of a group
 * @see https://tc39.es/ecma262/#sec-compileatom
 */
function translatePattern(source: string): string {
  let isInClass = false;
  return source.replaceAll(PARTS, (part) => {
    if (isHalf(part)) throw halfFault(part);
    if (isInClass) {
      if (part === "]") isInClass = false;
      return { "\\s": SPACES, "\\S": NO_SPACES }[part] ?? whole(part);
    }
    if (part === "[") isInClass = true;
    // The engine, but not every version of JavaScript, knows flags of a group.
    if (part.startsWith("(?") && part !== "(?:") throw new PatternError(`has the flags "${part.slice(2, -1)}"`, SYNTAX);
    return { ".": `[^${LINE_ENDS}]`, "\\s": `[${SPACES}]`, "\\S": `[^${SPACES}]` }[part] ?? whole(part);
  });
}

const PAIR = /^\\u([0-9a-fA-F]{4})\\u([0-9a-fA-F]{4})$/;

/** Returns one escape for a character that is written as two halves. */
function whole(part: string): string {
  const [, high, low] = PAIR.exec(part) ?? [];
  if (high === undefined || low === undefined) return part;
  const text = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
  return String.raw`\u{${(text.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Whether a part is half of a character, which no text of a client contains. */
function isHalf(part: string): boolean {
  const [, digits] = /^\\u\{?([0-9a-fA-F]+)\}?$/.exec(part) ?? [];
  const code = digits === undefined ? part.charCodeAt(0) : Number.parseInt(digits, 16);
  return (digits !== undefined || part.length === 1) && code >= 0xd800 && code <= 0xdfff;
}

function halfFault(part: string): PatternError {
  const shown = part.length === 1 ? String.raw`\u${part.charCodeAt(0).toString(16)}` : part;
  const fix = String.raw`Write the whole character, such as \u{1F600}.`;
  return new PatternError(`contains ${shown}, which is half of a character`, fix);
}

/** Clients read the expression in $metadata, and evaluate it in JavaScript. */
function checkSyntax(source: string): void {
  try {
    RegExp(source, "u");
  } catch (error) {
    throw new PatternError(`does not compile: ${messageOf(error)}`, SYNTAX);
  }
}

/**
 * Loads the package without an `import`, which would require it everywhere.
 * @throws PatternError if it is not installed, and in runtimes that load no packages
 */
function loadEngine(host?: HostGlobal): PatternEngine {
  try {
    const modules = builtinModule("node:module", host) as { createRequire(from: string): (name: string) => unknown };
    const loaded = modules.createRequire(import.meta.url)("re2js");
    if (typeof loaded === "object" && loaded !== null && "RE2JS" in loaded && isEngine(loaded.RE2JS)) {
      return bound(loaded.RE2JS);
    }
  } catch {
    // The package is missing, or the runtime loads none.
  }
  throw new PatternError("needs the package `re2js`, which cannot be loaded", INSTALL);
}

/**
 * Returns the engine of a compiled pattern, which the application loaded.
 * @throws PatternError for an object of another class
 */
function engineOf({ constructor }: CompiledPattern): PatternEngine {
  if (isEngine(constructor)) return bound(constructor);
  throw new PatternError("is no regular expression", SYNTAX);
}

function bound(engine: PatternEngine): PatternEngine {
  return { compile: (text) => engine.compile(text), translateRegExp: (text) => engine.translateRegExp(text) };
}

function isEngine(value: unknown): value is PatternEngine {
  return typeof value === "function" && "compile" in value && "translateRegExp" in value;
}

function isCompiled(given: unknown): given is CompiledPattern {
  if (typeof given !== "object" || given === null || given instanceof RegExp) return false;
  return ["pattern", "flags", "test"].every((name) => typeof Reflect.get(given, name) === "function");
}
