import { type Signal, signal } from "@preact/signals";
import type { View } from "./view.ts";

/** A typed text: null is the value null, or no value where one is required; undefined leaves the value to the service. */
export type Typed = string | null | undefined;

/** A record as a reader saw it. The ETag is null if the fields are not of one version. */
interface Seen {
  readonly values: Readonly<Record<string, unknown>>;
  readonly etag: string | null;
}

/** What a reader typed in a form and did not send. */
export interface Draft {
  /** The form, and what it is called. */
  readonly view: View;
  readonly title: string;
  /** The fields that the reader changed. */
  readonly typed: ReadonlyMap<string, Typed>;
  /** The record as the reader saw it, each changed field as it was when it was typed; null for forms that change none. */
  readonly base: Seen | null;
  /** Whether the reader sees the form. */
  readonly isOpen: boolean;
}

/** The drafts of a reader, in memory only, by the ids of their forms. */
type Drafts = Signal<ReadonlyMap<string, Draft>>;

/** Makes an empty list of drafts. As long as there are some, the browser asks before it closes the page. */
export function makeDrafts(): Drafts {
  const drafts: Drafts = signal(new Map());
  addEventListener("beforeunload", (event) => {
    if (drafts.peek().size > 0) event.preventDefault();
  });
  return drafts;
}

/** Keeps the typed texts of a form beside those of its draft for other fields. @param fields those of the form */
export function addToDraft(drafts: Drafts, id: string, draft: Draft, fields: ReadonlySet<string>): void {
  const before = drafts.peek().get(id);
  const others = [...(before?.typed ?? [])].filter(([name]) => !fields.has(name));
  const typed = new Map([...others, ...draft.typed]);
  const values = { ...draft.base?.values };
  for (const [name] of others) values[name] = before?.base?.values[name];
  const etag = others.length === 0 || before?.base?.etag === draft.base?.etag ? (draft.base?.etag ?? null) : null;
  keepDraft(drafts, id, { ...draft, typed, base: draft.base && { values, etag } });
}

/** Returns a record in which the fields of a draft are as they were when they were typed. @param only one field of the form */
export function asDrafted(draft: Draft | undefined, now: Seen, only?: string): Seen {
  const base = draft?.base ?? null;
  const names = [...(draft?.typed.keys() ?? [])].filter((name) => only === undefined || name === only);
  if (base === null || names.length === 0) return now;
  const then = names.map((name) => [name, base.values[name]] as const);
  return { values: { ...now.values, ...Object.fromEntries(then) }, etag: base.etag === now.etag ? now.etag : null };
}

/** Removes the texts of a draft that a condition chooses. */
export function dropTyped(drafts: Drafts, id: string, isDropped: (name: string, typed: Typed) => boolean): void {
  const draft = drafts.peek().get(id);
  if (draft === undefined) return;
  const typed = new Map([...draft.typed].filter(([name, text]) => !isDropped(name, text)));
  keepDraft(drafts, id, { ...draft, typed });
}

/** Keeps a draft; null, and a draft without changed fields, removes it. */
export function keepDraft(drafts: Drafts, id: string, draft: Draft | null): void {
  const others = [...drafts.peek()].filter(([each]) => each !== id);
  const own = draft === null || draft.typed.size === 0 ? [] : [[id, draft] as const];
  drafts.value = new Map([...others, ...own]);
}
