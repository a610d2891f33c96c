import type { JSX, RefObject, TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isNumeric, showValue } from "../../format/show-value.ts";
import { zoneOf } from "../../format/zone.ts";
import { Icon } from "../../parts/button.tsx";
import { copyExact } from "../../parts/copy-exact.ts";
import { ValueCell } from "../../parts/value-cell.tsx";
import { ZoneMark } from "../../parts/zone.tsx";
import { conditionsOf } from "../../query/filter-tree.ts";
import { limitsOf } from "../../query/limits.ts";
import { nextOrder, readOrderBy, writeOrderBy } from "../../query/order-by-text.ts";
import type { ScreenProps } from "../../state/session.ts";
import { withOptions } from "../../state/view.ts";
import { CellEditor, type EditedCell, editedCell } from "./cell-editor.tsx";
import { type ColumnLayout, useColumnLayout } from "./column-layout.ts";
import { cellHref, cellLabel, cellValue, type Column, type Row } from "./columns.ts";
import { changedView, type GridQuery } from "./grid-query.ts";
import type { PagedRows } from "./paged-rows.ts";

/** The column whose menu is open, and the button that opened it. */
export interface OpenMenu {
  readonly column: Column;
  readonly anchor: Element;
}

/** The properties of the parts of a grid. */
export interface GridProps extends ScreenProps {
  readonly query: GridQuery;
}

/** The content of a table. */
export interface TableProps extends GridProps {
  readonly columns: readonly Column[];
  readonly rows: PagedRows;
  /** The order of the rows. */
  readonly order: string;
  /** Whether the rows are those of the query before, whose successor is loading. */
  readonly isOld: boolean;
  readonly isCounting: boolean;
  /** Opens the menu of a column. */
  readonly onMenu: (menu: OpenMenu) => void;
}

/** Shows rows as a table of which only the visible rows exist. It is one stop of the Tab key, within which arrows move. */
export function GridTable(props: TableProps): JSX.Element {
  const { view, columns, rows } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualRows(box, rows.length.value);
  useVisible(props, virtual);
  const active = useActiveCell(id, columns.length, virtual);
  const { row, column, onKeyDown } = active;
  const room = (height: number) => <tr class="grid-room" aria-hidden="true" style={{ height: `${height}px` }} />;
  const { editor, edit } = useCellEditor(props, id, box);
  const layout = useColumnLayout(props, columns, box);
  return (
    <div
      class="table-box grid-box"
      ref={box}
      onScroll={virtual.onScroll}
      onWheel={virtual.onWheel}
      style={{ scrollPaddingInlineStart: `${layout.stays.at(-1) ?? 0}px` }}
      onCopy={(event) => {
        const [shown, own] = [rows.rowAt(active.row), columns[active.column]];
        copyExact(event, shown && own ? showValue(cellValue(shown, own), own.type).exact : null);
      }}
    >
      <table
        id={id}
        class="grid"
        style={{ width: `${columns.reduce((sum, column) => sum + layout.widthOf(column), 0)}ch` }}
        role="grid"
        tabIndex={0}
        aria-label={view.path}
        aria-description="Arrow keys move, Enter opens or sorts, F filters by the column and shows its values, F2 edits."
        aria-rowcount={(rows.total.value ?? -2) + 1}
        aria-busy={props.isOld || undefined}
        aria-activedescendant={row < 0 || virtual.shown.includes(row) ? `${id}-${row}-${column}` : undefined}
        onDblClick={({ target }) => edit(target instanceof Element ? target.closest("td") : null)}
        onKeyDown={(event) => {
          if (event.key === "F2") edit(document.getElementById(`${id}-${row}-${column}`));
          else onKeyDown(event);
        }}
      >
        <HeadRow {...props} {...{ id, layout }} active={row < 0 ? column : null} />
        <tbody>
          {room(virtual.before)}
          {virtual.shown.map((index) => (
            <BodyRow key={index} {...props} {...{ id, index, layout }} active={row === index ? column : null} />
          ))}
          {room(virtual.after)}
        </tbody>
      </table>
      {editor}
    </div>
  );
}

