import { signal } from "@preact/signals";
import { isAbort, messageOf } from "../client/service-error.ts";

/** A short message. */
interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: "done" | "failed";
  readonly action: ToastAction | null;
}

/** The action that a message offers, such as "Undo". */
interface ToastAction {
  readonly label: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const SHOWN_MILLISECONDS = 8000;
const PATIENCE_MILLISECONDS = 500;

/** The short messages that the page shows. */
export class Toasts {
  readonly list = signal<readonly Toast[]>([]);
  #last = 0;

  /** Shows a message. One with an action, or of a failure, stays until the reader closes it. @returns its id */
  show(text: string, action: ToastAction | null = null, kind: Toast["kind"] = "done"): number {
    this.#last += 1;
    const id = this.#last;
    this.list.value = [...this.list.value, { id, text, kind, action }];
    if (action === null && kind === "done") setTimeout(() => this.close(id), SHOWN_MILLISECONDS);
    return id;
  }

  /** Does something that may last, which can be stopped, or fail: both are messages. */
  attempt({ label, run }: ToastAction): void {
    const controller = new AbortController();
    const stop = { label: "Stop", run: () => Promise.resolve(controller.abort()) };
    let busy = 0;
    const timer = setTimeout(() => {
      busy = this.show(`${label} …`, stop);
    }, PATIENCE_MILLISECONDS);
    run(controller.signal)
      .catch((error: unknown) => isAbort(error) || this.show(messageOf(error), null, "failed"))
      .finally(() => {
        clearTimeout(timer);
        this.close(busy);
      });
  }

  close(id: number): void {
    this.list.value = this.list.value.filter((toast) => toast.id !== id);
  }
}
