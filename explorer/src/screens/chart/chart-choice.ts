import { valueAt } from "../../format/csv.ts";
import { isNumeric } from "../../format/show-value.ts";
import { type CalendarUnit, isInTime } from "../../format/zone.ts";
import { identityOf, isSummable } from "../../model/identifier.ts";
import type { Navigation, PropertyType, SetAbilities, StructuredType } from "../../model/model.ts";
import { appliedRows, METHOD_NAMES } from "../../query/apply-text.ts";
import { periodType, UNITS } from "../../query/date-groups.ts";
import { entityGroups, totalMethods } from "../../query/groupable.ts";
import { comparable } from "../../query/operators.ts";
import { columnType } from "../../query/resolve-type.ts";
import type { View } from "../../state/view.ts";

/** A column that a chart may show. */
export interface ChartColumn {
  /** The path of a property; the name of a navigation, whose label names the entity; the name of a total. */
  readonly path: string;
  /** Null if the model does not say it. */
  readonly type: PropertyType | null;
  /** Whether it may be a value; not if its digits are a key or a year. */
  readonly isNumber: boolean;
  /** Whether it is a value without a choice of the reader; not if it may be a code. */
  readonly isMeasure: boolean;
  /** The paths that name a place for a reader; empty if it is no place. */
  readonly labels: readonly string[];
  /** The paths by which the service groups; null if it does not. */
  readonly groups: readonly string[] | null;
  /** The methods that make totals of it. */
  readonly methods: readonly string[];
}

type Source = "totals" | "rows" | "applied";

/** The choices of a chart. */
export interface ChartChoice {
  readonly kind: "bars" | "lines" | "scatter";
  readonly x: string;
  /** The paths of the series; `$count` is the number of rows. */
  readonly y: readonly string[];
  /** Where the values come from: totals that the service makes, each row, or the rows of `$apply`. */
  readonly source: Source;
  readonly method: (typeof METHODS)[number];
  /** The part of the calendar that a place on the axis is; null for each value. */
  readonly period: CalendarUnit | null;
}

export const KINDS = ["bars", "lines", "scatter"] as const;
export const METHODS = ["sum", "average", "min", "max"] as const;
export const COUNT = "$count";
export const MOST_SERIES = 6;

/** Returns the columns of a type that have a place in a chart. @param abilities those of the set, if it has `$apply` */
export function columnsOfType(entityType: StructuredType, abilities: SetAbilities | null): readonly ChartColumn[] {
  const canGroup = (path: string): boolean => abilities?.groupable(path) === true;
  const own = comparable(entityType).map((each): ChartColumn => {
    const { path, property } = each;
    const identity = identityOf(entityType, path);
    const isNumber = isNumeric(property.type) && identity !== "id";
    const methods = isNumber && abilities !== null ? totalMethods(entityType, each, abilities) : [];
    const groups = canGroup(path) ? [path] : null;
    return {
      path,
      type: property.type,
      isNumber,
      isMeasure: isNumber && identity === null,
      labels: [path],
      groups,
      methods,
    };
  });
  const related = [...entityType.navigations.values()].filter(({ name }) => canGroup(name)).flatMap(labelColumn);
  const count = {
    path: COUNT,
    type: null,
    labels: [],
    groups: null,
    isMeasure: true,
    isNumber: true,
    methods: METHODS,
  };
  return [...own, ...related, ...(abilities?.canCount === true ? [count] : [])].filter(hasPlace);
}

/** Entities of the same name are different groups. */
function labelColumn(navigation: Navigation): readonly ChartColumn[] {
  const { keys, labels } = entityGroups(navigation);
  if (navigation.isCollection || labels.length === 0) return [];
  const noValue = { type: null, isMeasure: false, isNumber: false, methods: [] };
  return [{ path: navigation.name, labels, groups: [...keys, ...labels], ...noValue }];
}

