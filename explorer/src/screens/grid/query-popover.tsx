import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Popover, ShowForm } from "../../parts/popover.tsx";
import { ColumnsBuilder } from "../../parts/query-form/columns-builder.tsx";
import { FilterBuilder } from "../../parts/query-form/filter-builder.tsx";
import { limitsOf, withLimits } from "../../query/limits.ts";
import { cellNode } from "./columns.ts";
import { changedView } from "./grid-query.ts";
import type { GridProps } from "./grid-table.tsx";

/** A part of the query that is edited at a control. */
export interface OpenEditor {
  readonly title: "Filter" | "Columns";
  readonly anchor: Element;
  /** The columns that are shown. */
  readonly select: string;
}

/** Shows a form for a part of the query, which changes once the reader presses "Show". */
export function QueryPopover(props: GridProps & OpenEditor & { readonly onClose: () => void }): JSX.Element {
  const { session, view, query, title, anchor, select, onClose } = props;
  const { place } = query;
  const [options, setOptions] = useState<ReadonlyMap<string, string>>(
    title === "Columns" ? new Map([...view.options, ["$select", select]]) : view.options,
  );
  const edit = (filter: string): void => setOptions(withLimits(options, { filter }));
  const show = (): void => {
    onClose();
    session.go(changedView(view, options));
  };
  return (
    <Popover {...{ title, anchor, onClose }}>
      <ShowForm onShow={show}>
        {title === "Filter" ? (
          <FilterBuilder place={place} text={limitsOf(options).filter} onChange={edit} />
        ) : (
          <ColumnsBuilder model={session.model} onChange={setOptions} expandOf={cellNode} {...{ place, options }} />
        )}
      </ShowForm>
    </Popover>
  );
}
