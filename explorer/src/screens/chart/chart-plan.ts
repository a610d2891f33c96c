import { valueAt } from "../../format/csv.ts";
import { type CalendarUnit, type Zone, zoneOf } from "../../format/zone.ts";
import { isIdentifier } from "../../model/identifier.ts";
import type { PropertyType } from "../../model/model.ts";
import { aliasOf, appliedRows, titleOf, type Total, writeApply } from "../../query/apply-text.ts";
import { condition, conditionsOf, type FilterCondition, NO_FILTER, writeFilter } from "../../query/filter-tree.ts";
import { isLimited, rowSteps } from "../../query/limits.ts";
import { recordPath, toLiteral } from "../../query/literals.ts";
import { memberAt, type ResolvedPath } from "../../query/resolve-type.ts";
import { type View, viewOf, withOptions } from "../../state/view.ts";
import { literalsOf, periodNumber, type Span } from "./calendar.ts";
import { type ChartChoice, type ChartColumn, COUNT } from "./chart-choice.ts";

/** What a chart asks the service, and how the rows become points. */
export interface ChartPlan {
  /** The view whose rows the chart reads. */
  readonly view: View;
  /** The values of each point: a path in the rows, and a title. */
  readonly series: readonly { readonly path: string; readonly title: string }[];
  /** The paths of the rows that name a point, and what stands between several names. */
  readonly labels: readonly string[];
  readonly joint: string;
  /** The type of the first label, and whether its digits are a name, such as a year. */
  readonly type: PropertyType | null;
  readonly hasNames: boolean;
  readonly zone: Zone;
  readonly period: CalendarUnit | null;
  /** Returns the start of a period by its number, which the first label has; null if that has a date. */
  readonly startOf: ((number: number) => number) | null;
  /** The paths of a row that tell its group apart; null if each point is a row, or a period of rows that the page groups. */
  readonly groups: readonly string[] | null;
}

/** What a chart shows, and where. */
export interface PlanRequest {
  readonly view: View;
  readonly place: ResolvedPath;
  readonly columns: readonly ChartColumn[];
  readonly choice: ChartChoice;
  /** The zone in which the reader wants to see instants. */
  readonly zone: Zone;
}

/** Plans a chart. */
export function planOf(request: PlanRequest): ChartPlan {
  const { place, columns, choice } = request;
  const { x, source, period } = choice;
  const column = columns.find(({ path }) => path === x);
  const type = column?.type ?? null;
  const zone = zoneOf(type, request.zone) ?? "UTC";
  const hasNames = isIdentifier(place.type, x);
  const shared = { type, zone, period, startOf: null, joint: " ", hasNames };
  if (source === "applied") return { ...shared, ...planApplied(request, type) };
  const isPlain = period === null || (period === "day" && isDate(type));
  // The service does not know when a clock changes.
  const canNumber = zone === "UTC" && place.set?.abilities.applies("compute") === true;
  const isGroup = source === "totals" && (isPlain || canNumber);
  return { ...shared, ...(isGroup ? planTotals(request, column, isPlain) : planRows(request)) };
}

/** The rows of `$apply` stay as they are. */
function planApplied({ view, choice: { x, y } }: PlanRequest, type: PropertyType | null) {
  const groups = appliedRows(view.options.get("$apply") ?? "")?.groups ?? [x];
  const labels = [x, ...groups.filter((path) => path !== x)].filter((path) => path !== "");
  const series = y.map((path) => ({ path, title: path }));
  const period = labels.length === 1 && isDate(type) ? ("day" as const) : null;
  return { view: withOptions(view, { $expand: null, $count: null }), series, labels, joint: " · ", groups, period };
}

function planRows({ view, place, choice: { x, y, period, method } }: PlanRequest) {
  const { canReadByKey = false, canSelect = true } = place.set?.abilities ?? {};
  const key = canReadByKey ? place.type.key.map(({ name }) => name) : [];
  const paths = [...new Set([x, ...y, ...key])].filter((path) => path !== "" && path !== COUNT);
  const select = canSelect ? { $select: paths.join(",") } : {};
  const titleIn = (path: string): string => (path === COUNT ? titleOf("count", null) : titleOf(method, path));
  const series = y.map((path) => ({ path, title: period === null ? path : titleIn(path) }));
  return { view: withOptions(view, { $expand: null, $count: null, ...select }), series, labels: [x], groups: null };
}

