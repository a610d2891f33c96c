import { showValue } from "../../format/show-value.ts";
import type { PropertyType, SetAbilities } from "../../model/model.ts";
import { aliasOf, type Total, type TotalMethod, writeApply } from "../../query/apply-text.ts";
import { toNumber, toTime } from "./chart-scale.ts";

/** What a chart shows of a query. */
export interface ChartChoice {
  readonly kind: "bars" | "lines" | "scatter";
  readonly x: string;
  /** The paths of the series; empty to count rows. */
  readonly y: readonly string[];
  /** How a total is made of each group; null for the rows of the query. */
  readonly total: TotalMethod | null;
}

/** The request of a chart, and where its rows have the values. */
export interface ChartQuery {
  readonly options: ReadonlyMap<string, string>;
  readonly series: readonly { readonly column: string; readonly title: string }[];
}

/** Rows that a chart reads at most. */
export const MOST_POINTS = 2000;

const WORDS: Readonly<Record<TotalMethod, string>> = {
  count: "Number",
  sum: "Sum",
  average: "Average",
  min: "Least",
  max: "Greatest",
  countdistinct: "Different values",
};

/**
 * Returns the request of a chart: groups by x with totals, or the rows of the query.
 * @param options those of the view; search, further columns and filter come before the groups
 */
export function chartQuery(
  options: ReadonlyMap<string, string>,
  choice: ChartChoice,
  abilities: Pick<SetAbilities, "canSelect" | "sortable"> | null = null,
): ChartQuery {
  const { x, y, total } = choice;
  const kept = new Map([...options].filter(([name, value]) => /^[$@]/u.test(name) && value !== ""));
  if (total === null) {
    if (!kept.has("$apply") && abilities?.canSelect !== false) {
      kept.set("$select", [...new Set([x, ...y])].filter((path) => path !== "").join(","));
    }
    kept.delete("$expand");
    kept.delete("$count");
    return { options: kept, series: y.map((path) => ({ column: path, title: path })) };
  }
  const paths = total === "count" ? [null] : y;
  const totals: Total[] = [];
  for (const path of paths) {
    totals.push({ method: total, path, alias: aliasOf(total, path, [...totals.map(({ alias }) => alias), x]) });
  }
  const before = (["search", "compute", "filter"] as const).flatMap((step) => {
    const text = kept.get(`$${step}`);
    return text === undefined ? [] : [`${step}(${text})`];
  });
  const aliases = [...kept].filter(([name]) => name.startsWith("@"));
  const groups = writeApply({ filter: "", groupBy: [x], totals, limit: null });
  return {
    options: new Map([
      ...aliases,
      ["$apply", [...before, groups].join("/")],
      ...(abilities?.sortable(x) === false ? [] : [["$orderby", x] as const]),
    ]),
    series: totals.map(({ alias, path }) => ({
      column: alias,
      title: path === null ? "Number of rows" : `${WORDS[total]} of ${path}`,
    })),
  };
}

/** A place on the horizontal axis, with the value of each series. */
export interface ChartPoint {
  readonly label: string;
  /** The number or time of x; null for a name. */
  readonly x: number | null;
  readonly values: readonly (number | null)[];
  /** The values for a reader, with all digits. */
  readonly texts: readonly string[];
}

/** The points of a chart. */
export interface ChartData {
  readonly axis: "bands" | "number" | "time";
  readonly points: readonly ChartPoint[];
  /** Points that have no place, since x or all values are missing. */
  readonly missing: number;
}

const EXACT: PropertyType = Object.freeze({ kind: "primitive", name: "Edm.Decimal" });
const DATE = /^\d{4}-\d\d-\d\d(?:$|T)/u;

/**
 * Reads rows as points. Bars have names below them; lines and scatter have an axis of numbers or times where x is one.
 * @param locale the language of the reader; that of the browser without it
 */
export function chartData(
  rows: readonly unknown[],
  columns: { readonly x: string; readonly y: readonly string[] },
  type: PropertyType | null,
  kind: ChartChoice["kind"],
  locale?: string,
): ChartData {
  const xs = rows.map((row) => valueAt(row, columns.x));
  const stated = xs.filter((x) => x !== null && x !== undefined);
  const isTime = stated.length > 0 && stated.every((x) => typeof x === "string" && DATE.test(x) && toTime(x) !== null);
  const isNumber = stated.length > 0 && !isTime && stated.every((x) => toNumber(x) !== null) && !isName(type);
  const isMeasured = kind !== "bars" && (isTime || isNumber);
  const measured = isTime ? "time" : "number";
  const axis = isMeasured ? measured : "bands";
  const place = isTime ? toTime : toNumber;
  const points = rows.map((row, index) => {
    const x = xs[index];
    return {
      label: showValue(x, isTime ? timeType(x) : type, locale).text,
      x: isMeasured ? place(x) : null,
      values: columns.y.map((column) => toNumber(valueAt(row, column))),
      texts: columns.y.map((column) => showValue(valueAt(row, column), EXACT, locale).text),
    };
  });
  const placed = points.filter(
    ({ x, values }) => (axis === "bands" || x !== null) && values.some((value) => value !== null),
  );
  const shown = axis === "bands" ? placed : placed.toSorted((a, b) => (a.x ?? 0) - (b.x ?? 0));
  return { axis, points: shown, missing: points.length - placed.length };
}

/** Texts of databases without dates are dates, too. */
function timeType(x: unknown): PropertyType {
  return { kind: "primitive", name: String(x).includes("T") ? "Edm.DateTimeOffset" : "Edm.Date" };
}

/** Numbers within texts are names. */
function isName(type: PropertyType | null): boolean {
  return type !== null && (type.kind !== "primitive" || type.name === "Edm.String");
}

/** Returns the value at a path of a row, such as `Customer/Country`. */
export function valueAt(row: unknown, path: string): unknown {
  let value: unknown = row;
  for (const name of path.split("/")) {
    if (typeof value !== "object" || value === null) return null;
    value = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : null;
  }
  return value;
}

/** Returns the columns of rows that no model describes, such as of `$apply`. */
export function columnsOf(row: unknown, prefix = ""): readonly string[] {
  if (typeof row !== "object" || row === null) return [];
  return Object.entries(row).flatMap(([name, value]) => {
    if (name.includes("@") || Array.isArray(value)) return [];
    return typeof value === "object" && value !== null ? columnsOf(value, `${prefix}${name}/`) : [prefix + name];
  });
}

/** Says what a picture shows: how many points, and the least and the greatest value of each series. */
export function describe({ points }: ChartData, titles: readonly string[]): string {
  const sentences = titles.map((title, index) => {
    const found = points.flatMap(({ label, values, texts }) => {
      const value = values[index] ?? null;
      return value === null ? [] : [{ value, text: `${texts[index] ?? ""} at ${label}` }];
    });
    const [first] = found;
    if (first === undefined) return `${title} has no values.`;
    const least = found.reduce((best, each) => (each.value < best.value ? each : best), first);
    const greatest = found.reduce((best, each) => (each.value > best.value ? each : best), first);
    return `${title}: minimum ${least.text}, maximum ${greatest.text}.`;
  });
  return [points.length === 1 ? "1 point." : `${showValue(points.length, null).text} points.`, ...sentences].join(" ");
}
