import type { CellTest, CellTests } from "../../introspect/unreadable-samples.ts";

const beyond = (name: string, least: string, most: string, inDefault: RegExp): CellTest => {
  const test = `(${name} < ${least} or ${name} >= ${most})`;
  return { sampled: test, indexed: test, inDefault };
};

/** The cells of PostgreSQL that no property can have. */
export const PG_CELL_TESTS: CellTests = Object.freeze<CellTests>({
  quote: '"',
  byType: {
    // NaN and infinity are greater than all numbers. Older versions have no literal of infinity.
    numeric: (name) => beyond(name, "-1e131000", "1e131000", /nan|infinity/i),
    time: (name) => ({ sampled: `${name} = '24:00'`, indexed: `${name} = '24:00'`, inDefault: /24:00/ }),
    ...Object.fromEntries(
      ["date", "timestamp", "timestamptz"].map((type) => [
        type,
        (name: string) => beyond(name, "'0001-01-01 BC'", "'10000-01-01'", /infinity/i),
      ]),
    ),
  },
});
