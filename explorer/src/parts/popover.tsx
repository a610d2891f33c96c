import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** Space between a popover and the edges of the window, in pixels. */
const MARGIN = 8;
/** A popover with less room below its control covers the page from the top on. */
const LEAST_HEIGHT = 320;

/**
 * Shows a box at a control, for as long as it is rendered. The browser closes it by Escape and by a click elsewhere, and leads
 * the focus back.
 */
export function Popover(props: {
  readonly title: string;
  readonly anchor: Element;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, anchor, onClose } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: MARGIN, top: MARGIN });
  useLayoutEffect(() => {
    const popover = box.current;
    const before = document.activeElement;
    popover?.showPopover();
    const { left, bottom } = anchor.getBoundingClientRect();
    const most = document.documentElement.clientWidth - (popover?.offsetWidth ?? 0) - MARGIN;
    const top = innerHeight - bottom < LEAST_HEIGHT ? MARGIN : bottom;
    setPlace({ left: Math.max(MARGIN, Math.min(left, most)), top });
    const controls = ["input:not([type=checkbox]), textarea", "input, select, button"];
    const found = controls.map((each) => popover?.querySelector<HTMLElement>(`.popover-body :is(${each})`));
    found.find((control) => control)?.focus();
    addEventListener("hashchange", onClose);
    return () => {
      removeEventListener("hashchange", onClose);
      const hadFocus = popover?.contains(document.activeElement) === true;
      popover?.hidePopover();
      if (hadFocus && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div
      ref={box}
      popover="auto"
      class="popover"
      role="dialog"
      aria-labelledby={id}
      style={{ left: `${place.left}px`, top: `${place.top}px`, maxHeight: `calc(100dvh - ${place.top + MARGIN}px)` }}
      onToggle={(event) => {
        if (event.newState === "closed") onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={onClose} />
      </div>
      <div class="popover-body">{props.children}</div>
    </div>
  );
}
