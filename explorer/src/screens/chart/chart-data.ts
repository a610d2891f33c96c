import { valueAt } from "../../format/csv.ts";
import { countText, showValue } from "../../format/show-value.ts";
import type { PropertyType } from "../../model/model.ts";
import type { ChartChoice } from "./chart-choice.ts";
import { toNumber, toTime } from "./chart-scale.ts";

/** The points of a chart, in the order of its horizontal axis. */
export interface ChartData {
  readonly axis: "bands" | "number" | "time";
  readonly points: readonly ChartPoint[];
  /** Rows that have no place, since x or all values are missing. */
  readonly missing: number;
}

/** A place on the horizontal axis: its name, its number or time, and the value of each series, for a reader with all digits. */
interface ChartPoint {
  readonly label: string;
  readonly x: number | null;
  readonly values: readonly (number | null)[];
  readonly texts: readonly string[];
  /** The same as the service states it, the place first. */
  readonly stated: readonly { readonly value: unknown; readonly type: PropertyType | null }[];
}

const EXACT: PropertyType = Object.freeze({ kind: "primitive", name: "Edm.Decimal" });
const DATE = /^\d{4}-\d\d-\d\d(?:$|T)/u;

/** Reads rows as points. Bars have names below them; lines and scatter have an axis of numbers or times where x is one. */
export function chartData(
  rows: readonly unknown[],
  { x, y }: Pick<ChartChoice, "x" | "y">,
  type: PropertyType | null,
  kind: ChartChoice["kind"],
  locale?: string,
): ChartData {
  const xs = rows.map((row) => valueAt(row, x.split("/")) ?? null);
  const stated = xs.filter((each) => each !== null);
  const isEach = (test: (value: unknown) => boolean): boolean => stated.length > 0 && stated.every(test);
  const isTime = isEach((each) => typeof each === "string" && DATE.test(each) && toTime(each) !== null);
  // Numbers within texts are names.
  const isName = type !== null && (type.kind !== "primitive" || type.name === "Edm.String");
  const isNumber = !isName && isEach((each) => toNumber(each) !== null);
  const measured = isTime ? "time" : "number";
  const axis = kind !== "bars" && (isTime || isNumber) ? measured : "bands";
  const points = rows.map((row, at) => {
    const values = y.map((path) => valueAt(row, path.split("/")));
    const place = { value: xs[at], type: isTime ? timeType(xs[at]) : type };
    return {
      label: showValue(place.value, place.type, locale).text,
      x: isTime ? toTime(xs[at]) : toNumber(xs[at]),
      values: values.map(toNumber),
      texts: values.map((value) => showValue(value, EXACT, locale).text),
      stated: [place, ...values.map((value) => ({ value, type: EXACT }))],
    };
  });
  const placed = points.filter(
    (point) => (axis === "bands" || point.x !== null) && point.values.some((value) => value !== null),
  );
  const isOrdered = isTime || axis === "number";
  const shown = isOrdered ? placed.toSorted((a, b) => Number(a.x) - Number(b.x)) : placed;
  return { axis, points: shown, missing: points.length - placed.length };
}

/** Texts of databases without dates are dates, too. */
function timeType(x: unknown): PropertyType {
  return { kind: "primitive", name: String(x).includes("T") ? "Edm.DateTimeOffset" : "Edm.Date" };
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
