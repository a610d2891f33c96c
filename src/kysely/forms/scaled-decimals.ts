import { keptPerNumber } from "../../base/memo.ts";
import { asText } from "../../edm/canonical-form.ts";
import { convertedForm, type Sql, type SqlForm } from "../statement/sql-form.ts";

/**
 * Makes the forms of Edm.Decimal as integers, of which each is the value times ten to the power of a scale.
 * @param toDecimal makes the Decimal of a cell and its unit, such as 0.01
 */
export function scaledDecimals(
  decimal: SqlForm,
  toDecimal: (cell: Sql, unit: string) => Sql,
  others: Partial<SqlForm> = {},
): (scale: number) => SqlForm {
  return keptPerNumber((scale) => {
    const unit = scale === 0 ? "1" : `0.${"1".padStart(scale, "0")}`;
    const conversion = { form: decimal, apply: (cell: Sql) => toDecimal(cell, unit) };
    return convertedForm(`decimal of scale ${String(scale)}`, asText, conversion, others);
  });
}
