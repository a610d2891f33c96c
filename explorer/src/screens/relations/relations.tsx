import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { EntitySet } from "../../model/model.ts";
import { Button } from "../../parts/button.tsx";
import { CheckField, SelectField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { withOptions } from "../../state/view.ts";
import { Diagram } from "./diagram.tsx";
import { RelationTable } from "./relation-table.tsx";
import { neighboursOf, toRelations } from "./to-relations.ts";

/** From this number of sets on, the diagram begins with one set and its neighbours. */
const MANY_SETS = 80;
const ZOOM_STEP = 1.25;
const LEAST_ZOOM = 0.1;
const MOST_ZOOM = 3;

/** Shows the sets of the model and the relations between them, as a picture and as a table. */
export function Relations({ session, view }: ScreenProps): JSX.Element {
  const { sets } = session.model;
  const all = useMemo(() => toRelations(session.model), [session.model]);
  const chosen = sets.get(view.options.get("focus") ?? "")?.name ?? null;
  const isMany = sets.size >= MANY_SETS;
  const showsAll = view.options.get("all") === "true" || !isMany;
  const showsNear = chosen !== null && (view.options.get("near") === "true" || !showsAll);
  const near = showsNear ? neighboursOf(chosen, all) : null;
  const shown = [...sets.values()].filter(({ name }) => near?.has(name) ?? true);
  const relations = near === null ? all : all.filter(({ from, to }) => near.has(from) && near.has(to));
  if (sets.size === 0) return <NoSets />;
  return (
    <div class="relations">
      <Heading>Relations</Heading>
      <Choices {...{ session, view, chosen, showsNear, isMany, showsAll }} />
      {chosen === null && !showsAll ? (
        <Empty title={`This service has ${String(sets.size)} sets`}>
          <p>Choose a set to see it with its neighbours, or show all sets.</p>
        </Empty>
      ) : (
        <Picture {...{ session, view, shown, relations, chosen }} />
      )}
      <RelationTable relations={relations} focus={chosen} />
    </div>
  );
}

function NoSets(): JSX.Element {
  return (
    <>
      <Heading>Relations</Heading>
      <Empty title="This service has no sets">
        <p>Sets and their relations appear here once the service declares them.</p>
      </Empty>
    </>
  );
}

function Choices(
  props: ScreenProps & {
    readonly chosen: string | null;
    readonly showsNear: boolean;
    readonly isMany: boolean;
    readonly showsAll: boolean;
  },
): JSX.Element {
  const { session, view, chosen } = props;
  const change = (changes: Readonly<Record<string, string | null>>): void =>
    session.go(withOptions(view, changes), { replace: true });
  const names = [...session.model.sets.keys()];
  return (
    <div class="row relations-choices">
      <SelectField
        label="Set"
        value={chosen ?? ""}
        choices={[{ value: "", label: "None" }, ...names.map((name) => ({ value: name, label: name }))]}
        onChange={(name) => change({ focus: name === "" ? null : name })}
      />
      {props.isMany ? (
        <CheckField
          label="All sets"
          checked={props.showsAll}
          onChange={(all) => change({ all: all ? "true" : null, near: null })}
        />
      ) : (
        <CheckField
          label="Only its neighbours"
          checked={props.showsNear}
          disabled={chosen === null}
          onChange={(near) => change({ near: near ? "true" : null })}
        />
      )}
    </div>
  );
}

function Picture(
  props: ScreenProps & {
    readonly shown: readonly EntitySet[];
    readonly relations: ReturnType<typeof toRelations>;
    readonly chosen: string | null;
  },
): JSX.Element {
  const { session, view } = props;
  const zoom = zoomOf(view.options.get("zoom"));
  const zoomTo = (value: number): void => {
    const rounded = String(Math.round(within(value) * 100) / 100);
    session.go(withOptions(view, { zoom: rounded === "1" ? null : rounded }), { replace: true });
  };
  return (
    <figure class="diagram">
      <figcaption class="row">
        <span class="dim small">
          Arrows lead to the set that is referred to. Arrow keys and dragging move the picture.
        </span>
        <span class="row spread">
          <Button onClick={() => zoomTo(zoom / ZOOM_STEP)}>Smaller</Button>
          <Button onClick={() => zoomTo(zoom * ZOOM_STEP)}>Larger</Button>
          <Button isIdle={zoom === 1} onClick={() => zoomTo(1)}>
            100 %
          </Button>
        </span>
      </figcaption>
      <Diagram
        sets={props.shown}
        relations={props.relations}
        focus={props.chosen}
        zoom={zoom}
        onZoom={(factor) => zoomTo(zoom * factor)}
        hrefView={view}
      />
    </figure>
  );
}

function zoomOf(text: string | undefined): number {
  const zoom = Number(text ?? 1);
  return Number.isFinite(zoom) && zoom > 0 ? within(zoom) : 1;
}

function within(zoom: number): number {
  return Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom));
}
