import type { ChartChoice } from "./chart-choice.ts";
import type { ChartData } from "./chart-data.ts";
import { domainOf, linearScale, numberFormat, numberTicks } from "./chart-scale.ts";

/** The content of a picture. */
export interface PictureProps {
  readonly kind: ChartChoice["kind"];
  readonly data: ChartData;
  readonly titles: readonly string[];
  readonly width: number;
  /** The language of the reader; that of the browser without it. */
  readonly locale?: string;
}

export const LEGEND_LINE = 20;
const WIDEST_BAR = 110;

/** Where everything of a picture is. */
export type Frame = ReturnType<typeof frameOf>;

/** Lays a chart out, in pixels: its axes, their texts, and the places of points. */
export function frameOf({ kind, data: { axis, points }, titles, width, locale }: PictureProps) {
  const top = 12 + (titles.length > 1 ? titles.length * LEGEND_LINE : 0);
  const bottom = top + Math.round(Math.max(200, Math.min(350, width / 2)));
  const right = width - 14;
  const values = points.flatMap((point) => point.values);
  const ticks = numberTicks(domainOf(values, kind === "bars") ?? [0, 1], 5);
  const texts = ticks.map((tick) => numberFormat(ticks, locale).format(tick));
  const left = Math.max(...texts.map(widthOf)) + 18;
  const yOf = linearScale([ticks[0] ?? 0, ticks.at(-1) ?? 1], [bottom, top]);
  const xs = domainOf(points.map(({ x }) => x)) ?? [0, 1];
  const xTicks = axis === "number" ? numberTicks(xs, (right - left) / 100) : xs;
  const scale = linearScale([xTicks[0] ?? 0, xTicks.at(-1) ?? 1], [left + 8, right - 8]);
  const step = (right - left) / points.length;
  const xOf = (at: number): number => (axis === "bands" ? left + step * (at + 0.5) : scale(points[at]?.x ?? 0));
  const xTexts =
    axis === "number"
      ? xTicks.map((tick) => ({ at: scale(tick), text: numberFormat(xTicks, locale).format(tick) }))
      : points.map(({ label }, at) => ({ at: xOf(at), text: label.length > 16 ? `${label.slice(0, 15)}…` : label }));
  const yTexts = ticks.map((tick, index) => ({ at: yOf(tick), text: texts[index] ?? "" }));
  const band = Math.min(step * 0.8, WIDEST_BAR * titles.length);
  return { left, right, top, bottom, xOf, yOf, band, xTexts: fitting(xTexts, width), yTexts };
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
