import type { Random } from "../random.ts";
import type { KnownOrder } from "./ledger.ts";
import { FIXED_ROWS } from "./soak-model.ts";

const NOTES = ['Leave it at the "back" door', "Vor 10 Uhr\nklingeln", "東京 😀", "", null] as const;
const LONG = "x".repeat(5000);
/** Orders have as many lines at most. */
const MOST_LINES = 8;

/** Makes the values of a new order. */
export function makeOrder(random: Random, owner: number, number: string, lines: number): KnownOrder {
  const tags = lines === 0 ? [] : [`tag${String(1 + random.below(FIXED_ROWS.tags))}`];
  return {
    ...makeValues(random),
    Owner: owner,
    Number: number,
    Placed: `2024-0${String(1 + random.below(9))}-1${String(random.below(10))}T12:30:00.${String(100 + random.below(900))}Z`,
    lines: Array.from({ length: lines }, (_none, index) => `${number}:${String(index)}`),
    tags,
  };
}

/** Draws the number of lines of a deep insert. */
export function drawLines(random: Random): number {
  return 1 + random.below(MOST_LINES);
}

/** Makes the values of a change. */
export function makeValues(random: Random): Pick<KnownOrder, "CustomerId" | "Total" | "Note"> {
  return {
    CustomerId: random.below(4) === 0 ? null : 1 + random.below(FIXED_ROWS.customers),
    Total: random.below(5) === 0 ? null : random.below(1_000_000) / 100,
    Note: random.below(20) === 0 ? LONG : random.pick(NOTES),
  };
}

/** The body that creates an order with its lines. Tags are linked later: a deep insert would create them. */
export function toBody({ lines, tags: _tags, ...values }: KnownOrder): object {
  return lines.length === 0 ? values : { ...values, Lines: lines.map((Text, Position) => ({ Position, Text })) };
}
