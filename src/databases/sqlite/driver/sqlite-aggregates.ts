import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import {
  computeDecimals,
  fromScaledDecimal,
  toScaledDecimal,
  type ScaledDecimal,
} from "../../../edm/decimal-arithmetic.ts";
import { addDurations } from "../../../edm/temporal-arithmetic.ts";
import { toDecimal, toDuration } from "./sqlite-functions.ts";

type Value = NonNullable<SQLOutputValue>;

/** An aggregate of the rows whose first argument is not null; null without any. */
interface SqlAggregate<State> {
  /** @param state undefined for the first row */
  readonly step: (state: State | undefined, value: Value, other: SQLOutputValue) => State;
  readonly result: (state: State) => SQLInputValue;
}

/** The state of a sum; null: it is out of range. */
interface Sum<T> {
  readonly sum: T | null;
}

/** The cell with the first key so far. */
interface Keyed {
  readonly key: Value;
  readonly cell: SQLOutputValue;
}

/** Adds the values of cells to `zero`; null once a sum is out of range. */
function sumOf<T>(
  zero: T,
  read: (cell: Value) => T,
  add: (sum: T, value: T) => T | null,
  write: (sum: T) => SQLInputValue,
): SqlAggregate<Sum<T>> {
  return {
    step: ({ sum } = { sum: zero }, cell) => ({ sum: sum === null ? null : add(sum, read(cell)) }),
    result: ({ sum }) => (sum === null ? null : write(sum)),
  };
}

const DECIMAL_SUM = sumOf<ScaledDecimal>(
  { scaled: 0, scale: 0 },
  (cell) => toScaledDecimal(toDecimal(cell)),
  (sum, value) => computeDecimals("add", sum, value),
  fromScaledDecimal,
);
const DURATION_SUM = sumOf<string>("PT0S", toDuration, addDurations, (sum) => sum);

/** @param direction 1: the least key; -1: the greatest */
function cellOf(direction: 1 | -1): SqlAggregate<Keyed> {
  return {
    step: (state, key, cell) => {
      if (state === undefined) return { key, cell };
      const order = key < state.key ? -1 : Number(key > state.key);
      return order * direction < 0 ? { key, cell } : state;
    },
    result: ({ cell }) => cell,
  };
}

/** `DatabaseSync`, whose declaration knows only states that are values of SQLite. */
interface Aggregating {
  aggregate(
    name: string,
    options: {
      readonly deterministic: boolean;
      readonly useBigIntArguments: boolean;
      readonly varargs: boolean;
      readonly start: () => unknown;
      readonly step: (state: unknown, ...values: SQLOutputValue[]) => unknown;
      readonly result: (state: unknown) => SQLInputValue;
    },
  ): void;
}

/**
 * Registers aggregates on a connection. A key is text or a number, which sorts like its value.
 *
 * - `odata_decimal_sum(a)`: the exact sum of Decimals; null beyond the digits of a Decimal.
 * - `odata_duration_sum(a)`: the sum of durations; null if it is out of range.
 * - `odata_least(key, cell)`, `odata_greatest(key, cell)`: the cell with the least or the greatest key.
 */
export function registerAggregates(database: DatabaseSync): void {
  register(database, "odata_decimal_sum", DECIMAL_SUM);
  register(database, "odata_duration_sum", DURATION_SUM);
  register(database, "odata_least", cellOf(1));
  register(database, "odata_greatest", cellOf(-1));
}

function register<State>(database: Aggregating, name: string, aggregate: SqlAggregate<State>): void {
  database.aggregate(name, {
    deterministic: true,
    useBigIntArguments: true,
    // SQLite would read the number of arguments from the function.
    varargs: true,
    start: () => undefined,
    // `step` returned each state.
    step: (state, value = null, other = null) =>
      value === null ? state : aggregate.step(state as State | undefined, value, other),
    result: (state) => (state === undefined ? null : aggregate.result(state as State)),
  });
}
