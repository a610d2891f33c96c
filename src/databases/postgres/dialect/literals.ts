import { PostgresQueryCompiler } from "kysely";
import { toHex } from "../../cells/hex.ts";
import { isFragile, type LiteralSyntax, noLiteral, NoLiteralError, quoted } from "../../forms/literal-syntax.ts";

/**
 * How PostgreSQL reads values. A quoted literal has no type until its context gives it one, as a placeholder.
 * @see https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-CONSTANTS
 */
export const PG_LITERALS: LiteralSyntax = Object.freeze<LiteralSyntax>({
  write,
  Compiler: PostgresQueryCompiler,
});

function write(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Uint8Array) return `E'\\\\x${toHex(value)}'::bytea`;
  return writeText(Array.isArray(value) ? textOfArray(value) : textOf(value));
}

/** Writes a text that no setting of a session changes: without `standard_conforming_strings`, a backslash is an escape. */
function writeText(text: string): string {
  if (text.includes("\0")) throw new NoLiteralError("The statement contains a text with U+0000.");
  if (!isFragile(text) && !text.includes("\\")) return quoted(text);
  const escaped = quoted(text.replaceAll("\\", "\\\\"));
  return `E${escaped.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (each) => {
    return `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  })}`;
}

/** Returns the text that the driver sends. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  throw noLiteral(value);
}

function textOfArray(items: readonly unknown[]): string {
  return `{${items.map(textOfItem).join(",")}}`;
}

function textOfItem(item: unknown): string {
  if (item === null || item === undefined) return "NULL";
  if (Array.isArray(item)) return textOfArray(item);
  const text = item instanceof Uint8Array ? `\\x${toHex(item)}` : textOf(item);
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
