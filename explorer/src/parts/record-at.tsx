import type { ComponentChildren, JSX } from "preact";
import { type Entity, toEntity } from "../format/entity.ts";
import type { OpenSession } from "../state/session.ts";
import { useLoaded } from "../state/use-loaded.ts";
import { hrefOf, viewOf } from "../state/view.ts";
import { Empty } from "./empty.tsx";
import { Heading } from "./heading.tsx";
import { Loadable } from "./loadable.tsx";

/** Reads the record of a URL, and shows what its children make of it, or of null if there is none. */
export function RecordAt(props: {
  readonly session: OpenSession;
  readonly url: string;
  readonly children: (entity: Entity | null) => ComponentChildren;
}): JSX.Element {
  const { session, url, children } = props;
  const loading = useLoaded(url, async (signal) => toEntity((await session.client.get(url, { signal })).body));
  return (
    <Loadable loading={loading} label="Loading the record" lines={10}>
      {children}
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
