import { sql } from "kysely";
import type { Sql } from "../../statement/sql-form.ts";

/** `to_char` of infinity is null, which would be the value of a cell that nobody wrote. */
export function finiteText(column: Sql, text: Sql): Sql {
  return sql`coalesce(${text}, ${column}::text)`;
}

/** Returns the era of a date or timestamp: `to_char` writes years before 1 as positive numbers. */
export function eraOf(column: Sql, type: "date" | "timestamp" | "timestamptz"): Sql {
  const first = type === "timestamptz" ? "0001-01-01 00:00:00+00" : "0001-01-01 00:00:00";
  return sql`case when ${column} < ${sql.lit(first)}::${sql.raw(type)} then ' BC' else '' end`;
}

/**
 * Selects a date as text that does not depend on the session. `to_char` takes a timestamp, whose range ends before that of dates.
 * Without the cast it would take one in the time zone of the session, which the first day may precede.
 */
export const pgDateText = (column: Sql): Sql => {
  const near = sql`to_char(${column}::timestamp, 'YYYY-MM-DD') || ${eraOf(column, "date")}`;
  const isFar = sql`${column} > date '294276-12-31' and ${column} <> 'infinity'`;
  return finiteText(column, sql`case when ${isFar} then ${dayText(column)} else ${near} end`);
};

/** Writes the day of a date or timestamp as `to_char` does, but independent of the session. Null for infinity. */
export function dayText(value: Sql): Sql {
  const part = (name: string, digits: Sql): Sql =>
    sql`lpad(extract(${sql.raw(name)} from ${value})::text, ${digits}, '0')`;
  const year = sql`abs(extract(year from ${value}))::text`;
  const years = sql`lpad(${year}, greatest(4, length(${year})), '0')`;
  return sql`${years} || '-' || ${part("month", sql`2`)} || '-' || ${part("day", sql`2`)}`;
}

/**
 * Selects a timestamp with all its digits, as text that does not depend on the session.
 * @param inUtc converts it to a timestamp in UTC, without time zone
 */
export function pgTimestampText(type: "timestamp" | "timestamptz", inUtc: (column: Sql) => Sql): (column: Sql) => Sql {
  return (column) => {
    const text = sql`to_char(${inUtc(column)}, 'YYYY-MM-DD HH24:MI:SS.US')`;
    return finiteText(column, sql`${text} || '+00' || ${eraOf(column, type)}`);
  };
}

/** Computations and responses have no infinity, so an infinite date or timestamp is null in them. */
export function pgFinite(operand: Sql): Sql {
  return sql`nullif(nullif(${operand}, 'infinity'), '-infinity')`;
}

/** The same for numbers, NaN included. The column may also be of integers. */
export function pgFiniteNumber(operand: Sql): Sql {
  return sql`(case when ${operand}::numeric not in ('NaN', 'Infinity', '-Infinity') then ${operand} end)`;
}
