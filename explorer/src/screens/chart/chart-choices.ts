import { isNumeric } from "../../format/show-value.ts";
import type { PropertyType } from "../../model/model.ts";
import type { TotalMethod } from "../../query/apply-text.ts";
import { comparable } from "../../query/operators.ts";
import type { ResolvedPath } from "../../query/resolve-type.ts";
import type { View } from "../../state/view.ts";
import type { ChartChoice } from "./chart-data.ts";

/** What a chart of a query may show. */
export interface ChartOffer {
  /** The types of the columns by path; null if the model does not say. Only groups have those of related entities. */
  readonly xOf: (total: TotalMethod | null) => ReadonlyMap<string, PropertyType | null>;
  readonly yOf: (total: TotalMethod | null) => readonly string[];
  readonly totals: readonly TotalMethod[];
}

/** Series that a picture distinguishes. */
export const MOST_SERIES = 6;

const METHODS = ["count", "sum", "average", "min", "max", "countdistinct"] as const;

/** Returns what the model offers: groups and totals where the set permits them. */
export function offerOf({ type, set }: ResolvedPath): ChartOffer {
  const own = comparable(type);
  const numeric = own.filter(({ property }) => isNumeric(property.type)).map(({ path }) => path);
  const abilities = set?.abilities;
  const canGroup = abilities?.canApply === true && own.some(({ path }) => abilities.groupable(path));
  const related = Array.from(type.navigations.values()).flatMap(({ name, isCollection, target }) =>
    isCollection || abilities?.canApply !== true ? [] : comparable(target, `${name}/`),
  );
  const groupable = related.filter(({ path }) => abilities?.groupable(path) === true);
  // The least and the greatest of texts have no place in a picture.
  const isDrawn = (method: string, path: string): boolean => method === "countdistinct" || numeric.includes(path);
  const yOf = (total: TotalMethod | null): readonly string[] => {
    if (total === null) return numeric;
    return own
      .map(({ path }) => path)
      .filter((path) => isDrawn(total, path) && abilities?.methodsOf(path).includes(total) === true);
  };
  return {
    xOf: (total) =>
      new Map([...own, ...(total === null ? [] : groupable)].map(({ path, property }) => [path, property.type])),
    yOf,
    totals: canGroup
      ? METHODS.filter((method) => (method === "count" ? abilities.canCount : yOf(method).length > 0))
      : [],
  };
}

/** Returns what the rows of a query with `$apply` offer: their columns. */
export function offerOfColumns(columns: readonly string[], isNumber: (column: string) => boolean): ChartOffer {
  const numeric = columns.filter(isNumber);
  return { xOf: () => new Map(columns.map((column) => [column, null])), yOf: () => numeric, totals: [] };
}

/** Reads the choices of a view. What it does not state is chosen so that a picture says something. */
export function choiceOf({ options }: View, { xOf, yOf, totals }: ChartOffer, place: ResolvedPath | null): ChartChoice {
  const kind = (["lines", "scatter"] as const).find((each) => each === options.get("kind")) ?? "bars";
  const stated = options.get("total");
  const ids = new Set([...(place?.type.key ?? []).map(({ name }) => name), ...foreignKeys(place)]);
  const measures = (method: TotalMethod | null): readonly string[] => yOf(method).filter((path) => !ids.has(path));
  const sum = measures("sum").length > 0 ? "sum" : totals[0];
  const usual = kind === "scatter" || sum === undefined || totals.length === 0 ? null : sum;
  const total = stated === "rows" ? null : (totals.find((method) => method === stated) ?? usual);
  const columns = xOf(total);
  const names = [...columns].filter(([path, type]) => !ids.has(path) && (type === null || !isNumeric(type)));
  const x = columns.has(options.get("x") ?? "")
    ? (options.get("x") ?? "")
    : (names[0]?.[0] ?? [...columns.keys()][0] ?? "");
  const offered = yOf(total);
  const chosen = (options.get("y") ?? "").split(",").filter((path) => offered.includes(path));
  const first = measures(total).find((path) => path !== x) ?? offered[0];
  const y = chosen.length > 0 ? chosen : [first].filter((path) => path !== undefined);
  return { kind, x, y: total === "count" ? [] : y.slice(0, MOST_SERIES), total };
}

function foreignKeys(place: ResolvedPath | null): readonly string[] {
  return Array.from(place?.type.navigations.values() ?? []).flatMap(({ constraints }) => [...constraints.keys()]);
}
