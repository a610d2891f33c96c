import { sql } from "kysely";
import { keptPerNumber } from "../../../base/memo.ts";
import { asBoolean, asNumber, asText, type PrimitiveValue } from "../../../edm/value-codec.ts";
import type { ScalarType } from "../../../language/query/expression.ts";
import { toDecimalKey, doublesAround, unitsAround } from "../../cells/instant.ts";
import { readBytes } from "../../cells/text-cells.ts";
import { canonicalForms, enumForms, type EnumForms, mappedForms, type MappedForms } from "../../forms/enum-forms.ts";
import { hexForm } from "../../forms/hex-form.ts";
import { roundedReals } from "../../forms/real-decimals.ts";
import { convertedForm, plainForm, type SqlForm, type Conversion, type Sql } from "../../statement/sql-form.ts";
import { ANY_DATE_FORM, DURATION_FORM, INSTANT_FORM, ANY_TIME_FORM } from "./temporal-forms.ts";

const LEAST_INT64 = -(2n ** 63n);
const GREATEST_INT64 = 2n ** 63n - 1n;
/** Equals no integer, and so no cell of a scaled column. */
const NO_INTEGER = 0.5;

/** A string that sorts like its Decimal. */
const DECIMAL_KEY_FORM: SqlForm = plainForm("decimal key", (value) => toDecimalKey(asText(value)));

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

const roundReal = (cell: Sql, scale: number): Sql => sql`odata_real_round(${cell}, ${sql.lit(scale)})`;

const ROUNDED_REALS = {
  bind: (double: number): number => double,
  comparable: (scale: number): Conversion => ({
    form: DECIMAL_KEY_FORM,
    apply: (cell) => TO_KEY.apply(roundReal(cell, scale)),
  }),
  computable: (scale: number): Conversion => ({ form: DECIMAL_FORM, apply: (cell) => roundReal(cell, scale) }),
};

/** The same under a constant scale. */
export const roundedRealForm: (scale: number) => SqlForm = roundedReals({ ...ROUNDED_REALS, rounded: roundReal });

/** The same for a dialect without the functions of `sqliteDialect`, which sorts rows by their cells. */
export const bareRealForm: (scale: number) => SqlForm = roundedReals(ROUNDED_REALS);

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
    scale,
    comparable: { form: DECIMAL_KEY_FORM, apply: (operand) => TO_KEY.apply(toText(operand)) },
    computable: { form: DECIMAL_FORM, apply: toText },
  });
});

/** Replaces numbers outside the range of INTEGER by infinities, which compare the same with all cells. */
function withinInt64(value: bigint): bigint | number {
  if (value > GREATEST_INT64) return Infinity;
  return value < LEAST_INT64 ? -Infinity : value;
}

/** Edm.Boolean as 0 and 1. */
export const BOOLEAN_FORM: SqlForm = plainForm("boolean", (value) => (asBoolean(value) ? 1n : 0n));

/** The integer types as INTEGER. */
export const INTEGER_FORM: SqlForm = plainForm("integer", (value) => BigInt(asInteger(value)));

/** Edm.Double and Edm.Single as REAL. NaN becomes NULL. */
export const DOUBLE_FORM: SqlForm = plainForm(
  "double",
  (value) => {
    const number = Number(value);
    return Number.isNaN(number) ? null : number;
  },
  { mayBeNull: true },
);

/** Edm.String, compared by code point. */
export const STRING_FORM: SqlForm = plainForm("string", asText);

/** Edm.String in a column, whose collation may ignore letter case or trailing blanks. */
export const STRING_COLUMN_FORM: SqlForm = plainForm("string column", asText, {
  sortable: { form: STRING_FORM, apply: (operand) => sql`${operand} collate binary`, keepsCells: true },
  comparable: { form: STRING_FORM, apply: (operand) => sql`${operand} collate binary` },
  computable: { form: STRING_FORM, apply: (operand) => operand },
});

/** Returns the text of a cell; of bytes their digits. */
export const textOfCell = (cell: Sql): Sql =>
  sql`(case typeof(${cell}) when 'blob' then hex(${cell}) else cast(${cell} as text) end)`;

/** Edm.String as the text of any cell. */
export const ANY_TEXT_FORM: SqlForm = convertedForm("text of any cell", asText, {
  form: STRING_FORM,
  apply: textOfCell,
});

/** Edm.Guid in lower case. */
export const GUID_FORM: SqlForm = plainForm("guid", asText);

/** Edm.Guid in any letter case. */
export const ANY_CASE_GUID_FORM: SqlForm = plainForm("guid in any case", asText, {
  sortable: { form: GUID_FORM, apply: (operand) => sql`lower(${operand})` },
  comparable: { form: GUID_FORM, apply: (operand) => sql`lower(${operand})` },
  computable: { form: GUID_FORM, apply: (operand) => sql`lower(${operand})` },
});

/** Edm.Binary as BLOB. */
export const BINARY_FORM: SqlForm = plainForm("binary", (value) => value, {
  fromKey: (value) => sql`unhex(${value})`,
});

/** Edm.String as BLOB, whose digits are the value. */
export const HEX_FORM: SqlForm = hexForm({
  binary: BINARY_FORM,
  string: STRING_FORM,
  // SQLite has no digits of null but an empty text.
  toDigits: (column) => sql`case when ${column} is not null then lower(hex(${column})) end`,
  toCell: readBytes,
});

/** Enumerations as INTEGER, or as TEXT. */
export const SQLITE_ENUMS: EnumForms = enumForms({ encode: BigInt });

/** Enumerations and booleans as cells of an existing database. */
export const SQLITE_MAPPED: MappedForms = mappedForms({
  encode: BigInt,
  asText: (column) => sql`${column} collate binary`,
  enums: SQLITE_ENUMS,
  boolean: BOOLEAN_FORM,
  booleanValue: (value) => (value ? sql`1` : sql`0`),
});

function asInteger(value: PrimitiveValue): number | bigint {
  return typeof value === "bigint" ? value : asNumber(value);
}

/** Returns the form of a type in functions and arithmetic of SQLite. */
export const sqliteCanonicalForm: (type: ScalarType) => SqlForm = canonicalForms({
  boolean: BOOLEAN_FORM,
  integer: INTEGER_FORM,
  decimal: DECIMAL_FORM,
  double: DOUBLE_FORM,
  string: STRING_FORM,
  guid: GUID_FORM,
  binary: BINARY_FORM,
  temporal: { days: ANY_DATE_FORM, clock: ANY_TIME_FORM, epoch: INSTANT_FORM, seconds: DURATION_FORM },
  enums: SQLITE_ENUMS,
});
