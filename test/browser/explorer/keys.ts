import type { Explorer } from "./open-explorer.ts";

/** The element with the focus. */
export interface Focus {
  readonly tag: string;
  /** Its label or text. */
  readonly name: string;
  /** Whether an outline or a border shows it, within the window. */
  readonly isVisible: boolean;
}

const FOCUS = `(() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  const name = (element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent ?? "").trim();
  // Within a grid, a cell shows the focus.
  const shown = document.getElementById(element.getAttribute("aria-activedescendant") ?? "") ?? element;
  const { outlineStyle, outlineWidth } = getComputedStyle(shown);
  const { top, bottom, left, right } = shown.getBoundingClientRect();
  const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  return { tag: element.tagName, name: name.slice(0, 80), isVisible: isInside && outlineStyle !== "none" && parseFloat(outlineWidth) >= 1 };
})()`;

const MOST_TABS = 120;

/** Uses a page with the keyboard alone. */
export class Keys {
  readonly #explorer: Explorer;

  constructor(explorer: Explorer) {
    this.#explorer = explorer;
  }

  focus = async (): Promise<Focus> => (await this.#explorer.page.evaluate(FOCUS)) as Focus;

  /** Presses keys one after another, and waits until everything is loaded. The focus must be somewhere then. */
  press = async (...keys: readonly string[]): Promise<Focus> => {
    for (const key of keys) {
      await this.#explorer.page.keyboard.press(key);
      await this.#explorer.settle();
    }
    const focus = await this.focus();
    if (focus.tag === "BODY") throw new Error(`The focus is lost after ${keys.join(" ")}.`);
    return focus;
  };

  /**
   * Presses Tab until an element has the focus. Each on the way must show it.
   * @param name the beginning of its name
   */
  tabTo = async (name: string, key: "Tab" | "Shift+Tab" = "Tab"): Promise<Focus> => {
    const passed: string[] = [];
    for (let count = 0; count < MOST_TABS; count += 1) {
      await this.#explorer.page.keyboard.press(key);
      const focus = await this.focus();
      // Behind the last element the focus leaves the document, and enters it again.
      if (focus.tag === "BODY") continue;
      if (!focus.isVisible) throw new Error(`The focus on ${focus.tag} ${focus.name} is not visible.`);
      if (focus.name.startsWith(name)) return focus;
      passed.push(focus.name);
    }
    throw new Error(`Tab does not lead to ${name}, but to ${passed.join(" | ")}.`);
  };

  /** Moves the focus to a field, and replaces its text. */
  fill = async (name: string, text: string): Promise<void> => {
    await this.tabTo(name);
    await this.#explorer.page.keyboard.press("Control+a");
    await this.#explorer.page.keyboard.type(text);
  };

  /** Leads the focus to a control, and presses Enter. */
  use = async (name: string, key = "Enter"): Promise<Focus> => {
    await this.tabTo(name);
    return this.press(key);
  };
}
