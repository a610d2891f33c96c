import type { JSX, TargetedKeyboardEvent } from "preact";
import { type Frame, frameOf, LEGEND_LINE, linePath, type PictureProps } from "./frame.ts";

/** Series differ in colour, in the density of their bars, the dashes of their lines and the shapes of their points. */
const LOOKS = [
  { density: 1, dashes: "none", shape: "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z" },
  { density: 0.6, dashes: "7 3", shape: "m-4.5 -1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z" },
  { density: 0.3, dashes: "2 3", shape: "m0 -5l4 5l-4 5l-4 -5z" },
  { density: 0.1, dashes: "9 3 2 3", shape: "m-3.2 -3.2h6.4v6.4h-6.4z" },
  { density: 0.8, dashes: "4 4", shape: "m0 -4.5l4.2 7.5h-8.4z" },
  { density: 0.45, dashes: "12 4", shape: "m0 4.5l4.2 -7.5h-8.4z" },
] as const;

interface DrawnProps extends PictureProps {
  readonly label: string;
  /** The links to the rows of points; null without one. */
  readonly hrefs: readonly (string | null)[];
}

/**
 * Draws a chart with its axes, and the legend of several series. A point is a link to its rows. All points are one stop of the Tab
 * key, within which arrows move.
 */
export function Picture(props: DrawnProps): JSX.Element {
  const frame = frameOf(props);
  const { left, right, top, bottom, xTexts, yTexts } = frame;
  return (
    <svg
      class="chart-picture"
      role="group"
      aria-label={props.label}
      width={props.width}
      viewBox={`0 0 ${props.width} ${bottom + 30}`}
      onKeyDown={moveFocus}
    >
      <g aria-hidden="true">
        {yTexts.map(({ at, text }) => (
          <g key={at}>
            <path class="chart-grid" d={`M${left} ${at}H${right}`} />
            <text x={left - 8} y={at + 4} text-anchor="end">
              {text}
            </text>
          </g>
        ))}
        {xTexts.map(({ at, text }) => (
          <text key={at} x={at} y={bottom + 20} text-anchor="middle">
            {text}
          </text>
        ))}
        <path class="chart-base" fill="none" d={`M${left} ${top}V${bottom}H${right}`} />
        {props.titles.map((title, index) => (
          <Series key={title} {...props} {...frame} index={index} />
        ))}
      </g>
      {props.data.points.map((_, at) => (
        <Point key={at} {...props} {...frame} at={at} />
      ))}
    </svg>
  );
}

/** Draws the line of a series, and its entry in the legend. */
function Series(props: DrawnProps & Frame & { readonly index: number }): JSX.Element {
  const { kind, data, titles, index, left, xOf, yOf } = props;
  const { dashes, shape } = LOOKS[index] ?? LOOKS[0];
  const places = data.points.map(({ values }, at) => [xOf(at), values[index] ?? null] as const);
  return (
    <g>
      {titles.length === 1 ? null : (
        <g transform={`translate(${left} ${index * LEGEND_LINE + 14})`}>
          <path {...lookOf(kind, index)} d={kind === "bars" ? "M0 -10h16v12h-16z" : `M8 -4${shape}`} />
          <text x="24">{titles[index]}</text>
        </g>
      )}
      {kind === "lines" ? (
        <path class="line" stroke={colorOf(index)} stroke-dasharray={dashes} d={linePath(places, yOf)} />
      ) : null}
    </g>
  );
}

/** Draws the values of all series at one place. */
function Point(props: DrawnProps & Frame & { readonly at: number }): JSX.Element | null {
  const { kind, data, titles, at, top, bottom, xOf, yOf, bandOf } = props;
  const point = data.points[at];
  const [x, band] = [xOf(at), bandOf(at)];
  const width = band / titles.length;
  const label = `${point?.label ?? ""}: ${titles.map((title, index) => `${title} ${point?.texts[index] ?? ""}`).join(", ")}`;
  const marks = titles.map((title, index) => {
    const value = point?.values[index] ?? null;
    if (value === null) return null;
    const start = x + (index - titles.length / 2) * width;
    const y = yOf(value);
    const d =
      kind === "bars"
        ? `M${start} ${yOf(0)}V${y}h${width}V${yOf(0)}z`
        : `M${x} ${y}${(LOOKS[index] ?? LOOKS[0]).shape}`;
    // The points of a long line would hide it.
    const isHidden = kind === "lines" && data.points.length > 60;
    return <path key={title} {...lookOf(kind, index)} class={isHidden ? "mark mark-hidden" : "mark"} d={d} />;
  });
  const content = (
    <>
      <title>{label}</title>
      {kind === "bars" ? <rect class="mark-room" x={x - band / 2} y={top} width={band} height={bottom - top} /> : null}
      {marks}
    </>
  );
  const href = props.hrefs[at] ?? null;
  return href === null ? (
    <g role="img" aria-label={label}>
      {content}
    </g>
  ) : (
    <a class="chart-point" href={href} aria-label={label} tabIndex={at === 0 ? 0 : -1}>
      {content}
    </a>
  );
}

function colorOf(index: number): string {
  return `var(--series-${index + 1})`;
}

function lookOf(kind: PictureProps["kind"], index: number): JSX.IntrinsicElements["path"] {
  const fill = colorOf(index);
  return kind === "bars" ? { fill, "fill-opacity": (LOOKS[index] ?? LOOKS[0]).density, stroke: fill } : { fill };
}

function moveFocus(event: TargetedKeyboardEvent<SVGSVGElement>): void {
  const points = [...event.currentTarget.querySelectorAll<SVGAElement>("a")];
  const at = points.findIndex((each) => each === document.activeElement);
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: points.length - 1,
  };
  const next = points[steps[event.key] ?? -1];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
