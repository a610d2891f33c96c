import { sql } from "kysely";
import { once } from "../../../base/memo.ts";
import type { AggregateSyntax } from "../../forms/aggregate-syntax.ts";
import { castAggregates } from "../../forms/cast-aggregates.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { pgUsualNumbers } from "./forms.ts";

/** The cell of the first key of an order. */
function firstCell(key: Sql, cell: Sql, direction: Sql): Sql {
  return sql`(array_agg(${cell} order by ${key}${direction}) filter (where ${key} is not null))[1]`;
}

/** How PostgreSQL aggregates. Sums of its exact numbers are exact. */
export const pgAggregates: () => AggregateSyntax = once(() =>
  castAggregates({
    numbers: pgUsualNumbers(),
    toNumber: (value) => value,
    toDouble: (value) => sql`${value}::float8`,
    sumOfDoubles: (sum) => sql`nullif(${sum}, 'NaN')`,
    // The digits of `/` depend on the version: one more digit, truncated, suffices to round correctly.
    quotient: (sum, count, digits) => {
      const unit = (sign: "" | "-"): Sql => pgUsualNumbers().literal(`1e${sign}${String(digits + 1)}`);
      const cut = sql`div(${sum} * ${unit("")}, nullif(${count}, 0))`;
      return sql`round(${cut} * ${unit("-")}, ${sql.lit(digits)})`;
    },
    // Before version 18.
    lacksBytes: true,
    cellOf: {
      min: (key, cell) => firstCell(key, cell, sql``),
      max: (key, cell) => firstCell(key, cell, sql` desc`),
    },
  }),
);

/** The same for databases on several machines: the coordinator sorts and distinguishes computed values, which machines cannot merge. */
export const pgSpreadAggregates: () => AggregateSyntax = once(() =>
  Object.freeze<AggregateSyntax>({ ...pgAggregates(), valuesFirst: { end: sql` offset 0`, when: "sorts" } }),
);
