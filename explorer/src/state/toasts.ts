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
  /** Resolves to false if the reader changed their mind. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
}

const SHOWN_MILLISECONDS = 8000;
const PATIENCE_MILLISECONDS = 500;

/** The short messages that the page shows. */
export class Toasts {
  readonly list = signal<readonly Toast[]>([]);
  #last = 0;
  readonly #underWay = new Set<number>();

  /** Shows a message. One with an action, or of a failure, stays until the reader closes it. @returns its id */
  show(text: string, action: ToastAction | null = null, kind: Toast["kind"] = "done"): number {
    this.#last += 1;
    const id = this.#last;
    this.list.value = [...this.list.value, { id, text, kind, action }];
    if (action === null && kind === "done") setTimeout(() => this.close(id), SHOWN_MILLISECONDS);
    return id;
  }

  /** Does something that may last, which can be stopped, or fail: both are messages. @returns whether it is done */
  async attempt({ label, run }: ToastAction): Promise<boolean> {
    const controller = new AbortController();
    const stop = { label: "Stop", run: () => Promise.resolve(controller.abort()) };
    let busy = 0;
    const timer = setTimeout(() => {
      busy = this.show(`${label} …`, stop);
    }, PATIENCE_MILLISECONDS);
    try {
      return (await run(controller.signal)) !== false;
    } catch (error) {
      if (!isAbort(error)) this.show(messageOf(error), null, "failed");
      return false;
    } finally {
      clearTimeout(timer);
      this.close(busy);
    }
  }

  /** Does the action of a message, which stays until that is done. */
  async act(id: number, action: ToastAction): Promise<void> {
    if (this.#underWay.has(id)) return;
    this.#underWay.add(id);
    if (await this.attempt(action)) this.close(id);
    this.#underWay.delete(id);
  }

  close(id: number): void {
    this.list.value = this.list.value.filter((toast) => toast.id !== id);
  }
}
