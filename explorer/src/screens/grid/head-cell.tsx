import type { JSX } from "preact";
import { Icon } from "../../parts/button.tsx";
import { type Column, isRight } from "./column.ts";
import type { TableProps } from "./table-props.ts";

/** Shows the heading of a column: its name sorts, its picture filters. */
export function HeadCell(
  props: Pick<TableProps, "order" | "filtered" | "onSort" | "onFilter"> & {
    readonly id: string;
    readonly column: Column;
    readonly at: number;
    readonly isActive: boolean;
  },
): JSX.Element {
  const { column, order } = props;
  const rank = order.findIndex(({ path }) => path === column.name);
  const key = order[rank] ?? null;
  const direction = key?.isDescending === true ? "descending" : "ascending";
  return (
    <th
      id={props.id}
      scope="col"
      class={`${isRight(column) ? "number" : ""}${props.isActive ? " grid-active" : ""}`}
      aria-colindex={props.at + 1}
      aria-sort={rank === 0 ? direction : undefined}
      title={column.description ?? undefined}
    >
      <span class="grid-head">
        {column.isSortable ? (
          <button
            type="button"
            class="grid-sort"
            tabIndex={-1}
            onClick={(event) => props.onSort(column, event.shiftKey)}
          >
            <span class="grid-title">{column.name}</span>
            {key === null ? null : <Icon name={key.isDescending ? "down" : "up"} />}
            {key === null || order.length < 2 ? null : <span class="small">{rank + 1}</span>}
          </button>
        ) : (
          <span class="grid-title">{column.name}</span>
        )}
        {column.isFilterable ? (
          <button
            type="button"
            class={`grid-filter${props.filtered.has(column.name) ? " grid-filtered" : ""}`}
            tabIndex={-1}
            aria-label={`Filter by ${column.name}`}
            onClick={() => props.onFilter(column)}
          >
            <Icon name="filter" />
          </button>
        ) : null}
      </span>
    </th>
  );
}
