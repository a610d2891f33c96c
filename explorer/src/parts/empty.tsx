import type { ComponentChildren, JSX } from "preact";

/** Shows that there is nothing, what would be here, and what to do. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}
