import { sql } from "kysely";
import { keptPerNumber } from "../../../base/memo.ts";
import { asText } from "../../../edm/canonical-form.ts";
import { plainForm, type Conversion, type SqlForm } from "../../statement/sql-form.ts";
import { MY_DECIMAL } from "./forms.ts";

const TEXT_TO_DECIMAL: Conversion = {
  form: MY_DECIMAL,
  apply: (operand) => sql`cast(${operand} as decimal(65, 30))`,
};

/** Edm.Decimal as text. */
export const MY_TEXT_DECIMAL: SqlForm = plainForm("decimal as text", asText, {
  sortable: TEXT_TO_DECIMAL,
  comparable: TEXT_TO_DECIMAL,
  computable: TEXT_TO_DECIMAL,
});

const REAL_TO_DECIMAL: Conversion = {
  form: MY_DECIMAL,
  // By way of the shortest text.
  apply: (operand) => sql`cast(cast(${operand} as char) as decimal(65, 30))`,
};

/** Edm.Decimal as double: each cell stands for the shortest Decimal that reads as it. */
export const MY_REAL_DECIMAL: SqlForm = plainForm("real decimal", asText, {
  sortable: REAL_TO_DECIMAL,
  comparable: REAL_TO_DECIMAL,
  computable: REAL_TO_DECIMAL,
});

/** Edm.Decimal as an integer: the value times ten to the power of `scale`. */
export const myScaledDecimal: (scale: number) => SqlForm = keptPerNumber((scale) => {
  const unit = scale === 0 ? "1" : `0.${"1".padStart(scale, "0")}`;
  const toDecimal: Conversion = { form: MY_DECIMAL, apply: (operand) => sql`(${operand} * ${sql.raw(unit)})` };
  return plainForm(`decimal of scale ${String(scale)}`, asText, {
    sortable: toDecimal,
    comparable: toDecimal,
    computable: toDecimal,
  });
});
