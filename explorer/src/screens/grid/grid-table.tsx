import type { JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { valueAt } from "../../format/csv.ts";
import { showValue } from "../../format/show-value.ts";
import type { SortKey } from "../../query/order-by-text.ts";
import { BodyRow } from "./body-row.tsx";
import { type Column, type Row, typeOf } from "./column.ts";
import { HeadCell } from "./head-cell.tsx";
import type { PagedRows } from "./paged-rows.ts";
import { type VirtualRows, useVirtualRows } from "./use-virtual-rows.ts";

/** What a table shows, and what a reader does with it. */
export interface TableProps {
  readonly label: string;
  readonly rows: PagedRows;
  readonly columns: readonly Column[];
  readonly order: readonly SortKey[];
  readonly filtered: ReadonlySet<string>;
  /** Whether the rows are those of the query before, whose successor is loading. */
  readonly isOld: boolean;
  /** The row to begin with. */
  readonly start: number;
  readonly hrefOf: (row: Row, column: Column, isFirst: boolean) => string | null;
  readonly onSort: (column: Column, isFurther: boolean) => void;
  readonly onFilter: (column: Column) => void;
  /** Told of the rows that are visible once scrolling pauses. */
  readonly onRest: (first: number) => void;
  /** Gets what scrolls to a row. */
  readonly goTo: { current: ((row: number) => void) | null };
}

/** The cell that the keys move; the row -1 is that of the headings. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Shows rows as a table of which only the visible rows exist. It is one stop of the Tab key, within which arrows move. */
export function GridTable(props: TableProps): JSX.Element {
  const { rows, columns, label } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  void rows.changed.value;
  const length = rows.length;
  const virtual = useVirtualRows(box, length);
  useVisible(props, virtual);
  const widths = useMemo(() => columns.map((column) => widthOf(column, rows.sample)), [columns]);
  const isActiveThere = active.row === -1 || virtual.rows.some(({ index }) => index === active.row);
  const move = (next: Place): void => {
    const row = Math.max(-1, Math.min(next.row, length - 1));
    setActive({ row, column: Math.max(0, Math.min(next.column, columns.length - 1)) });
    if (row >= 0) virtual.scrollTo(row);
  };
  useScrollToColumn(box, `${id}-${active.row}-${active.column}`);
  return (
    <div class="table-box grid-box" ref={box}>
      <table
        class="grid"
        style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}ch` }}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.total === null ? -1 : rows.total + 1}
        aria-colcount={columns.length}
        aria-busy={props.isOld ? true : undefined}
        aria-activedescendant={isActiveThere ? `${id}-${active.row}-${active.column}` : undefined}
        aria-describedby={`${id}-keys`}
        onKeyDown={(event) => {
          onKey(event, { props, active, move, virtual, length });
        }}
      >
        <caption class="hidden" id={`${id}-keys`}>
          Arrow keys move, Enter opens or sorts, F filters by the column.
        </caption>
        <colgroup>
          {widths.map((width, index) => (
            <col key={index} style={{ width: `${width}ch` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column, index) => (
              <HeadCell
                key={column.name}
                {...props}
                id={`${id}--1-${index}`}
                column={column}
                index={index}
                isActive={active.row === -1 && active.column === index}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Room height={virtual.before} columns={columns.length} />
          {virtual.rows.map(({ index, key }) => (
            <BodyRow
              key={key}
              id={id}
              index={index}
              row={rows.rowAt(index)}
              columns={columns}
              active={active.row === index ? active.column : null}
              hrefOf={props.hrefOf}
              onActivate={setActive}
            />
          ))}
          <Room height={virtual.after} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Room({ height, columns }: { readonly height: number; readonly columns: number }): JSX.Element | null {
  if (height <= 0) return null;
  return (
    <tr class="grid-room" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

const REST_MILLISECONDS = 120;
/** So many rows beyond the visible ones are read before they are needed. */
const AHEAD = 40;

/** Reads the visible rows when scrolling pauses for a moment, so that a drag through all rows asks for the last place only. */
function useVisible(props: TableProps, { first, last, scrollTo }: VirtualRows): void {
  const { rows, start, onRest, goTo } = props;
  const begun = useRef<PagedRows | null>(null);
  goTo.current = (row) => {
    scrollTo(row, "start");
  };
  useEffect(() => {
    if (begun.current !== rows) {
      // Without a count, nobody knows yet whether the row exists.
      if (start >= rows.length && rows.total === null) return undefined;
      const isFirst = begun.current === null && start === 0;
      begun.current = rows;
      if (!isFirst) scrollTo(Math.min(start, rows.length - 1), "start");
      return undefined;
    }
    const isThere = rows.rowAt(first) !== null && rows.rowAt(Math.min(last, rows.length - 1)) !== null;
    const rest = (): void => {
      rows.need(first, last + AHEAD);
      onRest(first);
    };
    const timer = setTimeout(rest, isThere ? 0 : REST_MILLISECONDS);
    return () => {
      clearTimeout(timer);
    };
  }, [rows, rows.length, rows.total, first, last]);
}

/** Shows the active cell where the table is wider than its box. */
function useScrollToColumn(box: { readonly current: HTMLElement | null }, id: string): void {
  useEffect(() => {
    const cell = document.getElementById(id);
    const element = box.current;
    if (cell === null || element === null || !element.contains(document.activeElement)) return;
    const sticky = cell.parentElement?.firstElementChild ?? cell;
    const isSticky =
      getComputedStyle(sticky).position === "sticky" && getComputedStyle(sticky).insetInlineStart === "0px";
    const left = isSticky && sticky !== cell ? sticky.getBoundingClientRect().width : 0;
    const [outer, inner] = [element.getBoundingClientRect(), cell.getBoundingClientRect()];
    if (inner.left < outer.left + left) element.scrollLeft -= outer.left + left - inner.left;
    else if (inner.right > outer.right)
      element.scrollLeft += Math.min(inner.right - outer.right, inner.left - outer.left - left);
  }, [id]);
}

interface KeyContext {
  readonly props: TableProps;
  readonly active: Place;
  readonly move: (place: Place) => void;
  readonly virtual: VirtualRows;
  readonly length: number;
}

function onKey(event: TargetedKeyboardEvent<HTMLElement>, context: KeyContext): void {
  const { active, move, props } = context;
  const next = placeAfter(event, context);
  if (next !== null) {
    event.preventDefault();
    move(next);
    return;
  }
  const column = props.columns[active.column];
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!isPlain || column === undefined || event.target !== event.currentTarget) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    if (active.row < 0) props.onSort(column, event.shiftKey);
    else open(event.currentTarget, context);
  } else if (event.key.toLowerCase() === "f" && column.isFilterable) {
    event.preventDefault();
    props.onFilter(column);
  }
}

/** Follows the link of the active cell, otherwise the first link of its row. */
function open(table: HTMLElement, { active }: KeyContext): void {
  const row = table.querySelector(`[aria-rowindex="${active.row + 2}"]`);
  const link = row?.children[active.column]?.querySelector("a") ?? row?.querySelector("a");
  link?.click();
}

function placeAfter(event: TargetedKeyboardEvent<HTMLElement>, context: KeyContext): Place | null {
  const { active, virtual, length, props } = context;
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

const LEAST_WIDTH = 10;
const MOST_WIDTH = 42;
const SAMPLE = 60;

/** Returns the width of a column in characters, after its title and the first values. */
function widthOf(column: Column, sample: readonly Row[]): number {
  const texts = sample.slice(0, SAMPLE).map((row) => showValue(valueAt(row, column.path), typeOf(column)).text.length);
  const label = column.kind === "value" && column.navigation !== null ? 14 : 0;
  const most = Math.max(column.name.length + 6, ...texts.map((length) => length + 4 + label));
  return Math.max(LEAST_WIDTH, Math.min(most, MOST_WIDTH));
}
