import { asText } from "../../edm/value-codec.ts";
import type { ReadCell } from "../columns/column-format.ts";
import { plainForm, type Conversion, type Sql, type SqlForm } from "../statement/sql-form.ts";

/** Whole bytes as digits in lower case, so that each value has one text. */
const DIGITS = /^(?:[\da-f]{2})*$/;

/** How a database turns bytes into hexadecimal digits and back. */
interface HexSyntax {
  /** The form of Edm.Binary. */
  readonly binary: SqlForm;
  /** The form of computed Edm.String. */
  readonly string: SqlForm;
  /** Writes the digits of a column in lower case, in the form of `string`. */
  readonly toDigits: (column: Sql) => Sql;
  /** Returns the cell of digits as a statement binds it. */
  readonly toCell: (digits: string) => unknown;
}

/**
 * Makes the form of an Edm.String whose cells are bytes: its values are their hexadecimal digits in lower case. Bytes sort
 * like their digits. Other strings have no cell, so ranges between strings compare the digits.
 * @see docs/reference/storage.md
 */
export function hexForm({ binary, string, toDigits, toCell }: HexSyntax): SqlForm {
  const digits: Conversion = { form: string, apply: toDigits };
  const { place, fromKey, mark, sortTerms } = binary;
  return plainForm(
    "hexadecimal digits",
    (value) => {
      const text = asText(value);
      return DIGITS.test(text) ? toCell(text) : null;
    },
    {
      mayBeNull: true,
      ranged: digits,
      comparable: digits,
      computable: digits,
      ...(place && { place }),
      ...(fromKey && { fromKey }),
      ...(mark && { mark }),
      ...(sortTerms && { sortTerms }),
    },
  );
}

/** Reads bytes that were selected as digits in any letter case. */
export const readDigits: ReadCell = (cell) => {
  const digits = typeof cell === "string" ? cell.toLowerCase() : "";
  return typeof cell === "string" && DIGITS.test(digits) ? digits : null;
};
