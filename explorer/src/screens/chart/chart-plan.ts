import { valueAt } from "../../format/csv.ts";
import { type CalendarUnit, type Zone, zoneOf } from "../../format/zone.ts";
import type { PropertyType } from "../../model/model.ts";
import { aliasOf, appliedRows, titleOf, type Total, writeApply } from "../../query/apply-text.ts";
import { condition, conditionsOf, type FilterNode, NO_FILTER, writeFilter } from "../../query/filter-tree.ts";
import { recordPath, toLiteral } from "../../query/literals.ts";
import { memberAt, type ResolvedPath } from "../../query/resolve-type.ts";
import { type View, viewOf, withOptions } from "../../state/view.ts";
import { fixedOffset, literalsOf, periodKeys, type PeriodKeys, type Span } from "./calendar.ts";
import { type ChartChoice, type ChartColumn, COUNT } from "./chart-choice.ts";

/** What a chart asks the service, and how the rows become points. */
export interface ChartPlan {
  /** The view whose rows the chart reads. */
  readonly view: View;
  /** The values of each point: a path in the rows, and a title. The path of a total of rows that the page groups is theirs. */
  readonly series: readonly { readonly path: string; readonly title: string }[];
  /** The paths of the rows that name a point. */
  readonly labels: readonly string[];
  /** What stands between several labels. */
  readonly joint: string;
  /** The type of the first label. */
  readonly type: PropertyType | null;
  /** Whether the digits of the first label are a name, such as a year. */
  readonly hasNames: boolean;
  readonly zone: Zone;
  readonly period: CalendarUnit | null;
  /** How the rows tell the start of their period; null if they have the value itself. */
  readonly keys: PeriodKeys | null;
  /** The paths of a row that tell its group apart; null if each point is a row, or a period of rows that the page groups. */
  readonly groups: readonly string[] | null;
}

interface PlanRequest {
  readonly view: View;
  readonly place: ResolvedPath;
  readonly columns: readonly ChartColumn[];
  readonly choice: ChartChoice;
  /** The zone in which the reader wants to see instants. */
  readonly zone: Zone;
}

/** Plans a chart. */
export function planOf(request: PlanRequest): ChartPlan {
  const { place, columns, choice, zone } = request;
  const { x, source, period } = choice;
  const column = columns.find(({ path }) => path === x);
  const type = column?.type ?? null;
  const shared = {
    type,
    zone: zoneOf(type, zone) ?? "UTC",
    period,
    keys: null,
    joint: " ",
    hasNames: column?.isId === true,
  };
  if (source === "applied") return { ...shared, ...planApplied(request, type) };
  // The service knows offsets, but not when a clock changes.
  const canCompute = fixedOffset(shared.zone) !== null && place.set?.abilities.applies("compute") === true;
  const isGroup = source === "totals" && (period === null || canCompute || (period === "day" && isDate(type)));
  return { ...shared, ...(isGroup ? planTotals(request, column, shared.zone) : planRows(request)) };
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
  const titleIn = (path: string): string => {
    if (period === null) return path;
    return path === COUNT ? titleOf("count", null) : titleOf(method, path);
  };
  const series = y.map((path) => ({ path, title: titleIn(path) }));
  return { view: withOptions(view, { $expand: null, $count: null, ...select }), series, labels: [x], groups: null };
}

