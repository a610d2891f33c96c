import { valueAt } from "../../format/csv.ts";
import { isNumeric } from "../../format/show-value.ts";
import { dayOf } from "../../format/zone.ts";
import type { StructuredType } from "../../model/model.ts";
import { condition, type FilterCondition, type FilterNode, filterOf } from "../../query/filter-tree.ts";
import { limitsOf, rowSteps, stepsOf } from "../../query/limits.ts";
import { toLiteral } from "../../query/literals.ts";
import { memberAt, type ResolvedPath } from "../../query/resolve-type.ts";
import type { View } from "../../state/view.ts";
import type { Column, Row } from "./columns.ts";

/** The values of a column, and how often they occur, among the rows that a query chooses. */
export type Summary = Awaited<ReturnType<typeof readSummary>>;

/** A value, or a range of values, with its rows, and the conditions that choose them. */
export interface Counted {
  readonly value: unknown;
  /** The end of a range. */
  readonly until?: unknown;
  /** The row of the group, with the label of a related entity. */
  readonly row: Row;
  readonly count: number;
  readonly conditions: readonly FilterCondition[];
}

/** The column that is summed up. */
export type SummedColumn = NonNullable<ReturnType<typeof summedColumn>>;

/** Returns a column for the requests; null where the set permits none. */
export function summedColumn({ type: owner, set }: ResolvedPath, column: Column) {
  const { name: path, type, isIdentifier, navigation, label } = column;
  const can = set?.abilities;
  const isSingle = memberAt(owner, path)?.property?.isCollection === false && type !== null && type.kind !== "complex";
  if (!isSingle || can?.canApply !== true || !can.canCount) return null;
  const labels = label.map(({ name }) => `${navigation?.name ?? ""}/${name}`).filter((each) => can.groupable(each));
  const canGroup = can.groupable(path) && can.canSort;
  return { owner, path, type, isIdentifier, labels, methods: can.methodsOf(path), canGroup };
}

/** Ranges of a histogram are few: a service permits 20 steps. */
const [MOST_VALUES, MOST_RANGES] = [10, 6];

/**
 * Reads the summary of a column with two requests at most: first how many different values there are, then the most frequent
 * ones, unless each is different, and how many are in each part of their range.
 * @param ask reads the rows of some steps of `$apply`, all of them in one request
 */
export async function readSummary(column: SummedColumn, ask: (parallel: readonly string[]) => Promise<readonly Row[]>) {
  const { path, type, methods, canGroup, labels } = column;
  const name = namesFor(column.owner);
  const totals = ["countdistinct", "min", "max"].filter((each) => methods.includes(each));
  const count = `$count as ${name("Rows")}`;
  const first = await ask([
    `aggregate(${[count, ...totals.map((each) => `${path} with ${each} as ${name(each)}`)].join(",")})`,
    `filter(${path} eq null)/aggregate($count as ${name("Empty")})`,
  ]);
  const total = (rows: readonly Row[], alias: string): unknown =>
    rows.map((row) => row[name(alias)]).find((value) => (value ?? null) !== null) ?? null;
  const numberOf = (alias: string): number => Number(total(first, alias));
  const [rows, empty, different] = [numberOf("Rows"), numberOf("Empty"), numberOf("countdistinct")];
  const [least, greatest] = [total(first, "min"), total(first, "max")];
  const edges = different <= MOST_VALUES ? [] : edgesOf(column, least, greatest);
  const ranges = edges.map((edge, at) => rangeOf(column, at === 0 && edges.length > 1 ? null : edge, edges[at + 1]));
  const groups = `groupby((${[path, ...labels].join(",")}),aggregate(${count}))/topcount(${MOST_VALUES},${name("Rows")})`;
  const steps = ranges.map((each, at) => `filter(${filterOf(each)})/aggregate($count as ${name(`Range${at}`)})`);
  const asked = [...(canGroup && different < rows - empty ? [groups] : []), ...steps];
  const second = asked.length === 0 ? [] : await ask(asked);
  const values = second.flatMap((row): readonly Counted[] => {
    const value = valueAt(row, path.split("/")) ?? null;
    // NaN equals nothing.
    const conditions = value === "NaN" ? [] : [condition(path, "eq", [toLiteral(value, type)])];
    const rowCount = row[name("Rows")] ?? null;
    return rowCount === null ? [] : [{ value, row, count: Number(rowCount), conditions }];
  });
  return {
    rows,
    empty,
    different,
    least,
    greatest,
    values: values.toSorted((a, b) => b.count - a.count),
    ranges: ranges.map((conditions, at) => {
      const range = { value: edges[at], until: edges[at + 1] ?? greatest, row: {}, conditions };
      return { ...range, count: Number(total(second, `Range${at}`)) };
    }),
  };
}

/** Adds conditions to those under which a summary was made: its numbers are those of the rows that meet both. */
export function withConditions(all: readonly FilterNode[], picked: readonly FilterCondition[]): readonly FilterNode[] {
  const texts = new Set(all.map((each) => filterOf([each])));
  return [...all, ...picked.filter((each) => !texts.has(filterOf([each])))];
}

/** Returns the steps that choose the rows of a summary: those of the query, or those before its groups. */
export function summarySteps(options: View["options"]): readonly string[] {
  return (options.get("$apply") ?? "") === "" ? rowSteps(options) : stepsOf(limitsOf(options));
}

/** No column may have the name of a property. */
function namesFor({ properties, navigations }: StructuredType): (word: string) => string {
  const taken = [...properties.keys(), ...navigations.keys()];
  let prefix = "Summary";
  while (taken.some((each) => each.startsWith(prefix))) prefix += "_";
  return (word) => prefix + word;
}

/** Returns where the parts of a range begin: at round numbers, whole days, or instants of one distance. */
function edgesOf({ type, isIdentifier }: SummedColumn, least: unknown, greatest: unknown): readonly string[] {
  const name = type.kind === "primitive" ? type.name : "";
  const isOfTime = /^Edm\.Date(?:TimeOffset)?$/u.test(name);
  const isOfDays = name === "Edm.Date";
  const [from = 0, to = 0] = [least, greatest].map((value) => (isOfTime ? Date.parse(String(value)) : Number(value)));
  const isRange = Number.isFinite(to - from) && from < to && !isIdentifier && (isOfTime || isNumeric(type));
  if (!isRange) return [];
  const even = (to - from) / (MOST_RANGES - 1);
  const power = 10 ** Math.floor(Math.log10(even));
  const round = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= even) ?? even;
  const day = isOfDays ? 86_400_000 : 1;
  const step = isOfTime ? Math.ceil(even / day) * day : Math.max(round, /Int|Byte/u.test(name) ? 1 : 0);
  const start = isOfTime ? from : Math.floor(from / step) * step;
  return Array.from({ length: Math.min(MOST_RANGES, Math.floor((to - start) / step) + 1) }, (_, at) => {
    const edge = start + at * step;
    if (!isOfTime) return String(Number(edge.toPrecision(12)));
    return isOfDays ? dayOf(new Date(edge), "UTC") : new Date(edge).toISOString();
  });
}

/** The first range has no lower bound, and the last one no upper bound: both would be beyond the range of the type. */
function rangeOf(
  { path, type }: SummedColumn,
  from: string | null,
  until: string | undefined,
): readonly FilterCondition[] {
  const lower = from === null ? [] : [condition(path, "ge", [toLiteral(from, type)])];
  return until === undefined ? lower : [...lower, condition(path, "lt", [toLiteral(until, type)])];
}
