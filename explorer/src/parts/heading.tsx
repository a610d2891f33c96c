import type { ComponentChildren, JSX } from "preact";

/** Shows the one heading of a screen, which gets the focus when the screen appears. */
export function Heading({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <h1 tabIndex={-1} dir="auto">
      {children}
    </h1>
  );
}
