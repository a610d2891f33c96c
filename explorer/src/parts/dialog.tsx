import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

/** Shows a dialog for as long as it is rendered. The browser keeps the focus in it. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const active = document.activeElement;
    // A dialog closes the boxes at controls, which lead back to the control.
    const before = active?.closest("[popover]")
      ? document.querySelector(".anchor")?.closest("[tabindex], button")
      : active;
    // The dialog belongs to the view that the reader leaves.
    const leave = (): unknown => dialog.current?.dispatchEvent(new Event("cancel", { cancelable: true }));
    dialog.current?.showModal();
    addEventListener("hashchange", leave);
    return () => {
      removeEventListener("hashchange", leave);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{props.title}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={props.onClose} />
      </div>
      {props.children}
    </dialog>
  );
}
