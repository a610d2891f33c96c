import { keptPerNumber } from "../../base/memo.ts";
import { asText, type PrimitiveValue } from "../../edm/value-codec.ts";
import { roundingDoubles } from "../cells/instant.ts";
import { rangeForm, type Conversion, type Sql, type SqlForm } from "../statement/sql-form.ts";

/** How a database rounds doubles to a scale. */
interface RoundedReals {
  /** Returns the double to bind. @param value the compared Decimal, for databases that refuse some */
  readonly bind: (double: number, value: string) => unknown;
  /** Converts cells to rounded Decimals. */
  readonly comparable: (scale: number) => Conversion;
  readonly computable: (scale: number) => Conversion;
  /** Returns the double next to the rounded Decimal: different Decimals have different ones. Absent: rows are sorted by their cells. */
  readonly rounded?: (cell: Sql, scale: number) => Sql;
  readonly others?: Pick<SqlForm, "place" | "mark">;
}

/**
 * Makes the forms of Edm.Decimal with a constant scale as doubles. The value of a cell is its shortest Decimal, rounded half
 * away from zero. Comparisons are those of the cells that are rounded to a value, so that an index serves them.
 */
export function roundedReals(syntax: RoundedReals): (scale: number) => SqlForm {
  const { bind, comparable, computable, rounded, others } = syntax;
  return keptPerNumber((scale) => {
    const bound = (side: keyof ReturnType<typeof roundingDoubles>) => (value: PrimitiveValue) =>
      bind(roundingDoubles(asText(value), scale)[side], asText(value));
    return rangeForm(
      `real decimal of scale ${String(scale)}`,
      { floor: bound("floor"), ceiling: bound("ceiling") },
      {
        comparable: comparable(scale),
        computable: computable(scale),
        ...(rounded && { ordered: (cell) => rounded(cell, scale) }),
        ...others,
      },
    );
  });
}
