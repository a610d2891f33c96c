import { valueAt } from "../../format/csv.ts";
import { pageLocale } from "../../format/locale.ts";
import { countText, showValue } from "../../format/show-value.ts";
import type { CalendarUnit, Zone } from "../../format/zone.ts";
import type { PropertyType } from "../../model/model.ts";
import { toNumber } from "./axis.ts";
import { periodText, type Span, spanAt, toTime } from "./calendar.ts";
import type { ChartChoice } from "./chart-choice.ts";
import type { ChartPlan } from "./chart-plan.ts";

/** The points of a chart, in the order of its horizontal axis. */
export interface ChartData {
  readonly axis: "bands" | "number" | "time";
  readonly points: readonly ChartPoint[];
  /** Rows that have no place, since x or all values are missing. */
  readonly missing: number;
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
}

type DataPlan = Pick<
  ChartPlan,
  "series" | "labels" | "joint" | "type" | "zone" | "period" | "keys" | "groups" | "hasNames"
>;

/** The type of totals. */
export const EXACT: PropertyType = Object.freeze({ kind: "primitive", name: "Edm.Decimal" });
const DATE = /^\d{4}-\d\d-\d\d(?:$|T)/u;

/** Reads rows as points. Bars have names below them; periods, and lines and scatter, have an axis of numbers or times. */
export function chartData(
  rows: readonly unknown[],
  plan: DataPlan,
  { kind, method }: Pick<ChartChoice, "kind" | "method">,
  locale = pageLocale(),
): ChartData {
  const points =
    plan.period !== null && plan.groups === null
      ? groupedHere(rows, plan, plan.period, method, locale)
      : rows.map((row) => pointOf(row, plan, locale));
  // Numbers within texts are names.
  const { type } = plan;
  const isName = type !== null && (type.kind !== "primitive" || type.name === "Edm.String");
  const xs = rows.map((row) => valueIn(row, plan.labels[0] ?? "") ?? null).filter((each) => each !== null);
  const isOne = plan.labels.length === 1;
  const isTime = plan.period !== null || (isOne && xs.length > 0 && xs.every(isTimeText));
  const isNumber = isOne && !isName && xs.length > 0 && xs.every((each) => toNumber(each) !== null);
  const isMeasured = plan.period !== null || (kind !== "bars" && (isTime || isNumber));
  const measured = isTime ? "time" : "number";
  const axis = isMeasured ? measured : "bands";
  const placed = points.filter(
    (point) => (axis === "bands" || point.x !== null) && point.values.some((value) => value !== null),
  );
  const isOrdered = isTime || axis === "number";
  const shown = isOrdered ? placed.toSorted((a, b) => Number(a.x) - Number(b.x)) : placed;
  return { axis, points: shown, missing: points.length - placed.length };
}

function isTimeText(value: unknown): boolean {
  return typeof value === "string" && DATE.test(value) && toTime(value) !== null;
}

function pointOf(row: unknown, plan: DataPlan, locale = pageLocale()): ChartPoint {
  const { period, keys, zone, series } = plan;
  const values = valuesOf(
    series.map(({ path }) => valueIn(row, path)),
    locale,
  );
  const first = valueIn(row, plan.labels[0] ?? "");
  if (period === null) {
    const x = isTimeText(first) ? toTime(first) : toNumber(first);
    const type = isTimeText(first) ? timeType(first, plan.type) : plan.type;
    const place = plan.labels.length === 1 && !plan.hasNames ? { value: first, type } : null;
    return { ...values, label: labelOf(row, plan, locale), x, span: null, place, row };
  }
  const start = keys === null ? toTime(first) : keys.startOf(keys.names.map((name) => valueIn(row, name) ?? null));
  const span = start === null ? null : spanAt(start, period, zone);
  return { ...values, ...periodPlace(span, period, zone, locale), span, place: null, row };
}

function periodPlace(
  span: Span | null,
  period: CalendarUnit,
  zone: Zone,
  locale = pageLocale(),
): Pick<ChartPoint, "label" | "x"> {
  return span === null
    ? { label: "null", x: null }
    : { label: periodText(span.start, period, zone, locale), x: span.start };
}

/** Names a row by its labels. Of several ones, those without a text say nothing. */
function labelOf(row: unknown, { labels, joint, type, zone, hasNames }: DataPlan, locale = pageLocale()): string {
  const texts = labels.flatMap((path, at) => {
    const value = valueIn(row, path);
    if (labels.length > 1 && (value ?? "") === "") return [];
    const own = at === 0 ? type : null;
    if (hasNames && at === 0 && typeof value === "number") return String(value);
    return showValue(value, isTimeText(value) ? timeType(value, own) : own, locale, { zone }).text;
  });
  return texts.join(joint) || (labels.length === 0 ? "all" : "null");
}

function valuesOf(values: readonly unknown[], locale = pageLocale()): Pick<ChartPoint, "values" | "texts" | "stated"> {
  return {
    values: values.map(toNumber),
    texts: values.map((value) => showValue(value, EXACT, locale).text),
    stated: values,
  };
}

/** Groups rows by the period of their first label. */
function groupedHere(
  rows: readonly unknown[],
  { labels, series, zone }: DataPlan,
  period: CalendarUnit,
  method: ChartChoice["method"],
  locale = pageLocale(),
): readonly ChartPoint[] {
  const groups = new Map<number | null, unknown[]>();
  for (const row of rows) {
    const time = toTime(valueIn(row, labels[0] ?? ""));
    const start = time === null ? null : spanAt(time, period, zone).start;
    groups.set(start, [...(groups.get(start) ?? []), row]);
  }
  return Array.from(groups, ([start, own]) => {
    const totals = series.map(({ path }) =>
      path === "$count"
        ? own.length
        : totalOf(
            own.flatMap((row) => toNumber(valueIn(row, path)) ?? []),
            method,
          ),
    );
    const span = start === null ? null : spanAt(start, period, zone);
    return { ...valuesOf(totals, locale), ...periodPlace(span, period, zone, locale), span, place: null, row: own[0] };
  });
}

/** Sums of doubles show no more digits than doubles have. */
function totalOf(values: readonly number[], method: ChartChoice["method"]): number | null {
  if (values.length === 0) return null;
  const sum = values.reduce((all, value) => all + value, 0);
  const totals = {
    sum: () => sum,
    average: () => sum / values.length,
    min: () => Math.min(...values),
    max: () => Math.max(...values),
  };
  return Number(totals[method]().toPrecision(15));
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
export function describe({ points, missing }: ChartData, titles: readonly string[]): string {
  const sentences = titles.map((title, index) => {
    const found = points
      .map(({ label, values, texts }) => ({ value: values[index] ?? null, text: `${texts[index] ?? ""} at ${label}` }))
      .filter(({ value }) => value !== null)
      .toSorted((a, b) => Number(a.value) - Number(b.value));
    return found.length === 0
      ? `${title} has no values.`
      : `${title}: minimum ${found[0]?.text ?? ""}, maximum ${found.at(-1)?.text ?? ""}.`;
  });
  const lost = missing === 0 ? [] : [`Left out: ${missing} without a number, or without a place on the axis.`];
  return [`${countText(points.length, "point")}.`, ...sentences, ...lost].join(" ");
}
