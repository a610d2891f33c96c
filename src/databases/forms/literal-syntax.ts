import type { DefaultQueryCompiler, QueryCompiler } from "kysely";

/** How statements contain values in place of placeholders. */
export interface LiteralSyntax {
  /** Writes a value as the driver binds it. @throws NoLiteralError */
  readonly write: (value: unknown) => string;
  /** The compiler of the database. */
  readonly Compiler: new () => DefaultQueryCompiler;
  /** Returns the functions of a statement that only connections of the service have; absent: there are none. */
  readonly ownFunctions?: (statement: string) => readonly string[];
}

/** Makes a compiler that writes each value in place of a placeholder. @param write returns its text */
export function literalCompiler({ Compiler }: LiteralSyntax, write: (value: unknown) => string): QueryCompiler {
  return new (class extends Compiler {
    protected override appendValue(value: unknown): void {
      this.append(write(value));
    }
  })();
}

/** A value or a statement cannot be written for people. */
export class NoLiteralError extends Error {}

/** The characters that a terminal or a text field may change. */
const CHANGED = /[\p{Cc}\u2028\u2029]/u;
/** Drivers send halves of surrogate pairs as U+FFFD. */
const HALVES = /\p{Surrogate}/gu;

/** Whether a text may be another one after it was copied. */
export function isFragile(text: string): boolean {
  return CHANGED.test(text);
}

/** Returns a text as its bytes in UTF-8, which have no half of a surrogate pair. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Quotes a text without characters that need more. */
export function quoted(text: string): string {
  return `'${text.replaceAll(HALVES, "\uFFFD").replaceAll("'", "''")}'`;
}

/** Writes a number in parentheses if it is negative: two signs would begin a comment. */
export function signed(text: string): string {
  return text.startsWith("-") ? `(${text})` : text;
}

/** Returns the error for a value that no literal represents. */
export function noLiteral(value: unknown): NoLiteralError {
  const kind = value instanceof Date ? "a Date, whose text the driver chooses" : `the value ${String(value)}`;
  return new NoLiteralError(`The statement contains ${kind}.`);
}
