import type { ComponentChildren, JSX, Ref } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** What a button is like. */
export interface ButtonProps {
  readonly onClick?: ((event: MouseEvent) => void) | undefined;
  readonly kind?: "plain" | "primary" | "quiet" | "danger" | undefined;
  readonly icon?: IconName | undefined;
  /** The name for a button that shows a picture only; it is its tooltip, too. */
  readonly label?: string | undefined;
  readonly type?: "button" | "submit" | undefined;
  readonly disabled?: boolean | undefined;
  /** Whether it does nothing now. It keeps the focus, which a disabled button loses. */
  readonly isIdle?: boolean | undefined;
  /** For a button that opens something. */
  readonly expanded?: boolean | undefined;
  readonly controls?: string | undefined;
  readonly popup?: "menu" | "dialog" | "listbox" | undefined;
  readonly buttonRef?: Ref<HTMLButtonElement> | undefined;
  readonly children?: ComponentChildren | undefined;
}

/** Shows a button. */
export function Button(props: ButtonProps): JSX.Element {
  const { kind = "plain", icon, label, type = "button", children, onClick } = props;
  return (
    <button
      ref={props.buttonRef ?? null}
      type={type}
      class={`button button-${kind}${children === undefined ? " button-icon" : ""}`}
      disabled={props.disabled}
      aria-disabled={props.isIdle === true ? true : undefined}
      aria-label={label}
      title={label}
      aria-expanded={props.expanded}
      aria-controls={props.controls}
      aria-haspopup={props.popup}
      onClick={onClick}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

/** Shows a link that looks like a button. */
export function ButtonLink(props: {
  readonly href: string;
  readonly kind?: ButtonProps["kind"] | undefined;
  readonly icon?: IconName | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <a class={`button button-${props.kind ?? "plain"}`} href={props.href}>
      {props.icon === undefined ? null : <Icon name={props.icon} />}
      {props.children}
    </a>
  );
}
