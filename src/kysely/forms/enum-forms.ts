import { sql } from "kysely";
import { keptPer } from "../../base/memo.ts";
import { asText } from "../../edm/canonical-form.ts";
import { enumToNumber } from "../../edm/enum-codec.ts";
import type { EnumType } from "../../edm/model.ts";
import { plainForm, type Conversion, type Sql, type SqlForm } from "../statement/sql-form.ts";

/** How one database writes the values of enumerations. */
interface EnumSyntax {
  /** What is bound for a numeric value. */
  readonly encode: (value: number) => unknown;
  /** An integer, of what is bound or computed for one; absent: as it is. */
  readonly asInteger?: (value: Sql) => Sql;
  /** A text, of a name that is bound or stands in a column; absent: as it is. */
  readonly asName?: (value: Sql) => Sql;
  /** An integer, of one that the names were mapped to; absent: as it is. */
  readonly asNumber?: (value: Sql) => Sql;
}

/** The forms of enumerations in one database. */
export interface EnumForms {
  /** An enumeration as its numeric values: those of flags are added up. One form for a type. */
  readonly byNumber: (type: EnumType) => SqlForm;
  /** An enumeration without flags as the names of its members; they are ordered by their numeric values. One form for a type. */
  readonly byName: (type: EnumType) => SqlForm;
  /** A numeric value in a statement. */
  readonly integer: (value: number) => Sql;
}

/** Makes the forms of enumerations in one database. */
export function enumForms({ encode, asInteger, asName, asNumber = asItIs }: EnumSyntax): EnumForms {
  const byNumber = keptPer((type: EnumType) =>
    plainForm(
      `numbers of ${type.name}`,
      (value) => encode(enumToNumber(type, asText(value))),
      asInteger === undefined ? {} : { place: asInteger, fromKey: asInteger },
    ),
  );
  const numberOf = (type: EnumType, operand: Sql): Sql => {
    const cases = Array.from(type.members, ([name, value]) => sql`when ${sql.lit(name)} then ${sql.lit(value)}`);
    return asNumber(sql`(case ${(asName ?? asItIs)(operand)} ${sql.join(cases, sql` `)} end)`);
  };
  const byName = keptPer((type: EnumType) => {
    const toNumber: Conversion = { form: byNumber(type), apply: (operand) => numberOf(type, operand) };
    const names = plainForm(`names of ${type.name}`, asText, asName === undefined ? {} : { place: asName });
    // Two names of one value are equal, which their texts are not.
    const hasAliases = new Set(type.members.values()).size < type.members.size;
    return plainForm(`names of ${type.name} in a column`, asText, {
      sortable: toNumber,
      comparable: toNumber,
      ...(hasAliases ? {} : { equatable: { form: names, apply: asName ?? asItIs } }),
    });
  });
  return Object.freeze({ byNumber, byName, integer: (value: number) => asNumber(sql`${sql.lit(value)}`) });
}

function asItIs(value: Sql): Sql {
  return value;
}
