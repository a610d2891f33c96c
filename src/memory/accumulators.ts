import { assertNever } from "../base/required.ts";
import {
  averageDecimal,
  computeDecimals,
  fromScaledDecimal,
  type ScaledDecimal,
  toScaledDecimal,
} from "../edm/decimal-arithmetic.ts";
import { withoutFinalZeros } from "../edm/decimal.ts";
import { totalSecondsOf } from "../edm/duration.ts";
import { shownValueOf } from "../edm/shown-value.ts";
import { multiplyDuration } from "../edm/temporal-arithmetic.ts";
import { asNumber, asText, type PrimitiveValue } from "../edm/value-codec.ts";
import { averageScale } from "../query/average-scale.ts";
import type { Aggregate } from "../query/clauses.ts";
import type { ScalarType } from "../query/expression.ts";
import { keyOrder } from "./compare.ts";
import { equalityText } from "./equality-text.ts";

/** The state of one aggregate of one group. */
export interface Accumulator {
  /** Adds the value of a row, which is not null. */
  add(value: PrimitiveValue): void;
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
      return () => new Extreme(type, 1);
    case "max":
      return () => new Extreme(type, -1);
    case "sum":
    case "average":
      return isFloat(type) ? () => new FloatSum(method) : exactSumOf(aggregate, type);
    default:
      return assertNever(method);
  }
}

/** For the literal null, whose rows are left out. */
const NO_VALUES: Accumulator = Object.freeze({ add: () => undefined, result: () => null });

function isFloat({ name }: ScalarType): boolean {
  return name === "Edm.Double" || name === "Edm.Single";
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

  constructor(type: ScalarType, sign: 1 | -1) {
    this.#keys = keyOrder(type);
    this.#shown = shownValueOf(type);
    this.#sign = sign;
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

/** A sum of floating-point numbers in the order of the rows, or their average. */
class FloatSum implements Accumulator {
  readonly #method: "sum" | "average";
  #sum = 0;
  #count = 0;

  constructor(method: "sum" | "average") {
    this.#method = method;
  }

  add(value: PrimitiveValue): void {
    this.#sum += asNumber(value);
    this.#count += 1;
  }

  result(): number | null {
    // As arithmetic, which has no result that is not a number.
    if (this.#count === 0 || Number.isNaN(this.#sum)) return null;
    return this.#method === "sum" ? this.#sum : this.#sum / this.#count;
  }
}

/** How exact sums of a type are made. */
interface ExactKind {
  readonly toDecimal: (value: PrimitiveValue) => ScaledDecimal;
  /** @param count the number of added values, at least 1 */
  readonly toResult: (sum: ScaledDecimal, count: number) => PrimitiveValue | null;
}

function exactSumOf(aggregate: Aggregate, type: ScalarType): () => Accumulator {
  const kind = exactKindOf(aggregate, type);
  return () => new ExactSum(kind);
}

function exactKindOf(aggregate: Aggregate, { name }: ScalarType): ExactKind {
  const isSum = aggregate.method === "sum";
  switch (name) {
    case "Edm.Duration":
      return {
        toDecimal: (value) => toScaledDecimal(totalSecondsOf(asText(value))),
        toResult: (sum, count) =>
          isSum
            ? multiplyDuration(ONE_SECOND, fromScaledDecimal(sum))
            : durationOf(averageDecimal(sum, count, DURATION_SCALE)),
      };
    case "Edm.Decimal": {
      const scale = averageScale(aggregate);
      return {
        toDecimal: (value) => toScaledDecimal(asText(value)),
        toResult: (sum, count) =>
          isSum ? withoutFinalZeros(fromScaledDecimal(sum)) : averageDecimal(sum, count, scale),
      };
    }
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
      return {
        toDecimal: toInteger,
        toResult: ({ scaled }, count) => (isSum ? BigInt(scaled) : Number(scaled) / count),
      };
    case "Edm.Int64":
      return {
        toDecimal: toInteger,
        toResult: ({ scaled }, count) => (isSum ? String(scaled) : Number(scaled) / count),
      };
    default:
      throw new Error(`Values of ${name} have no sum.`);
  }
}

const ONE_SECOND = "PT1S";
const DURATION_SCALE = 12;

function durationOf(seconds: string | null): string | null {
  return seconds === null ? null : multiplyDuration(ONE_SECOND, seconds);
}

function toInteger(value: PrimitiveValue): ScaledDecimal {
  return { scaled: typeof value === "bigint" ? value : asNumber(value), scale: 0 };
}

/** An exact sum, or an average that is rounded once. Null beyond the digits that a Decimal may have. */
class ExactSum implements Accumulator {
  readonly #kind: ExactKind;
  #sum: ScaledDecimal | null = { scaled: 0, scale: 0 };
  #count = 0;

  constructor(kind: ExactKind) {
    this.#kind = kind;
  }

  add(value: PrimitiveValue): void {
    this.#count += 1;
    if (this.#sum !== null) this.#sum = computeDecimals("add", this.#sum, this.#kind.toDecimal(value));
  }

  result(): PrimitiveValue | null {
    return this.#sum === null || this.#count === 0 ? null : this.#kind.toResult(this.#sum, this.#count);
  }
}
