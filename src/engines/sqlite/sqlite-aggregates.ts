import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import {
  computeDecimals,
  fromScaledDecimal,
  toScaledDecimal,
  type ScaledDecimal,
} from "../../edm/decimal-arithmetic.ts";
import { addDurations } from "../../edm/temporal-arithmetic.ts";
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

const DECIMAL_SUM: SqlAggregate<Sum<ScaledDecimal>> = {
  step: (state, value) => {
    const added = toScaledDecimal(toDecimal(value));
    if (state === undefined) return { sum: added };
    return { sum: state.sum === null ? null : computeDecimals("add", state.sum, added) };
  },
  result: ({ sum }) => (sum === null ? null : fromScaledDecimal(sum)),
};

const DURATION_SUM: SqlAggregate<Sum<string>> = {
  step: (state, value) => {
    const added = toDuration(value);
    if (state === undefined) return { sum: addDurations("PT0S", added) };
    return { sum: state.sum === null ? null : addDurations(state.sum, added) };
  },
  result: ({ sum }) => sum,
};

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
  register(database, "odata_decimal_sum", DECIMAL_SUM, 1);
  register(database, "odata_duration_sum", DURATION_SUM, 1);
  register(database, "odata_least", cellOf(1), 2);
  register(database, "odata_greatest", cellOf(-1), 2);
}

/** @param width the number of its arguments, which SQLite reads from the function */
function register<State>(database: Aggregating, name: string, aggregate: SqlAggregate<State>, width: 1 | 2): void {
  // Each state is one that `step` returned.
  const next = (state: unknown, value: SQLOutputValue, other: SQLOutputValue): unknown =>
    value === null ? state : aggregate.step(state as State | undefined, value, other);
  const step =
    width === 1
      ? (state: unknown, value: SQLOutputValue): unknown => next(state, value, null)
      : (state: unknown, value: SQLOutputValue, other: SQLOutputValue): unknown => next(state, value, other);
  database.aggregate(name, {
    deterministic: true,
    useBigIntArguments: true,
    start: () => undefined,
    step,
    result: (state) => (state === undefined ? null : aggregate.result(state as State)),
  });
}
