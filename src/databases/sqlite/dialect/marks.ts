import { sql } from "kysely";
import type { Mark, Sql } from "../../statement/sql-form.ts";

const LEAST_INT64 = -(2 ** 63);
/** The character that a driver returns for bytes that are not UTF-8. Different texts may contain it in the same places. */
const REPLACED = "\uFFFD";

/** Selects a column unchanged. */
export const asItStands = (column: Sql): Sql => column;

/** Cells of any type, as `sqliteDialect` returns them. SQLite compares bound values by their types as it does cells. */
export const SQLITE_MARK: Mark = Object.freeze<Mark>({
  toSelected: asItStands,
  read: (cell) => {
    switch (typeof cell) {
      case "string":
        return cell.includes(REPLACED) ? undefined : cell;
      case "bigint":
        return cell;
      case "number":
        // A large integer is a number in JSON and a bigint in a row, and JSON has no negative zero.
        return isLargeInteger(cell) ? BigInt(cell) : cell + 0;
      default:
        return cell instanceof Uint8Array ? cell : undefined;
    }
  },
});

/** The same for a `node:sqlite` that ends a text at U+0000: such a text is selected like a text that is not UTF-8. */
export const CUT_SQLITE_MARK: Mark = Object.freeze<Mark>({
  ...SQLITE_MARK,
  toSelected: (column) =>
    sql`iif(instr(${column}, char(0)) and typeof(${column}) = 'text', ${sql.lit(REPLACED)}, ${column})`,
});

/** The same for other drivers, which may round integers beyond ±(2^53 - 1). */
export const BARE_SQLITE_MARK: Mark = Object.freeze<Mark>({
  toSelected: asItStands,
  read: (cell) => (typeof cell === "number" && isLargeInteger(cell) ? undefined : SQLITE_MARK.read(cell)),
});

function isLargeInteger(cell: number): boolean {
  return Number.isInteger(cell) && !Number.isSafeInteger(cell) && cell >= LEAST_INT64 && cell < -LEAST_INT64;
}
