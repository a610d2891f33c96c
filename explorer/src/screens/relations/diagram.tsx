import type { HTMLAttributes, JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { EntitySet } from "../../model/model.ts";
import { hrefOf, type View, withOptions } from "../../state/view.ts";
import { layOut, type PlacedBox } from "./layout.ts";
import { type Multiplicity, neighboursOf, type Relation } from "./to-relations.ts";

const WIDTH = 208;
const LINE_HEIGHT = 18;
const HEAD_HEIGHT = 32;
const PADDING = 8;
const MARGIN = 16;
/** The room below the lowest box for a line to itself. */
const LOOP_HEIGHT = 12;
/** The properties that a box shows: its key and its references. */
const MOST_LINES = 8;
const WHEEL_FACTOR = 1.1;

/** Shows sets as boxes and relations as lines. The picture scrolls in its frame. */
export function Diagram(props: {
  readonly sets: readonly EntitySet[];
  readonly relations: readonly Relation[];
  readonly focus: string | null;
  readonly zoom: number;
  readonly onZoom: (factor: number) => void;
  /** The view that links change. */
  readonly hrefView: View;
}): JSX.Element {
  const { sets, relations, focus, zoom } = props;
  const frame = useRef<HTMLDivElement>(null);
  const members = useMemo(() => new Map(sets.map((set) => [set.name, membersOf(set, relations)])), [sets, relations]);
  const layout = useMemo(() => layOut(boxesOf(members), relations), [members, relations]);
  const near = focus === null ? null : neighboursOf(focus, relations);
  const stateOf = (name: string): BoxState => {
    if (name === focus) return "chosen";
    return near === null || near.has(name) ? "near" : "far";
  };
  useCentre(frame, focus === null ? undefined : layout.boxes.get(focus), zoom);
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN + LOOP_HEIGHT];
  return (
    <div
      class="diagram-frame"
      ref={frame}
      tabIndex={0}
      role="group"
      aria-label="Diagram of the sets and their relations"
      {...handlersOf(props.onZoom)}
    >
      <svg
        width={Math.round(width * zoom)}
        height={Math.round(height * zoom)}
        viewBox={`${String(-MARGIN)} ${String(-MARGIN)} ${String(width)} ${String(height)}`}
      >
        <Arrowhead />
        {relations.map((relation, index) => (
          <RelationLine
            key={index}
            relation={relation}
            boxes={layout.boxes}
            isFaint={near !== null && relation.from !== focus && relation.to !== focus}
          />
        ))}
        {[...layout.boxes.values()].map((box) => (
          <SetBox
            key={box.id}
            box={box}
            lines={members.get(box.id) ?? []}
            href={hrefOf(withOptions(props.hrefView, { focus: box.id }))}
            state={stateOf(box.id)}
          />
        ))}
      </svg>
    </div>
  );
}

/** Moves the picture with the pointer, and changes its size with the wheel and Ctrl, or with + and -. */
function handlersOf(zoom: (factor: number) => void): HTMLAttributes<HTMLDivElement> {
  return {
    onWheel(event) {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? WHEEL_FACTOR : 1 / WHEEL_FACTOR);
    },
    onKeyDown({ key }) {
      if (key === "+" || key === "-") zoom(key === "+" ? WHEEL_FACTOR : 1 / WHEEL_FACTOR);
    },
    onPointerMove({ currentTarget, pointerType, buttons, movementX, movementY }) {
      if (pointerType === "mouse" && buttons === 1) currentTarget.scrollBy(-movementX, -movementY);
    },
    // A browser would drag the link of a box.
    onDragStart(event) {
      event.preventDefault();
    },
  };
}

/** A line of a box. */
interface Member {
  readonly name: string;
  readonly kind: "key" | "reference";
}

function membersOf({ name, type }: EntitySet, relations: readonly Relation[]): readonly Member[] {
  const keys = type.key.map((property): Member => ({ name: property.name, kind: "key" }));
  const names = new Set(relations.flatMap(({ from, properties }) => (from === name ? properties : [])));
  const references = [...names].filter((each) => !keys.some((key) => key.name === each));
  return [...keys, ...references.map((each): Member => ({ name: each, kind: "reference" }))];
}

function boxesOf(members: ReadonlyMap<string, readonly Member[]>): Parameters<typeof layOut>[0] {
  return Array.from(members, ([id, lines]) => {
    const shown = Math.min(lines.length, MOST_LINES + 1);
    return { id, width: WIDTH, height: HEAD_HEIGHT + (shown === 0 ? 0 : shown * LINE_HEIGHT + PADDING) };
  });
}

/** Whether a box is the chosen one, its neighbour, or neither. */
type BoxState = "chosen" | "near" | "far";

