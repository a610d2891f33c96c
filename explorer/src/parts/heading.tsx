import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { SessionContext } from "../state/session.ts";

/** Shows the one heading of a screen, which names the window. A screen shows it while it is loading, too. */
export function Heading({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const title = useContext(SessionContext)?.about.title;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = [...new Set([heading.current?.textContent, title])].filter(Boolean).join(" · ");
  });
  return (
    <h1 tabIndex={-1} dir="auto" ref={heading}>
      {children}
    </h1>
  );
}

/** Shows a description of the model; nothing without one. */
export function Description({ text }: { readonly text: string | null }): JSX.Element | null {
  return text === null ? null : (
    <p class="dim measure" dir="auto">
      {text}
    </p>
  );
}
