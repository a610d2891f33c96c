import type { ComponentChildren, JSX } from "preact";
import { type Entity, toEntity } from "../format/entity.ts";
import type { OpenSession } from "../state/session.ts";
import { type Loading, useLoaded } from "../state/use-loaded.ts";
import { hrefOf, viewOf } from "../state/view.ts";
import { Empty } from "./empty.tsx";
import { Heading } from "./heading.tsx";
import { Loadable } from "./loadable.tsx";

/** Reads the record of a URL; null if there is none. */
export function useRecord({ client }: OpenSession, url: string): Loading<Entity | null> {
  return useLoaded(url, async (signal) => toEntity((await client.get(url, { signal })).body));
}

/** Shows a record, or why it is not there. */
export function LoadedRecord(props: {
  readonly loading: Loading<Entity | null>;
  readonly children: (entity: Entity) => ComponentChildren;
}): JSX.Element {
  return (
    <Loadable loading={props.loading} label="Loading the record" lines={10}>
      {(entity) => (entity === null ? <Empty title="There is no record at this path" /> : props.children(entity))}
    </Loadable>
  );
}

/** Shows that a path leads to nothing that the screen can show. */
export function NotThere({ path, title }: { readonly path: string; readonly title: string }): JSX.Element {
  return (
    <>
      <Heading>{path}</Heading>
      <Empty title={title}>
        <a href={hrefOf(viewOf("home"))}>Go to the start</a>
      </Empty>
    </>
  );
}
