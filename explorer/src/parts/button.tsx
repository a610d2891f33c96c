import type { ButtonHTMLAttributes, JSX } from "preact";

/** The lines of each picture, on a grid of 16 by 16. */
const PATHS = {
  add: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  copy: "M6 5.5h7.5v8H6zM10.5 5.5v-3H3v8h3",
  down: "M8 3v10M4 9l4 4 4-4",
  download: "M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10",
  filter: "M2.5 3.5h11L9.5 8.5V13l-3-1.5V8.5z",
  search: "M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2l3.3 3.3",
  set: "M2.5 3.5h11v9h-11zM2.5 6.5h11M6 6.5v6",
  values: "M3 13V8M8 13V3M13 13v-7",
  up: "M8 13V3M4 7l4-4 4 4",
} as const;

type IconName = keyof typeof PATHS;

/** Shows a small picture. A text next to it, or the name of its button, explains it. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

type OwnAttributes = "onClick" | "type" | "disabled" | "autofocus" | "children";

/** The properties of a button. */
interface ButtonProps extends Pick<ButtonHTMLAttributes, OwnAttributes> {
  readonly kind?: "plain" | "primary" | "quiet" | undefined;
  readonly icon?: IconName | undefined;
  /** The name of a button that shows a picture only; it is its tooltip, too. */
  readonly label?: string | undefined;
  /** Whether it does nothing now. It keeps the focus, which a disabled button loses. */
  readonly isIdle?: boolean | undefined;
  readonly popup?: "dialog" | undefined;
}

/** Shows a button. */
export function Button({ kind, icon, children, label, isIdle, popup, ...rest }: ButtonProps): JSX.Element {
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${kind ?? "plain"}${children === undefined ? " button-icon" : ""}`}
      aria-disabled={isIdle === true ? true : undefined}
      aria-label={label}
      title={label}
      aria-haspopup={popup}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

type ButtonLinkProps = Pick<ButtonProps, "kind" | "icon" | "children"> & { readonly href: string };

/** Shows a link that looks like a button. */
export function ButtonLink({ kind, icon, children, href }: ButtonLinkProps): JSX.Element {
  return (
    <a class={`button button-${kind ?? "plain"}`} href={href}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </a>
  );
}
