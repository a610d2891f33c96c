import { type Signal, signal } from "@preact/signals";
import type { View } from "./view.ts";

/** A typed text: null is the value null, or no value where one is required; undefined leaves the value to the service. */
export type Typed = string | null | undefined;

/** What a reader typed in a form and did not send. */
export interface Draft {
  /** The form, and what it is called. */
  readonly view: View;
  readonly title: string;
  /** The fields that the reader changed. */
  readonly typed: ReadonlyMap<string, Typed>;
  /** The record as the reader saw it then; null for forms that change none. */
  readonly base: { readonly values: Readonly<Record<string, unknown>>; readonly etag: string | null } | null;
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

/** Keeps a draft; null, and a draft without changed fields, removes it. */
export function keepDraft(drafts: Drafts, id: string, draft: Draft | null): void {
  const others = [...drafts.peek()].filter(([each]) => each !== id);
  const own = draft === null || draft.typed.size === 0 ? [] : [[id, draft] as const];
  drafts.value = new Map([...others, ...own]);
}
