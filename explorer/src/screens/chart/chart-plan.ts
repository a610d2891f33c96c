import { valueAt } from "../../format/csv.ts";
import { daysOfPeriod } from "../../format/period.ts";
import { type CalendarUnit, isDate, type Zone, zoneOf } from "../../format/zone.ts";
import { isIdentifier } from "../../model/identifier.ts";
import type { PropertyType } from "../../model/model.ts";
import { aliasOf, appliedRows, freeName, titleOf, type Total, writeApply } from "../../query/apply-text.ts";
import { type DateGroup, dateGroup } from "../../query/date-groups.ts";
import { writeRange } from "../../query/date-ranges.ts";
import { condition, conditionsOf, type FilterCondition, NO_FILTER, writeFilter } from "../../query/filter-tree.ts";
import { isLimited, rowSteps } from "../../query/limits.ts";
import { recordPath, toLiteral } from "../../query/literals.ts";
import { memberAt, type ResolvedPath } from "../../query/resolve-type.ts";
import { type View, viewOf, withOptions } from "../../state/view.ts";
import { type ChartChoice, type ChartColumn, COUNT, nameOf } from "./chart-choice.ts";

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
  /** The period that each point is; null if it is a value. */
  readonly period: CalendarUnit | null;
  /** The paths of a row that tell its group apart, and those of them that are periods; null if each point is a row. */
  readonly groups: readonly string[] | null;
  readonly dates: readonly DateGroup[];
  /** The totals that the page makes of the rows that it reads; null if the service made them, or nobody does. */
  readonly totals: readonly Total[] | null;
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
  const { x, y, source, period, method } = choice;
  const column = columns.find(({ path }) => path === x);
  const type = column?.type ?? null;
  const zone = zoneOf(type, request.zone) ?? "UTC";
  const shared = { type, zone, period, joint: " ", hasNames: isIdentifier(place.type, x), dates: [], totals: null };
  if (source === "applied") return { ...shared, ...planApplied(request, type) };
  if (source === "rows" && period === null) {
    const series = y.map((path) => ({ path, title: path }));
    return { ...shared, view: viewOfValues(request), series, labels: [x], groups: null };
  }
  const taken = [...place.type.properties.keys(), ...place.type.navigations.keys()];
  const totals = y.map((path): Total => {
    const of = path === COUNT ? ({ method: "count", path: null } as const) : { method, path };
    return { ...of, alias: aliasOf(of.method, of.path, taken) };
  });
  const series = totals.map((each) => ({ path: each.alias, title: titleOf(each.method, each.path) }));
  const isOwnDay = period === "day" && isDate(type);
  // The service does not know when a clock changes.
  const canNumber = zone === "UTC" && place.set?.abilities.applies("compute") === true;
  const isOfService = source === "totals" && (period === null || isOwnDay || canNumber);
  const own = { ...shared, series, labels: column?.labels ?? [], groups: column?.groups ?? [] };
  if (period === null || (isOwnDay && isOfService)) return { ...own, view: viewOfTotals(request, own, totals) };
  const date = dateGroup(x, type, period, freeName(x + nameOf(period), taken));
  const [groups, ownType] = [[date.alias], type?.kind === "primitive" ? { ...type, period } : type];
  const made = { ...own, labels: groups, groups, dates: [date], type: ownType };
  if (isOfService) return { ...made, view: viewOfTotals(request, made, totals) };
  return { ...made, view: viewOfValues(request), totals };
}

/** The rows of `$apply` stay as they are. */
function planApplied({ view, choice: { x, y } }: PlanRequest, type: PropertyType | null) {
  const { groups, dates } = appliedRows(view.options.get("$apply") ?? "") ?? { groups: [x], dates: [] };
  const labels = [x, ...groups.filter((path) => path !== x)].filter((path) => path !== "");
  const series = y.map((path) => ({ path, title: path }));
  const unit = dates.find(({ alias }) => alias === x)?.unit ?? (isDate(type) ? "day" : null);
  const [own, period] = [withOptions(view, { $expand: null, $count: null }), labels.length === 1 ? unit : null];
  return { view: own, series, labels, joint: " · ", groups, dates, period };
}

