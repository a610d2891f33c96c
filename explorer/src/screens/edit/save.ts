import type { Answer } from "../../client/service-client.ts";
import { type Entity, writableValues } from "../../format/entity.ts";
import type { EntityValues } from "../../format/merge-columns.ts";
import { keyPredicate } from "../../query/literals.ts";
import type { ResolvedPath } from "../../query/resolve-type.ts";
import type { OpenSession } from "../../state/session.ts";
import { encodePath, viewOf } from "../../state/view.ts";

/** Where a form writes. */
export interface Target {
  readonly session: OpenSession;
  readonly path: string;
  readonly place: ResolvedPath;
}

/**
 * Creates a record, and shows it.
 * @throws ServiceError, NetworkError
 */
export async function createRecord({ session, path, place }: Target, values: EntityValues): Promise<void> {
  const { body } = await session.client.send("POST", encodePath(path), values);
  const key = keyPredicate(place.type, (body ?? values) as EntityValues);
  const isReadable = place.set?.abilities.canReadByKey === true && key !== null;
  session.toasts.show("The record is created.");
  session.go(isReadable ? viewOf("record", `${place.set.name}${key}`) : viewOf("grid", path), { replace: true });
}

/**
 * Changes a record if nobody else has changed it, and shows it. The changes can be undone.
 * @throws ServiceError, such as 412 if the record is another one now; NetworkError
 */
export async function changeRecord(target: Target, entity: Entity, changes: EntityValues): Promise<void> {
  const { session, path } = target;
  const answer = await writeChanges(target, entity, changes);
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, entity.values[name]]));
  const undo = async (): Promise<void> => {
    await writeChanges(target, { values: { ...entity.values, ...changes }, etag: answer.headers.get("ETag") }, before);
    session.go(viewOf("record", path), { replace: true });
    session.refresh();
    session.toasts.show("The record is as before.");
  };
  session.toasts.show("The record is saved.", { label: "Undo", run: undo });
  session.go(viewOf("record", path), { replace: true });
}

function writeChanges(
  { session, path, place }: Target,
  { etag, values }: Entity,
  changes: EntityValues,
): Promise<Answer> {
  const replaces = place.set?.abilities.updatesByPut === true;
  return session.client.send(
    replaces ? "PUT" : "PATCH",
    encodePath(path),
    replaces ? { ...writableValues(place.type, values), ...changes } : changes,
    { headers: { Prefer: "return=representation", ...(etag === null ? {} : { "If-Match": etag }) } },
  );
}
