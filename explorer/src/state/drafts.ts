import type { Toasts } from "./toasts.ts";
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
}

/** The drafts of the reader, in memory only, by the ids of their forms. The browser asks before it closes a page with drafts. */
export class Drafts {
  readonly #drafts = new Map<string, Draft>();
  /** The messages that lead back to forms. */
  readonly #messages = new Map<string, number>();
  readonly #toasts: () => Toasts;

  /** @param toasts returns those of the user */
  constructor(toasts: () => Toasts) {
    this.#toasts = toasts;
    addEventListener("beforeunload", (event) => {
      if (this.#drafts.size > 0) event.preventDefault();
    });
  }

  get count(): number {
    return this.#drafts.size;
  }

  of(id: string): Draft | null {
    return this.#drafts.get(id) ?? null;
  }

  /** Keeps a draft; null, and a draft without changed fields, removes it. */
  keep(id: string, draft: Draft | null): void {
    if (draft !== null && draft.typed.size > 0) this.#drafts.set(id, draft);
    else if (this.#drafts.delete(id)) this.enter(id);
  }

  /** Takes back the message about a form, which the reader sees again. */
  enter(id: string): void {
    this.#toasts().close(this.#messages.get(id) ?? 0);
  }

  /** Says that the reader left a form with a draft, and offers to return. */
  leave(id: string, go: (form: View) => void): void {
    const draft = this.of(id);
    this.enter(id);
    if (draft === null) return;
    const run = (): Promise<void> => Promise.resolve(go(draft.view));
    const text = `Not saved, but kept until you close this page: ${draft.title}.`;
    this.#messages.set(id, this.#toasts().show(text, { label: "Continue", run }));
  }

  /** Forgets all: another user may come. */
  clear(): void {
    this.#drafts.clear();
    this.#messages.clear();
  }
}
