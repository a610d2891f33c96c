import { MysqlQueryCompiler } from "kysely";
import { toHex } from "../../cells/hex.ts";
import {
  isFragile,
  type LiteralSyntax,
  noLiteral,
  NoLiteralError,
  quoted,
  signed,
  utf8,
} from "../../forms/literal-syntax.ts";

/** How MariaDB reads values. @see https://mariadb.com/kb/en/string-literals/ */
export const MY_LITERALS: LiteralSyntax = Object.freeze<LiteralSyntax>({
  write,
  Compiler: MysqlQueryCompiler,
});

function write(value: unknown): string {
  switch (typeof value) {
    case "string":
      // Whether a backslash is an escape depends on `NO_BACKSLASH_ESCAPES`.
      return isFragile(value) || value.includes("\\") ? `_utf8mb4 x'${toHex(utf8(value))}'` : quoted(value);
    case "number":
      return writeNumber(value);
    case "boolean":
      return value ? "1" : "0";
    case "bigint":
      return signed(String(value));
    default:
      if (value === null || value === undefined) return "null";
      if (value instanceof Uint8Array) return `x'${toHex(value)}'`;
      throw noLiteral(value);
  }
}

/** A number without an exponent is a DECIMAL; drivers send a DOUBLE. */
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw noLiteral(value);
  if (Object.is(value, -0)) throw new NoLiteralError("The statement contains negative zero.");
  const text = String(value);
  return signed(text.includes("e") ? text : `${text}e0`);
}
