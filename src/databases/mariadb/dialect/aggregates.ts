import { sql } from "kysely";
import { protocolError } from "../../../base/errors/odata-error.ts";
import { once } from "../../../base/memo.ts";
import type { AggregateSyntax } from "../../forms/aggregate-syntax.ts";
import { castAggregates } from "../../forms/cast-aggregates.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { failFor, MOST_SCALE, myNumbers, WIDENED } from "./forms.ts";

/** A number of MariaDB has room for all digits of a sum below this size, and for the digits of a quotient. */
const DIVIDED_SIZE = sql.raw(`1${"0".repeat(26)}`);
/** A quotient of so many digits has two more, which suffices to round it. */
const MOST_DIGITS = MOST_SCALE - 2;

/** The greatest number of a column of Decimals, whatever its scale. */
const GREATEST = sql.raw("'^9{26,}[.]9+$'");

/** Fails for the number that a column has in place of a greater one. */
function storedDecimal(column: Sql): Sql {
  const isGreatest = sql`abs(${column}) >= ${DIVIDED_SIZE} and cast(abs(${column}) as char) regexp ${GREATEST}`;
  return sql`(case when ${isGreatest} then ${failFor(column)} else ${column} end)`;
}

/** Fails for a sum that may be infinite, which is 0 in MariaDB, and for one of an infinite Edm.Single. */
function sumOfDoubles(sum: Sql, value: Sql): Sql {
  return sql`(${sum} + 0e0 * (max(abs(${value})) * 2e0 * count(${value})))`;
}

/** The cell of the first key of an order. */
function firstCell(key: Sql, cell: Sql, direction: Sql): Sql {
  return sql`group_concat(case when ${key} is not null then ${cell} end order by ${key}${direction} limit 1)`;
}

/** Divides with all digits that a Decimal can have: the database would drop all but four beyond those of the sum. */
function quotient(sum: Sql, count: Sql, digits: number): Sql {
  if (digits > MOST_DIGITS) {
    const message = `MariaDB cannot compute an average of more than ${String(MOST_DIGITS)} digits after the point.`;
    throw protocolError("UnsupportedQueryOption", message);
  }
  const divided = sql`round((${sum} + ${WIDENED}) / ${count}, ${sql.lit(digits)})`;
  return sql`(case when abs(${sum}) < ${DIVIDED_SIZE} then ${divided} else ${failFor(sum)} end)`;
}

/** How MariaDB aggregates. The sum of Decimals has 22 digits more than they have. */
export const myAggregates: () => AggregateSyntax = once(() =>
  castAggregates({
    numbers: myNumbers(),
    // A `bit` becomes a number.
    toNumber: (value) => sql`(${value} + 0)`,
    toDouble: (value) => sql`(${value} + 0e0)`,
    sumOfDoubles,
    quotient,
    // MariaDB sorts rows to group them, and then evaluates a subquery with the values of another row.
    valuesFirst: {
      end: sql` limit 18446744073709551615`,
      when: "computes",
      decimal: storedDecimal,
    },
    cellOf: {
      min: (key, cell) => firstCell(key, cell, sql``),
      max: (key, cell) => firstCell(key, cell, sql` desc`),
    },
  }),
);