/** Returns the view of the values that a chart needs of each row. */
function viewOfValues({ view, place, choice: { x, y } }: PlanRequest): View {
  const { canReadByKey = false, canSelect = true } = place.set?.abilities ?? {};
  const key = canReadByKey ? place.type.key.map(({ name }) => name) : [];
  const paths = [...new Set([x, ...y, ...key])].filter((path) => path !== "" && path !== COUNT);
  return withOptions(view, { $expand: null, $count: null, ...(canSelect ? { $select: paths.join(",") } : {}) });
}

/** Returns the view of groups of the rows that a view chooses, the greatest first, or in the order of numbers and periods. */
function viewOfTotals(
  { view, place, columns, choice: { x } }: PlanRequest,
  {
    groups,
    dates,
    period,
    hasNames,
  }: Pick<ChartPlan, "dates" | "period" | "hasNames"> & { readonly groups: readonly string[] },
  totals: readonly Total[],
): View {
  const apply = writeApply({ filter: "", dates, groupBy: dates.length > 0 ? [] : groups, totals });
  const isMeasure = columns.some((each) => each.path === x && each.isMeasure);
  const ranks =
    period === null && !isMeasure && !hasNames ? totals.slice(0, 1).map(({ alias }) => `${alias} desc`) : [];
  const order = place.set?.abilities.canSort === false ? null : [...ranks, ...groups].join(",");
  const own = [...view.options].filter(([option]) => !option.startsWith("$"));
  const steps = [...rowSteps(view.options), apply].join("/");
  return viewOf(view.screen, view.path, [...own, ["$apply", steps], ["$orderby", order]]);
}

/**
 * Returns the view of the rows of a point: the record, or the grid with a filter for the group. Null where no filter finds them,
 * such as within the first rows of a query.
 */
export function viewOfRows({ view, place, choice }: PlanRequest, plan: ChartPlan, row: unknown): View | null {
  const { options } = view;
  if (plan.groups === null) {
    const path = recordPath(place.set, row);
    return path === null ? null : viewOf("record", path);
  }
  const isApplied = choice.source === "applied";
  const [search = "", filter = ""] = ["$search", "$filter"].map((name) => options.get(name));
  const entities = isApplied ? (appliedRows(options.get("$apply") ?? "")?.entities ?? null) : { search, filter };
  const groups = plan.groups.map((path) => conditionsOfGroup(place, plan, path, valueAt(row, path.split("/"))));
  const conditions = groups.flatMap((each) => each ?? []);
  const { canFilter = true, filterable = () => true } = place.set?.abilities ?? {};
  const isFound = canFilter && !groups.includes(null) && conditions.every(({ path }) => filterable(path));
  if (entities === null || !isFound || (!isApplied && isLimited(options))) return null;
  const $filter = writeFilter({ ...NO_FILTER, items: [...conditionsOf(entities.filter), ...conditions] });
  const kept = [...options].filter(([name]) => name.startsWith("@") || (name === "$compute" && !isApplied));
  return withOptions(viewOf("grid", view.path, kept), {
    $search: entities.search === "" ? null : entities.search,
    $filter,
  });
}

/** Returns the conditions that rows of a group meet; null where there are none, such as of a value that the model does not have. */
function conditionsOfGroup(
  { type }: ResolvedPath,
  { dates, zone }: ChartPlan,
  path: string,
  value: unknown,
): readonly FilterCondition[] | null {
  const date = dates.find(({ alias }) => alias === path);
  if (date === undefined || value === null) {
    const property = memberAt(type, date?.path ?? path)?.property;
    return property === undefined ? null : [condition(date?.path ?? path, "eq", [toLiteral(value, property.type)])];
  }
  const [from, to] = daysOfPeriod(date.unit, value) ?? [];
  if (from === undefined || to === undefined) return null;
  return writeRange(date.path, { from, to }, date.of === "date" ? null : zone);
}
