import { sql } from "kysely";
import type { RowGuard } from "../../statement/sql-form.ts";
import { withinPacket } from "./forms.ts";

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