/** Returns the columns of the rows of `$apply`: groups are places, and other numbers are values. */
export function columnsOfRows(rows: readonly unknown[], type: StructuredType, apply: string): readonly ChartColumn[] {
  const { groups, dates } = appliedRows(apply) ?? { groups: null, dates: [] };
  return Array.from(new Set([...(groups ?? []), ...rows.flatMap((row) => pathsOf(row))]), (path): ChartColumn => {
    const values = rows.map((row) => valueAt(row, path.split("/")));
    const period = dates.find(({ alias }) => alias === path);
    const own = period === undefined ? columnType(type, path, values) : periodType(type, period);
    const isPlace = groups?.includes(path) ?? true;
    const isNumber = own !== null && isNumeric(own) && groups?.includes(path) !== true;
    return { path, type: own, isNumber, isMeasure: isNumber, labels: isPlace ? [path] : [], groups, methods: [] };
  }).filter(hasPlace);
}

/** Returns the paths of the values in a row. */
function pathsOf(row: unknown, prefix = ""): readonly string[] {
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
  const kind = KINDS.find((each) => each === options.get("kind")) ?? "bars";
  const method = METHODS.find((each) => each === options.get("total")) ?? "sum";
  const canTotal = kind !== "scatter" && columns.some(({ groups }) => groups !== null);
  const totalled = canTotal && options.get("rows") !== "each" ? "totals" : "rows";
  const source = options.has("$apply") ? "applied" : totalled;
  const places = placesOf(columns, source);
  const x = places.find(({ path }) => path === options.get("x")) ?? usualPlace(places, source);
  const values = valuesOf(columns, source, method);
  const stated = (options.get("y") ?? "").split(",").filter((path) => values.includes(path));
  const isMeasure = (path: string): boolean => columns.some((each) => each.path === path && each.isMeasure);
  const others = values.filter((path) => path !== x?.path && path !== COUNT && isMeasure(path));
  const usual = others.find(isSummable) ?? (values.includes(COUNT) ? COUNT : (others[0] ?? values[0]));
  const y = stated.length === 0 && usual !== undefined ? [usual] : stated.slice(0, MOST_SERIES);
  const by = UNITS.find((each) => each === options.get("by"));
  const usualPeriod = source === "totals" && options.get("by") !== "value" ? "month" : null;
  const period = x === undefined || !isInTime(x.type) || source === "applied" ? null : (by ?? usualPeriod);
  return { kind, x: x?.path ?? "", y, source, method, period };
}

/** Returns the columns that the horizontal axis may show. Of rows, the labels of related entities are not there. */
export function placesOf(columns: readonly ChartColumn[], source: Source): readonly ChartColumn[] {
  // The label of an entity says more than its foreign key.
  const keys = new Set(columns.flatMap(({ labels, path, groups }) => (labels.includes(path) ? [] : (groups ?? []))));
  if (source === "totals") return columns.filter(({ groups, path }) => groups !== null && !keys.has(path));
  return columns.filter(({ labels, path }) => labels.includes(path));
}

/** Returns the paths that the vertical axis may show. */
export function valuesOf(columns: readonly ChartColumn[], source: Source, method: string): readonly string[] {
  const numbers = columns.filter(({ isNumber, path }) => isNumber && (source === "totals" || path !== COUNT));
  const shown = numbers.filter(({ methods }) => source !== "totals" || methods.includes(method));
  return shown.toSorted((a, b) => Number(b.isMeasure) - Number(a.isMeasure)).map(({ path }) => path);
}

/** A date, a choice, another entity, a text. */
function usualPlace(places: readonly ChartColumn[], source: Source): ChartColumn | undefined {
  const names = places.filter(({ type }) => type === null || !isNumeric(type));
  const isChoice = ({ type }: ChartColumn): boolean =>
    type?.kind === "enum" || (type?.kind === "primitive" && type.name === "Edm.Boolean");
  const isEntity = ({ path, labels }: ChartColumn): boolean => !labels.includes(path);
  const isDated = ({ type }: ChartColumn): boolean => isInTime(type);
  const ranked = source === "totals" ? [isDated, isChoice, isEntity].map((test) => names.find(test)) : [];
  return ranked.find((each) => each !== undefined) ?? names[0] ?? places[0];
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ...METHOD_NAMES,
  ...[...KINDS, ...UNITS].map((word) => [word, `${word.charAt(0).toUpperCase()}${word.slice(1)}`] as const),
  ...Object.entries({ [COUNT]: "Number of rows", value: "Each value", totals: "Totals of groups", each: "Each row" }),
]);

/** Returns the name of a choice for people; a path is its own name. */
export function nameOf(word: string): string {
  return NAMES.get(word) ?? word;
}
