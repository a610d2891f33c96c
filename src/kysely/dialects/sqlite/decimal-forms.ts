import { sql } from "kysely";
import { keptPerNumber } from "../../../base/memo.ts";
import { asText } from "../../../edm/canonical-form.ts";
import { toDecimalKey, doublesAround, unitsAround } from "../../cells/decimal-neighbours.ts";
import { plainForm, type Conversion, type Sql, type SqlForm } from "../../statement/sql-form.ts";

const LEAST_INT64 = -(2n ** 63n);
const GREATEST_INT64 = 2n ** 63n - 1n;
/** Equals no integer, and so no cell of a scaled column. */
const NO_INTEGER = 0.5;

/** A string that sorts like its Decimal. */
export const DECIMAL_KEY_FORM: SqlForm = plainForm("decimal key", (value) => toDecimalKey(asText(value)));

const TO_KEY: Conversion = { form: DECIMAL_KEY_FORM, apply: (operand) => sql`odata_decimal_key(${operand})` };

/** Edm.Decimal as a string, or as a number of SQLite: the form of functions and arithmetic. */
export const DECIMAL_FORM: SqlForm = plainForm("decimal", asText, { sortable: TO_KEY, comparable: TO_KEY });

/** Edm.Decimal as REAL. The value of a cell is the shortest Decimal that rounds to it. */
export const REAL_DECIMAL_FORM: SqlForm = Object.freeze<SqlForm>({
  name: "real decimal",
  floor: (value) => doublesAround(asText(value)).floor,
  ceiling: (value) => doublesAround(asText(value)).ceiling,
  exact: (value) => {
    const { floor, ceiling } = doublesAround(asText(value));
    // A string equals no number.
    return floor === ceiling ? floor : "";
  },
  mayBeNull: false,
  comparable: TO_KEY,
  computable: { form: DECIMAL_FORM, apply: (operand) => operand },
});

/**
 * Edm.Decimal as INTEGER: the value times ten to the power of `scale`. Scale 0 also serves integers that are compared with
 * Decimals.
 */
export const scaledDecimalForm: (scale: number) => SqlForm = keptPerNumber((scale) => {
  // With scale 0, the integer and the Decimal have the same text.
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

/** Replaces numbers outside the range of INTEGER by infinities, which compare the same with all cells. */
function withinInt64(value: bigint): bigint | number {
  if (value > GREATEST_INT64) return Infinity;
  return value < LEAST_INT64 ? -Infinity : value;
}
