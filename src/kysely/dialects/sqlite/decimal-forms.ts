import { sql } from "kysely";
import { asText } from "../../../edm/canonical-form.ts";
import { compareDecimals, decimalFromNumber, scaleOf, toScaled } from "../../../edm/decimal.ts";
import { toDecimalKey } from "../../cells/decimal-key.ts";
import { nextDouble } from "../../cells/doubles.ts";
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
  floor: (value) => nearest(asText(value)).floor,
  ceiling: (value) => nearest(asText(value)).ceiling,
  exact: (value) => {
    const { floor, ceiling } = nearest(asText(value));
    // Text equals no number.
    return floor === ceiling ? floor : "";
  },
  mayBeNull: false,
  comparable: TO_KEY,
  computable: { form: DECIMAL_FORM, apply: (operand) => operand },
});

const scaledForms = new Map<number, SqlForm>();

/**
 * Edm.Decimal as INTEGER: the value times ten to the power of `scale`. Of scale 0 it is any integer that is compared
 * with a Decimal.
 */
export function scaledDecimalForm(scale: number): SqlForm {
  const known = scaledForms.get(scale);
  if (known !== undefined) return known;
  // Without a scale the text of the integer is that of the Decimal.
  const toText = (operand: Sql): Sql =>
    scale === 0 ? sql`cast(${operand} as text)` : sql`odata_decimal_unscale(${operand}, ${sql.lit(scale)})`;
  const form: SqlForm = Object.freeze<SqlForm>({
    name: `decimal of scale ${scale}`,
    floor: (value) => withinInt64(scaled(asText(value), scale).floor),
    ceiling: (value) => withinInt64(scaled(asText(value), scale).ceiling),
    exact: (value) => {
      const { floor, ceiling } = scaled(asText(value), scale);
      return floor === ceiling ? withinInt64(floor) : NO_INTEGER;
    },
    mayBeNull: false,
    comparable: { form: DECIMAL_KEY_FORM, apply: (operand) => TO_KEY.apply(toText(operand)) },
    computable: { form: DECIMAL_FORM, apply: toText },
  });
  scaledForms.set(scale, form);
  return form;
}

/** The integers next to a Decimal times ten to the power of `scale`. */
function scaled(value: string, scale: number): { readonly floor: bigint; readonly ceiling: bigint } {
  const excess = scaleOf(value) - scale;
  if (excess <= 0) {
    const exact = toScaled(value, scale);
    return { floor: exact, ceiling: exact };
  }
  const whole = toScaled(value, scale + excess);
  const unit = 10n ** BigInt(excess);
  const cut = whole / unit;
  if (cut * unit === whole) return { floor: cut, ceiling: cut };
  return whole < 0n ? { floor: cut - 1n, ceiling: cut } : { floor: cut, ceiling: cut + 1n };
}

/** Beyond what an INTEGER holds there is no cell, so the infinities compare alike. */
function withinInt64(value: bigint): bigint | number {
  if (value > GREATEST_INT64) return Infinity;
  return value < LEAST_INT64 ? -Infinity : value;
}

/** The doubles next to a Decimal; one and the same when its shortest text is that Decimal. */
function nearest(value: string): { readonly floor: number; readonly ceiling: number } {
  const double = Number(value);
  const shortest = decimalFromNumber(double);
  if (shortest === null) return beyondDoubles(double);
  const order = compareDecimals(shortest, value);
  if (order === 0) return { floor: double, ceiling: double };
  return order < 0
    ? { floor: double, ceiling: nextDouble(double, 1) }
    : { floor: nextDouble(double, -1), ceiling: double };
}

/** A Decimal that is greater than any double, or less than any. */
function beyondDoubles(infinity: number): { readonly floor: number; readonly ceiling: number } {
  const isPositive = infinity > 0;
  return isPositive ? { floor: Number.MAX_VALUE, ceiling: infinity } : { floor: infinity, ceiling: -Number.MAX_VALUE };
}
