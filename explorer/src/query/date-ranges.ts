import { dayAfter, dayOf, daysOf, instantsOf, isMidnight, type Zone } from "../format/zone.ts";
import type { PropertyType } from "../model/model.ts";
import { condition, type FilterCondition } from "./filter-tree.ts";
import { literalText, toLiteral } from "./literals.ts";

/** The first and the last value of a range, both included, as a person types them; empty where there is none. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/**
 * Reads the conditions on a property as a range; null if they mean something else. Whole days of instants are half-open ranges.
 * @param zone that in which instants are shown; null for other types
 */
export function readRange(conditions: readonly FilterCondition[], zone: Zone | null): Range | null {
  let [from, to] = ["", ""];
  for (const { operator, values, isNegated } of conditions) {
    const text = literalText(values[0] ?? "");
    const day = zone !== null && isMidnight(text, zone) ? dayOf(new Date(text), zone) : null;
    const start = zone === null ? text : day;
    if (isNegated || start === null || text === "null") return null;
    if (operator === "ge" && from === "") from = start;
    else if (operator === "le" && zone === null && to === "") to = start;
    else if (operator === "lt" && zone !== null && to === "") to = dayAfter(start, "day", -1);
    else if (operator === "eq" && zone === null && conditions.length === 1) [from, to] = [start, start];
    else return null;
  }
  return { from, to };
}

/** Writes a range as conditions: of instants, those of whole days. */
export function writeRange(
  path: string,
  { from, to }: Range,
  type: PropertyType,
  zone: Zone | null,
): readonly FilterCondition[] {
  const [first, last] =
    zone === null ? [from, to] : [from && instantsOf(from, from, zone)[0], to && instantsOf(to, to, zone)[1]];
  const bounds = [
    ["ge", first],
    [zone === null ? "le" : "lt", last],
  ] as const;
  return bounds.flatMap(([operator, text]) =>
    text === "" ? [] : [condition(path, operator, [toLiteral(text, type)])],
  );
}

/** Returns the ranges of days that people name, around a day. */
export function namedRanges(today: string): readonly (readonly [name: string, Range])[] {
  const units = ["week", "month", "year"] as const;
  return [
    ["Today", { from: today, to: today }],
    ...units.map((unit): readonly [string, Range] => {
      const [from, to] = daysOf(unit, today);
      return [`This ${unit}`, { from, to }];
    }),
    ["Last 30 days", { from: dayAfter(today, "day", -29), to: today }],
  ];
}
