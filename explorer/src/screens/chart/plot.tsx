import type { JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { type ChartChoice, type ChartData, describe } from "./chart-data.ts";
import { type Frame, frameOf } from "./frame.ts";
import { Legend, Picture } from "./picture.tsx";
import { savePicture } from "./save-picture.ts";

interface PlotProps {
  readonly kind: ChartChoice["kind"];
  readonly data: ChartData;
  readonly series: readonly string[];
  readonly x: string;
  readonly name: string;
}

/** Shows a picture with what belongs to it: the point at the cursor, the legend, the same values as a table, a file. */
export function Plot(props: PlotProps): JSX.Element {
  const { kind, data, series, x, name } = props;
  const id = useId();
  const svg = useRef<SVGSVGElement>(null);
  const figure = useRef<HTMLElement>(null);
  const [box, width] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const frame = useMemo(() => frameOf(data, kind === "bars", width), [data, kind, width]);
  const y = series.length === 1 ? (series[0] ?? "") : "Value";
  const description = useMemo(() => describe(data, series), [data, series]);
  const titles = { x, y, picture: `${series.join(", ")} by ${x}`, description };
  const at = active !== null && active < data.points.length ? active : null;
  return (
    <figure class="chart-figure" ref={figure}>
      <figcaption class="row">
        <h2 dir="auto">{titles.picture}</h2>
        <span class="spread">
          <Button
            icon="download"
            onClick={() => {
              if (svg.current !== null) savePicture(svg.current, marksOf(figure.current), name);
            }}
          >
            Download as SVG
          </Button>
        </span>
      </figcaption>
      <Legend {...{ id, kind, series }} />
      <p class="small dim" aria-hidden="true">
        {y}
      </p>
      <div class="chart-plot" ref={box}>
        <Picture {...{ svg, id, kind, data, frame, series, titles, active: at }} />
        <Points {...props} {...{ frame, active: at, setActive }} />
      </div>
      <p class="small dim chart-x" aria-hidden="true">
        {x}
      </p>
      <p class="small dim">{description}</p>
      <Values {...props} />
    </figure>
  );
}

/** The marks of the legend with their texts. */
function marksOf(figure: HTMLElement | null): readonly (readonly [SVGSVGElement, string])[] {
  return Array.from(figure?.querySelectorAll<SVGSVGElement>(".chart-legend svg") ?? [], (mark) => [
    mark,
    mark.parentElement?.textContent ?? "",
  ]);
}

function useWidth(): readonly [{ readonly current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(200, Math.floor(entry.contentRect.width)));
    });
    if (box.current !== null) observer.observe(box.current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return [box, width];
}

/** Leads through the points with the arrow keys or the pointer, and shows the values of one. */
function Points(
  props: PlotProps & {
    readonly frame: Frame;
    readonly active: number | null;
    readonly setActive: (index: number | null) => void;
  },
): JSX.Element {
  const { data, series, frame, active, setActive } = props;
  const last = data.points.length - 1;
  const point = active === null ? undefined : data.points[active];
  const texts = series.map((title, index) => `${title}: ${point?.texts[index] ?? ""}`);
  return (
    <div
      class="chart-points"
      role="slider"
      tabIndex={0}
      aria-label="Points"
      aria-valuemin={1}
      aria-valuemax={last + 1}
      aria-valuenow={(active ?? 0) + 1}
      aria-valuetext={point === undefined ? "None yet: use the arrow keys" : `${point.label}: ${texts.join(", ")}`}
      onKeyDown={(event) => {
        const next = nextPoint(event.key, active, last);
        if (next === undefined) return;
        event.preventDefault();
        setActive(next);
      }}
      onFocus={() => {
        setActive(active ?? 0);
      }}
      onBlur={() => {
        setActive(null);
      }}
      onPointerMove={(event) => {
        const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
        const y = event.clientY - event.currentTarget.getBoundingClientRect().top;
        setActive(nearest(props, x, y));
      }}
      onPointerLeave={(event) => {
        if (document.activeElement !== event.currentTarget) setActive(null);
      }}
    >
      {point === undefined || active === null ? null : (
        <div
          class={`chart-tip${frame.xOf(active) > frame.width / 2 ? " chart-tip-left" : ""}`}
          style={{ left: `${String(frame.xOf(active))}px` }}
        >
          <strong dir="auto">{point.label}</strong>
          {texts.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </div>
      )}
    </div>
  );
}

/** Undefined for keys that do not move; null for Escape, which hides the values. */
function nextPoint(key: string, active: number | null, last: number): number | null | undefined {
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[key];
  if (step !== undefined) return active === null ? 0 : Math.min(last, Math.max(0, active + step));
  return new Map([
    ["Home", 0],
    ["End", last],
    ["Escape", null],
  ]).get(key);
}

/** Scatter points may be above each other; other charts have one at each place. */
function nearest({ data, frame, kind }: PlotProps & { readonly frame: Frame }, x: number, y: number): number {
  let best = 0;
  let least = Infinity;
  for (const [index, { values }] of data.points.entries()) {
    const across = (frame.xOf(index) - x) ** 2;
    const gaps =
      kind === "scatter" ? values.map((value) => (value === null ? Infinity : (frame.yOf(value) - y) ** 2)) : [0];
    const distance = across + Math.min(...gaps);
    if (distance < least) {
      least = distance;
      best = index;
    }
  }
  return best;
}

function Values({ data, series, x }: PlotProps): JSX.Element {
  return (
    <details>
      <summary>The same values as a table</summary>
      <div class="table-box chart-table" tabIndex={0} role="region" aria-label="Values">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{x}</th>
              {series.map((title) => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.points.map(({ label, texts }, index) => (
              <tr key={index}>
                <td dir="auto">{label}</td>
                {texts.map((text, at) => (
                  <td key={at} class="number">
                    {text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
