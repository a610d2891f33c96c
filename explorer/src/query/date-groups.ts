import type { ComputedSyntax, MemberSyntax } from "../../../src/language/syntax/ast.ts";
import type { TokenList } from "../../../src/language/syntax/token.ts";
import { FIRST_MONDAY } from "../format/period.ts";
import { type CalendarUnit, isDate } from "../format/zone.ts";
import type { PropertyType, StructuredType } from "../model/model.ts";
import { memberAt } from "./resolve-type.ts";
import { nodesIn, pathOf, textOf } from "./syntax.ts";

/** A group by the period that contains a date. The service computes it in UTC, as a number or date with a name. */
export interface DateGroup {
  readonly path: string;
  readonly unit: CalendarUnit;
  readonly alias: string;
  /** The values of the path: dates, instants in UTC, or instants with any offset. */
  readonly of: "date" | "utc" | "instant";
}

export const UNITS = ["year", "quarter", "month", "week", "day"] as const satisfies readonly CalendarUnit[];

const EPOCH = "1970-01-01T00:00:00Z";

/** Makes a group by the periods of a property. */
export function dateGroup(path: string, type: PropertyType | null, unit: CalendarUnit, alias: string): DateGroup {
  const isUtc = type?.kind === "primitive" && type.timezone === "UTC";
  const ofInstants = isUtc ? "utc" : "instant";
  return { path, unit, alias, of: isDate(type) ? "date" : ofInstants };
}

/** Returns the type of the values of a group that a service makes; null if the model does not have its property. */
export function periodType(owner: StructuredType, { path, unit }: DateGroup): PropertyType | null {
  const type = memberAt(owner, path)?.property?.type;
  return type?.kind === "primitive" ? { ...type, timezone: "UTC", period: unit } : null;
}

/** Writes the text of a group within `compute`. */
export function writeDateGroup({ path, unit, alias, of }: DateGroup): string {
  // An instant keeps the offset of the first operand.
  const value = of === "instant" ? `(${EPOCH} add (${path} sub ${EPOCH}))` : path;
  const monday = FIRST_MONDAY + (of === "date" ? "" : "T00:00:00Z");
  const expression = {
    year: `year(${value})`,
    quarter: `year(${value}) mul 10 add (month(${value}) add 2) div 3`,
    month: `year(${value}) mul 100 add month(${value})`,
    week: `floor(totalseconds(${path} sub ${monday}) div ${7 * 86_400})`,
    day: `date(${value})`,
  }[unit];
  return `${expression} as ${alias}`;
}

/** Reads an item of `compute` as a group; null for other items. */
export function readDateGroup(
  { expression, alias: { name: alias } }: ComputedSyntax,
  list: TokenList,
): DateGroup | null {
  const member = nodesIn(expression).find((each): each is MemberSyntax => "kind" in each && each.kind === "member");
  const path = member === undefined ? null : pathOf(member);
  if (path === null) return null;
  const text = `${textOf(expression, list)} as ${alias}`;
  const forms = UNITS.flatMap((unit) => (["utc", "instant", "date"] as const).map((of) => ({ path, unit, alias, of })));
  return forms.find((each) => writeDateGroup(each) === text) ?? null;
}
