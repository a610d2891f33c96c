import type { TargetedKeyboardEvent } from "preact";
import type { Place, TableProps } from "./table-props.ts";
import type { VirtualRows } from "./use-virtual-rows.ts";

interface KeyContext {
  readonly props: TableProps;
  readonly active: Place;
  readonly move: (place: Place) => void;
  readonly virtual: VirtualRows;
  readonly length: number;
}

/** Does what a key means in a table: moves the active cell, opens it, sorts or filters by its column. */
export function onTableKey(event: TargetedKeyboardEvent<HTMLElement>, context: KeyContext): void {
  const { active, move, props } = context;
  const column = props.columns[active.column];
  if (event.target !== event.currentTarget || column === undefined || event.altKey) return;
  const next = placeAfter(event, context);
  const isFilter = event.key.toLowerCase() === "f" && column.isFilterable && !event.ctrlKey && !event.metaKey;
  if (next === null && !isFilter && event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  if (next !== null) move(next);
  else if (isFilter) props.onFilter(column);
  else if (active.row >= 0) open(event.currentTarget, active);
  else if (column.isSortable) props.onSort(column, event.shiftKey);
}

/** Follows the link of a cell, otherwise the first link of its row. */
function open(table: HTMLElement, { row: index, column }: Place): void {
  const row = table.querySelector(`[aria-rowindex="${index + 2}"]`);
  const link = row?.children[column]?.querySelector("a") ?? row?.querySelector("a");
  link?.click();
}

function placeAfter(event: KeyboardEvent, { active, virtual, length, props }: KeyContext): Place | null {
  const { row, column } = active;
  const isFar = event.ctrlKey || event.metaKey;
  switch (event.key) {
    case "ArrowDown":
      return { row: row < 0 ? virtual.first : row + 1, column };
    case "ArrowUp":
      return { row: row - 1, column };
    case "ArrowRight":
      return { row, column: isFar ? props.columns.length - 1 : column + 1 };
    case "ArrowLeft":
      return { row, column: isFar ? 0 : column - 1 };
    case "PageDown":
      return { row: Math.max(0, row) + virtual.pageLength, column };
    case "PageUp":
      return { row: Math.max(0, row - virtual.pageLength), column };
    case "Home":
      return { row: 0, column };
    case "End":
      return { row: length - 1, column };
    default:
      return null;
  }
}
