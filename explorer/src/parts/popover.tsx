import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

/**
 * Shows a box at a control, for as long as it is rendered. The browser closes it by Escape and by a click elsewhere, and leads
 * the focus back. The style sheet places it: a browser that cannot, shows it in the middle.
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
  useLayoutEffect(() => {
    const popover = box.current;
    anchor.classList.add("anchor");
    popover?.showPopover();
    popover?.querySelector<HTMLElement>(".popover-body :is(input, textarea, button)")?.focus();
    addEventListener("hashchange", onClose);
    return () => {
      removeEventListener("hashchange", onClose);
      popover?.hidePopover();
      anchor.classList.remove("anchor");
    };
  }, []);
  return (
    <div
      ref={box}
      popover="auto"
      class="popover"
      role="dialog"
      aria-labelledby={id}
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

/** Shows fields with a button "Show". A field with a fault gets the focus. */
export function ShowForm(props: { readonly onShow: () => void; readonly children: ComponentChildren }): JSX.Element {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const wrong = event.currentTarget.querySelector<HTMLElement>("[aria-invalid=true]");
        if (wrong) wrong.focus();
        else props.onShow();
      }}
    >
      {props.children}
      <Button kind="primary" type="submit">
        Show
      </Button>
    </form>
  );
}
