import type { JSX } from "preact";
import { Icon } from "../../parts/button.tsx";
import { partsOf } from "../../query/query-parts.ts";
import { hrefOf } from "../../state/view.ts";
import { changedView } from "./grid-query.ts";
import type { GridProps } from "./grid-table.tsx";

/** Shows in words what chooses, orders and groups the rows: each part with a link that removes it. */
export function Chips({ session, view, query }: GridProps): JSX.Element | null {
  const parts = partsOf(query.place.type, view.options, session.zone.value);
  return parts.length === 0 ? null : (
    <ul class="grid-chips" aria-label="What limits the rows">
      {parts.map(({ words, rest }, at) => (
        <li key={`${at} ${words}`} class="grid-chip">
          <span class="grid-part">{words}</span>
          <a class="grid-remove" href={hrefOf(changedView(view, rest))} aria-label={`Remove ${words}`}>
            <Icon name="close" />
          </a>
        </li>
      ))}
    </ul>
  );
}
