import type { Kind } from "./relations-graph.ts";

/** Arithmetic of a client on the values of responses with `IEEE754Compatible=true`: exact, without floating-point sums. */

/** A value of a response: numbers of the types Int64 and Decimal are strings. */
export type Value = string | number | boolean | null;

/** The operand of an aggregate: its kind, and how `average` rounds. */
export interface Operand {
  readonly kind: Kind;
  /** The digits of an average after the point; null: it is a Double. */
  readonly averageScale: number | null;
}

/** A number without a rounding error: digits × 10⁻ˢᶜᵃˡᵉ. */
interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

function exactOf(value: Value): Exact {
  const [whole = "0", fraction = ""] = String(value).split(".");
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

function scaled({ digits, scale }: Exact, to: number): bigint {
  return digits * 10n ** BigInt(to - scale);
}

function textOf({ digits, scale }: Exact): string {
  const positive = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const text = scale === 0 ? positive : `${positive.slice(0, -scale)}.${positive.slice(-scale)}`.replace(/\.?0+$/u, "");
  return digits < 0n && text !== "0" ? `-${text}` : text;
}

function sumOf(values: readonly Value[]): Exact {
  const all = values.map(exactOf);
  const scale = Math.max(0, ...all.map((each) => each.scale));
  return { digits: all.reduce((sum, each) => sum + scaled(each, scale), 0n), scale };
}

/** Divides, and rounds half away from zero. */
function quotient({ digits, scale }: Exact, count: number, to: number): Exact {
  const [dividend, divisor] = [
    digits * 10n ** BigInt(Math.max(0, to - scale)),
    BigInt(count) * 10n ** BigInt(Math.max(0, scale - to)),
  ];
  const sign = dividend < 0n ? -1n : 1n;
  return { digits: sign * ((2n * sign * dividend + divisor) / (2n * divisor)), scale: to };
}

const SIZES: Readonly<Record<string, number>> = { Small: 5, Large: 1 };
const EXACT: ReadonlySet<Kind> = new Set(["integer", "decimal"]);

/** Compares two values in ascending order. */
function compare(kind: Kind, left: Value, right: Value): number {
  if (EXACT.has(kind)) {
    const [one, other] = [exactOf(left), exactOf(right)];
    const scale = Math.max(one.scale, other.scale);
    const difference = scaled(one, scale) - scaled(other, scale);
    return difference === 0n ? 0 : Number(difference > 0n) * 2 - 1;
  }
  if (kind === "double") return Number(left) - Number(right);
  if (kind === "size") return (SIZES[String(left)] ?? 0) - (SIZES[String(right)] ?? 0);
  if (kind === "instant") return Date.parse(String(left)) - Date.parse(String(right));
  return Buffer.compare(Buffer.from(String(left), "utf8"), Buffer.from(String(right), "utf8"));
}

/** Returns a value in a form that is the same for equal values. */
export function plainValue(kind: Kind, value: Value): string {
  if (value === null) return "null";
  if (EXACT.has(kind)) return textOf(exactOf(value));
  return kind === "instant" ? String(Date.parse(String(value))) : String(value);
}

/** Aggregates values of a kind. @returns the result in the form of `plainValue` */
export function aggregate(method: string, { kind, averageScale }: Operand, all: readonly Value[]): string {
  const values = all.filter((value) => value !== null);
  const [first] = values;
  if (method === "countdistinct") return String(new Set(values.map((value) => plainValue(kind, value))).size);
  if (first === undefined) return "null";
  switch (method) {
    case "sum":
      // The doubles of the rows are multiples of a half.
      return kind === "double"
        ? String(values.reduce<number>((sum, each) => sum + Number(each), 0))
        : textOf(sumOf(values));
    case "average": {
      if (averageScale !== null) return textOf(quotient(sumOf(values), values.length, averageScale));
      const sum =
        kind === "double" ? values.reduce<number>((all, each) => all + Number(each), 0) : Number(textOf(sumOf(values)));
      return String(sum / values.length);
    }
    case "min":
    case "max": {
      const sign = method === "min" ? -1 : 1;
      const end = values.reduce((found, each) => (sign * compare(kind, each, found) > 0 ? each : found), first);
      return plainValue(kind, end);
    }
    default:
      throw new Error(`There is no method ${method}.`);
  }
}
