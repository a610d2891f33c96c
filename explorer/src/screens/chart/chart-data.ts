import { valueAt } from "../../format/csv.ts";
import { pageLocale } from "../../format/locale.ts";
import { daysOfPeriod, periodText } from "../../format/period.ts";
import { countText, showValue } from "../../format/show-value.ts";
import { timesOf } from "../../format/zone.ts";
import type { PropertyType } from "../../model/model.ts";
import { titleOf } from "../../query/apply-text.ts";
import { toNumber } from "./axis.ts";
import { type ChartChoice, COUNT } from "./chart-choice.ts";
import type { ChartPlan } from "./chart-plan.ts";

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
  /** Where a period ends; null if the point is a value. */
  readonly end: number | null;
  readonly values: readonly (number | null)[];
  readonly texts: readonly string[];
  /** The same as the service states it. */
  readonly stated: readonly unknown[];
  /** The place as the service states it, or its name. */
  readonly place: { readonly value: unknown; readonly type: PropertyType | null };
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
  kind: ChartChoice["kind"],
  locale = pageLocale(),
): ChartData {
  const { labels, period } = plan;
  const xs = rows.map((row) => valueIn(row, labels[0] ?? "") ?? null).filter((each) => each !== null);
  const isEach = (test: (value: unknown) => boolean): boolean => labels.length === 1 && xs.length > 0 && xs.every(test);
  const isTime = period !== null || isEach(isTimeText);
  const type = isTime && period === null ? timeType(xs, plan.type) : plan.type;
  const points = rows.map((row) => pointOf(row, { ...plan, type }, isTime, locale));
  // Numbers within texts are names.
  const isName = plan.type !== null && (plan.type.kind !== "primitive" || plan.type.name === "Edm.String");
  const isNumber = !isName && isEach((each) => toNumber(each) !== null);
  const isMeasured = period !== null || (kind !== "bars" && (isTime || isNumber));
  const measured = isTime ? "time" : "number";
  const axis = isMeasured ? measured : "bands";
  const isPlaced = ({ x, values }: ChartPoint): boolean =>
    (axis === "bands" || x !== null) && values.some((value) => value !== null);
  const placed = points.filter(isPlaced);
  const isOrdered = isTime || axis === "number";
  const shown = isOrdered ? placed.toSorted((a, b) => Number(a.x) - Number(b.x)) : placed;
  const lost = points.filter((point) => !isPlaced(point)).map((point) => point.rows);
  const missingOf = lost.includes(null) ? "group" : "row";
  const missing = missingOf === "group" ? lost.length : lost.reduce<number>((all, each) => all + (each ?? 0), 0);
  return { axis, points: shown, missing, missingOf };
}

function isTimeText(value: unknown): boolean {
  return typeof value === "string" && DATE.test(value) && !Number.isNaN(Date.parse(value));
}

/** Texts of databases without dates are dates, too. */
function timeType(values: readonly unknown[], type: PropertyType | null): PropertyType {
  if (type?.kind === "primitive" && type.name !== "Edm.String") return type;
  const name = values.some((value) => String(value).includes("T")) ? "Edm.DateTimeOffset" : "Edm.Date";
  return { kind: "primitive", name };
}

function pointOf(row: unknown, plan: ChartPlan, isTime: boolean, locale: string): ChartPoint {
  const { period, zone, series, labels, hasNames, groups } = plan;
  const value = valueIn(row, labels[0] ?? "");
  const stated = series.map(({ path }) => (path === COUNT ? 1 : valueIn(row, path)));
  const counted = series.find(({ title }) => title === titleOf("count", null))?.path ?? COUNT;
  const days = period === null ? null : daysOfPeriod(period, value);
  const [start, end] = days === null ? [] : timesOf(...days, zone);
  const time = isTime && isTimeText(value) ? Date.parse(String(value)) : null;
  const isName = labels.length !== 1 || period !== null || hasNames;
  const label = labelOf(row, plan, locale);
  return {
    label,
    x: period === null ? (time ?? toNumber(value)) : (start ?? null),
    end: end ?? null,
    values: stated.map(toNumber),
    texts: stated.map((each) => showValue(each, EXACT, locale).text),
    stated,
    place: isName ? { value: label, type: null } : { value, type: plan.type },
    row,
    rows: groups === null ? 1 : toNumber(valueIn(row, counted)),
  };
}

/** Names a row by its labels. Of several ones, those without a text say nothing. */
function labelOf(row: unknown, { labels, joint, type, zone, hasNames, dates }: ChartPlan, locale: string): string {
  const texts = labels.flatMap((path, at) => {
    const value = valueIn(row, path);
    if (labels.length > 1 && (value ?? "") === "") return [];
    if (hasNames && at === 0 && toNumber(value) !== null) return String(value);
    const unit = dates.find(({ alias }) => alias === path)?.unit;
    return unit === undefined
      ? showValue(value, at === 0 ? type : null, locale, { zone }).text
      : periodText(unit, value, locale);
  });
  return texts.join(joint) || (labels.length === 0 ? "all" : "null");
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
