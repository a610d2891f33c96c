import { builtinModule, type HostGlobal } from "../base/host.ts";
import type { Pattern } from "./primitive-type.ts";

/** A regular expression in a declaration: its text, a RegExp without flags, or one that `RE2JS.compile` made. */
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
  if (isCompiled(given)) {
    if (given.flags() !== 0) throw new PatternError("has flags", SYNTAX);
    checkSyntax(given.pattern());
    return patternOf(given.pattern(), given);
  }
  const source = given instanceof RegExp ? sourceOf(given) : given;
  if (typeof source !== "string" || source === "") {
    throw new PatternError(`is ${source === "" ? "empty" : "no regular expression"}`, SYNTAX);
  }
  checkSyntax(source);
  const { compile, translateRegExp } = loadEngine(host);
  try {
    return patternOf(source, compile(translateRegExp(source)));
  } catch (error) {
    throw new PatternError(`does not compile: ${messageOf(error)}`, SYNTAX);
  }
}

function patternOf(source: string, compiled: CompiledPattern): Pattern {
  return { source, matches: (text) => compiled.test(text) };
}

/** Characters are code points with and without the flag `u`. */
function sourceOf({ source, flags }: RegExp): string {
  if (flags === "" || flags === "u") return source;
  throw new PatternError(`has the flags "${flags}"`, SYNTAX);
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
    if (hasEngine(loaded)) {
      const { RE2JS } = loaded;
      return { compile: (text) => RE2JS.compile(text), translateRegExp: (text) => RE2JS.translateRegExp(text) };
    }
  } catch {
    // The package is missing, or the runtime loads none.
  }
  throw new PatternError("needs the package `re2js`, which cannot be loaded", INSTALL);
}

function hasEngine(loaded: unknown): loaded is { readonly RE2JS: PatternEngine } {
  if (typeof loaded !== "object" || loaded === null || !("RE2JS" in loaded)) return false;
  const { RE2JS } = loaded;
  return typeof RE2JS === "function" && "compile" in RE2JS && "translateRegExp" in RE2JS;
}

function isCompiled(given: unknown): given is CompiledPattern {
  if (typeof given !== "object" || given === null || given instanceof RegExp) return false;
  return ["pattern", "flags", "test"].every((name) => typeof Reflect.get(given, name) === "function");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
