import type { RequestOptions } from "../client/service-client.ts";
import { type Entity, writableValues, type EntityValues } from "../format/entity.ts";
import { recordPath } from "../query/literals.ts";
import type { ResolvedPath } from "../query/resolve-type.ts";
import type { OpenSession } from "../state/session.ts";
import { encodePath, viewOf } from "../state/view.ts";

/** The path of a record, or of the records of a collection, with its place in the model. */
export interface RecordPlace {
  readonly session: OpenSession;
  readonly path: string;
  readonly place: ResolvedPath;
}

/** Creates a record, and shows it. */
export async function createRecord(at: RecordPlace, values: EntityValues, options: RequestOptions = {}): Promise<void> {
  const { session, path, place } = at;
  const { body } = await session.client.send("POST", encodePath(path), values, options);
  const created = recordPath(place.set, body ?? values);
  session.toasts.show("The record is created.");
  session.go(created === null ? viewOf("grid", path) : viewOf("record", created), { replace: true });
}

/** Changes a record if no other user has changed it, and shows it. Without changes, nothing is sent. Changes can be undone. */
export async function changeRecord(
  at: RecordPlace,
  { values, etag }: Entity,
  changes: EntityValues,
  options: RequestOptions = {},
): Promise<void> {
  const { session, path, place } = at;
  const names = Object.keys(changes);
  const show = (): void => session.leave(viewOf("record", path));
  if (names.length === 0) return show();
  const replaces = place.set?.abilities.updatesByPut === true;
  const body = replaces ? { ...writableValues(place.type, values), ...changes } : changes;
  const headers = { Prefer: "return=representation", ...ifMatch(etag) };
  const answer = await session.client.send(replaces ? "PUT" : "PATCH", encodePath(path), body, { ...options, headers });
  const now = { values: { ...values, ...changes }, etag: answer.headers.get("ETag") };
  const before = Object.fromEntries(names.map((name) => [name, values[name]]));
  session.toasts.show("The record is saved.", {
    label: "Undo",
    run: (signal) => changeRecord(at, now, before, { signal }),
  });
  show();
  session.refresh();
}

/** Deletes a record if no other user has changed it, and offers to create it again if it can. */
export async function deleteRecord(
  at: RecordPlace,
  { values, etag }: Entity,
  canUndo: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { session, path, place } = at;
  const set = place.set?.name ?? "";
  const own = recordPath(place.set, values) ?? path;
  await session.client.send("DELETE", encodePath(own), undefined, { headers: ifMatch(etag), signal });
  const run = (stop: AbortSignal): Promise<void> =>
    createRecord({ ...at, path: set }, writableValues(place.type, values), { signal: stop });
  session.toasts.show(`Deleted ${path}.`, canUndo ? { label: "Create it again", run } : null);
  // The way back must not ask for a record that is gone.
  session.go(viewOf("grid", set), { replace: true });
}

function ifMatch(etag: string | null): Readonly<Record<string, string>> {
  return etag === null ? {} : { "If-Match": etag };
}
