import { sql } from "kysely";
import { keptPerNumber } from "../../../base/memo.ts";
import { asText } from "../../../edm/canonical-form.ts";
import { doublesAround } from "../../cells/decimal-neighbours.ts";
import { plainForm, type Conversion, type Sql, type SqlForm } from "../../statement/sql-form.ts";
import { PG_DECIMAL } from "./forms.ts";

const TO_DECIMAL: Conversion = { form: PG_DECIMAL, apply: (operand) => sql`${operand}::numeric` };
/** By way of the shortest text. */
const REAL_TO_DECIMAL: Conversion = { form: PG_DECIMAL, apply: (operand) => sql`${operand}::text::numeric` };

/**
 * Edm.Decimal as text, or as money. A bound value is a number, which no `lc_monetary` reads differently: the database
 * casts it to the type of the column.
 */
export const PG_TEXT_DECIMAL: SqlForm = plainForm("decimal as text", asText, {
  place: (place) => sql`${place}::numeric`,
  sortable: TO_DECIMAL,
  comparable: TO_DECIMAL,
  computable: TO_DECIMAL,
});

/** Selects a Decimal as text, or as money: the text of money depends on `lc_monetary`. */
export function selectTextDecimal(column: Sql): Sql {
  const isMoney = sql`pg_typeof(${column}) = 'money'::regtype`;
  return sql`(case when ${isMoney} then ${column}::numeric::text else ${column}::text end)`;
}

/** Edm.Decimal as double precision: each cell stands for the shortest Decimal that reads as it. */
export const PG_REAL_DECIMAL: SqlForm = Object.freeze<SqlForm>({
  name: "real decimal",
  floor: (value) => String(doublesAround(asText(value)).floor),
  ceiling: (value) => String(doublesAround(asText(value)).ceiling),
  mayBeNull: false,
  exact: null,
  place: (place) => sql`${place}::float8`,
  comparable: REAL_TO_DECIMAL,
  computable: REAL_TO_DECIMAL,
});

/** Edm.Decimal as an integer: the value times ten to the power of `scale`. */
export const pgScaledDecimal: (scale: number) => SqlForm = keptPerNumber((scale) => {
  const unit = scale === 0 ? "1" : `0.${"1".padStart(scale, "0")}`;
  const toDecimal: Conversion = {
    form: PG_DECIMAL,
    apply: (operand: Sql) => sql`(${operand} * ${sql.raw(unit)}::numeric)`,
  };
  return plainForm(`decimal of scale ${String(scale)}`, asText, {
    place: (place) => sql`${place}::int8`,
    sortable: toDecimal,
    comparable: toDecimal,
    computable: toDecimal,
  });
});