function SetBox(props: {
  readonly box: PlacedBox;
  readonly lines: readonly Member[];
  readonly href: string;
  readonly state: BoxState;
}): JSX.Element {
  const { box, lines } = props;
  const clip = `clip-${encodeURIComponent(box.id)}`;
  const rest = lines.length - MOST_LINES;
  return (
    <g transform={`translate(${String(box.x)} ${String(box.y)})`}>
      <a
        href={props.href}
        class={`set-box set-box-${props.state}`}
        aria-current={props.state === "chosen" ? true : undefined}
      >
        <clipPath id={clip}>
          <rect width={box.width - PADDING} height={box.height} />
        </clipPath>
        <rect class="set-box-frame" width={box.width} height={box.height} rx={6} />
        <g clip-path={`url(#${clip})`}>
          <text class="set-box-name" x={PADDING + 2} y={21}>
            {box.id}
          </text>
          {lines.slice(0, MOST_LINES).map((line, index) => (
            <text
              key={line.name}
              class={`set-box-${line.kind}`}
              x={PADDING + 2}
              y={HEAD_HEIGHT + 12 + index * LINE_HEIGHT}
            >
              {line.kind === "key" ? `${line.name} (key)` : line.name}
            </text>
          ))}
          {rest <= 0 ? null : (
            <text class="set-box-reference" x={PADDING + 2} y={HEAD_HEIGHT + 12 + MOST_LINES * LINE_HEIGHT}>
              {`${String(rest)} more`}
            </text>
          )}
        </g>
      </a>
    </g>
  );
}

function Arrowhead(): JSX.Element {
  return (
    <defs>
      <marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
        <path class="relation-head" d="M0 0.5 8 4 0 7.5z" />
      </marker>
    </defs>
  );
}

function RelationLine(props: {
  readonly relation: Relation;
  readonly boxes: ReadonlyMap<string, PlacedBox>;
  readonly isFaint: boolean;
}): JSX.Element | null {
  const { from, to, fromCount, toCount, forth, back } = props.relation;
  const [start, end] = [props.boxes.get(from), props.boxes.get(to)];
  if (start === undefined || end === undefined) return null;
  const { path, startX, startY, endX, endY } = lineOf(start, end);
  return (
    <g class={`relation${props.isFaint ? " relation-faint" : ""}`} aria-hidden="true">
      <title>{`${from} → ${to}: ${[forth, back].filter((name) => name !== null).join(", ")}`}</title>
      <path d={path} marker-end="url(#arrow)" />
      <CountText x={startX} y={startY} box={start} text={fromCount} />
      <CountText x={endX} y={endY} box={end} text={toCount} />
    </g>
  );
}

/** Shows how many entities are at an end of a line, outside of its box. */
function CountText(props: {
  readonly x: number;
  readonly y: number;
  readonly box: PlacedBox;
  readonly text: Multiplicity;
}): JSX.Element | null {
  const { x, y, box, text } = props;
  if (text === "?") return null;
  const isLeft = x <= box.x;
  return (
    <text x={isLeft ? x - 6 : x + 6} y={y - 6} text-anchor={isLeft ? "end" : "start"}>
      {text}
    </text>
  );
}

/** Returns a curve between the sides that face each other; a box that refers to itself has a loop below it. */
function lineOf(start: PlacedBox, end: PlacedBox) {
  if (start === end) {
    const [startX, endX, y] = [start.x + start.width * 0.6, start.x + start.width * 0.85, start.y + start.height];
    const path = `M${String(startX)} ${String(y)}v12q0 6 6 6H${String(endX - 6)}q6 0 6 -6v-12`;
    return { path, startX, startY: y + 18, endX, endY: y + 18 };
  }
  const isBehind = start.x >= end.x + end.width;
  const isBefore = end.x >= start.x + start.width;
  const startX = isBehind ? start.x : start.x + start.width;
  const endX = isBefore ? end.x : end.x + end.width;
  const [startY, endY] = [start.y + HEAD_HEIGHT / 2, end.y + HEAD_HEIGHT / 2];
  const bend = isBehind || isBefore ? Math.max(24, Math.abs(endX - startX) / 2) : 56;
  const [startBend, endBend] = [isBehind ? startX - bend : startX + bend, isBefore ? endX - bend : endX + bend];
  const path = `M${String(startX)} ${String(startY)}C${String(startBend)} ${String(startY)} ${String(endBend)} ${String(endY)} ${String(endX)} ${String(endY)}`;
  return { path, startX, startY, endX, endY };
}

/** Scrolls the frame so that the chosen box is in its middle. */
function useCentre(frame: { readonly current: HTMLDivElement | null }, box: PlacedBox | undefined, zoom: number): void {
  const [x, y] = box === undefined ? [null, null] : [box.x + box.width / 2, box.y + box.height / 2];
  useEffect(() => {
    const element = frame.current;
    if (element === null || x === null) return;
    element.scrollTo((x + MARGIN) * zoom - element.clientWidth / 2, (y + MARGIN) * zoom - element.clientHeight / 2);
  }, [frame, x, y, zoom]);
}
