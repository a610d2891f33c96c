import { valueAt } from "../../format/csv.ts";
import { pageLocale } from "../../format/locale.ts";
import { countText, showValue } from "../../format/show-value.ts";
import type { PropertyType } from "../../model/model.ts";
import { titleOf } from "../../query/apply-text.ts";
import { toNumber } from "./axis.ts";
import { periodText, type Span, spanAt, toTime } from "./calendar.ts";
import { type ChartChoice, COUNT } from "./chart-choice.ts";
import type { ChartPlan } from "./chart-plan.ts";
import { totalOf } from "./exact-total.ts";

/** The points of a chart, in the order of its horizontal axis. */
export interface ChartData {
  readonly axis: "bands" | "number" | "time";
  readonly points: readonly ChartPoint[];
  /** The number of rows that have no place, since x or all values are missing; of groups where their rows are not known. */
  readonly missing: number;
  readonly missingOf: "row" | "group";
}

/** A place on the horizontal axis: its name, its number or time, and the value of each series, for a reader with all digits. */
export interface ChartPoint {
  readonly label: string;
  readonly x: number | null;
  /** The period of the point; null if it is a value. */
  readonly span: Span | null;
  readonly values: readonly (number | null)[];
  readonly texts: readonly string[];
  /** The same as the service states it. */
  readonly stated: readonly unknown[];
  /** The place as the service states it; null if it has another name. */
  readonly place: { readonly value: unknown; readonly type: PropertyType | null } | null;
  /** The row, or the first one of a period. */
  readonly row: unknown;
  /** The number of rows of the point; null if the service did not state it. */
  readonly rows: number | null;
}

/** The type of totals. */
export const EXACT: PropertyType = Object.freeze({ kind: "primitive", name: "Edm.Decimal" });
const DATE = /^\d{4}-\d\d-\d\d(?:$|T)/u;

/** Reads rows as points. Bars have names below them; periods, and lines and scatter, have an axis of numbers or times. */
export function chartData(
  rows: readonly unknown[],
  plan: ChartPlan,
  { kind, method }: Pick<ChartChoice, "kind" | "method">,
  locale = pageLocale(),
): ChartData {
  const { type, labels, period, groups } = plan;
  const own = rows.map((row) => pointOf(row, plan, locale));
  const points = period !== null && groups === null ? mergedPoints(own, plan, method, locale) : own;
  // Numbers within texts are names.
  const isName = type !== null && (type.kind !== "primitive" || type.name === "Edm.String");
  const xs = rows.map((row) => valueIn(row, labels[0] ?? "") ?? null).filter((each) => each !== null);
  const isEach = (test: (value: unknown) => boolean): boolean => labels.length === 1 && xs.length > 0 && xs.every(test);
  const isTime = period !== null || isEach(isTimeText);
  const isNumber = !isName && isEach((each) => toNumber(each) !== null);
  const isMeasured = period !== null || (kind !== "bars" && (isTime || isNumber));
  const measured = isTime ? "time" : "number";
  const axis = isMeasured ? measured : "bands";
  const placed = points.filter(
    (point) => (axis === "bands" || point.x !== null) && point.values.some((value) => value !== null),
  );
  const isOrdered = isTime || axis === "number";
  const shown = isOrdered ? placed.toSorted((a, b) => Number(a.x) - Number(b.x)) : placed;
  const lost = points.filter((point) => !placed.includes(point)).map((point) => point.rows);
  const missingOf = lost.includes(null) ? "group" : "row";
  const missing = missingOf === "group" ? lost.length : lost.reduce<number>((all, each) => all + (each ?? 0), 0);
  return { axis, points: shown, missing, missingOf };
}

function isTimeText(value: unknown): boolean {
  return typeof value === "string" && DATE.test(value) && toTime(value) !== null;
}

