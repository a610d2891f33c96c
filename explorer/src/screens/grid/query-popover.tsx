import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Popover, ShowForm } from "../../parts/popover.tsx";
import { ColumnsBuilder } from "../../parts/query-form/columns-builder.tsx";
import { FilterBuilder } from "../../parts/query-form/filter-builder.tsx";
import { limitsOf, withLimits } from "../../query/limits.ts";
import type { QueryPart } from "../../query/query-parts.ts";
import { cellNode } from "./columns.ts";
import { changedView } from "./grid-query.ts";
import type { GridProps } from "./grid-table.tsx";

/** A part of the query that is edited at a control. */
export interface OpenEditor {
  readonly title: "Filter" | "Condition" | "Columns";
  readonly anchor: Element;
  /** The columns that are shown. */
  readonly select?: string;
  /** The condition that is edited; absent: the whole filter. */
  readonly condition?: QueryPart["condition"];
}

/** Shows a form for a part of the query, which changes once the reader presses "Show". */
export function QueryPopover(props: GridProps & OpenEditor & { readonly onClose: () => void }): JSX.Element {
  const { session, view, query, title, anchor, select = "", onClose } = props;
  const { place } = query;
  const { text, replace } = props.condition ?? {
    text: limitsOf(view.options).filter,
    replace: (filter) => withLimits(view.options, { filter }),
  };
  const [filter, setFilter] = useState(text);
  const [options, setOptions] = useState<ReadonlyMap<string, string>>(new Map([...view.options, ["$select", select]]));
  const show = (): void => {
    onClose();
    session.go(changedView(view, title === "Columns" ? options : replace(filter)));
  };
  return (
    <Popover {...{ title, anchor, onClose }}>
      <ShowForm onShow={show}>
        {title === "Columns" ? (
          <ColumnsBuilder model={session.model} onChange={setOptions} expandOf={cellNode} {...{ place, options }} />
        ) : (
          <FilterBuilder place={place} text={filter} onChange={setFilter} />
        )}
      </ShowForm>
    </Popover>
  );
}
