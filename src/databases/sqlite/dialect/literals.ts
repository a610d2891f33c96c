import { SqliteQueryCompiler } from "kysely";
import { toHex } from "../../cells/hex.ts";
import { isFragile, type LiteralSyntax, noLiteral, quoted, signed, utf8 } from "../../forms/literal-syntax.ts";

/** How SQLite reads values, as `sqliteDialect` binds them. @see https://sqlite.org/lang_expr.html#literal_values_constants_ */
export const SQLITE_LITERALS: LiteralSyntax = Object.freeze<LiteralSyntax>({
  write,
  Compiler: SqliteQueryCompiler,
  ownFunctions: (statement) => [...new Set(Array.from(statement.matchAll(/\bodata_\w+(?=\()/g), ([name]) => name))],
});

function write(value: unknown): string {
  switch (typeof value) {
    case "string":
      // A text ends at U+0000. A plus removes the affinity, which a placeholder does not have.
      return isFragile(value) ? `(+cast(x'${toHex(utf8(value))}' as text))` : quoted(value);
    case "number":
      return writeNumber(value);
    case "boolean":
      return value ? "1" : "0";
    case "bigint":
      return signed(String(value));
    default:
      if (value === null) return "null";
      if (value instanceof Uint8Array) return `x'${toHex(value)}'`;
      if (value instanceof Date && !Number.isNaN(value.getTime())) return quoted(value.toISOString());
      throw noLiteral(value);
  }
}

function writeNumber(value: number): string {
  if (Number.isNaN(value)) return "null";
  if (!Number.isFinite(value)) return value > 0 ? "9e999" : "(-9e999)";
  if (Object.is(value, -0)) return "(-0.0)";
  const text = String(value);
  return signed(Number.isSafeInteger(value) || /[.e]/.test(text) ? text : `${text}.0`);
}
