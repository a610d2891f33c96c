import type { Explorer } from "./open-explorer.ts";

/** What a user did: a double click counts as one, and as no click. Each character of a typed text is a key. */
export interface Effort {
  readonly clicks: number;
  readonly doubleClicks: number;
  readonly keys: number;
}

/**
 * Counts what the user did, in each document of the page. Only events of the user count: `click()` of a script does not. The
 * click that Enter or Space makes on a button is that key.
 */
const COUNT = `(() => {
  if (globalThis.countEffort) return;
  globalThis.countEffort = true;
  const effort = (clicks, doubleClicks, keys) => effortOf(JSON.stringify({ clicks, doubleClicks, keys }));
  const listen = (type, count) => addEventListener(type, (event) => event.isTrusted && count(event), true);
  // A click on a label is a second one on its control: only the first has a pointer.
  listen("pointerup", (event) => event.button === 0 && effort(1, 0, 0));
  listen("dblclick", () => effort(-2, 1, 0));
  listen("keydown", ({ key, repeat }) => repeat || /^(?:Shift|Control|Alt|Meta)$/.test(key) || effort(0, 0, 1));
})()`;

/** A user whose clicks and keys are counted. */
export class Job {
  readonly #explorer: Explorer;
  #effort: Effort = { clicks: 0, doubleClicks: 0, keys: 0 };

  private constructor(explorer: Explorer) {
    this.#explorer = explorer;
  }

  /** Counts from now on, also after a reload. One job of a page counts at a time: begin the next with `restart`. */
  static begin = async (explorer: Explorer): Promise<Job> => {
    const job = new Job(explorer);
    await explorer.page.exposeFunction("effortOf", job.#add);
    await explorer.page.addInitScript({ content: COUNT });
    await explorer.page.evaluate(COUNT);
    return job;
  };

  /** Forgets what was counted. */
  restart = (): void => {
    this.#effort = { clicks: 0, doubleClicks: 0, keys: 0 };
  };

  /** Clicks the first element of a selector as a user does, and waits until nothing is loading. */
  click = async (selector: string): Promise<void> => {
    await this.#explorer.page.locator(selector).first().click();
    await this.#explorer.settle();
  };

  /** Double-clicks the first element of a selector, and waits until nothing is loading. */
  doubleClick = async (selector: string): Promise<void> => {
    await this.#explorer.page.locator(selector).first().dblclick();
    await this.#explorer.settle();
  };

  /** Presses keys one after another where the focus is, and waits until nothing is loading. */
  press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await this.#explorer.page.keyboard.press(key);
    await this.#explorer.settle();
  };

  /** Types a text where the focus is, and waits until nothing is loading. */
  type = async (text: string): Promise<void> => {
    await this.#explorer.page.keyboard.type(text);
    await this.#explorer.settle();
  };

  /** Returns what the user did so far: "2 clicks, 6 keys". Nothing done is "nothing". */
  done = async (): Promise<string> => {
    await this.#explorer.settle();
    const { clicks, doubleClicks, keys } = this.#effort;
    const parts = [count(doubleClicks, "double click"), count(clicks, "click"), count(keys, "key")];
    return parts.filter((part) => part !== "").join(", ") || "nothing";
  };

  readonly #add = (text: string): void => {
    const added = JSON.parse(text) as Effort;
    this.#effort = {
      clicks: this.#effort.clicks + added.clicks,
      doubleClicks: this.#effort.doubleClicks + added.doubleClicks,
      keys: this.#effort.keys + added.keys,
    };
  };
}

function count(number: number, what: string): string {
  if (number === 0) return "";
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}
