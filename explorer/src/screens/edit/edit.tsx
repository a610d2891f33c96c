import type { JSX } from "preact";
import { toEntity } from "../../format/entity.ts";
import { Empty } from "../../parts/empty.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import { type ResolvedPath, resolvePath } from "../../query/resolve-type.ts";
import { encodePath } from "../../state/resource-url.ts";
import type { ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { hrefOf, viewOf } from "../../state/view.ts";
import { EditForm } from "./edit-form.tsx";

/** Shows a form that creates a record of a collection, or changes the record of a path. */
export function Edit(props: ScreenProps): JSX.Element {
  const { session, view } = props;
  const place = resolvePath(session.model, view.path);
  if (place === null || !mayWrite(place)) {
    return (
      <>
        <Heading>{view.path}</Heading>
        <Empty title={place === null ? "The model has no such record" : "The service does not permit to change this"}>
          <a href={hrefOf(viewOf("home"))}>Go to the start</a>
        </Empty>
      </>
    );
  }
  return (
    <div class="edit" key={view.path}>
      {place.isCollection ? (
        <>
          <Heading>{`New record of ${place.set?.name ?? place.type.name}`}</Heading>
          <EditForm session={session} path={view.path} place={place} entity={null} />
        </>
      ) : (
        <Change {...props} place={place} />
      )}
    </div>
  );
}

function mayWrite({ set, isCollection }: ResolvedPath): boolean {
  return isCollection ? set?.abilities.canCreate !== false : set?.abilities.canUpdate === true;
}

function Change({ session, view, place }: ScreenProps & { readonly place: ResolvedPath }): JSX.Element {
  const loading = useLoaded(view.path, async (signal) =>
    toEntity((await session.client.get(encodePath(view.path), { signal })).body),
  );
  return (
    <>
      <Heading>{`Edit ${view.path}`}</Heading>
      <Loadable loading={loading} label="Loading the record" lines={10}>
        {(entity) =>
          entity === null ? (
            <Empty title="There is no record at this path" />
          ) : (
            <EditForm session={session} path={view.path} place={place} entity={entity} />
          )
        }
      </Loadable>
    </>
  );
}
