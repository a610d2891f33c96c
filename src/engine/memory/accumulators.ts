import { assertNever } from "../../base/required.ts";
import {
  averageDecimal,
  computeDecimals,
  fromScaledDecimal,
  type ScaledDecimal,
  toScaledDecimal,
} from "../../edm/decimal-arithmetic.ts";
import { totalSecondsOf } from "../../edm/duration.ts";
import { shownValueOf } from "../../edm/shown-value.ts";
import { multiplyDuration } from "../../edm/temporal-arithmetic.ts";
import { asNumber, asText, type PrimitiveValue } from "../../edm/value-codec.ts";
import { averageScale } from "../../language/query/average-scale.ts";
import type { Aggregate } from "../../language/query/clauses.ts";
import { areOwned, isEach } from "../../language/query/each-item.ts";
import type { ScalarType } from "../../language/query/expression.ts";
import { keyOrder } from "./compare.ts";
import { equalityText } from "./equality-text.ts";

/** The state of one aggregate of one group. */
export interface Accumulator {
  /** Adds the value of a row or item, which is not null. @param item identifies the item; absent: each value counts */
  add(value: PrimitiveValue, item?: string): void;
  /** Returns the aggregate of the values so far. */
  result(): PrimitiveValue | null;
}

/** Counts the characters that groups keep. @throws ODataError above the limit */
export type SpendText = (length: number) => void;

/**
 * Returns the maker of the accumulators of an aggregate.
 * @param aggregate its operand has the type that its method requires
 * @see docs/reference/apply.md
 */
export function accumulatorOf(aggregate: Aggregate): (spendText: SpendText) => Accumulator {
  const { expression } = aggregate;
  const make = makerOf(aggregate);
  if (!isEach(expression) || areOwned(expression)) return make;
  return (spendText) => new EachOnce(make(spendText), spendText);
}

function makerOf(aggregate: Aggregate): (spendText: SpendText) => Accumulator {
  const { method, expression } = aggregate;
  if (method === "count") return () => new RowCount();
  const type = expression === null ? null : expression.type;
  if (type === null) return method === "countdistinct" ? () => new RowCount() : () => NO_VALUES;
  if (type.kind !== "PrimitiveType" && type.kind !== "EnumType") throw new Error(`${type.name} has no aggregates.`);
  switch (method) {
    case "countdistinct": {
      const textOf = equalityText(type);
      return (spendText) => new DistinctCount(textOf, spendText);
    }
    case "min":
    case "max":
      return () => new Extreme(type, aggregate);
    case "sum":
    case "average":
      return totalOf(aggregate, type);
    default:
      return assertNever(method);
  }
}

/** For the literal null, whose rows are left out. */
const NO_VALUES: Accumulator = Object.freeze({ add: () => undefined, result: () => null });

/** Adds the value of each item once. */
class EachOnce implements Accumulator {
  readonly #values: Accumulator;
  readonly #spendText: SpendText;
  readonly #items = new Set<string>();

  constructor(values: Accumulator, spendText: SpendText) {
    this.#values = values;
    this.#spendText = spendText;
  }

  add(value: PrimitiveValue, item: string): void {
    if (this.#items.has(item)) return;
    this.#spendText(item.length);
    this.#items.add(item);
    this.#values.add(value);
  }

  result(): PrimitiveValue | null {
    return this.#values.result();
  }
}

/** The number of rows, a Decimal without fraction. */
class RowCount implements Accumulator {
  #count = 0;

  add(): void {
    this.#count += 1;
  }

  result(): string {
    return String(this.#count);
  }
}

/** The number of different values. */
class DistinctCount implements Accumulator {
  readonly #texts = new Set<string>();
  readonly #textOf: (value: PrimitiveValue) => string;
  readonly #spendText: SpendText;

  constructor(textOf: (value: PrimitiveValue) => string, spendText: SpendText) {
    this.#textOf = textOf;
    this.#spendText = spendText;
  }

