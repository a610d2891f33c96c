import { sql } from "kysely";
import type { RowGuard, Sql } from "../../statement/sql-form.ts";

/** Marks the number that is too great: the error contains it. */
const MARK = 1_000_047;

/** How MariaDB refuses rows. */
export const MY_ROW_GUARD: RowGuard = Object.freeze<RowGuard>({
  bytesOf: (column) => sql`octet_length(${column})`,
  bytesOfText: (cell) => sql`octet_length(${cell})`,
  // Digits beyond the packet would be null.
  unlessLong: (bytes, most, cell) =>
    sql`(case when ${bytes} <= ${most} then ${withinPacket(sql`2 * ${bytes}`, cell)} end)`,
  // No function fails on demand, but a number beyond all Doubles does. It depends on the row, so that it is not computed before.
  refuse: (bytes, most) => sql`(case when ${bytes} > ${most} then exp(${sql.lit(MARK)} + ${bytes}) end)`,
  endsTransaction: false,
  isRefused: (error) => "errno" in error && error.errno === 1690 && error.message.includes(`exp(${String(MARK)}`),
});

/** Fails the statement for a text that is longer than texts can be, for which functions would return null. */
function withinPacket(bytes: Sql, value: Sql): Sql {
  // No function fails on demand: a value with two rows does. It names the row, so that it is not evaluated before.
  const failure = sql`(select '' from (select 1 as one union all select 2) as odata_two where ${bytes} > odata_two.one)`;
  return sql`if(${bytes} > @@max_allowed_packet, ${failure}, ${value})`;
}
