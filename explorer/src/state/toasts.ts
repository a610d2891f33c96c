import { signal } from "@preact/signals";
import { messageOf } from "../client/service-error.ts";

/** A short message. */
interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: "done" | "failed";
  readonly action: ToastAction | null;
}

/** What a message offers, such as "Undo". */
interface ToastAction {
  readonly label: string;
  readonly run: () => Promise<void>;
}

const SHOWN_MILLISECONDS = 8000;

/** The short messages that the page shows. */
export class Toasts {
  readonly list = signal<readonly Toast[]>([]);
  #last = 0;

  /** Shows a message. One with an action, or of a failure, stays until the reader closes it. */
  show(text: string, action: ToastAction | null = null, kind: Toast["kind"] = "done"): void {
    this.#last += 1;
    const id = this.#last;
    this.list.value = [...this.list.value, { id, text, kind, action }];
    if (action === null && kind === "done") setTimeout(() => this.close(id), SHOWN_MILLISECONDS);
  }

  /** Does something that may fail: a failure is a message. */
  attempt(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.show(messageOf(error), null, "failed"));
  }

  close(id: number): void {
    this.list.value = this.list.value.filter((toast) => toast.id !== id);
  }
}
