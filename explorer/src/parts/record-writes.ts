import type { RequestOptions } from "../client/service-client.ts";
import { ServiceError } from "../client/service-error.ts";
import {
  type Entity,
  type EntityValues,
  type MergeRow,
  mergeColumns,
  mergedChanges,
  toEntity,
  unsentNames,
  writableValues,
} from "../format/entity.ts";
import { showValue } from "../format/show-value.ts";
import { recordPath } from "../query/literals.ts";
import type { ResolvedPath } from "../query/resolve-type.ts";
import { keepDraft } from "../state/drafts.ts";
import type { OpenSession } from "../state/session.ts";
import { encodePath, resourceUrl, type View, viewOf } from "../state/view.ts";
import { askToMerge } from "./merge-dialog.tsx";

/** The path of a record, or of the records of a collection, with its place in the model. */
export interface RecordPlace {
  readonly session: OpenSession;
  readonly path: string;
  readonly place: ResolvedPath;
}

/** Choices for a change. */
interface ChangeOptions extends Pick<RequestOptions, "signal"> {
  /** Called after the change was undone. */
  readonly onUndone: () => void;
}

/** Returns the id of the form that changes a record, or creates one of a collection. */
export function editFormId(path: string): string {
  return `edit ${path}`;
}

/** Creates a record. @returns the view of it, or of its set if the service does not say its path */
export async function createRecord(at: RecordPlace, values: EntityValues, signal: AbortSignal): Promise<View> {
  const { body } = await at.session.client.send("POST", encodePath(at.path), values, { signal });
  const created = recordPath(at.place.set, body ?? values);
  return created === null ? viewOf("grid", at.path) : viewOf("record", created);
}

/**
 * Changes a record so that no change of another user is lost. Without an ETag, the record is read again before. Where both
 * changed the same property, the reader chooses. Without changes, nothing is sent. A change can be undone in the same way.
 * @param base the record as the reader saw it
 * @returns whether the record has the values that the reader wants
 */
export async function changeRecord(
  at: RecordPlace,
  base: Entity,
  changes: EntityValues,
  options: ChangeOptions,
): Promise<boolean> {
  const { session, place } = at;
  if (Object.keys(changes).length === 0) return true;
  const isEnough = base.etag !== null && (!isReplaced(at) || unsentNames(place.type, base.values).length === 0);
  let now = isEnough ? base : await readNow(at, base, options);
  let rows: readonly MergeRow[] = isSameVersion(base, now)
    ? []
    : mergeColumns(place.type, base.values, changes, now.values);
  // What only one of both changed needs no choice.
  let next = rows.length === 0 ? changes : mergedChanges(rows, new Map());
  for (;;) {
    next ??= await askToMerge(session, rows);
    if (next === null) return false;
    if (Object.keys(next).length === 0) return true;
    try {
      await write(at, now, next, options);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 412) throw error;
      const theirs = await readNow(at, base, options);
      // A condition of another kind failed: the record is as it was.
      if (isSameVersion(now, theirs)) throw error;
      rows = mergeColumns(place.type, base.values, next, theirs.values);
      [now, next] = [theirs, null];
    }
  }
}

async function write(at: RecordPlace, now: Entity, changes: EntityValues, options: ChangeOptions): Promise<void> {
  const { session, path, place } = at;
  const unsent = isReplaced(at) ? unsentNames(place.type, now.values) : [];
  if (unsent.length > 0) {
    const names = unsent.join(", ");
    throw new Error(
      `Nothing is saved: ${path} can only be replaced as a whole, and the service did not send ${names}.`,
    );
  }
  const [method, body] = isReplaced(at)
    ? ["PUT", { ...writableValues(place.type, now.values), ...changes }]
    : ["PATCH", changes];
  const headers = { Prefer: "return=representation", ...ifMatch(now.etag) };
  const { signal } = options;
  const answer = await session.client.send(method, encodePath(path), body, { headers, ...(signal && { signal }) });
  const sent = toEntity(answer.body);
  const after: Entity = {
    // The service may keep another form of a value.
    values: { ...now.values, ...changes, ...sent?.values },
    etag: answer.headers.get("ETag") ?? sent?.etag ?? null,
  };
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, now.values[name]]));
  session.toasts.show("The record is saved.", {
    label: "Undo",
    run: async (stop) => {
      const isUndone = await changeRecord(at, after, before, { ...options, signal: stop });
      if (isUndone) options.onUndone();
      return isUndone;
    },
  });
}

