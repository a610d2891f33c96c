import { useEffect } from "preact/hooks";

/**
 * Moves the focus to the heading when the control that has it disappears or is disabled, such as "Try again": browsers would
 * begin at the top of the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let frame = 0;
    const look = (): void => {
      const { activeElement, body } = document;
      if (last === null || (activeElement !== body && activeElement !== last)) return;
      if (!last.isConnected || last.matches(":disabled")) {
        document.querySelector("h1")?.focus({ preventScroll: true });
      } else if (activeElement === body) {
        // The reader clicked beside it.
        last = null;
      }
    };
    const onFocusIn = ({ target }: FocusEvent): void => {
      last = target instanceof Element ? target : null;
    };
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    });
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    addEventListener("focusin", onFocusIn);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      removeEventListener("focusin", onFocusIn);
    };
  }, []);
}