/** Edits the cell of an element, whose id says row and column. */
function useCellEditor(props: TableProps, id: string, box: RefObject<Element | null>) {
  const [cell, setCell] = useState<EditedCell | null>(null);
  const { session, rows, columns } = props;
  const shown = useRef(rows);
  shown.current = rows;
  const edit = (element: Element | null): void => {
    const [index = -1, at = -1] =
      element?.id
        .slice(id.length + 1)
        .split("-")
        .map(Number) ?? [];
    const [row, column] = [rows.rowAt(index), columns[at]];
    if (element !== null && row !== null && column !== undefined) setCell(editedCell(props, row, column.name, element));
  };
  if (cell === null) return { editor: null, edit };
  const onSaved = (): void => {
    // The reader may see another screen.
    if (box.current === null) session.refresh();
    else shown.current.readAgain(session.client, cell.path).catch(session.refresh);
  };
  return { editor: <CellEditor {...cell} onSaved={onSaved} onClose={() => setCell(null)} />, edit };
}

function within(number: number, least: number, most: number): number {
  return Math.max(least, Math.min(number, most));
}

/** Moves the active cell by keys, which open it, and sort or filter by its column. The row -1 is that of the headings. */
function useActiveCell(id: string, width: number, { count, pageLength, scrollTo }: Virtual) {
  const [{ row, column }, setActive] = useState({ row: 0, column: 0 });
  const cell = (at: number): HTMLElement | null => document.getElementById(`${id}-${at}-${column}`);
  useEffect(() => {
    if (document.activeElement?.id === id) cell(row)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [row, column]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
    const moves: Readonly<Record<string, readonly [down: number, right: number]>> = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
      PageDown: [pageLength(), 0],
      PageUp: [-pageLength(), 0],
      Home: [-row, 0],
      End: [count, 0],
    };
    const move = moves[event.key];
    if (move !== undefined) {
      const next = within(row + move[0], -1, count - 1);
      setActive({ row: next, column: within(column + move[1], 0, width - 1) });
      if (next >= 0) scrollTo(next);
    } else if (event.key === "f") cell(-1)?.querySelector<HTMLElement>(".grid-filter")?.click();
    else if (event.key === "Enter" || event.key === " ") {
      // The link or button of the cell, otherwise the first link of its row.
      const places = [cell(row), cell(row)?.parentElement];
      places
        .map((place) => place?.querySelector<HTMLElement>("a[href], button"))
        .find((link) => link)
        ?.click();
    } else return;
    event.preventDefault();
  };
  return { row, column, onKeyDown };
}

type Virtual = ReturnType<typeof useVirtualRows>;

/** In rem, as the style sheet has them. */
const [ROW_HEIGHT, HEAD_HEIGHT] = [2.25, 2.5];
/** Browsers limit the height of an element, in pixels: beyond it, the scrollbar moves by several rows. */
const MOST_HEIGHT = 8_000_000;
/** Rows that exist above the visible ones. */
const OVERSCAN = 8;

/**
 * Chooses the rows that are visible in a box that scrolls, as many as a screen can show. Each has the same height. Of more rows
 * than an element can be high, a pixel of the scrollbar is a part of a row: the first visible row is at the top then.
 */
