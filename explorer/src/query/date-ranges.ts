import { dayAfter, dayOf, daysOf, instantsOf, isMidnight, type Zone } from "../format/zone.ts";
import { condition, type FilterCondition } from "./filter-tree.ts";

/** The first and the last day, both included; empty where there is none. */
type Range = Readonly<Record<"from" | "to", string>>;

/**
 * Reads the conditions on a property as days; null if they mean something else. Days of instants are half-open ranges.
 * @param zone that in which instants are shown; null for dates
 */
export function readRange(conditions: readonly FilterCondition[], zone: Zone | null): Range | null {
  let [from, to] = ["", ""];
  for (const { operator, values, isNegated } of conditions) {
    const [text = ""] = values;
    const isDay = zone === null ? text !== "null" : isMidnight(text, zone);
    const day = zone !== null && isDay ? dayOf(new Date(text), zone) : text;
    if (isNegated || !isDay) return null;
    if (operator === "ge" && from === "") from = day;
    else if (operator === "le" && zone === null && to === "") to = day;
    else if (operator === "lt" && zone !== null && to === "") to = dayAfter(day, "day", -1);
    else return null;
  }
  return { from, to };
}

/** Writes days as conditions. */
export function writeRange(path: string, { from, to }: Range, zone: Zone | null): readonly FilterCondition[] {
  const first = zone === null || from === "" ? from : instantsOf(from, from, zone)[0];
  const last = zone === null || to === "" ? to : instantsOf(to, to, zone)[1];
  const bounds = [condition(path, "ge", [first]), condition(path, zone === null ? "le" : "lt", [last])];
  return bounds.filter(({ values }) => values[0] !== "");
}

/** Returns the ranges of days that people name, around a day. */
export function namedRanges(today: string): readonly (readonly [name: string, Range])[] {
  const ranges = (["week", "month", "year"] as const).map((unit) => [`This ${unit}`, daysOf(unit, today)] as const);
  const all = [["Today", [today, today]], ...ranges, ["Last 30 days", [dayAfter(today, "day", -29), today]]] as const;
  return all.map(([name, [from, to]]) => [name, { from, to }]);
}