function planTotals({ view, place, choice }: PlanRequest, column: ChartColumn | undefined, isPlain: boolean) {
  const { x, y, period, method } = choice;
  const { type = null, labels = [], groups = [] } = column ?? {};
  const taken = [...place.type.properties.keys(), ...place.type.navigations.keys()];
  const totals = y.map((path): Total => {
    const of = path === COUNT ? ({ method: "count", path: null } as const) : { method, path };
    return { ...of, alias: aliasOf(of.method, of.path, taken) };
  });
  const name = aliasOf("min", "Period", taken);
  const isUtc = type?.kind === "primitive" && type.timezone === "UTC";
  const [expression, startOf] = isPlain
    ? [null, null]
    : periodNumber(x, isDate(type) ? "Edm.Date" : "", isUtc, period ?? "day");
  const groupBy = expression === null ? (groups ?? []) : [name];
  const compute = expression === null ? [] : [`compute(${expression} as ${name})`];
  const apply = [...rowSteps(view.options), ...compute, writeApply({ filter: "", groupBy, totals })].join("/");
  const first = period === null && column?.isMeasure !== true && !isIdentifier(place.type, x) ? totals.slice(0, 1) : [];
  const order = [...first.map(({ alias }) => `${alias} desc`), ...groupBy].join(",");
  const own = [...view.options].filter(([option]) => !option.startsWith("$"));
  const $orderby = place.set?.abilities.canSort === false ? null : order;
  return {
    view: viewOf(view.screen, view.path, [...own, ["$apply", apply], ["$orderby", $orderby]]),
    series: totals.map((each) => ({ path: each.alias, title: titleOf(each.method, each.path) })),
    labels: expression === null ? labels : [name],
    groups: groupBy,
    startOf,
  };
}

function isDate(type: PropertyType | null): boolean {
  return type?.kind === "primitive" && type.name === "Edm.Date";
}

/**
 * Returns the view of the rows of a point: the record, or the grid with a filter for the group. Null where no filter finds them,
 * such as within the first rows of a query.
 */
export function viewOfRows(request: PlanRequest, plan: ChartPlan, row: unknown, span: Span | null): View | null {
  const { view, place, choice } = request;
  const { options } = view;
  if (span === null && plan.groups === null) {
    const path = recordPath(place.set, row);
    return path === null ? null : viewOf("record", path);
  }
  const isApplied = choice.source === "applied";
  const [search = "", filter = ""] = ["$search", "$filter"].map((name) => options.get(name));
  const entities = isApplied ? (appliedRows(options.get("$apply") ?? "")?.entities ?? null) : { search, filter };
  const conditions = span === null ? groupConditions(place, plan, row) : periodConditions(choice.x, plan, span);
  const { canFilter = true, filterable = () => true } = place.set?.abilities ?? {};
  const isFound = canFilter && conditions?.every(({ path }) => filterable(path)) === true;
  if (entities === null || conditions === null || !isFound || (!isApplied && isLimited(options))) return null;
  const $filter = writeFilter({ ...NO_FILTER, items: [...conditionsOf(entities.filter), ...conditions] });
  const kept = [...options].filter(([name]) => name.startsWith("@") || (name === "$compute" && !isApplied));
  return withOptions(viewOf("grid", view.path, kept), {
    $search: entities.search === "" ? null : entities.search,
    $filter,
  });
}

function periodConditions(x: string, { type, zone }: ChartPlan, span: Span): readonly FilterCondition[] {
  const [from, until] = literalsOf(span, isDate(type) ? "Edm.Date" : "", zone);
  return [condition(x, "ge", [from]), condition(x, "lt", [until])];
}

function groupConditions(
  { type }: ResolvedPath,
  { groups }: ChartPlan,
  row: unknown,
): readonly FilterCondition[] | null {
  const conditions = (groups ?? []).map((path) => {
    const property = memberAt(type, path)?.property;
    return property === undefined
      ? null
      : condition(path, "eq", [toLiteral(valueAt(row, path.split("/")), property.type)]);
  });
  return conditions.every((each) => each !== null) ? conditions : null;
}
