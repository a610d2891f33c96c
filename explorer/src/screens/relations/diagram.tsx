import type { JSX } from "preact";
import type { EntitySet } from "../../model/model.ts";
import { Button } from "../../parts/button.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import { Sliced } from "../../parts/sliced.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { hrefOf, withOptions } from "../../state/view.ts";
import type { Layout } from "./layout.ts";
import { countOf, namesOf, type Relation, touches } from "./to-relations.ts";

/** The room around the picture, in which arrows of a set to itself end. */
const EDGE = 24;
const LEAST_ZOOM = 0.7;

interface DiagramProps extends ScreenProps {
  readonly sets: readonly EntitySet[];
  readonly relations: readonly Relation[];
  readonly focus: string | null;
  /** A part of the names of sets that the reader looks for. */
  readonly sought: string;
}

interface PictureProps extends DiagramProps {
  readonly drawn: Layout;
}

/** Shows sets as boxes and relations as lines. The picture before stays until the next one has its places. */
export function Diagram(props: DiagramProps): JSX.Element {
  const { sets, relations } = props;
  const names = sets.map(({ name }) => name);
  const lines = relations.map(({ from, to }) => ({ from, to }));
  const loading = useLoaded(JSON.stringify([names, lines]), async (signal) => {
    const { layOutApart } = await import("./layout-worker.ts");
    return { sets, relations, drawn: await layOutApart(names, lines, signal) };
  });
  const { last } = loading;
  return (
    <>
      <Loadable loading={loading} label="Finding places" lines={last === null ? 8 : 0} children={() => null} />
      {last === null ? null : <Picture {...props} {...last} />}
    </>
  );
}

/** Shows a picture that scrolls in its frame. */
function Picture(props: PictureProps): JSX.Element {
  const { session, view, drawn } = props;
  // The picture begins in the size of its frame, but readable.
  const fit = Math.min(
    1,
    (innerWidth - 80) / (drawn.width + 2 * EDGE),
    (innerHeight * 0.7) / (drawn.height + 2 * EDGE),
  );
  const zoom = Math.min(3, Math.max(0.1, Number(view.options.get("zoom")) || Math.max(LEAST_ZOOM, fit)));
  const zoomTo = (zoomed: string | null): void => session.go(withOptions(view, { zoom: zoomed }), { replace: true });
  const zoomBy = (factor: number): void => zoomTo(String(Math.round(zoom * factor * 100) / 100));
  return (
    <figure class="diagram">
      <figcaption class="row">
        <span class="dim small">
          Arrows lead to the set that is referred to. Arrow keys and dragging move the picture.
        </span>
        <span class="row spread">
          <Button onClick={() => zoomBy(0.8)}>Smaller</Button>
          <Button onClick={() => zoomBy(1.25)}>Larger</Button>
          <Button isIdle={!view.options.has("zoom")} onClick={() => zoomTo(null)}>
            Fit
          </Button>
        </span>
      </figcaption>
      <div
        class="diagram-frame"
        tabIndex={0}
        role="group"
        aria-label="Diagram of the sets and their relations"
        onWheel={(event) => {
          if (!event.ctrlKey) return;
          event.preventDefault();
          zoomBy(event.deltaY < 0 ? 1.1 : 1 / 1.1);
        }}
        onPointerMove={({ currentTarget, pointerType, buttons, movementX, movementY }) => {
          if (pointerType === "mouse" && buttons === 1) currentTarget.scrollBy(-movementX, -movementY);
        }}
        // A browser would drag the link of a box.
        onDragStart={(event) => event.preventDefault()}
      >
        <Drawing {...props} zoom={zoom} />
      </div>
    </figure>
  );
}

function Drawing(props: PictureProps & { readonly zoom: number }): JSX.Element {
  const { view, sets, relations, focus, sought, drawn, zoom } = props;
  const { corners, routes, box } = drawn;
  const [width, height] = [drawn.width + 2 * EDGE, drawn.height + 2 * EDGE];
  const isFound = (name: string): boolean => sought === "" || name.toLowerCase().includes(sought.toLowerCase());
  return (
    <svg width={width * zoom} height={height * zoom} viewBox={`${-EDGE} ${-EDGE} ${width} ${height}`}>
      <marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
        <path class="relation-head" d="M0 0.5 8 4 0 7.5z" />
      </marker>
      <Sliced as="g">
        {relations.map((relation, index) => (
          <g
            key={index}
            aria-hidden
            class={focus === null || touches(relation, focus) ? "relation" : "relation relation-faint"}
          >
            <title>{`${namesOf(relation)}: ${countOf(relation.back)} to ${countOf(relation.forth)}`}</title>
            <path d={`M${(routes[index] ?? []).map(({ x, y }) => `${x} ${y}`).join("L")}`} marker-end="url(#arrow)" />
          </g>
        ))}
      </Sliced>
      <Sliced as="g">
        {sets.map(({ name, type }) => (
          <a
            key={name}
            href={hrefOf(withOptions(view, { focus: name }))}
            class={`set-box${name === focus ? " set-box-chosen" : ""}${isFound(name) ? "" : " set-box-faint"}`}
            aria-label={[name, ...type.key.map((property) => property.name)].join(", ")}
            aria-current={name === focus}
            ref={name === focus ? showBox : null}
          >
            <svg {...corners.get(name)} width={box.width} height={box.height}>
              <rect class="set-box-frame" x="2" y="2" width={box.width - 4} height={box.height - 4} rx="6" />
              <text class="set-box-name" x="12" y="22">
                {`${name} `}
              </text>
              <text class="set-box-reference" x="12" y="40">
                {type.key.map((property) => property.name).join(", ")}
              </text>
            </svg>
          </a>
        ))}
      </Sliced>
    </svg>
  );
}

function showBox(box: Element | null): void {
  box?.scrollIntoView({ block: "nearest", inline: "center" });
}
