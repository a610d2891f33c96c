import { scaleLog } from "d3-scale";
import { COLOURS, element, label, picture } from "./svg.ts";

/** One bar: a quotient, its range, and the budget if there is one. */
export interface RatioBar {
  readonly name: string;
  readonly ratio: number;
  readonly min: number;
  readonly max: number;
  readonly budget?: number | undefined;
}

/** A chart of quotients. */
export interface RatioChart {
  readonly title: string;
  /** Names the quotient. */
  readonly label: string;
  readonly bars: readonly RatioBar[];
}

const WIDTH = 640;
const LEFT = 236;
const RIGHT = 20;
const TOP = 46;
const BAR = 15;
const STEP = 22;
const TICKS: readonly number[] = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20];

/** Draws horizontal bars from 1, to the left if the quotient is below 1. A stroke shows each budget. */
export function drawRatios({ title, label: axis, bars }: RatioChart): string {
  const values = bars.flatMap(({ min, max, budget }) => [min, max, budget ?? 1]);
  const x = scaleLog()
    .domain([Math.min(0.5, ...values), Math.max(2, ...values)])
    .range([LEFT, WIDTH - RIGHT])
    .nice();
  const bottom = TOP + STEP * bars.length;
  const [first = 0, last = 1] = x.domain();
  const ticks = TICKS.filter((tick) => tick >= first && tick <= last);
  return picture(
    title,
    [WIDTH, bottom + 60],
    [
      label(title, [16, 26], "start", "title"),
      ...ticks.map((tick) =>
        element("path", {
          d: `M${x(tick).toFixed(1)} ${String(TOP - 6)}V${String(bottom)}`,
          class: tick === 1 ? "axis" : "grid",
        }),
      ),
      ...ticks.map((tick) => label(String(tick), [x(tick), bottom + 18], "middle", "small")),
      ...bars.flatMap((bar, index) => drawBar(bar, TOP + STEP * index, x)),
      label(axis, [(LEFT + WIDTH - RIGHT) / 2, bottom + 44], "middle"),
    ],
  );
}

function drawBar(
  { name, ratio, min, max, budget }: RatioBar,
  y: number,
  x: (value: number) => number,
): readonly string[] {
  const [from, to] = [Math.min(x(1), x(ratio)), Math.max(x(1), x(ratio))];
  const middle = y + BAR / 2;
  const fill = ratio <= (budget ?? Infinity) ? COLOURS[0] : COLOURS[1];
  return [
    label(name, [LEFT - 10, y + 12], "end"),
    element("rect", { x: from, y, width: Math.max(1, to - from), height: BAR, fill }),
    element("path", { d: `M${x(min).toFixed(1)} ${String(middle)}H${x(max).toFixed(1)}`, class: "axis" }),
    ...(budget === undefined
      ? []
      : [
          element("path", {
            d: `M${x(budget).toFixed(1)} ${String(y - 2)}V${String(y + BAR + 2)}`,
            stroke: COLOURS[2],
            "stroke-width": 3,
          }),
        ]),
  ];
}