  add(value: PrimitiveValue): void {
    const text = this.#textOf(value);
    if (this.#texts.has(text)) return;
    this.#spendText(text.length);
    this.#texts.add(text);
  }

  result(): string {
    return String(this.#texts.size);
  }
}

/** The first of the least or greatest values in the order of `$orderby`. */
class Extreme implements Accumulator {
  readonly #keys: ReturnType<typeof keyOrder>;
  readonly #shown: ReturnType<typeof shownValueOf>;
  readonly #sign: 1 | -1;
  #value: PrimitiveValue | null = null;

  constructor(type: ScalarType, { property, method }: Aggregate) {
    this.#keys = keyOrder(type);
    this.#shown = shownValueOf(property);
    this.#sign = method === "min" ? 1 : -1;
  }

  add(value: PrimitiveValue): void {
    const { noteKey, order } = this.#keys;
    noteKey(value);
    if (this.#value === null || order(value, this.#value) * this.#sign < 0) this.#value = value;
  }

  result(): PrimitiveValue | null {
    return this.#value === null ? null : (this.#shown?.(this.#value) ?? this.#value);
  }
}

/** How the values of a type are added, and how their sum or average is made. */
interface SumKind<Sum> {
  readonly zero: Sum;
  /** Returns null for a sum beyond the digits that a Decimal may have. */
  readonly add: (sum: Sum, value: PrimitiveValue) => Sum | null;
  /** @param count the number of added values, at least 1 */
  readonly toResult: (sum: Sum, count: number) => PrimitiveValue | null;
}

/** The sum of the values in the order of the rows, or their average. */
class Total<Sum> implements Accumulator {
  readonly #kind: SumKind<Sum>;
  #sum: Sum | null;
  #count = 0;

  constructor(kind: SumKind<Sum>) {
    this.#kind = kind;
    this.#sum = kind.zero;
  }

  add(value: PrimitiveValue): void {
    this.#count += 1;
    if (this.#sum !== null) this.#sum = this.#kind.add(this.#sum, value);
  }

  result(): PrimitiveValue | null {
    return this.#sum === null || this.#count === 0 ? null : this.#kind.toResult(this.#sum, this.#count);
  }
}

function totalOf(aggregate: Aggregate, { name }: ScalarType): () => Accumulator {
  const isSum = aggregate.method === "sum";
  switch (name) {
    case "Edm.Single":
    case "Edm.Double":
      return () => new Total(isSum ? SUM_OF_DOUBLES : AVERAGE_OF_DOUBLES);
    case "Edm.Duration": {
      const toResult: ExactKind["toResult"] = (sum, count) =>
        durationOf(isSum ? fromScaledDecimal(sum) : averageDecimal(sum, count, DURATION_SCALE));
      return exactTotal((value) => toScaledDecimal(totalSecondsOf(asText(value))), toResult);
    }
    case "Edm.Decimal": {
      const scale = averageScale(aggregate);
      const shown = shownValueOf(aggregate.property);
      const toResult: ExactKind["toResult"] = (sum, count) =>
        isSum ? (shown?.(fromScaledDecimal(sum)) ?? null) : averageDecimal(sum, count, scale);
      return exactTotal((value) => toScaledDecimal(asText(value)), toResult);
    }
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
      return exactTotal(toInteger, ({ scaled }, count) => (isSum ? BigInt(scaled) : Number(scaled) / count));
    case "Edm.Int64":
      return exactTotal(toInteger, ({ scaled }, count) => (isSum ? String(scaled) : Number(scaled) / count));
    default:
      throw new Error(`Values of ${name} have no sum.`);
  }
}

const SUM_OF_DOUBLES: SumKind<number> = {
  zero: 0,
  add: (sum, value) => sum + asNumber(value),
  // As arithmetic, which has no result that is not a number.
  toResult: (sum) => (Number.isNaN(sum) ? null : sum),
};
const AVERAGE_OF_DOUBLES: SumKind<number> = {
  ...SUM_OF_DOUBLES,
  toResult: (sum, count) => (Number.isNaN(sum) ? null : sum / count),
};

type ExactKind = SumKind<ScaledDecimal>;

/** Makes exact sums, and averages that are rounded once. */
function exactTotal(
  toDecimal: (value: PrimitiveValue) => ScaledDecimal,
  toResult: ExactKind["toResult"],
): () => Accumulator {
  const kind: ExactKind = {
    zero: { scaled: 0, scale: 0 },
    add: (sum, value) => computeDecimals("add", sum, toDecimal(value)),
    toResult,
  };
  return () => new Total(kind);
}

const DURATION_SCALE = 12;

function durationOf(seconds: string | null): string | null {
  return seconds === null ? null : multiplyDuration("PT1S", seconds);
}

function toInteger(value: PrimitiveValue): ScaledDecimal {
  return { scaled: typeof value === "bigint" ? value : asNumber(value), scale: 0 };
}
