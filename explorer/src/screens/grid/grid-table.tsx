import type { JSX, RefObject, TargetedEvent, TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { valueAt } from "../../format/csv.ts";
import { isNumeric, showValue } from "../../format/show-value.ts";
import { labelProperty } from "../../model/label-property.ts";
import { Icon } from "../../parts/icon.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";
import { toLiteral } from "../../query/literals.ts";
import { conditionOf, operatorsFor } from "../../query/operators.ts";
import { nextOrder, readOrderBy, writeOrderBy } from "../../query/order-by-text.ts";
import { withOptions } from "../../state/view.ts";
import { cellHref, cellValue, type Column, type Row } from "./columns.ts";
import { changedView, conditionsOf, filterOf, type Options } from "./grid-query.ts";
import type { PagedRows } from "./paged-rows.ts";
import type { GridProps } from "./tools.tsx";

/** The rows of a query. */
export interface ShownRows {
  readonly columns: readonly Column[];
  readonly rows: PagedRows;
}

/** What the parts of a table get. */
export interface TableProps extends GridProps, ShownRows {
  /** Whether the rows are those of the query before, whose successor is loading. */
  readonly isOld: boolean;
  readonly isCounting: boolean;
}

/** Shows rows as a table of which only the visible rows exist. It is one stop of the Tab key, within which arrows move. */
export function GridTable(props: TableProps): JSX.Element {
  const { view, columns, rows } = props;
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualRows(box, rows.length.value);
  useVisible(props, virtual);
  const { id, active, onKeyDown } = useActiveCell(props, virtual);
  const widths = useMemo(() => columns.map((column) => widthOf(column, rows.sample)), [columns]);
  const total = rows.total.value;
  return (
    <div
      class="table-box grid-box"
      ref={box}
      onScroll={virtual.onScroll}
      style={{ scrollPaddingInlineStart: `min(${widths[0] ?? 0}ch, 50%)` }}
    >
      <table
        class="grid"
        style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}ch` }}
        role="grid"
        tabIndex={0}
        aria-label={view.path}
        aria-rowcount={total === null ? -1 : total + 1}
        aria-busy={props.isOld ? true : undefined}
        aria-activedescendant={active.row < 0 || virtual.shown.includes(active.row) ? idOf(id, active) : undefined}
        aria-describedby={`${id}-keys`}
        onKeyDown={onKeyDown}
      >
        <caption class="hidden" id={`${id}-keys`}>
          Arrow keys move, Enter opens or sorts, F filters by the column.
        </caption>
        <HeadRow {...props} {...{ id, widths }} active={active.row === -1 ? active.column : null} />
        <tbody>
          <tr class="grid-room" aria-hidden="true" style={{ height: `${virtual.before}px` }} />
          {virtual.shown.map((index) => (
            <BodyRow
              key={index}
              {...props}
              {...{ id, index }}
              row={rows.rowAt(index)}
              active={active.row === index ? active.column : null}
            />
          ))}
          <tr class="grid-room" aria-hidden="true" style={{ height: `${virtual.after}px` }} />
        </tbody>
      </table>
    </div>
  );
}

/** A cell; the row -1 is that of the headings. */
interface Place {
  readonly row: number;
  readonly column: number;
}

function idOf(table: string, { row, column }: Place): string {
  return `${table}-${row}-${column}`;
}

type Virtual = ReturnType<typeof useVirtualRows>;

/** Moves the active cell by keys, which open it, and sort or filter by its column. */
function useActiveCell(props: TableProps, { count, pageLength, scrollTo }: Virtual) {
  const { columns } = props;
  const id = useId();
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const { row, column } = active;
  const cell = (): HTMLElement | null => document.getElementById(idOf(id, active));
  useEffect(() => {
    const isInFocus = document.activeElement?.contains(cell()) === true;
    if (isInFocus) cell()?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.target !== event.currentTarget || event.altKey) return;
    const isFar = event.ctrlKey || event.metaKey;
    const step = isFar ? columns.length : 1;
    const places: Readonly<Record<string, Place>> = {
      ArrowDown: { row: row + 1, column },
      ArrowUp: { row: row - 1, column },
      ArrowRight: { row, column: column + step },
      ArrowLeft: { row, column: column - step },
      PageDown: { row: row + pageLength(), column },
      PageUp: { row: row - pageLength(), column },
      Home: { row: 0, column },
      End: { row: count - 1, column },
    };
    const next = places[event.key];
    const filtered = event.key.toLowerCase() === "f" && !isFar ? columns[column] : undefined;
    if (next !== undefined) {
      const at = Math.max(-1, Math.min(next.row, count - 1));
      setActive({ row: at, column: Math.max(0, Math.min(next.column, columns.length - 1)) });
      if (at >= 0) scrollTo(at);
    } else if (event.key === "Enter" || event.key === " ") {
      // The link or button of the cell, otherwise the first link of its row.
      (cell()?.querySelector<HTMLElement>("a, button") ?? cell()?.parentElement?.querySelector("a"))?.click();
    } else if (filtered?.isFilterable === true) {
      props.onEdit(filterBy(props, filtered));
    } else return;
    event.preventDefault();
  };
  return { id, active, onKeyDown };
}

/** In rem, as the style sheet has them. */
const [ROW_HEIGHT, HEAD_HEIGHT] = [2.25, 2.5];
/** In pixels: browsers limit the height of an element. */
const MOST_HEIGHT = 15_000_000;
/** Rows that exist above the visible ones. */
const OVERSCAN = 8;

/** Chooses the rows that are visible in a box that scrolls, as many as a screen can show. Each has the same height. */
function useVirtualRows(box: RefObject<HTMLElement | null>, length: number) {
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  const [top, setTop] = useState(0);
  const size = ROW_HEIGHT * rem;
  const room = (): number => Math.max(size, (box.current?.clientHeight ?? 0) - HEAD_HEIGHT * rem);
  const count = Math.min(length, Math.floor(MOST_HEIGHT / size));
  const first = Math.max(0, Math.min(Math.ceil(top / size - 0.01), count - 1));
  const last = Math.min(first + Math.ceil(Math.max(innerHeight, screen.height) / size), count - 1);
  const from = Math.max(0, first - OVERSCAN);
  return {
    shown: Array.from({ length: last - from + 1 }, (_, index) => from + index),
    before: from * size,
    after: (count - 1 - last) * size,
    first,
    last,
    count,
    pageLength: () => Math.max(1, Math.floor(room() / size) - 1),
    onScroll: ({ currentTarget }: TargetedEvent<HTMLElement>) => setTop(currentTarget.scrollTop),
    scrollTo: (row: number, isFirst = false) => {
      const lowest = isFirst ? row * size : (row + 1) * size - room();
      if (box.current === null) return;
      box.current.scrollTop = Math.max(lowest, Math.min(row * size, box.current.scrollTop));
      setTop(box.current.scrollTop);
    },
  };
}

const REST_MILLISECONDS = 120;
/** So many rows beyond the visible ones are read before they are needed. */
const AHEAD = 40;

/**
 * Scrolls to the row that the view names. When scrolling pauses, the view names the first visible row, and the visible rows
 * are wanted: a drag through all rows asks for the last place only.
 */
function useVisible({ session, view, rows, isOld, isCounting }: TableProps, virtual: Virtual): void {
  const start = Math.max(0, Number(view.options.get("row") ?? 1) - 1) || 0;
  const rested = useRef(0);
  const now = useRef(virtual);
  now.current = virtual;
  const { first, last, count, scrollTo } = virtual;
  // Without a count, nobody knows yet whether the row exists.
  const isUnknown = isOld || (start >= count && isCounting);
  useLayoutEffect(() => {
    if (!isUnknown && start !== rested.current) scrollTo(Math.min(start, count - 1), true);
    if (!isUnknown) rested.current = start;
  }, [rows, start, isUnknown]);
  useEffect(() => {
    const rest = (): void => {
      if (start !== rested.current) return;
      rested.current = now.current.first;
      rows.wanted.value = [now.current.first, now.current.last + AHEAD];
      const row = rested.current === 0 ? null : String(rested.current + 1);
      if ((view.options.get("row") ?? null) !== row) session.go(withOptions(view, { row }), { replace: true });
    };
    const isThere = rows.rowAt(first) !== null && rows.rowAt(last) !== null;
    const timer = isUnknown ? undefined : setTimeout(rest, isThere ? 0 : REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [rows, first, last, isUnknown]);
}

interface RowProps extends TableProps {
  /** Of the table; those of its cells begin with it. */
  readonly id: string;
  /** The active cell; null in another row. */
  readonly active: number | null;
}

function classOf({ type }: Column, isActive: boolean): string {
  return `${type !== null && isNumeric(type) ? "number" : ""}${isActive ? " grid-active" : ""}`;
}

/** Shows the headings of the columns: their names sort, their pictures filter. */
function HeadRow(props: RowProps & { readonly widths: readonly number[] }): JSX.Element {
  const { session, view, columns, id, active } = props;
  const order = readOrderBy(view.options.get("$orderby") ?? "") ?? [];
  const filtered = conditionsOf(view.options.get("$filter")).flatMap((each) =>
    each.kind === "condition" ? each.path : [],
  );
  const sort = (path: string, isFurther: boolean): void =>
    session.go(changedView(view, [...view.options, ["$orderby", writeOrderBy(nextOrder(order, path, isFurther))]]));
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column, at) => {
          const { name } = column;
          const rank = order.findIndex(({ path }) => path === name);
          const direction = order[rank]?.isDescending === true ? "descending" : "ascending";
          return (
            <th
              key={name}
              id={`${id}--1-${at}`}
              scope="col"
              style={{ width: `${props.widths[at] ?? 0}ch` }}
              class={classOf(column, active === at)}
              aria-sort={rank === 0 ? direction : undefined}
              title={column.description ?? undefined}
            >
              <span class="grid-head">
                <button
                  type="button"
                  class="grid-sort"
                  tabIndex={-1}
                  disabled={!column.isSortable}
                  onClick={(event) => sort(name, event.shiftKey)}
                >
                  <span class="grid-title">{name}</span>
                  {rank < 0 ? null : <Icon name={direction === "descending" ? "down" : "up"} />}
                  {rank < 0 || order.length < 2 ? null : <span class="small">{rank + 1}</span>}
                </button>
                {column.isFilterable ? (
                  <button
                    type="button"
                    class={`grid-filter${filtered.includes(name) ? " grid-filtered" : ""}`}
                    tabIndex={-1}
                    aria-label={`Filter by ${name}`}
                    onClick={() => props.onEdit(filterBy(props, column))}
                  >
                    <Icon name="filter" />
                  </button>
                ) : null}
              </span>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Returns the filter with a condition on a column, which begins with a value of the rows. */
function filterBy({ view, rows }: TableProps, { name, path, type }: Column): Options {
  const conditions = conditionsOf(view.options.get("$filter"));
  const [operator] = type === null ? [] : operatorsFor({ type, isCollection: false, isNullable: false });
  const isThere = conditions.some((each) => each.kind === "condition" && each.path === name);
  if (type === null || operator === undefined || isThere) return view.options;
  const value = rows.sample.map((row) => valueAt(row, path)).find((each) => each !== null && each !== undefined);
  const literal = operator.operator === "contains" ? "''" : toLiteral(value, type);
  return new Map([["$filter", filterOf([...conditions, conditionOf(name, operator, [literal])])]]);
}

/** Shows a row, or its shape while it is loading. */
function BodyRow(
  props: RowProps & { readonly index: number; /** Null while it is loading. */ readonly row: Row | null },
): JSX.Element {
  const { row, index, columns, id, active } = props;
  // Scrolling renders the table often: a row renders again only if it looks different.
  return useMemo(
    () => (
      <tr aria-rowindex={index + 2} aria-busy={row === null ? true : undefined}>
        {columns.map((column, at) => (
          <td key={column.name} id={`${id}-${index}-${at}`} class={classOf(column, active === at)}>
            {row === null ? <span class="grid-wait" /> : <Cell {...props} {...{ row, column }} isFirst={at === 0} />}
          </td>
        ))}
      </tr>
    ),
    [row, index, columns, active],
  );
}

function Cell(
  props: TableProps & { readonly row: Row; readonly column: Column; readonly isFirst: boolean },
): JSX.Element {
  const { row, column, isFirst, query, view } = props;
  const [value, type] = cellValue(row, column);
  const shown = <ValueCell {...{ value, type }} />;
  const href = cellHref(query.place, view.path, column, row, isFirst);
  // A link needs a name that says more than "null".
  const { kind, text } = showValue(value, type);
  const isNamed = kind === "null" || kind === "empty" || column.navigation?.isCollection === true;
  const label = labelIn(column, row);
  return (
    <>
      {href === null ? (
        shown
      ) : (
        <a href={href} tabIndex={-1} class="grid-link" aria-label={isNamed ? `${column.name}: ${text}` : undefined}>
          {shown}
        </a>
      )}
      {label === null ? null : (
        <span class="grid-label" dir="auto">
          {label}
        </span>
      )}
    </>
  );
}

/** Beside a foreign key: the label of the related entity. */
function labelIn({ isIdentifier, navigation }: Column, row: Row): string | null {
  if (!isIdentifier || navigation === null) return null;
  const label = valueAt(row, [navigation.name, labelProperty(navigation.target)?.name ?? ""]);
  return typeof label === "string" ? label : null;
}

const SAMPLE = 60;

/** Returns the width of a column in characters, after its title with its pictures, and the first values. */
function widthOf(column: Column, sample: readonly Row[]): number {
  const lengths = sample.slice(0, SAMPLE).map((row) => {
    const label = labelIn(column, row);
    return showValue(...cellValue(row, column)).text.length + (label === null ? 4 : 18);
  });
  return Math.min(Math.max(column.name.length + 10, ...lengths), 42);
}
