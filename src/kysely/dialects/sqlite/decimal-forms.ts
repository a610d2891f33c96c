import { sql } from "kysely";
import { keptPerNumber } from "../../../base/memo.ts";
import { asText } from "../../../edm/canonical-form.ts";
import { toDecimalKey, doublesAround, unitsAround } from "../../cells/decimal-neighbours.ts";
import { plainForm, type Conversion, type Sql, type SqlForm } from "../../statement/sql-form.ts";

const LEAST_INT64 = -(2n ** 63n);
const GREATEST_INT64 = 2n ** 63n - 1n;
/** Lies between two integers, so no scaled column holds it. */
const NO_INTEGER = 0.5;

/** The text that sorts as its Decimal does. */
export const DECIMAL_KEY_FORM: SqlForm = plainForm("decimal key", (value) => toDecimalKey(asText(value)));

const TO_KEY: Conversion = { form: DECIMAL_KEY_FORM, apply: (operand) => sql`odata_decimal_key(${operand})` };

/** Edm.Decimal as its text, or as any number that stands for it: what functions and arithmetic take and give. */
export const DECIMAL_FORM: SqlForm = plainForm("decimal", asText, { sortable: TO_KEY, comparable: TO_KEY });

/** Edm.Decimal as REAL: each cell stands for the shortest Decimal that reads as it. */
export const REAL_DECIMAL_FORM: SqlForm = Object.freeze<SqlForm>({
  name: "real decimal",
  floor: (value) => doublesAround(asText(value)).floor,
  ceiling: (value) => doublesAround(asText(value)).ceiling,
  exact: (value) => {
    const { floor, ceiling } = doublesAround(asText(value));
    // Text equals no number.
    return floor === ceiling ? floor : "";
  },
  mayBeNull: false,
  comparable: TO_KEY,
  computable: { form: DECIMAL_FORM, apply: (operand) => operand },
});

/**
 * Edm.Decimal as INTEGER: the value times ten to the power of `scale`. Of scale 0 it is any integer that is compared
 * with a Decimal.
 */
export const scaledDecimalForm: (scale: number) => SqlForm = keptPerNumber((scale) => {
  // Without a scale the text of the integer is that of the Decimal.
  const toText = (operand: Sql): Sql =>
    scale === 0 ? sql`cast(${operand} as text)` : sql`odata_decimal_unscale(${operand}, ${sql.lit(scale)})`;
  return Object.freeze<SqlForm>({
    name: `decimal of scale ${scale}`,
    floor: (value) => withinInt64(unitsAround(asText(value), scale).floor),
    ceiling: (value) => withinInt64(unitsAround(asText(value), scale).ceiling),
    exact: (value) => {
      const { floor, ceiling } = unitsAround(asText(value), scale);
      return floor === ceiling ? withinInt64(floor) : NO_INTEGER;
    },
    mayBeNull: false,
    comparable: { form: DECIMAL_KEY_FORM, apply: (operand) => TO_KEY.apply(toText(operand)) },
    computable: { form: DECIMAL_FORM, apply: toText },
  });
});

/** Beyond what an INTEGER holds there is no cell, so the infinities compare alike. */
function withinInt64(value: bigint): bigint | number {
  if (value > GREATEST_INT64) return Infinity;
  return value < LEAST_INT64 ? -Infinity : value;
}
