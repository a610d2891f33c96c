import type { JSX } from "preact";
import { Heading } from "../../parts/heading.tsx";
import { LoadedRecord, NotThere, useRecord } from "../../parts/loadable.tsx";
import { type ResolvedPath, resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { encodePath } from "../../state/view.ts";
import { EditForm } from "./edit-form.tsx";
import type { Target } from "./save.ts";

/** Shows a form that creates a record of a collection, or changes the record of a path. */
export function Edit({ session, view }: ScreenProps): JSX.Element {
  const { path } = view;
  const place = resolvePath(session.model, path);
  if (place === null) return <NotThere path={path} title="The model has no such record" />;
  if (!mayWrite(place)) return <NotThere path={path} title="The service does not permit to change this" />;
  const target = { session, path, place };
  return (
    <div class="edit" key={path}>
      <Heading>{place.isCollection ? `New record of ${place.set?.name ?? place.type.name}` : `Edit ${path}`}</Heading>
      {place.isCollection ? <EditForm {...target} entity={null} /> : <Change {...target} />}
    </div>
  );
}

function Change(target: Target): JSX.Element {
  const loading = useRecord(target.session, encodePath(target.path));
  return <LoadedRecord loading={loading}>{(entity) => <EditForm {...target} entity={entity} />}</LoadedRecord>;
}

function mayWrite({ set, isCollection }: ResolvedPath): boolean {
  return isCollection ? set?.abilities.canCreate !== false : set?.abilities.canUpdate === true;
}
