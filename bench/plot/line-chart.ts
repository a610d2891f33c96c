import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from "d3-scale";
import { line } from "d3-shape";
import { COLOURS, element, label, picture } from "./svg.ts";

/** One line of a chart. */
export interface Series {
  readonly name: string;
  readonly points: ReadonlyArray<readonly [x: number, y: number]>;
}

/** An axis: its label names the unit. */
export interface Axis {
  readonly label: string;
  readonly scale: "linear" | "log";
}

/** A chart of lines. */
export interface LineChart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

const WIDTH = 640;
const HEIGHT = 340;
const MARGIN = { left: 76, right: 20, top: 64, bottom: 52 };
const TICKS = 5;

type Scale = ScaleContinuousNumeric<number, number>;

/** Draws lines with axes, a grid and a legend. */
export function drawLines({ title, x, y, series }: LineChart): string {
  const points = series.flatMap((each) => each.points);
  const across = toScale(
    x,
    points.map(([value]) => value),
    [MARGIN.left, WIDTH - MARGIN.right],
  );
  const up = toScale(
    y,
    points.map(([, value]) => value),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  );
  return picture(
    title,
    [WIDTH, HEIGHT],
    [
      label(title, [MARGIN.left, 24], "start", "title"),
      legend(series),
      ...verticalAxis(y, up),
      ...horizontalAxis(x, across),
      ...series.flatMap((each, index) => drawSeries(each, COLOURS[index % COLOURS.length] ?? COLOURS[0], across, up)),
    ],
  );
}

function toScale({ scale }: Axis, values: readonly number[], range: readonly [number, number]): Scale {
  const most = Math.max(...values);
  const made = scale === "log" ? scaleLog().domain([Math.min(...values), most]) : scaleLinear().domain([0, most]);
  return made.range(range).nice();
}

function drawSeries({ points }: Series, colour: string, across: Scale, up: Scale): readonly string[] {
  const path = line<readonly [number, number]>()
    .x(([value]) => across(value))
    .y(([, value]) => up(value))
    .digits(1);
  const few = points.length <= 12 ? points : [];
  return [
    element("path", { d: path([...points]) ?? "", fill: "none", stroke: colour, "stroke-width": 2 }),
    ...few.map(([x, y]) => element("circle", { cx: across(x), cy: up(y), r: 3.5, fill: colour })),
  ];
}

function legend(series: readonly Series[]): string {
  let x = MARGIN.left;
  const parts = series.flatMap(({ name }, index) => {
    const at = x;
    x += 26 + 6.6 * name.length;
    const fill = COLOURS[index % COLOURS.length] ?? COLOURS[0];
    return [element("rect", { x: at, y: 36, width: 12, height: 12, rx: 2, fill }), label(name, [at + 17, 46], "start")];
  });
  return parts.join("");
}

function verticalAxis(axis: Axis, up: Scale): readonly string[] {
  const middle = (MARGIN.top + HEIGHT - MARGIN.bottom) / 2;
  const turned = element(
    "text",
    { transform: `translate(18 ${String(middle)}) rotate(-90)`, "text-anchor": "middle" },
    axis.label,
  );
  return [
    turned,
    ...ticksOf(axis, up).flatMap((tick) => [
      element("path", {
        d: `M${String(MARGIN.left)} ${up(tick).toFixed(1)}H${String(WIDTH - MARGIN.right)}`,
        class: "grid",
      }),
      label(written(tick), [MARGIN.left - 8, up(tick) + 4], "end", "small"),
    ]),
  ];
}

function horizontalAxis(axis: Axis, across: Scale): readonly string[] {
  const bottom = HEIGHT - MARGIN.bottom;
  return [
    element("path", { d: `M${String(MARGIN.left)} ${String(bottom)}H${String(WIDTH - MARGIN.right)}`, class: "axis" }),
    ...ticksOf(axis, across).map((tick) => label(written(tick), [across(tick), bottom + 18], "middle", "small")),
    label(axis.label, [(MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 12], "middle"),
  ];
}

/** Powers of ten, or a few round numbers. */
function ticksOf({ scale }: Axis, made: Scale): readonly number[] {
  const ticks = made.ticks(TICKS);
  if (scale === "linear") return ticks;
  const powers = ticks.filter((tick) => Number.isInteger(Math.log10(tick)) || Number.isInteger(Math.log10(tick * 1e6)));
  return powers.length > 1 ? powers : ticks;
}

function written(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}
