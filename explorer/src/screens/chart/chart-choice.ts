import { valueAt } from "../../format/csv.ts";
import { isNumeric } from "../../format/show-value.ts";
import type { CalendarUnit } from "../../format/zone.ts";
import { isIdentifier } from "../../model/identifier.ts";
import { labelProperties } from "../../model/label-properties.ts";
import type { Navigation, PropertyType, SetAbilities, StructuredType } from "../../model/model.ts";
import { appliedRows } from "../../query/apply-text.ts";
import { comparable } from "../../query/operators.ts";
import { columnType, memberAt } from "../../query/resolve-type.ts";
import type { View } from "../../state/view.ts";
import { PERIODS } from "./calendar.ts";

/** A column that a chart may show. */
export interface ChartColumn {
  /** The path of a property; the name of a navigation, whose label names the entity; the name of a total. */
  readonly path: string;
  /** Null if the model does not say it. */
  readonly type: PropertyType | null;
  readonly isNumber: boolean;
  /** Whether its digits are a name: a chart does not begin with it, and makes no total of it. */
  readonly isId: boolean;
  /** The paths by which the service groups; null if it does not. */
  readonly groups: readonly string[] | null;
  /** The paths that name a place for a reader. */
  readonly labels: readonly string[];
  /** The methods that make totals of it. */
  readonly methods: readonly string[];
}

/** Where the values of a chart come from: totals that the service makes, each row, or the rows of `$apply`. */
type Source = "totals" | "rows" | "applied";

/** The choices of a chart. */
export interface ChartChoice {
  readonly kind: "bars" | "lines" | "scatter";
  readonly x: string;
  /** The paths of the series; `$count` is the number of rows. */
  readonly y: readonly string[];
  readonly source: Source;
  readonly method: (typeof METHODS)[number]["value"];
  /** The part of the calendar that a place on the axis is; null for each value. */
  readonly period: CalendarUnit | null;
}

export const KINDS = [
  { value: "bars", label: "Bars" },
  { value: "lines", label: "Lines" },
  { value: "scatter", label: "Scatter" },
] as const;
export const METHODS = [
  { value: "sum", label: "Sum" },
  { value: "average", label: "Average" },
  { value: "min", label: "Least" },
  { value: "max", label: "Greatest" },
] as const;
export const COUNT = "$count";
export const MOST_SERIES = 6;

/** The number of rows in a group. */
const COUNT_COLUMN: ChartColumn = Object.freeze({
  path: COUNT,
  type: null,
  isNumber: true,
  isId: false,
  groups: null,
  labels: [],
  methods: METHODS.map(({ value }) => value),
});

/** Returns the columns of a type that have a place in a chart. @param abilities those of the set, if it has `$apply` */
export function columnsOfType(entityType: StructuredType, abilities: SetAbilities | null): readonly ChartColumn[] {
  const own = comparable(entityType).map(({ path, property: { type } }) => ({
    path,
    type,
    isNumber: isNumeric(type),
    isId: isIdentifier(entityType, path),
    groups: abilities?.groupable(path) === true ? [path] : null,
    labels: [path],
    methods: isNumeric(type) ? (abilities?.methodsOf(path) ?? []) : [],
  }));
  const related = abilities === null ? [] : [...entityType.navigations.values()].flatMap(labelColumn);
  const count = abilities?.canCount === true ? [COUNT_COLUMN] : [];
  return [...own, ...related.filter(({ path }) => abilities?.groupable(path)), ...count].filter(hasPlace);
}

/** Entities of the same name are different groups. */
function labelColumn({ name, isCollection, target, constraints }: Navigation): readonly ChartColumn[] {
  const labels = labelProperties(target).map((each) => `${name}/${each.name}`);
  const keys = constraints.size > 0 ? [...constraints.keys()] : target.key.map((each) => `${name}/${each.name}`);
  if (isCollection || labels.length === 0) return [];
  return [{ path: name, type: null, isNumber: false, isId: false, groups: [...keys, ...labels], labels, methods: [] }];
}

