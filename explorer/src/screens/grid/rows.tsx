import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { LineForm } from "../../parts/line-form.tsx";
import { Busy, BusyBar, Empty, Failure, Stopped } from "../../parts/loadable.tsx";
import { nextOrder, readOrderBy, writeOrderBy } from "../../query/order-by-text.ts";
import type { ScreenProps } from "../../state/session.ts";
import { type View, hrefOf, withOptions } from "../../state/view.ts";
import { Chips } from "./chips.tsx";
import { columnsOf } from "./column.ts";
import { conditionsOf } from "./filter-parts.ts";
import { type GridProps, rowsText } from "./grid-props.ts";
import type { GridQuery } from "./grid-query.ts";
import { GridTable } from "./grid-table.tsx";
import type { PagedRows } from "./paged-rows.ts";
import { cellHref, groupHref } from "./row-links.ts";
import { Toolbar } from "./toolbar.tsx";
import { useRows } from "./use-rows.ts";

/** Shows the rows of one query, with what changes the query above them. */
export function Rows({ session, view, query }: ScreenProps & { readonly query: GridQuery }): JSX.Element {
  const { rows, isCounting, askCount } = useRows(session.client, query);
  const [filtering, setFiltering] = useState<string | null>(null);
  const pages = rows.changed.value;
  const columns = useMemo(() => columnsOf(query.place, view.options, rows.sample), [query, rows.sample, pages === 0]);
  const shared = { session, view, query, columns };
  const current = { ...shared, rows };
  const shown = useRef(current);
  // The rows before stay on the screen until the next ones are there.
  if (rows.hasBegun || shown.current.rows === rows) shown.current = current;
  const goTo = useRef<((row: number) => void) | null>(null);
  useAnnouncement(rows, session.announce);
  return (
    <>
      <Toolbar {...shared} total={rows.total} filtering={filtering} onFilter={setFiltering} />
      <Chips {...shared} onFilter={setFiltering} />
      <Content {...current} shown={shown.current} goTo={goTo} onFilter={setFiltering} />
      {rows.hasBegun ? (
        <div class="grid-foot">
          <CountText rows={rows} isCounting={isCounting} onAsk={query.count === null ? null : askCount} />
          {rows.isLoading ? <BusyBar label="Reading rows" onStop={() => rows.stop()} /> : null}
          {rows.length > 20 ? (
            <LineForm
              class="grid-go"
              label="Row number"
              placeholder="Row"
              inputMode="numeric"
              button={{ children: "Go to row" }}
              onSubmit={(text) => {
                const row = Number(text);
                if (row >= 1) goTo.current?.(Math.min(Math.floor(row), rows.length) - 1);
              }}
            />
          ) : null}
        </div>
      ) : null}
    </>
  );
}

interface ShownRows extends GridProps {
  readonly rows: PagedRows;
}

interface ContentProps extends ShownRows {
  /** What the table shows: the rows of this query, or of the one before. */
  readonly shown: ShownRows;
  readonly goTo: { current: ((row: number) => void) | null };
  readonly onFilter: (path: string) => void;
}

function Content(props: ContentProps): JSX.Element {
  const { rows, view, shown } = props;
  const isOpening = !rows.hasBegun && rows.error === null && !rows.isStopped;
  const waiting = { label: `Loading ${view.path}`, onStop: () => rows.stop() };
  const again = (): void => rows.again();
  return (
    <>
      {rows.error === null ? null : (
        <Failure error={rows.error} onAgain={again}>
          {isLimited(view) ? <a href={hrefOf(withOptions(view, NO_LIMITS))}>Show all rows</a> : null}
        </Failure>
      )}
      {rows.isStopped ? <Stopped onAgain={again} /> : null}
      {isOpening && shown.rows.hasBegun ? <BusyBar {...waiting} /> : null}
      {isOpening && !shown.rows.hasBegun ? <Busy {...waiting} lines={8} /> : null}
      {shown.rows.hasBegun && (rows.hasBegun || isOpening) ? (
        <Table {...props} {...shown} isOld={shown.rows !== rows} />
      ) : null}
    </>
  );
}

const NO_LIMITS = { $filter: null, $search: null, $skip: null, $top: null, $apply: null, $orderby: null, row: null };

function isLimited({ options }: View): boolean {
  return Object.keys(NO_LIMITS).some((name) => name.startsWith("$") && options.has(name));
}

function NoRows({ view }: ContentProps): JSX.Element {
  return isLimited(view) ? (
    <Empty title="No row matches">
      <ButtonLink href={hrefOf(withOptions(view, NO_LIMITS))}>Remove the filters</ButtonLink>
    </Empty>
  ) : (
    <Empty title="No rows yet">
      <p>Rows appear here once there are any. The rules of your user may also hide them.</p>
    </Empty>
  );
}

function Table(props: ContentProps & { readonly isOld: boolean }): JSX.Element {
  const { session, view, query, columns, rows } = props;
  const isGrouped = view.options.has("$apply");
  const order = useMemo(() => readOrderBy(view.options.get("$orderby") ?? "") ?? [], [view.options]);
  const filtered = useMemo(() => new Set(conditionsOf(view).map(({ path }) => path)), [view.options]);
  const place = { ...query.place, path: view.path };
  if (rows.total === 0) return <NoRows {...props} />;
  return (
    <GridTable
      label={view.path}
      isOld={props.isOld}
      rows={rows}
      columns={columns}
      order={order}
      filtered={filtered}
      start={Math.max(0, Number(view.options.get("row") ?? 1) - 1) || 0}
      goTo={props.goTo}
      hrefOf={(row, column, isFirst) => {
        if (!isGrouped) return cellHref(place, column, row, isFirst);
        return isFirst ? groupHref(query.place, view, row) : null;
      }}
      onSort={({ name }, isFurther) => {
        const next = writeOrderBy(nextOrder(order, name, isFurther));
        session.go(withOptions(view, { $orderby: next === "" ? null : next, row: null }));
      }}
      onFilter={({ name }) => props.onFilter(name)}
      onRest={(first) => {
        const row = first === 0 ? null : String(first + 1);
        if ((view.options.get("row") ?? null) !== row) session.go(withOptions(view, { row }), { replace: true });
      }}
    />
  );
}

function CountText(props: {
  readonly rows: PagedRows;
  readonly isCounting: boolean;
  readonly onAsk: (() => void) | null;
}): JSX.Element {
  const { rows, isCounting, onAsk } = props;
  if (rows.total !== null) return <span>{rowsText(rows.total)}</span>;
  if (isCounting) return <span class="dim">Counting the rows …</span>;
  return onAsk === null ? <span class="dim">More rows follow</span> : <Button onClick={onAsk}>Count the rows</Button>;
}

function useAnnouncement({ total, hasBegun }: PagedRows, announce: (text: string) => void): void {
  useEffect(() => {
    if (total !== null) announce(rowsText(total));
    else if (hasBegun) announce("Rows are there");
  }, [total, hasBegun]);
}
