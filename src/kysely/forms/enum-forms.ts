import { sql } from "kysely";
import { keptPer } from "../../base/memo.ts";
import { asText } from "../../edm/canonical-form.ts";
import { enumToNumber } from "../../edm/enum-codec.ts";
import type { EnumType } from "../../edm/model.ts";
import { plainForm, type Conversion, type Mark, type Sql, type SqlForm } from "../statement/sql-form.ts";

/** How one database writes the values of enumerations. */
interface EnumSyntax {
  /** Returns the value to bind for a numeric value. */
  readonly encode: (value: number) => unknown;
  /** Casts a bound or computed value to an integer; absent if it needs no cast. */
  readonly asInteger?: (value: Sql) => Sql;
  /** Casts a bound name, or a column of names, to text; absent if it needs no cast. */
  readonly asName?: (value: Sql) => Sql;
  /** Whether an index serves names without the cast, which the column may compare in any letter case; absent: no. */
  readonly isIndexed?: boolean;
  /** Casts the integer that a name was mapped to; absent if it needs no cast. */
  readonly asNumber?: (value: Sql) => Sql;
  /** The marks of integers. */
  readonly mark?: Mark;
}

/** The forms of enumerations in one database. */
export interface EnumForms {
  /** An enumeration stored as numeric values; flags are added. One form per type. */
  readonly byNumber: (type: EnumType) => SqlForm;
  /** An enumeration without flags stored as member names, which sort by their numeric values. One form per type. */
  readonly byName: (type: EnumType) => SqlForm;
  readonly integer: (value: number) => Sql;
}

/** Makes the forms of enumerations in one database. */
export function enumForms({
  encode,
  asInteger,
  asName,
  asNumber = asItIs,
  isIndexed = false,
  mark,
}: EnumSyntax): EnumForms {
  const byNumber = keptPer((type: EnumType) =>
    plainForm(`numbers of ${type.name}`, (value) => encode(enumToNumber(type, asText(value))), {
      ...(asInteger && { place: asInteger, fromKey: asInteger }),
      ...(mark && { mark }),
    }),
  );
  const numberOf = (type: EnumType, operand: Sql): Sql => {
    const cases = Array.from(type.members, ([name, value]) => sql`when ${sql.lit(name)} then ${sql.lit(value)}`);
    return asNumber(sql`(case ${(asName ?? asItIs)(operand)} ${sql.join(cases, sql` `)} end)`);
  };
  const byName = keptPer((type: EnumType) => {
    const toNumber: Conversion = { form: byNumber(type), apply: (operand) => numberOf(type, operand) };
    const names = plainForm(`names of ${type.name}`, asText, asName === undefined ? {} : { place: asName });
    // Two names for one value are equal, although their texts differ.
    const hasAliases = new Set(type.members.values()).size < type.members.size;
    const inColumn = (equatable: Conversion, others: Partial<SqlForm> = {}): SqlForm =>
      plainForm(`names of ${type.name} in a column`, asText, {
        // Another text is no member.
        sortable: { ...toNumber, mayBeNull: true },
        comparable: toNumber,
        ...(hasAliases ? {} : { equatable }),
        ...others,
      });
    const byText: Conversion = { form: names, apply: asName ?? asItIs, keepsCells: true };
    if (asName === undefined) return inColumn(byText);
    if (isIndexed) {
      const indexed = plainForm(`names of ${type.name} as they stand`, asText);
      return inColumn(byText, hasAliases ? {} : { indexed });
    }
    // The database compares names with such a column in its type, for which an index serves.
    const byLabel: Conversion = { form: plainForm(`labels of ${type.name}`, asText), apply: asItIs, keepsCells: true };
    return inColumn(byText, { labels: { cells: [...type.members.keys()], all: inColumn(byLabel) } });
  });
  return Object.freeze({ byNumber, byName, integer: (value: number) => asNumber(sql`${sql.lit(value)}`) });
}

function asItIs(value: Sql): Sql {
  return value;
}
