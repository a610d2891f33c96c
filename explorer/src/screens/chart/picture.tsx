import type { JSX } from "preact";
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

/** Draws a chart with its axes, and the legend of several series. The tooltip of a point has its values. */
export function Picture(props: PictureProps & { readonly label: string }): JSX.Element {
  const frame = frameOf(props);
  const { left, right, top, bottom, xTexts, yTexts } = frame;
  return (
    <svg
      class="chart-picture"
      role="img"
      aria-label={props.label}
      width="100%"
      viewBox={`0 0 ${props.width} ${bottom + 30}`}
    >
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
    </svg>
  );
}

/** Draws the points of a series, its line, and its entry in the legend. */
function Series(props: PictureProps & Frame & { readonly index: number }): JSX.Element {
  const { kind, data, titles, index, left, xOf, yOf, band } = props;
  const { density, dashes, shape } = LOOKS[index] ?? LOOKS[0];
  const [title, color] = [titles[index] ?? "", `var(--series-${index + 1})`];
  const width = band / titles.length;
  const bar = { class: "bar", fill: color, "fill-opacity": density, stroke: color };
  const look = kind === "bars" ? bar : { class: "mark", fill: color };
  const pathAt = (x: number, y: number): string =>
    kind === "bars"
      ? `M${x + (index - titles.length / 2) * width} ${yOf(0)}V${y}h${width}V${yOf(0)}z`
      : `M${x} ${y}${shape}`;
  const places = data.points.map(({ values }, at) => [xOf(at), values[index] ?? null] as const);
  return (
    <g>
      {titles.length === 1 ? null : (
        <g transform={`translate(${left} ${index * LEGEND_LINE + 14})`}>
          <path {...look} d={kind === "bars" ? "M0 -10h16v12h-16z" : `M8 -4${shape}`} />
          <text x="24">{title}</text>
        </g>
      )}
      {kind === "lines" ? (
        <path class="line" stroke={color} stroke-dasharray={dashes} d={linePath(places, yOf)} />
      ) : null}
      {places.map(([x, value], at) =>
        value === null ? null : (
          // The points of a long line would hide it.
          <path key={at} {...look} opacity={kind === "lines" && places.length > 60 ? 0 : 1} d={pathAt(x, yOf(value))}>
            <title>{`${data.points[at]?.label ?? ""}, ${title}: ${data.points[at]?.texts[index] ?? ""}`}</title>
          </path>
        ),
      )}
    </g>
  );
}
