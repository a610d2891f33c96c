import type { JSX } from "preact";
import { Icon } from "../../parts/button.tsx";
import { partsOf, type QueryPart } from "../../query/query-parts.ts";
import { hrefOf } from "../../state/view.ts";
import { changedView } from "./grid-query.ts";
import type { GridProps } from "./grid-table.tsx";

interface ChipsProps extends GridProps {
  /** Opens the form of a part. */
  readonly onEdit: (part: QueryPart, anchor: Element) => void;
}

/** Shows in words what chooses, orders and groups the rows: each part with a link that removes it. */
export function Chips({ session, view, query, onEdit }: ChipsProps): JSX.Element | null {
  const parts = partsOf(query.place.type, view.options, session.zone.value);
  return parts.length === 0 ? null : (
    <ul class="grid-chips" aria-label="What limits the rows">
      {parts.map((part) => (
        <li key={`${part.kind} ${part.text}`} class="grid-chip">
          {part.kind === "other" ? (
            <span class="grid-part">{part.words}</span>
          ) : (
            <button type="button" aria-haspopup="dialog" onClick={({ currentTarget }) => onEdit(part, currentTarget)}>
              {part.words}
            </button>
          )}
          <a class="grid-remove" href={hrefOf(changedView(view, part.rest))} aria-label={`Remove ${part.words}`}>
            <Icon name="close" />
          </a>
        </li>
      ))}
    </ul>
  );
}