function useVirtualRows(box: RefObject<HTMLElement | null>, count: number) {
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  const [at, setAt] = useState({ top: 0, first: 0 });
  const size = ROW_HEIGHT * rem;
  const step = Math.min(size, MOST_HEIGHT / count);
  const isWhole = step === size;
  const room = (): number => Math.max(size, (box.current?.clientHeight ?? 0) - HEAD_HEIGHT * rem);
  const visible = (): number => Math.floor(room() / size);
  const first = within(at.first, 0, count - 1);
  const last = within(first + Math.ceil(Math.max(innerHeight, screen.height) / size), 0, count - 1);
  const from = first - Math.min(OVERSCAN, isWhole ? first : Math.floor(at.top / size));
  const moveTo = (top: number, row: number | null): void => {
    if (box.current === null) return;
    box.current.scrollTop = top;
    const next = box.current.scrollTop;
    setAt({ top: next, first: row ?? Math.ceil(next / size - 0.01) });
  };
  const scrollTo = (row: number, isFirst = false): void => {
    const next = isFirst ? row : within(first, row + 1 - visible(), row);
    if (!isWhole) return moveTo(next * step, next);
    const least = isFirst ? row * size : (row + 1) * size - room();
    moveTo(within(box.current?.scrollTop ?? 0, least, row * size), null);
  };
  const before = isWhole ? from * size : at.top - (first - from) * size;
  return {
    first,
    last,
    count,
    scrollTo,
    shown: Array.from({ length: last - from + 1 }, (_, index) => from + index),
    before,
    after: Math.max(0, (count - visible()) * step + room() - before - (last - from + 1) * size),
    pageLength: () => Math.max(1, visible() - 1),
    onScroll: () => {
      const top = box.current?.scrollTop ?? 0;
      const row = isWhole ? Math.ceil(top / size - 0.01) : Math.round(top / step);
      setAt((old) => (old.top === top ? old : { top, first: within(row, 0, isWhole ? row : count - visible()) }));
    },
    onWheel: (event: WheelEvent) => {
      if (isWhole || event.ctrlKey) return;
      event.preventDefault();
      const down = Math.trunc(event.deltaY / size) || Math.sign(event.deltaY);
      scrollTo(within(first + down, 0, count - visible()), true);
    },
  };
}

const REST_MILLISECONDS = 120;
/** So many rows beyond the visible ones are read before they are needed. */
const AHEAD = 40;

/**
 * Scrolls to the row that the view names. When scrolling pauses, the view names the first visible row, and the visible rows
 * are wanted: a drag through all rows requests the last place only.
 */
