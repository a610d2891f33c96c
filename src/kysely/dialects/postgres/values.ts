import { sql } from "kysely";
import { infixOperators, refuseModulo } from "../../functions/arithmetic.ts";
import { castValues } from "../../functions/cast-values.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { DialectValues } from "../dialect-profile.ts";
import { PG_ARRAYS } from "./arrays.ts";
import { pgColumnFormat } from "./column-format.ts";
import { PG_FORMS, PG_NUMBERS } from "./forms.ts";
import { PG_SYNTAX } from "./syntax.ts";
import { PG_DATE, PG_MIDNIGHT, pgOffsetOfText, PG_TEXTS } from "./temporal-forms.ts";

/** How PostgreSQL stores values and computes with them. */
export const PG_VALUES: DialectValues = Object.freeze<DialectValues>({
  columnFormat: pgColumnFormat,
  guidsAreTexts: false,
  arrays: PG_ARRAYS,
  documentText: (column) => sql`${column}::text`,
  ...castValues({
    forms: PG_FORMS,
    numbers: PG_NUMBERS,
    // `numeric` does not overflow.
    wide: (value) => sql`${value}::numeric`,
    toDouble: (value) => sql`${value}::float8`,
    divideIntegers: (left, right) => sql`div(${left}, nullif(${right}, 0))`,
    integerRemainder: (left, right) => sql`mod(${left}, nullif(${right}, 0))::int8`,
    decimalRemainder: (left, right) => sql`mod(${left.sql}, nullif(${right.sql}, 0))`,
    double: {
      ...infixOperators((left, operator, right) => sql`nullif(${left.sql} ${operator} ${right.sql}, 'NaN')`),
      div: (left, right) =>
        PG_SYNTAX.once(sql`array[${left.sql}, ${right.sql}]`, (pair) => quotient(sql`${pair}[1]`, sql`${pair}[2]`)),
      mod: refuseModulo("PostgreSQL"),
    },
    date: PG_DATE,
    midnight: PG_MIDNIGHT,
    textTimestamp: PG_TEXTS.timestamp,
    offsetOfText: pgOffsetOfText,
    asOffset: (place) => sql`${place}::numeric`,
  }),
});

/** Divides as in IEEE 754: a division by zero is infinite, with the sign of both terms. NaN is null. */
function quotient(dividend: Sql, divisor: Sql): Sql {
  const isPositive = sql`(${dividend} > 0) = (${divisor}::text <> '-0')`;
  const infinity = sql`case when ${dividend} = 0 then null when ${isPositive} then 'Infinity' else '-Infinity' end`;
  return sql`case when ${divisor} = 0 then (${infinity})::float8 else nullif(${dividend} / ${divisor}, 'NaN') end`;
}
