import type { JSX } from "preact";
import { type Entity, toEntity } from "../../format/entity.ts";
import { nameProperty } from "../../model/label-property.ts";
import { Empty } from "../../parts/empty.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import { type ResolvedPath, resolvePath } from "../../query/resolve-type.ts";
import { resourceUrl } from "../../state/resource-url.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { hrefOf, viewOf } from "../../state/view.ts";
import { Actions } from "./actions.tsx";
import { Properties } from "./properties.tsx";
import { RelatedRecords } from "./related-records.tsx";

/** Shows one record: all of its properties, what it refers to, and what refers to it. */
export function Record({ session, view }: ScreenProps): JSX.Element {
  const place = resolvePath(session.model, view.path);
  if (place === null) return <Unknown path={view.path} />;
  return <RecordAt session={session} path={view.path} place={place} />;
}

function Unknown({ path }: { readonly path: string }): JSX.Element {
  return (
    <>
      <Heading>{path}</Heading>
      <Empty title="The model has no such record">
        <a href={hrefOf(viewOf("home"))}>Go to the start</a>
      </Empty>
    </>
  );
}

function RecordAt(props: {
  readonly session: OpenSession;
  readonly path: string;
  readonly place: ResolvedPath;
}): JSX.Element {
  const { session, path, place } = props;
  const options = new Map(expandOption(place));
  const url = resourceUrl({ path, options });
  const loading = useLoaded(url, async (signal) => toEntity((await session.client.get(url, { signal })).body));
  const entity = loading.state.kind === "loaded" ? loading.state.value : null;
  return (
    <div class="record">
      <div class="row record-head">
        <Heading>{headingOf(place, entity) ?? path}</Heading>
        {entity === null ? null : <Actions session={session} path={path} place={place} entity={entity} />}
      </div>
      <Loadable loading={loading} label="Loading the record" lines={10}>
        {() =>
          entity === null ? (
            <Empty title="There is no record at this path" />
          ) : (
            <Shown {...{ session, path, place, entity }} />
          )
        }
      </Loadable>
    </div>
  );
}

/** A longer text stands among the properties as a whole. */
const MOST_CHARACTERS = 120;

/** Returns the text that names a record; null without one. */
function headingOf({ type }: ResolvedPath, entity: Entity | null): string | null {
  const label = nameProperty(type);
  const text = label === null ? null : entity?.values[label.name];
  return typeof text === "string" && text.trim() !== "" ? text.slice(0, MOST_CHARACTERS) : null;
}

/** To-one navigations come with the record, so that their labels are known. */
function expandOption({ type, set }: ResolvedPath): Iterable<readonly [string, string]> {
  if (set?.abilities.canExpand !== true) return [];
  const names = [...type.navigations.values()].filter(
    ({ name, isCollection }) => !isCollection && set.abilities.expandable(name),
  );
  return names.length === 0 ? [] : [["$expand", names.map(({ name }) => name).join(",")] as const];
}

function Shown(props: {
  readonly session: OpenSession;
  readonly path: string;
  readonly place: ResolvedPath;
  readonly entity: Entity;
}): JSX.Element {
  const { session, path, place, entity } = props;
  return (
    <>
      {place.type.description === null ? null : (
        <p class="dim measure" dir="auto">
          {place.type.description}
        </p>
      )}
      <Properties session={session} path={path} type={place.type} entity={entity} />
      <RelatedRecords session={session} path={path} place={place} entity={entity} />
    </>
  );
}
