import { pageLocale } from "../../format/locale.ts";
import type { Zone } from "../../format/zone.ts";
import { type Axis, type Domain, domainOf, numberAxis, numberFormat, timeAxis } from "./axis.ts";
import type { ChartChoice } from "./chart-choice.ts";
import type { ChartData } from "./chart-data.ts";

/** The content of a picture. */
export interface PictureProps {
  readonly kind: ChartChoice["kind"];
  readonly data: ChartData;
  readonly titles: readonly string[];
  readonly width: number;
  readonly zone: Zone;
  /** Whether the digits of numbers below the picture are a name, such as a year. */
  readonly hasNames?: boolean;
  /** The language of the reader; that of the browser without it. */
  readonly locale?: string;
}

export const LEGEND_LINE = 20;
const WIDEST_BAR = 110;
/** Pixels between the ticks of a horizontal axis. */
const TICK_WIDTH = 100;

/** Where everything of a picture is. */
export type Frame = ReturnType<typeof frameOf>;

/** Lays a chart out, in pixels: its axes, their texts, and the places of points. */
export function frameOf({ kind, data, titles, width, zone, hasNames = false, locale = pageLocale() }: PictureProps) {
  const { axis, points } = data;
  const top = 12 + (titles.length > 1 ? titles.length * LEGEND_LINE : 0);
  const bottom = top + Math.round(Math.max(200, Math.min(350, width / 2)));
  const right = width - 14;
  const values = points.flatMap((point) => point.values);
  const vertical = numberAxis(domainOf(values, kind === "bars") ?? [0, 1], 5, [bottom, top]);
  const format = numberFormat(vertical.ticks, locale);
  const yTexts = vertical.ticks.map((tick) => ({ at: vertical.at(tick), text: format.format(tick) }));
  const left = Math.max(...yTexts.map(({ text }) => widthOf(text))) + 18;
  const step = (right - left) / points.length;
  const horizontal = horizontalAxis(data, [left + 8, right - 8], zone, locale);
  const startOf = (at: number): number => horizontal?.at(points[at]?.x ?? 0) ?? left + step * at;
  const endOf = (at: number): number => horizontal?.at(points[at]?.end ?? 0) ?? left + step * (at + 1);
  const isWide = axis === "bands" || (kind === "bars" && points.every(({ end }) => end !== null));
  const textOf = horizontal?.textOf ?? plainText(horizontal, hasNames, locale);
  const xTexts =
    horizontal === null
      ? points.map(({ label }, at) => ({
          at: left + step * (at + 0.5),
          text: label.length > 16 ? `${label.slice(0, 15)}…` : label,
        }))
      : horizontal.ticks.map((tick) => ({ at: horizontal.at(tick), text: textOf(tick) }));
  return {
    left,
    right,
    top,
    bottom,
    yOf: vertical.at,
    xTexts: fitting(xTexts, width),
    yTexts,
    /** The middle of a point. */
    xOf: (at: number): number => (isWide ? (startOf(at) + endOf(at)) / 2 : startOf(at)),
    /** The width of the bars of a point. */
    bandOf: (at: number): number => Math.min(Math.max(1, (endOf(at) - startOf(at)) * 0.8), WIDEST_BAR * titles.length),
  };
}

function horizontalAxis({ axis, points }: ChartData, range: Domain, zone: Zone, locale: string): Axis | null {
  if (axis === "bands") return null;
  const ends = points.flatMap(({ x, end }) => [x, end]);
  const domain = domainOf(ends) ?? [0, 1];
  const count = Math.max(2, (range[1] - range[0]) / TICK_WIDTH);
  return axis === "time" ? timeAxis(domain, count, range, zone, locale) : numberAxis(domain, count, range);
}

function plainText(axis: Axis | null, hasNames: boolean, locale = pageLocale()): (tick: number) => string {
  const format = numberFormat(axis?.ticks ?? [], locale);
  return (tick) => (hasNames ? String(tick) : format.format(tick));
}

/** Returns the width of a text with digits of the usual width. */
function widthOf(text: string): number {
  return text.length * 6.6;
}

/** Leaves out texts that would touch each other or the edge; the table has them. */
function fitting<Text extends { readonly at: number; readonly text: string }>(
  texts: readonly Text[],
  width: number,
): readonly Text[] {
  let end = 0;
  return texts.filter(({ at, text }) => {
    const half = widthOf(text) / 2;
    if (at - half < end || at + half > width) return false;
    end = at + half + 10;
    return true;
  });
}

/** Returns the path through the points of a series, with a gap where a value is missing. */
export function linePath(
  points: readonly (readonly [x: number, value: number | null])[],
  yOf: (value: number) => number,
): string {
  const hasValue = (at: number): boolean => typeof points[at]?.[1] === "number";
  return points
    .map(([x, value], at) => (value === null ? "" : `${hasValue(at - 1) ? "L" : "M"}${x} ${yOf(value)}`))
    .join("");
}
