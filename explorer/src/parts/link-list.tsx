import type { JSX } from "preact";
import { Button } from "./button.tsx";

/** A link with a note; `onForget` removes it. */
export interface LinkItem {
  readonly text: string;
  readonly href: string;
  readonly note?: string | undefined;
  readonly onForget?: () => void;
}

/** Shows links below a heading; nothing without links. */
export function LinkList(props: {
  readonly title: string;
  readonly href?: string;
  readonly items: readonly LinkItem[];
}): JSX.Element | null {
  const { title, href, items } = props;
  return items.length === 0 ? null : (
    <section aria-label={title}>
      <h2>{href === undefined ? title : <a href={href}>{title}</a>}</h2>
      <ul>
        {items.map(({ text, href: to, note, onForget }, at) => (
          <li key={at} class="row link-item">
            <a href={to} dir="auto">
              {text}
            </a>
            <span class="dim">{note}</span>
            {onForget === undefined ? null : (
              <Button kind="quiet" icon="close" label={`Forget ${text}`} onClick={onForget} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