function planTotals({ view, place, choice }: PlanRequest, column: ChartColumn | undefined, shownIn: Zone) {
  const { x, y, period, method } = choice;
  const taken = [...place.type.properties.keys(), ...place.type.navigations.keys()];
  const totals = y.map((path): Total => {
    const of = path === COUNT ? ({ method: "count", path: null } as const) : { method, path };
    return { ...of, alias: aliasOf(of.method, of.path, taken) };
  });
  const type = column?.type;
  const nameOf = (word: string): string => (taken.includes(`Chart${word}`) ? nameOf(`${word}_`) : `Chart${word}`);
  const stored =
    type?.kind === "primitive"
      ? { type: type.name, offset: fixedOffset(shownIn) ?? 0, isUtc: type.timezone === "UTC" }
      : null;
  const keys = period === null || stored === null ? null : periodKeys(x, stored, period, nameOf);
  const groups = keys?.names ?? column?.groups ?? [];
  const computed = keys?.computed ?? [];
  const steps = [
    ...stepsOf(view),
    ...(computed.length === 0 ? [] : [`compute(${computed.join(",")})`]),
    writeApply({ filter: "", groupBy: groups, totals }),
  ];
  const isOrdered = period !== null || (column?.isNumber === true && !column.isId);
  const first = isOrdered ? [] : totals.slice(0, 1).map(({ alias }) => `${alias} desc`);
  const order = place.set?.abilities.canSort === false ? null : [...first, ...groups].join(",");
  const own = [...view.options].filter(([name]) => !name.startsWith("$"));
  return {
    view: viewOf(view.screen, view.path, [...own, ["$apply", steps.join("/")], ["$orderby", order]]),
    series: totals.map((each) => ({ path: each.alias, title: titleOf(each.method, each.path) })),
    labels: column?.labels ?? [],
    groups: keys === null ? groups : [],
    keys,
  };
}

function isDate(type: PropertyType | null): boolean {
  return type?.kind === "primitive" && type.name === "Edm.Date";
}

/** Writes the options that choose the rows of a query as steps before the groups. */
function stepsOf({ options }: View): readonly string[] {
  const limits = isLimited(options) ? ["orderby", "skip", "top"] : [];
  return ["search", "compute", "filter", ...limits].flatMap((name) => {
    const text = options.get(`$${name}`) ?? "";
    return text.trim() === "" ? [] : [`${name}(${text})`];
  });
}

function isLimited(options: View["options"]): boolean {
  return ["$top", "$skip"].some((name) => (options.get(name) ?? "") !== "");
}

/**
 * Returns the view of the rows of a point: the record, or the grid with a filter for the group. Null where no filter finds them,
 * such as within the first rows of a query.
 */
export function viewOfRows(
  { view, place, choice }: PlanRequest,
  plan: ChartPlan,
  row: unknown,
  span: Span | null,
): View | null {
  if (span === null && plan.groups === null) {
    const path = recordPath(place.set, row);
    return path === null ? null : viewOf("record", path);
  }
  const { options } = view;
  const applied = choice.source === "applied" ? appliedRows(options.get("$apply") ?? "") : null;
  const entities =
    choice.source === "applied"
      ? (applied?.entities ?? null)
      : { search: options.get("$search") ?? "", filter: options.get("$filter") ?? "" };
  const conditions = span === null ? groupConditions(place, plan, row) : periodConditions(choice.x, plan, span);
  const isFilterable = ({ abilities }: NonNullable<ResolvedPath["set"]>): boolean =>
    abilities.canFilter &&
    (conditions ?? []).every((each) => each.kind !== "condition" || abilities.filterable(each.path));
  if (entities === null || conditions === null || (choice.source !== "applied" && isLimited(options))) return null;
  if (place.set !== null && !isFilterable(place.set)) return null;
  const filter = writeFilter({ ...NO_FILTER, items: [...conditionsOf(entities.filter), ...conditions] });
  const kept = [...options].filter(([name]) => name.startsWith("@") || name === "$compute");
  const own = choice.source === "applied" ? kept.filter(([name]) => name !== "$compute") : kept;
  const chosen = [["$search", entities.search] as const, ["$filter", filter] as const].filter(
    ([, text]) => text !== "",
  );
  return viewOf("grid", view.path, [...own, ...chosen]);
}

function periodConditions(x: string, { type, zone }: ChartPlan, span: Span): readonly FilterNode[] | null {
  if (type?.kind !== "primitive") return null;
  const [from, until] = literalsOf(span, type.name, zone);
  return [condition(x, "ge", [from]), condition(x, "lt", [until])];
}

function groupConditions({ type }: ResolvedPath, { groups }: ChartPlan, row: unknown): readonly FilterNode[] | null {
  const conditions = (groups ?? []).map((path) => {
    const property = memberAt(type, path)?.property;
    return property === undefined ? null : condition(path, "eq", [toLiteral(valueIn(row, path), property.type)]);
  });
  return conditions.every((each) => each !== null) ? conditions : null;
}

function valueIn(row: unknown, path: string): unknown {
  return valueAt(row, path.split("/"));
}