/** Returns the columns of the rows of `$apply`; the model has the types of some of them. */
export function columnsOfRows(
  rows: readonly unknown[],
  entityType: StructuredType,
  apply: string,
): readonly ChartColumn[] {
  const { groups, totals } = appliedRows(apply) ?? { groups: null, totals: null };
  return Array.from(new Set([...(groups ?? []), ...rows.flatMap((row) => pathsOf(row))]), (path) => {
    const values = rows.map((row) => valueAt(row, path.split("/")));
    const type = columnType(entityType, path, values);
    const isNumber = type !== null && isNumeric(type) && groups?.includes(path) !== true;
    return {
      path,
      type,
      isNumber,
      isId: isIdentifier(entityType, path),
      groups: groups ?? [path],
      labels: [path],
      methods: totals ?? [],
    };
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

/** Returns whether the places of a column are in the calendar. */
export function isInTime({ type }: Pick<ChartColumn, "type">): boolean {
  return type?.kind === "primitive" && ["Edm.Date", "Edm.DateTimeOffset"].includes(type.name);
}

/** Reads the choices of a view. The others are chosen so that the picture says something. */
export function choiceOf({ options }: View, columns: readonly ChartColumn[]): ChartChoice {
  const kind = KINDS.find(({ value }) => value === options.get("kind"))?.value ?? "bars";
  const method = METHODS.find(({ value }) => value === options.get("total"))?.value ?? "sum";
  const canTotal = kind !== "scatter" && columns.some(({ groups }) => groups !== null);
  const totalled = canTotal && options.get("rows") !== "each" ? "totals" : "rows";
  const source = options.has("$apply") ? "applied" : totalled;
  const places = placesOf(columns, source);
  const x = places.find(({ path }) => path === options.get("x")) ?? usualPlace(places, source);
  const values = valuesOf(columns, source, method);
  const stated = (options.get("y") ?? "").split(",").filter((path) => values.includes(path));
  const y = stated.length > 0 ? stated : [values.find((path) => path !== x?.path && path !== COUNT) ?? values[0] ?? ""];
  const period = x !== undefined && isInTime(x) ? periodOf(options.get("by"), source) : null;
  return { kind, x: x?.path ?? "", y: y.filter(Boolean).slice(0, MOST_SERIES), source, method, period };
}

/** Returns the columns that the horizontal axis may show. */
export function placesOf(columns: readonly ChartColumn[], source: Source): readonly ChartColumn[] {
  if (source === "totals") return columns.filter(({ groups }) => groups !== null);
  // What the rows of $apply have beyond their groups are values.
  const groups = columns.filter(({ groups: own, path }) => own?.includes(path));
  if (source === "applied") return groups;
  return columns.filter(({ labels, path }) => labels.includes(path));
}

/** Returns the paths that the vertical axis may show. The ids of rows are numbers, too, if there are no others. */
export function valuesOf(columns: readonly ChartColumn[], source: Source, method: string): readonly string[] {
  const numbers = columns.filter(({ isNumber }) => isNumber);
  const measures = numbers.filter(({ isId }) => !isId);
  const known = source === "totals" ? measures.filter(({ methods }) => methods.includes(method)) : measures;
  const usual = source === "totals" ? known : known.filter(({ path }) => path !== COUNT);
  return (usual.length > 0 || source === "totals" ? usual : numbers.filter(({ path }) => path !== COUNT)).map(
    ({ path }) => path,
  );
}

/** A date, a choice, another entity, a text. */
function usualPlace(places: readonly ChartColumn[], source: Source): ChartColumn | undefined {
  const names = places.filter(({ isId, isNumber }) => !isId && !isNumber);
  const isChoice = ({ type }: ChartColumn): boolean =>
    type?.kind === "enum" || (type?.kind === "primitive" && type.name === "Edm.Boolean");
  const isEntity = ({ path, labels }: ChartColumn): boolean => !labels.includes(path);
  const ranked = source === "totals" ? [isInTime, isChoice, isEntity].map((test) => names.find(test)) : [];
  return ranked.find((each) => each !== undefined) ?? names[0] ?? places[0];
}

function periodOf(stated: string | undefined, source: Source): CalendarUnit | null {
  if (source === "applied") return null;
  return PERIODS.find((each) => each === stated) ?? (source === "totals" && stated !== "value" ? "month" : null);
}

/** Returns the type of a path in rows. */
export function typeOfPath(type: StructuredType, path: string): PropertyType | null {
  return memberAt(type, path)?.property?.type ?? null;
}
