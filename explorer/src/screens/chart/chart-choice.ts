import { valueAt } from "../../format/csv.ts";
import { isNumeric } from "../../format/show-value.ts";
import type { PropertyType, StructuredType } from "../../model/model.ts";
import { comparable } from "../../query/operators.ts";
import { columnType } from "../../query/resolve-type.ts";
import { type View, withOptions } from "../../state/view.ts";

/** A column that a chart may show. */
export interface ChartColumn {
  readonly path: string;
  /** Null if the model does not say it. */
  readonly type: PropertyType | null;
  readonly isNumber: boolean;
  /** Whether it tells entities apart: a chart does not begin with it. */
  readonly isId: boolean;
}

/** The choices of a chart. */
export interface ChartChoice {
  readonly kind: "bars" | "lines" | "scatter";
  readonly x: string;
  /** The paths of the series. */
  readonly y: readonly string[];
}

export const KINDS = [
  { value: "bars", label: "Bars" },
  { value: "lines", label: "Lines" },
  { value: "scatter", label: "Scatter" },
] as const;
export const MOST_SERIES = 6;

/** Returns the columns of a type that have a place in a chart. */
export function columnsOfType(entityType: StructuredType): readonly ChartColumn[] {
  const references = [...entityType.navigations.values()].flatMap(({ constraints }) => [...constraints.keys()]);
  const ids = new Set([...entityType.key.map(({ name }) => name), ...references]);
  return comparable(entityType)
    .map(({ path, property: { type } }) => ({ path, type, isNumber: isNumeric(type), isId: ids.has(path) }))
    .filter(hasPlace);
}

/** Returns the columns of the rows of `$apply`; the model has the types of some of them. */
export function columnsOfRows(rows: readonly unknown[], entityType: StructuredType): readonly ChartColumn[] {
  return Array.from(new Set(rows.flatMap((row) => pathsOf(row))), (path) => {
    const values = rows.map((row) => valueAt(row, path.split("/")));
    const type = columnType(entityType, path, values);
    return { path, type, isNumber: type !== null && isNumeric(type), isId: false };
  }).filter(hasPlace);
}

/** Returns the paths of the values in a row. */
export function pathsOf(row: unknown, prefix = ""): readonly string[] {
  if (typeof row !== "object" || row === null) return [];
  return Object.entries(row).flatMap(([name, value]) => {
    if (name.includes("@") || Array.isArray(value)) return [];
    return typeof value === "object" && value !== null ? pathsOf(value, `${prefix}${name}/`) : [prefix + name];
  });
}

/** Bytes have no place on an axis. */
function hasPlace({ type }: ChartColumn): boolean {
  return type?.kind !== "primitive" || type.name !== "Edm.Binary";
}

/** Reads the choices of a view. The others are chosen so that the picture says something. */
export function choiceOf({ options }: View, columns: readonly ChartColumn[]): ChartChoice {
  const names = columns.filter(({ isId, isNumber }) => !isId && !isNumber);
  const x = (columns.find(({ path }) => path === options.get("x")) ?? names[0] ?? columns[0])?.path ?? "";
  const numbers = columns.filter(({ isNumber }) => isNumber);
  const stated = (options.get("y") ?? "").split(",").filter((path) => numbers.some((column) => column.path === path));
  const usual = numbers.find(({ path, isId }) => !isId && path !== x) ?? numbers[0];
  const y = stated.length > 0 || usual === undefined ? stated.slice(0, MOST_SERIES) : [usual.path];
  return { kind: KINDS.find(({ value }) => value === options.get("kind"))?.value ?? "bars", x, y };
}

/** Returns the view whose rows a chart draws: that of the query, with the chosen columns alone. */
export function chartView(view: View, { x, y }: ChartChoice, canSelect: boolean): View {
  const columns = [...new Set([x, ...y])].filter((path) => path !== "").join(",");
  const select = canSelect && !view.options.has("$apply") ? { $select: columns } : {};
  return withOptions(view, { $expand: null, $count: null, ...select });
}
