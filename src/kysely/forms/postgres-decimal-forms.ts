import { sql } from "kysely";
import { asText } from "../../edm/canonical-form.ts";
import { plainForm, type Conversion, type Sql, type SqlForm } from "../translate/sql-form.ts";
import { REAL_DECIMAL_FORM } from "./decimal-forms.ts";
import { PG_DECIMAL } from "./postgres-forms.ts";

const TEXT_TO_DECIMAL: Conversion = { form: PG_DECIMAL, apply: (operand) => sql`${operand}::text::numeric` };

/** Edm.Decimal as text. */
export const PG_TEXT_DECIMAL: SqlForm = plainForm("decimal as text", asText, {
  sortable: TEXT_TO_DECIMAL,
  comparable: TEXT_TO_DECIMAL,
  computable: TEXT_TO_DECIMAL,
});

/** Edm.Decimal as double precision: each cell stands for the shortest Decimal that reads as it. */
export const PG_REAL_DECIMAL: SqlForm = Object.freeze<SqlForm>({
  ...REAL_DECIMAL_FORM,
  floor: (value) => String(REAL_DECIMAL_FORM.floor(value)),
  ceiling: (value) => String(REAL_DECIMAL_FORM.ceiling(value)),
  exact: null,
  place: (place) => sql`${place}::float8`,
  comparable: TEXT_TO_DECIMAL,
  computable: TEXT_TO_DECIMAL,
});

const scaledForms = new Map<number, SqlForm>();

/** Edm.Decimal as an integer: the value times ten to the power of `scale`. */
export function pgScaledDecimal(scale: number): SqlForm {
  const known = scaledForms.get(scale);
  if (known !== undefined) return known;
  const unit = scale === 0 ? "1" : `0.${"1".padStart(scale, "0")}`;
  const toDecimal: Conversion = {
    form: PG_DECIMAL,
    apply: (operand: Sql) => sql`(${operand} * ${sql.raw(unit)}::numeric)`,
  };
  const form = plainForm(`decimal of scale ${String(scale)}`, asText, {
    sortable: toDecimal,
    comparable: toDecimal,
    computable: toDecimal,
  });
  scaledForms.set(scale, form);
  return form;
}