/**
 * Deletes a record, and offers to create it again if it can. A record that is not as the reader saw it is deleted only if the
 * reader wants that.
 */
export async function deleteRecord(
  at: RecordPlace,
  shown: Entity,
  canUndo: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { session, place } = at;
  const path = recordPath(place.set, shown.values) ?? at.path;
  const [own, before] = [{ ...at, path }, session.view.peek()];
  const now = await readNow(own, shown, { signal });
  const changed = mergeColumns(place.type, shown.values, {}, now.values).filter(({ state }) => state !== "same");
  const texts = changed.map(({ property: { name, type }, theirs }) => `${name}: ${showValue(theirs, type).text}`);
  const question = [`Somebody else changed ${path}. Delete it all the same?`, ...texts.slice(0, 8)].join("\n");
  if ((changed.length > 0 || shown.etag !== now.etag) && !confirm(question)) return;
  await session.client.send("DELETE", encodePath(path), undefined, { headers: ifMatch(now.etag), signal });
  for (const each of [path, at.path]) keepDraft(session.drafts, editFormId(each), null);
  session.toasts.show(`Deleted ${path}.`, canUndo ? createAgain(own, now.values) : null);
  // The way back must not ask for a record that is gone.
  if (session.view.peek() === before) session.go(viewOf("grid", place.set?.name ?? ""), { replace: true });
}

/** The record gets another key where the service makes it. The service refuses a key that is taken. */
function createAgain(at: RecordPlace, values: EntityValues) {
  const { session, path, place } = at;
  const isKeyKept = place.type.key.every(({ readOnly }) => !readOnly);
  const run = async (signal: AbortSignal): Promise<void> => {
    const [set, before] = [{ ...at, path: place.set?.name ?? "" }, session.view.peek()];
    const view = await createRecord(set, writableValues(place.type, values), signal);
    session.toasts.show(view.path === path ? `Created ${path} again.` : `Created ${view.path} in place of ${path}.`);
    // Who went on meanwhile stays there.
    if (session.view.peek() === before) session.go(view, { replace: true });
  };
  return { label: isKeyKept ? "Create it again" : "Create it again with a new key", run };
}

/** Reads a record as it is now: the values that the reader saw, or all of one that can only be replaced. */
async function readNow(at: RecordPlace, { values }: Entity, { signal }: RequestOptions): Promise<Entity> {
  const { session, path, place } = at;
  const seen = Object.keys(values).filter((name) => place.type.properties.has(name));
  const isAll = isReplaced(at) || seen.length === place.type.properties.size;
  const select = place.set?.abilities.canSelect === true ? [["$select", isAll ? "*" : seen.join(",")] as const] : [];
  const url = resourceUrl({ path, options: new Map(select) });
  const now = toEntity((await session.client.get(url, signal && { signal })).body);
  if (now === null) throw new Error(`Nothing is saved: the service did not send ${path} as it is now.`);
  return now;
}

function isReplaced({ place }: RecordPlace): boolean {
  return place.set?.abilities.updatesByPut === true;
}

function isSameVersion(left: Entity, right: Entity): boolean {
  return left.etag !== null && left.etag === right.etag;
}

function ifMatch(etag: string | null): Readonly<Record<string, string>> {
  return etag === null ? {} : { "If-Match": etag };
}
