import { type ReadonlySignal, type Signal, signal } from "@preact/signals";

/** A short message that stays until it is closed, or until its time is over if it offers nothing. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: "done" | "failed";
  /** Such as "Undo". */
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

const SHOWN_MILLISECONDS = 8000;

/** The short messages that the page shows. */
export class Toasts {
  readonly #list: Signal<readonly Toast[]> = signal([]);
  #last = 0;

  get list(): ReadonlySignal<readonly Toast[]> {
    return this.#list;
  }

  /** Shows a message. One with an action, or of a failure, stays until the reader closes it. */
  show(text: string, choices: Partial<Pick<Toast, "kind" | "action">> = {}): void {
    this.#last += 1;
    const toast = { id: this.#last, text, kind: choices.kind ?? "done", action: choices.action ?? null } as const;
    this.#list.value = [...this.#list.peek(), toast];
    if (toast.action !== null || toast.kind === "failed") return;
    setTimeout(() => this.close(toast.id), SHOWN_MILLISECONDS);
  }

  close(id: number): void {
    this.#list.value = this.#list.peek().filter((toast) => toast.id !== id);
  }
}
