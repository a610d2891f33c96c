import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "../../parts/button.tsx";
import { partsOf } from "../../query/query-parts.ts";
import { hrefOf } from "../../state/view.ts";
import { changedView } from "./grid-query.ts";
import type { GridProps } from "./grid-table.tsx";
import { type OpenEditor, QueryPopover } from "./query-popover.tsx";

/** Shows in words what chooses, orders and groups the rows: each part with a link that removes it, a condition with its form. */
export function Chips(props: GridProps): JSX.Element | null {
  const { session, view, query } = props;
  const [editor, setEditor] = useState<OpenEditor | null>(null);
  const parts = partsOf(query.place.type, view.options, session.zone.value);
  return parts.length === 0 ? null : (
    <>
      <ul class="grid-chips" aria-label="What limits the rows">
        {parts.map(({ words, rest, condition }, at) => (
          <li key={`${at} ${words}`} class="grid-chip">
            {condition === undefined ? (
              <span class="grid-part">{words}</span>
            ) : (
              <button
                type="button"
                aria-haspopup="dialog"
                onClick={({ currentTarget: anchor }) => setEditor({ title: "Condition", anchor, condition })}
              >
                {words}
              </button>
            )}
            <a class="grid-remove" href={hrefOf(changedView(view, rest))} aria-label={`Remove ${words}`}>
              <Icon name="close" />
            </a>
          </li>
        ))}
      </ul>
      {editor === null ? null : <QueryPopover {...props} {...editor} onClose={() => setEditor(null)} />}
    </>
  );
}
