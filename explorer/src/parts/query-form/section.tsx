import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";

/** Shows a part of a form that opens, and opens by itself once it says something. */
export function Section(props: {
  readonly title: string;
  readonly text: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const wasUsed = useRef(false);
  if (props.text !== "") wasUsed.current = true;
  return (
    <details class="query-section" open={wasUsed.current}>
      <summary>
        <span class="field-label">{props.title}</span> <span class="dim small query-brief">{props.text}</span>
      </summary>
      {props.children}
    </details>
  );
}
