import { applyDelta, edm, entitySet, entityType, odataService } from "odatakit";
import type { HeaderTable } from "./doors.ts";
import { noFailures } from "./model.ts";

/** A key that can be spelled in several ways: 1.5 is 1.50. */
export const Note = entityType("Note", {
  code: edm.decimal().key(),
  text: edm.string(),
  remark: edm.string().nullable(),
  version: edm.int32().computed(),
});

/** The variations of a set of notes. */
export interface NoteSetTraits {
  readonly etag: boolean;
  readonly upsert: boolean;
  readonly idempotentDelete: boolean;
  /** Whether the set reads by key. */
  readonly readable: boolean;
}

/** The calls of handlers, in order. */
export interface HandlerCall {
  readonly handler: string;
  readonly key?: unknown;
  readonly given?: unknown;
  readonly expected?: unknown;
}

/** One note as it is kept. */
export interface StoredNote {
  readonly code: string;
  readonly text: string;
  readonly remark: string | null;
  readonly version: number;
}

/** Sets of notes over one store each, with a log of the calls of their handlers. */
export class Notes {
  readonly calls: HandlerCall[] = [];
  readonly rows = new Map<string, StoredNote>();

  constructor(rows: readonly StoredNote[]) {
    for (const row of rows) this.rows.set(row.code, row);
  }

  /** Declares the set over this store. */
  set(name: string, traits: NoteSetTraits) {
    const { calls, rows } = this;
    return entitySet(Note, {
      name,
      getAll: () => [...rows.values()],
      ...(traits.readable ? { getByKey: (key: string) => rows.get(key) ?? null } : {}),
      create: (note) => {
        calls.push({ handler: "create", given: note });
        const { code, text, remark } = note;
        const saved = { code, text, remark, version: 1 };
        rows.set(code, saved);
        return saved;
      },
      replace: (key, note, { expected }) => {
        calls.push({ handler: "replace", key, given: note, expected });
        const old = rows.get(key);
        if (old === undefined) return null;
        const saved = { code: key, text: note.text, remark: note.remark, version: old.version + 1 };
        rows.set(key, saved);
        return saved;
      },
      patch: (key, delta, { expected }) => {
        calls.push({ handler: "patch", key, given: delta, expected });
        const changed = applyDelta(Note, rows.get(key), delta);
        if (changed === null) return null;
        const saved = { ...changed, version: changed.version + 1 };
        rows.set(key, saved);
        return saved;
      },
      delete: (key, { expected }) => {
        calls.push({ handler: "delete", key, expected });
        return rows.delete(key);
      },
      ...(traits.etag ? { etag: ["version" as const] } : {}),
      allowUpsert: traits.upsert,
      idempotentDelete: traits.idempotentDelete,
    });
  }
}

/** A service of one set of notes. */
export function noteService(notes: Notes, traits: NoteSetTraits) {
  return odataService({ prefix: "/s", namespace: "Kit", entitySets: [notes.set("Notes", traits)], logger: noFailures });
}

/** The headers of a JSON body. */
export const JSON_BODY: HeaderTable = { "Content-Type": "application/json" };
