import { sql } from "kysely";
import { asBoolean, asNumber, asText } from "../../edm/canonical-form.ts";
import { enumToNumber } from "../../edm/enum-codec.ts";
import type { EnumType } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { plainForm, type Sql, type SqlForm } from "../translate/sql-form.ts";

/** Edm.Boolean as 0 and 1. */
export const BOOLEAN_FORM: SqlForm = plainForm("boolean", (value) => (asBoolean(value) ? 1n : 0n));

/** The integer types as INTEGER. */
export const INTEGER_FORM: SqlForm = plainForm("integer", (value) => BigInt(asInteger(value)));

/** Edm.Double and Edm.Single as REAL. There is no NaN in SQL: it becomes NULL. */
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

/** Edm.String in a column, whose own collation may know neither letter case nor trailing blanks. */
export const STRING_COLUMN_FORM: SqlForm = plainForm("string column", asText, {
  sortable: { form: STRING_FORM, apply: (operand) => sql`${operand} collate binary` },
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

const enumNumberForms = new WeakMap<EnumType, SqlForm>();
const enumNameForms = new WeakMap<EnumType, SqlForm>();

/** An enumeration as its numeric values: those of flags are added up. */
export function enumNumberForm(type: EnumType): SqlForm {
  const known = enumNumberForms.get(type);
  if (known !== undefined) return known;
  const form = plainForm(`numbers of ${type.name}`, (value) => BigInt(enumToNumber(type, asText(value))));
  enumNumberForms.set(type, form);
  return form;
}

/** An enumeration without flags as the names of its members; they are ordered by their numeric values. */
export function enumNameForm(type: EnumType): SqlForm {
  const known = enumNameForms.get(type);
  if (known !== undefined) return known;
  const numbers = enumNumberForm(type);
  const toNumber = {
    form: numbers,
    apply: (operand: Sql): Sql => {
      const cases = Array.from(type.members, ([name, value]) => sql`when ${sql.lit(name)} then ${sql.lit(value)}`);
      return sql`(case ${operand} ${sql.join(cases, sql` `)} end)`;
    },
  };
  const names = plainForm(`names of ${type.name}`, asText);
  // Two names of one value are equal, which their texts are not.
  const hasAliases = new Set(type.members.values()).size < type.members.size;
  const form = plainForm(`names of ${type.name} in a column`, asText, {
    sortable: toNumber,
    comparable: toNumber,
    ...(hasAliases ? {} : { equatable: { form: names, apply: (operand) => operand } }),
  });
  enumNameForms.set(type, form);
  return form;
}

function asInteger(value: PrimitiveValue): number | bigint {
  return typeof value === "bigint" ? value : asNumber(value);
}
