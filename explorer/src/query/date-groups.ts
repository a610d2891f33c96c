import type { ComputedSyntax, MemberSyntax } from "../../../src/language/syntax/ast.ts";
import type { TokenList } from "../../../src/language/syntax/token.ts";
import type { CalendarUnit } from "../format/zone.ts";
import { nodesIn, pathOf, textOf } from "./syntax.ts";

/** A group by the period that contains a date. The service computes it in UTC, as a number or date with a name. */
export interface DateGroup {
  readonly path: string;
  readonly unit: CalendarUnit;
  readonly alias: string;
  /** Whether all values of the path are in UTC; others are moved there first. */
  readonly isUtc: boolean;
}

export const UNITS = ["year", "quarter", "month", "week", "day"] as const satisfies readonly CalendarUnit[];

/** Writes the text of a group within `compute`. */
export function writeDateGroup({ path, unit, alias, isUtc }: DateGroup): string {
  return `${expressionOf(isUtc ? path : `(${EPOCH} add (${path} sub ${EPOCH}))`, unit)} as ${alias}`;
}

const EPOCH = "1970-01-01T00:00:00Z";

/** A year begins in March here, so that the day that some years lack is its last one. Day 0 is 0000-03-01, a Wednesday. */
function expressionOf(value: string, unit: CalendarUnit): string {
  const [year, month] = [`year(${value})`, `month(${value})`];
  const own = `(${year} sub 1 add (${month} add 9) div 12)`;
  const days = `365 mul ${own} add ${own} div 4 sub ${own} div 100 add ${own} div 400`;
  switch (unit) {
    case "year":
      return year;
    case "quarter":
      return `${year} mul 10 add (${month} add 2) div 3`;
    case "month":
      return `${year} mul 100 add ${month}`;
    case "week":
      return `(${days} add (153 mul ((${month} add 9) mod 12) add 2) div 5 add day(${value}) add 1) div 7`;
    case "day":
      return `date(${value})`;
  }
}

/** Reads an item of `compute` as a group; null for other items. */
export function readDateGroup({ expression, alias }: ComputedSyntax, list: TokenList): DateGroup | null {
  const member = nodesIn(expression).find((each): each is MemberSyntax => "kind" in each && each.kind === "member");
  const path = member === undefined ? null : pathOf(member);
  if (path === null) return null;
  const text = `${textOf(expression, list)} as ${alias.name}`;
  const forms = UNITS.flatMap((unit) => [true, false].map((isUtc) => ({ path, unit, alias: alias.name, isUtc })));
  return forms.find((each) => writeDateGroup(each) === text) ?? null;
}
