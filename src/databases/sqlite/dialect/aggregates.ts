import { sql } from "kysely";
import type { AggregateSyntax } from "../../forms/aggregate-syntax.ts";
import { toComputable, type FormedSql, type Sql } from "../../statement/sql-form.ts";

const count = ({ sql: value }: FormedSql): Sql => sql`count(${value})`;
const whole = ({ sql: value }: FormedSql): Sql => sql`sum(${value})`;
const doubles = ({ sql: value }: FormedSql): Sql => sql`sum(cast(${value} as real))`;
const durations = (operand: FormedSql): Sql => sql`odata_duration_sum(${toComputable(operand).sql})`;

/** Adds the halves of integers, because a sum of 64 bits would fail beyond them. */
function units({ sql: value }: FormedSql, scale: number): Sql {
  return sql`odata_units_sum(sum(${value} >> 32), sum(${value} & 4294967295), ${sql.lit(scale)})`;
}

function decimals(operand: FormedSql): Sql {
  const { scale } = operand.form;
  return scale === undefined ? sql`odata_decimal_sum(${toComputable(operand).sql})` : units(operand, scale);
}

/** How SQLite aggregates, by our own functions where its numbers are not exact. */
export const SQLITE_AGGREGATES: AggregateSyntax = Object.freeze<AggregateSyntax>({
  cellOf: {
    min: (key, cell) => sql`odata_least(${key}, ${cell})`,
    max: (key, cell) => sql`odata_greatest(${key}, ${cell})`,
  },
  summed: {
    integer: { sum: whole, average: (operand) => sql`(cast(${whole(operand)} as real) / ${count(operand)})` },
    long: {
      sum: (operand) => units(operand, 0),
      average: (operand) => sql`(odata_double(${units(operand, 0)}) / ${count(operand)})`,
    },
    double: { sum: doubles, average: (operand) => sql`(${doubles(operand)} / ${count(operand)})` },
    decimal: {
      sum: decimals,
      average: (operand, digits) =>
        sql`odata_decimal_average(${decimals(operand)}, ${count(operand)}, ${sql.lit(digits)})`,
    },
    duration: {
      sum: durations,
      average: (operand) => sql`odata_duration_divide(${durations(operand)}, ${count(operand)})`,
    },
  },
});