function useVisible({ session, view, rows, isOld, isCounting }: TableProps, virtual: Virtual): void {
  const start = Math.max(0, Number(view.options.get("row") ?? 1) - 1) || 0;
  const rested = useRef(0);
  const placed = useRef(rows);
  const now = useRef(virtual);
  now.current = virtual;
  const { first, last, count } = virtual;
  // Without a count, the row may not exist.
  const isUnknown = isOld || (start >= count && isCounting);
  useLayoutEffect(() => {
    if (isUnknown) return;
    // Other rows may be there without their count first: the box has lost its place.
    if (start !== rested.current || rows !== placed.current) virtual.scrollTo(Math.min(start, count - 1), true);
    [rested.current, placed.current] = [start, rows];
  }, [rows, start, isUnknown]);
  useEffect(() => {
    const rest = (): void => {
      if (isUnknown || start !== rested.current) return;
      rested.current = now.current.first;
      rows.wanted.value = [now.current.shown[0] ?? 0, now.current.last + AHEAD];
      const row = rested.current === 0 ? null : String(rested.current + 1);
      if ((view.options.get("row") ?? null) !== row) session.go(withOptions(view, { row }), { replace: true });
    };
    const isThere = rows.rowAt(first) !== null && rows.rowAt(last) !== null;
    const timer = setTimeout(rest, isThere ? 0 : REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [rows, first, last, isUnknown]);
}

interface RowProps extends TableProps {
  readonly id: string;
  readonly layout: ColumnLayout;
  /** The active cell; null in another row. */
  readonly active: number | null;
}

/** Returns the class of a cell, and where it stays if its column is frozen. */
function looksOf({ columns, layout, active }: RowProps, at: number) {
  const [type, isFrozen] = [columns[at]?.type ?? null, at < layout.stays.length - 1];
  const alignment = type !== null && isNumeric(type) ? "number" : "";
  return {
    class: `${alignment}${active === at ? " grid-active" : ""}${isFrozen ? " grid-frozen" : ""}`,
    style: isFrozen ? { insetInlineStart: `${layout.stays[at] ?? 0}px` } : {},
  };
}

const BUTTON = { type: "button", tabIndex: -1 } as const;

/** Shows the headings of the columns: their names sort, their pictures filter. */
function HeadRow(props: RowProps): JSX.Element {
  const { session, view, columns, id, layout } = props;
  const order = readOrderBy(props.order) ?? [];
  const wanted = readOrderBy(view.options.get("$orderby") ?? "") ?? [];
  const conditions = conditionsOf(limitsOf(view.options).filter);
  const sort = (path: string, isFurther: boolean): void =>
    session.go(changedView(view, [...view.options, ["$orderby", writeOrderBy(nextOrder(wanted, path, isFurther))]]));
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column, at) => {
          const { name } = column;
          const isFiltered = conditions.some((each) => each.kind === "condition" && each.path === name);
          const rank = order.findIndex(({ path }) => path === name);
          const looks = looksOf(props, at);
          const direction = order[rank]?.isDescending === true ? "descending" : "ascending";
          return (
            <th
              key={name}
              id={`${id}--1-${at}`}
              scope="col"
              class={looks.class}
              style={{ ...looks.style, width: `${layout.widthOf(column)}ch` }}
              aria-sort={rank === 0 ? direction : undefined}
              title={column.description ?? undefined}
            >
              <span class="grid-head">
                <button
                  {...BUTTON}
                  class="grid-sort"
                  disabled={!column.isSortable}
                  onClick={(event) => sort(name, event.shiftKey)}
                >
                  <span class="grid-title">{name}</span>
                  <ZoneMark type={column.type} />
                  {rank < 0 ? null : <Icon name={direction === "descending" ? "down" : "up"} />}
                  {rank < 0 || order.length < 2 ? null : <span class="small">{rank + 1}</span>}
                </button>
                <button
                  {...BUTTON}
                  class={`grid-filter${isFiltered ? " grid-filtered" : ""}`}
                  aria-label={`${column.isFilterable ? "Filter by" : "Values of"} ${name}`}
                  aria-haspopup="dialog"
                  onClick={({ currentTarget: anchor }) => props.onMenu({ column, anchor })}
                >
                  <Icon name={column.isFilterable ? "filter" : "values"} />
                </button>
              </span>
              <span class="grid-edge" {...layout.edgeOf(column)} />
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Shows a row, or its shape while it is loading. */
function BodyRow(props: RowProps & { readonly index: number }): JSX.Element {
  const { columns, rows, id, index, layout, active } = props;
  const row = rows.rowAt(index);
  // Scrolling renders the table often: a row renders again only if it looks different.
  return useMemo(
    () => (
      <tr aria-rowindex={index + 2} aria-busy={row === null || undefined}>
        {columns.map((column, at) => (
          <td key={column.name} id={`${id}-${index}-${at}`} {...looksOf(props, at)}>
            {row === null ? <span class="grid-wait" /> : <Cell {...props} {...{ row, column }} isFirst={at === 0} />}
          </td>
        ))}
      </tr>
    ),
    [row, index, columns, layout.stays, active],
  );
}

/** Shows a value, or a link; after a foreign key, the label of the related entity. */
function Cell(props: TableProps & { row: Row; column: Column; isFirst: boolean }): JSX.Element {
  const { query, row, column, isFirst } = props;
  const href = cellHref(query.place, column, row, isFirst);
  const label = cellLabel(row, column);
  const zone = zoneOf(column.type, props.session.zone.value) ?? "UTC";
  const type = column.isIdentifier ? null : column.type;
  const shown = <ValueCell value={cellValue(row, column)} type={type} hasTime={column.hasTime[zone]} />;
  return (
    <>
      {href === null ? (
        shown
      ) : (
        <a href={href} tabIndex={-1} class="grid-link">
          {shown}
        </a>
      )}
      {label === null ? null : <bdi class="grid-label">{label}</bdi>}
    </>
  );
}
