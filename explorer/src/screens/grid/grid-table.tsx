import type { JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { showValue } from "../../format/show-value.ts";
import { BodyRow } from "./body-row.tsx";
import { type Column, type Row, shownType, valueIn } from "./column.ts";
import { HeadCell } from "./head-cell.tsx";
import type { PagedRows } from "./paged-rows.ts";
import { onTableKey } from "./table-keys.ts";
import type { Place, TableProps } from "./table-props.ts";
import { type VirtualRows, useVirtualRows } from "./use-virtual-rows.ts";

/** Shows rows as a table of which only the visible rows exist. It is one stop of the Tab key, within which arrows move. */
export function GridTable(props: TableProps): JSX.Element {
  const { rows, columns } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const { length } = rows;
  const virtual = useVirtualRows(box, length);
  useVisible(props, virtual);
  const widths = useMemo(() => columns.map((column) => widthOf(column, rows.sample)), [columns]);
  const activeId = `${id}-${active.row}-${active.column}`;
  useEffect(() => {
    if (box.current?.contains(document.activeElement) !== true) return;
    document.getElementById(activeId)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [activeId]);
  const move = (next: Place): void => {
    const row = Math.max(-1, Math.min(next.row, length - 1));
    setActive({ row, column: Math.max(0, Math.min(next.column, columns.length - 1)) });
    if (row >= 0) virtual.scrollTo(row);
  };
  const isActiveThere = active.row === -1 || virtual.rows.includes(active.row);
  return (
    <div class="table-box grid-box" ref={box} style={{ scrollPaddingInlineStart: `min(${widths[0] ?? 0}ch, 50%)` }}>
      <table
        class="grid"
        style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}ch` }}
        role="grid"
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={rows.total === null ? -1 : rows.total + 1}
        aria-colcount={columns.length}
        aria-busy={props.isOld ? true : undefined}
        aria-activedescendant={isActiveThere ? activeId : undefined}
        aria-describedby={`${id}-keys`}
        onKeyDown={(event) => onTableKey(event, { props, active, move, virtual, length })}
      >
        <caption class="hidden" id={`${id}-keys`}>
          Arrow keys move, Enter opens or sorts, F filters by the column.
        </caption>
        <colgroup>
          {widths.map((width, index) => (
            <col key={index} style={{ width: `${width}ch` }} />
          ))}
        </colgroup>
        <Head {...props} id={id} active={active} />
        <Body {...props} id={id} active={active} virtual={virtual} onActivate={setActive} />
      </table>
    </div>
  );
}

interface PartProps extends TableProps {
  readonly id: string;
  readonly active: Place;
}

function Head(props: PartProps): JSX.Element {
  const { columns, active, id } = props;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column, at) => {
          const isActive = active.row === -1 && active.column === at;
          return <HeadCell key={column.name} {...props} id={`${id}--1-${at}`} {...{ column, at, isActive }} />;
        })}
      </tr>
    </thead>
  );
}

function Body(
  props: PartProps & { readonly virtual: VirtualRows; readonly onActivate: (place: Place) => void },
): JSX.Element {
  const { rows, columns, active, virtual } = props;
  return (
    <tbody>
      <Room height={virtual.before} columns={columns.length} />
      {virtual.rows.map((index) => (
        <BodyRow
          {...props}
          key={index}
          index={index}
          row={rows.rowAt(index)}
          active={active.row === index ? active.column : null}
        />
      ))}
      <Room height={virtual.after} columns={columns.length} />
    </tbody>
  );
}

/** Takes the place of the rows that do not exist. */
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
  goTo.current = (row) => scrollTo(row, "start");
  useEffect(() => {
    if (begun.current !== rows) {
      // Without a count, nobody knows yet whether the row exists.
      if (start >= rows.length && rows.total === null) return undefined;
      const isAtStart = begun.current === null && start === 0;
      begun.current = rows;
      if (!isAtStart) scrollTo(Math.min(start, rows.length - 1), "start");
      return undefined;
    }
    const isThere = rows.rowAt(first) !== null && rows.rowAt(Math.min(last, rows.length - 1)) !== null;
    const rest = (): void => {
      rows.need(first, last + AHEAD);
      onRest(first);
    };
    const timer = setTimeout(rest, isThere ? 0 : REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [rows, rows.length, rows.total, first, last]);
}

const LEAST_WIDTH = 10;
const MOST_WIDTH = 42;
const SAMPLE = 60;

/** Returns the width of a column in characters, after its title and the first values. */
function widthOf(column: Column, sample: readonly Row[]): number {
  const texts = sample.slice(0, SAMPLE).map((row) => showValue(valueIn(row, column), shownType(column)).text.length);
  const label = column.kind === "value" && column.navigation !== null ? 14 : 0;
  const most = Math.max(column.name.length + 6, ...texts.map((length) => length + 4 + label));
  return Math.max(LEAST_WIDTH, Math.min(most, MOST_WIDTH));
}
