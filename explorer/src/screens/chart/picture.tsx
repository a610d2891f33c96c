import type { JSX, RefObject } from "preact";
import { useMemo } from "preact/hooks";
import type { ChartChoice, ChartData } from "./chart-data.ts";
import type { Frame } from "./frame.ts";
import { linePath, shapePath } from "./line-path.ts";

/** What the picture shows. */
export interface PictureProps {
  readonly svg: RefObject<SVGSVGElement | null>;
  readonly id: string;
  readonly kind: ChartChoice["kind"];
  readonly data: ChartData;
  readonly frame: Frame;
  readonly series: readonly string[];
  readonly titles: { readonly x: string; readonly y: string; readonly picture: string; readonly description: string };
  /** The point that the reader is at. */
  readonly active: number | null;
}

/** Draws a chart. Series differ in colour, and in pattern, dashes or shape. */
export function Picture(props: PictureProps): JSX.Element {
  const { id, frame, titles, kind, series } = props;
  return (
    <svg
      ref={props.svg}
      class="chart-picture"
      role="img"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-desc`}
      width={frame.width}
      height={frame.height}
      viewBox={`0 0 ${String(frame.width)} ${String(frame.height)}`}
    >
      <title id={`${id}-title`}>{titles.picture}</title>
      <desc id={`${id}-desc`}>{titles.description}</desc>
      <defs>
        {series.map((_, index) => (
          <Hatch key={index} id={`${id}-${String(index)}`} index={index} />
        ))}
      </defs>
      <Axes frame={frame} />
      {series.map((_, index) => (
        <g key={index} class={`series series-${String(index + 1)}`}>
          {kind === "bars" ? <Bars {...props} index={index} /> : <Marks {...props} index={index} />}
        </g>
      ))}
    </svg>
  );
}

/** Each series has lines of another direction. */
function Hatch({ id, index }: { readonly id: string; readonly index: number }): JSX.Element {
  return (
    <pattern
      id={id}
      class={`series-${String(index + 1)}`}
      width="6"
      height="6"
      patternUnits="userSpaceOnUse"
      patternTransform={`rotate(${String(index * 30)})`}
    >
      <rect class="hatch-ground" width="6" height="6" />
      {index === 0 ? null : <path class="hatch-line" d="M0 3H6" />}
    </pattern>
  );
}

function Axes({ frame }: { readonly frame: Frame }): JSX.Element {
  const { left, right, top, bottom, xTicks, yTicks } = frame;
  return (
    <g class="chart-axes" aria-hidden="true">
      {yTicks.map(({ at, text }) => (
        <g key={at}>
          <line class="chart-grid" x1={left} x2={right} y1={at} y2={at} />
          <text x={left - 8} y={at} dy="0.32em" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {xTicks.map(({ at, text }, index) => (
        <text key={index} x={at} y={bottom + 20} text-anchor="middle">
          {text}
        </text>
      ))}
      <line class="chart-base" x1={left} x2={right} y1={bottom} y2={bottom} />
      <line class="chart-base" x1={left} x2={left} y1={top} y2={bottom} />
    </g>
  );
}

interface SeriesProps extends PictureProps {
  readonly index: number;
}

function Bars({ id, data, frame, series, index, active }: SeriesProps): JSX.Element {
  const width = frame.band / series.length;
  const zero = frame.yOf(0);
  return (
    <>
      {data.points.map(({ values }, at) => {
        const value = values[index] ?? null;
        if (value === null) return null;
        const end = frame.yOf(value);
        const x = frame.xOf(at) - frame.band / 2 + index * width;
        return (
          <rect
            key={at}
            class={`bar${active === at ? " chart-active" : ""}`}
            x={x}
            y={Math.min(zero, end)}
            width={Math.max(0.5, width - (series.length > 1 && width > 4 ? 1 : 0))}
            height={Math.max(1, Math.abs(zero - end))}
            fill={`url(#${id}-${String(index)})`}
          />
        );
      })}
    </>
  );
}

const MOST_SYMBOLS = 60;

/** All points of a series are one path: a picture of thousands of points stays quick. */
function Marks({ kind, data, frame, index, active }: SeriesProps): JSX.Element {
  const paths = useMemo(() => {
    const places = data.points.map(({ values }, at) => [frame.xOf(at), values[index] ?? null] as const);
    const hasMarks = kind === "scatter" || places.length <= MOST_SYMBOLS;
    const marks = places.map(([x, value]) => (value === null ? "" : shapePath(index, x, frame.yOf(value))));
    return { line: kind === "lines" ? linePath(places, frame.yOf) : "", all: hasMarks ? marks.join("") : "", marks };
  }, [data, frame, index, kind]);
  return (
    <>
      <path class="line" d={paths.line} />
      <path class="mark" d={paths.all} />
      {active === null ? null : <path class="mark chart-active" d={paths.marks[active] ?? ""} />}
    </>
  );
}

/** Shows which mark means which series. */
export function Legend(props: {
  readonly id: string;
  readonly kind: ChartChoice["kind"];
  readonly series: readonly string[];
}): JSX.Element | null {
  const { id, kind, series } = props;
  if (series.length < 2) return null;
  return (
    <ul class="row chart-legend small">
      {series.map((title, index) => (
        <li key={title} class="row">
          <svg class={`series series-${String(index + 1)}`} width="24" height="14" aria-hidden="true">
            {kind === "bars" ? (
              <rect class="bar" x="4" y="1" width="16" height="12" fill={`url(#${id}-${String(index)})`} />
            ) : null}
            {kind === "lines" ? <path class="line" d="M0 7H24" /> : null}
            {kind === "bars" ? null : <path class="mark" d={shapePath(index, 12, 7)} />}
          </svg>
          {title}
        </li>
      ))}
    </ul>
  );
}
