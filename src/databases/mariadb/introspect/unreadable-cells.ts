import type { CellTest, CellTests } from "../../introspect/unreadable-samples.ts";

const zeroDate = (name: string): CellTest => ({
  sampled: `not coalesce(month(${name}) > 0 and dayofmonth(${name}) > 0, true)`,
  indexed: `${name} < '0000-01-01'`,
  inDefault: /-00/,
});

/** The cells of MariaDB that no property can have. */
export const MY_CELL_TESTS: CellTests = Object.freeze<CellTests>({
  quote: "`",
  byType: {
    date: zeroDate,
    datetime: zeroDate,
    timestamp: zeroDate,
    // MariaDB gives the number 0 to a value that was not a label. A label may be empty.
    enum: (name) => ({ sampled: `${name} + 0 = 0`, indexed: `${name} = 0`, inDefault: /^(?!)/ }),
  },
});
