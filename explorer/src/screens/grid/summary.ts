import { isNumeric } from "../../format/show-value.ts";
import { dayOf } from "../../format/zone.ts";
import type { PropertyType, StructuredType } from "../../model/model.ts";
import { condition, type FilterCondition, filterOf } from "../../query/filter-tree.ts";
import { toLiteral } from "../../query/literals.ts";
import type { Row } from "./columns.ts";

/** The values of a column, and how often they occur, among the rows that a query chooses. */
export interface Summary {
  readonly rows: number;
  /** How many rows have no value. */
  readonly empty: number;
  readonly different: number;
  /** Null where the type has no order, or no row has a value. */
  readonly least: unknown;
  readonly greatest: unknown;
  readonly top: readonly Counted[];
  readonly parts: readonly Counted[];
}

/** A value, or a range of values, with its rows, and the conditions that choose them. */
export interface Counted {
  readonly value: unknown;
  /** The end of a range; undefined of a value. */
  readonly until?: unknown;
  /** The row of the group, with the label of a related entity. */
  readonly row: Row;
  readonly count: number;
  readonly conditions: readonly FilterCondition[];
}

/** The column that is summed up. */
export interface SummedColumn {
  readonly owner: StructuredType;
  readonly path: string;
  readonly type: PropertyType;
  readonly isIdentifier: boolean;
  /** Paths to the label of the entity that a foreign key refers to. */
  readonly labels: readonly string[];
  /** Methods of totals that the set permits. */
  readonly methods: readonly string[];
  readonly canGroup: boolean;
}

const MOST_VALUES = 10;
/** Ranges of a histogram. A service permits 20 steps. */
const MOST_PARTS = 6;

/**
 * Reads the summary of a column with two requests at most: first how many different values there are, then the most frequent
 * ones, unless each is different, and how many are in each part of their range.
 * @param ask reads the rows of some steps of `$apply`, all of them in one request
 */
export async function readSummary(
  column: SummedColumn,
  ask: (parallel: readonly string[]) => Promise<readonly Row[]>,
): Promise<Summary> {
  const { path, methods, canGroup } = column;
  const name = namesFor(column.owner);
  const totals = [
    `$count as ${name("Rows")}`,
    ...["countdistinct", "min", "max"].flatMap((each) =>
      methods.includes(each) ? `${path} with ${each} as ${name(each)}` : [],
    ),
  ];
  const empty = `filter(${path} eq null)/aggregate($count as ${name("Empty")})`;
  const first = await ask([`aggregate(${totals.join(",")})`, empty]);
  const total = (alias: string): unknown =>
    first.map((row) => row[name(alias)]).find((value) => (value ?? null) !== null) ?? null;
  const [rows, none, different] = ["Rows", "Empty", "countdistinct"].map((each) => Number(total(each) ?? 0));
  const facts = {
    rows: rows ?? 0,
    empty: none ?? 0,
    different: different ?? 0,
    least: total("min"),
    greatest: total("max"),
  };
  const hasTop = canGroup && facts.different < facts.rows - facts.empty;
  const edges = facts.different <= MOST_VALUES ? [] : edgesOf(column, facts.least, facts.greatest);
  const ranges = edges.map((edge, at) => rangeOf(column, edge, edges[at + 1], at === 0));
  const groups = `groupby((${[path, ...column.labels].join(",")}),aggregate($count as ${name("Rows")}))/topcount(${MOST_VALUES},${name("Rows")})`;
  const counts = ranges.map(
    (conditions, at) => `filter(${filterOf(conditions)})/aggregate($count as ${name(`Part${at}`)})`,
  );
  const asked = [...(hasTop ? [groups] : []), ...counts];
  const second = asked.length === 0 ? [] : await ask(asked);
  const countIn = (row: Row): number => Number(row[name("Rows")]);
  const isGroup = (row: Row): boolean => (row[name("Rows")] ?? null) !== null;
  return {
    ...facts,
    top: second
      .filter(isGroup)
      .toSorted((a, b) => countIn(b) - countIn(a))
      .map((row) => {
        const value = path.split("/").reduce<unknown>((of, each) => memberOf(of, each), row) ?? null;
        return { value, row, count: countIn(row), conditions: equals(column, value) };
      }),
    parts: ranges.map((conditions, at) => ({
      value: edges[at],
      until: edges[at + 1] ?? facts.greatest,
      row: {},
      count: Number(second.map((row) => row[name(`Part${at}`)]).find((value) => (value ?? null) !== null) ?? 0),
      conditions,
    })),
  };
}

function memberOf(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? Object.entries(of).find(([key]) => key === name)?.[1] : undefined;
}

/** No column may have the name of a property. */
function namesFor({ properties, navigations }: StructuredType): (word: string) => string {
  const taken = [...properties.keys(), ...navigations.keys()];
  let prefix = "Summary";
  while (taken.some((each) => each.startsWith(prefix))) prefix += "_";
  return (word) => prefix + word;
}

/** NaN equals nothing. */
function equals({ path, type }: SummedColumn, value: unknown): readonly FilterCondition[] {
  return value === "NaN" ? [] : [condition(path, "eq", [toLiteral(value, type)])];
}

/** Returns where the parts of a range begin: at round numbers, whole days, or instants of one distance. */
function edgesOf({ type, isIdentifier }: SummedColumn, least: unknown, greatest: unknown): readonly string[] {
  const name = type.kind === "primitive" ? type.name : "";
  const isOfTime = /^Edm\.Date(?:TimeOffset)?$/u.test(name);
  if (isIdentifier || (!isOfTime && !isNumeric(type))) return [];
  const toNumber = (value: unknown): number => (isOfTime ? Date.parse(String(value)) : Number(value));
  const [from, to] = [toNumber(least), toNumber(greatest)];
  if (!Number.isFinite(from) || !Number.isFinite(to) || from >= to) return [];
  const whole = isOfTime || /Int|Byte/u.test(name) ? 1 : 0;
  const unit = name === "Edm.Date" ? 86_400_000 : whole;
  const step = isOfTime
    ? Math.ceil((to - from + 1) / MOST_PARTS / unit) * unit
    : roundStep((to - from) / (MOST_PARTS - 1), unit);
  const start = isOfTime ? from : Math.floor(from / step) * step;
  return Array.from({ length: Math.floor((to - start) / step) + 1 }, (_, at) => {
    const edge = start + at * step;
    if (!isOfTime) return String(Number(edge.toPrecision(12)));
    return name === "Edm.Date" ? dayOf(new Date(edge), "UTC") : new Date(edge).toISOString();
  }).slice(0, MOST_PARTS);
}

/** Returns the next of the steps 1, 2, 5, 10, … */
function roundStep(least: number, unit: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least) ?? least;
  return Math.max(step, unit);
}

/** The first part has no lower bound, and the last one no upper bound: both would be beyond the range of the type. */
function rangeOf(
  { path, type }: SummedColumn,
  from: string,
  until: string | undefined,
  isFirst: boolean,
): readonly FilterCondition[] {
  const bound = (operator: "ge" | "lt", value: string): FilterCondition =>
    condition(path, operator, [toLiteral(value, type)]);
  const isOpen = isFirst && until !== undefined;
  return [...(isOpen ? [] : [bound("ge", from)]), ...(until === undefined ? [] : [bound("lt", until)])];
}
