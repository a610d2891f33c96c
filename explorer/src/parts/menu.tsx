import type { JSX, TargetedKeyboardEvent } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Button, type ButtonProps } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** One entry of a menu. */
export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName | undefined;
  readonly onSelect: () => void;
}

/** Shows a button that opens a menu. The browser closes it on Escape and on a click elsewhere. */
export function Menu(props: {
  readonly label: string;
  readonly icon?: IconName | undefined;
  readonly kind?: ButtonProps["kind"] | undefined;
  /** Whether the button shows its picture only. */
  readonly isIcon?: boolean | undefined;
  readonly items: readonly MenuItem[];
}): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    list.current?.hidePopover();
    button.current?.focus();
  };
  return (
    <>
      <Button
        icon={props.icon}
        {...(props.isIcon === true ? { label: props.label } : { children: props.label })}
        kind={props.kind}
        buttonRef={button}
        popup="menu"
        expanded={isOpen}
        controls={id}
        onClick={() => list.current?.togglePopover()}
      />
      <div
        ref={list}
        id={id}
        class="menu"
        popover="auto"
        role="menu"
        aria-label={props.label}
        onToggle={(event) => {
          const opens = event.newState === "open";
          setOpen(opens);
          if (opens) place(event.currentTarget, button.current);
        }}
        onKeyDown={(event) => {
          if (event.key === "Tab") close();
          else moveFocus(event);
        }}
      >
        <Items items={props.items} onClose={close} />
      </div>
    </>
  );
}

function Items(props: { readonly items: readonly MenuItem[]; readonly onClose: () => void }): JSX.Element {
  return (
    <>
      {props.items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class="menu-item"
          onClick={() => {
            props.onClose();
            item.onSelect();
          }}
        >
          {item.icon === undefined ? null : <Icon name={item.icon} />}
          {item.label}
        </button>
      ))}
    </>
  );
}

const GAP = 4;

/** Puts a menu below its button, or above it where there is more room, and moves the focus to its first entry. */
function place(list: HTMLElement, button: HTMLElement | null): void {
  if (button === null) return;
  const { left, top, bottom } = button.getBoundingClientRect();
  const isBelow = bottom + list.offsetHeight + GAP <= innerHeight || top < innerHeight - bottom;
  list.style.left = `${Math.max(GAP, Math.min(left, innerWidth - list.offsetWidth - GAP))}px`;
  list.style.top = `${Math.max(GAP, isBelow ? bottom + GAP : top - list.offsetHeight - GAP)}px`;
  list.querySelector<HTMLElement>("[role=menuitem]")?.focus();
}

/** Moves the focus within a menu: arrows, Home, End, and the first letter of an entry. */
function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const items = Array.from(event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]"));
  const at = items.findIndex((item) => item === document.activeElement);
  const target = targetOf(event.key, items, at);
  if (target === undefined) return;
  event.preventDefault();
  target.focus();
}

function targetOf(key: string, items: readonly HTMLElement[], at: number): HTMLElement | undefined {
  switch (key) {
    case "ArrowDown":
      return items[(at + 1) % items.length];
    case "ArrowUp":
      return items.at(at - 1);
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    default: {
      if (key.length !== 1 || key === " ") return undefined;
      const rotated = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      return rotated.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()));
    }
  }
}