function pointOf(row: unknown, plan: ChartPlan, locale: string): ChartPoint {
  const { period, startOf, zone, series, labels, type, hasNames, groups } = plan;
  const [value, number] = [valueIn(row, labels[0] ?? ""), toNumber(valueIn(row, labels[0] ?? ""))];
  const stated = series.map(({ path }) => (path === COUNT ? 1 : valueIn(row, path)));
  const texts = stated.map((each) => showValue(each, EXACT, locale).text);
  const counted = series.findIndex(({ title }) => title === titleOf("count", null));
  const shared = {
    values: stated.map(toNumber),
    texts,
    stated,
    row,
    rows: groups === null ? 1 : toNumber(stated[counted]),
  };
  if (period === null) {
    const isTime = isTimeText(value);
    const place = labels.length === 1 && !hasNames ? { value, type: isTime ? timeType(value, type) : type } : null;
    return { ...shared, label: labelOf(row, plan, locale), x: isTime ? toTime(value) : number, span: null, place };
  }
  const start = startOf === null || number === null ? toTime(value) : startOf(number);
  const span = start === null ? null : spanAt(start, period, zone);
  const label = span === null ? "null" : periodText(span.start, period, zone, locale);
  return { ...shared, label, x: span?.start ?? null, span, place: null };
}

/** Names a row by its labels. Of several ones, those without a text say nothing. */
function labelOf(row: unknown, { labels, joint, type, zone, hasNames }: ChartPlan, locale: string): string {
  const texts = labels.flatMap((path, at) => {
    const value = valueIn(row, path);
    if (labels.length > 1 && (value ?? "") === "") return [];
    const own = at === 0 ? type : null;
    if (hasNames && at === 0 && toNumber(value) !== null) return String(value);
    return showValue(value, isTimeText(value) ? timeType(value, own) : own, locale, { zone }).text;
  });
  return texts.join(joint) || (labels.length === 0 ? "all" : "null");
}

/** Makes one point of those of each period. */
function mergedPoints(
  points: readonly ChartPoint[],
  { series }: ChartPlan,
  method: ChartChoice["method"],
  locale: string,
): readonly ChartPoint[] {
  const groups = new Map<number | null, ChartPoint[]>();
  for (const point of points) groups.set(point.x, [...(groups.get(point.x) ?? []), point]);
  return Array.from(groups.values()).flatMap((own) => {
    const all = (at: number): readonly unknown[] => own.map((point) => point.stated[at]);
    const stated = series.map(({ path }, at) => totalOf(all(at), path === COUNT ? "sum" : method));
    const texts = stated.map((value) => showValue(value, EXACT, locale).text);
    return own
      .slice(0, 1)
      .map((first) => ({ ...first, values: stated.map(toNumber), texts, stated, rows: own.length }));
  });
}

/** Texts of databases without dates are dates, too. */
function timeType(value: unknown, type: PropertyType | null): PropertyType {
  if (type?.kind === "primitive" && type.name !== "Edm.String") return type;
  return { kind: "primitive", name: String(value).includes("T") ? "Edm.DateTimeOffset" : "Edm.Date" };
}

function valueIn(row: unknown, path: string): unknown {
  return valueAt(row, path.split("/"));
}

/** Describes a picture: the number of points, and the least and the greatest value of each series. */
export function describe({ points, missing, missingOf }: ChartData, titles: readonly string[]): string {
  const sentences = titles.map((title, index) => {
    const found = points
      .map(({ label, values, texts }) => ({ value: values[index] ?? null, text: `${texts[index] ?? ""} at ${label}` }))
      .filter(({ value }) => value !== null)
      .toSorted((a, b) => Number(a.value) - Number(b.value));
    return found.length === 0
      ? `${title} has no values.`
      : `${title}: minimum ${found[0]?.text ?? ""}, maximum ${found.at(-1)?.text ?? ""}.`;
  });
  const lost = `Left out: ${countText(missing, missingOf)} without a number, or without a place on the axis.`;
  return [`${countText(points.length, "point")}.`, ...sentences, ...(missing === 0 ? [] : [lost])].join(" ");
}
