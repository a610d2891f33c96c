import { sql } from "kysely";
import { asBoolean, asNumber, asText } from "../../../edm/canonical-form.ts";
import type { PrimitiveValue } from "../../../edm/value-codec.ts";
import type { ScalarType } from "../../../query/expression.ts";
import { readBytes } from "../../cells/text-cells.ts";
import { canonicalForms } from "../../forms/canonical-forms.ts";
import { enumForms, type EnumForms } from "../../forms/enum-forms.ts";
import { hexForm } from "../../forms/hex-form.ts";
import { mappedForms, type MappedForms } from "../../forms/mapped-forms.ts";
import { plainForm, type SqlForm } from "../../statement/sql-form.ts";
import { DECIMAL_FORM } from "./decimal-forms.ts";
import { ANY_DATE_FORM, DURATION_FORM, INSTANT_FORM, ANY_TIME_FORM } from "./temporal-forms.ts";

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
