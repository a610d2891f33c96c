import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { SessionContext } from "../state/session.ts";

/**
 * Shows the one heading of a screen, which names the window. It gets the focus when the screen appears: a screen shows it
 * while it is loading, too.
 */
export function Heading({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const session = useContext(SessionContext);
  const heading = useRef<HTMLHeadingElement>(null);
  const title = session === null ? "" : (session.about.title ?? session.model.title);
  useEffect(() => {
    const name = heading.current?.textContent ?? "";
    document.title = [name, title].filter((part, at) => part !== "" && (at === 0 || part !== name)).join(" · ");
  });
  return (
    <h1 tabIndex={-1} dir="auto" ref={heading}>
      {children}
    </h1>
  );
}
