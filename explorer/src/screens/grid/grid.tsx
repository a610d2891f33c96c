import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { memberOf } from "../../client/json-members.ts";
import { isRefused } from "../../client/service-error.ts";
import { CsvFile } from "../../format/csv.ts";
import { countText } from "../../format/show-value.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Description, Heading } from "../../parts/heading.tsx";
import { Empty, Loadable, NotThere } from "../../parts/loadable.tsx";
import { useRecordLabel } from "../../parts/record-label.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { SearchBox } from "../../parts/search-box.tsx";
import { ZoneSwitch } from "../../parts/zone.tsx";
import { textIn, withText } from "../../query/find-text.ts";
import { limitsOf } from "../../query/limits.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { hrefOf, pathSegments, type View, viewOf, withOptions } from "../../state/view.ts";
import { arranged } from "./arranged-columns.ts";
import { Chips } from "./chips.tsx";
import { cellValue, type Column, columnsOf, type Row, shownNames } from "./columns.ts";
import { changedView, type GridQuery, gridQuery } from "./grid-query.ts";
import { type GridProps, GridTable, type OpenMenu, type TableProps } from "./grid-table.tsx";
import { GroupsPanel } from "./groups-panel.tsx";
import { HeadingMenu } from "./heading-menu.tsx";
import { type Page, PagedRows, readNext, readPage } from "./paged-rows.ts";
import { type OpenEditor, QueryPopover } from "./query-popover.tsx";

/** Shows the rows of a collection. */
export function Grid({ session, view }: ScreenProps): JSX.Element {
  const query = gridQuery(session, view);
  const steps = pathSegments(view.path);
  const label = useRecordLabel(session, steps.slice(0, -1).join("/"));
  if (query === null) {
    const isRecord = resolvePath(session.model, view.path)?.isCollection === false;
    return (
      <NotThere path={view.path || "Grid"} title="The service has no collection at this path">
        {isRecord ? <a href={hrefOf(viewOf("record", view.path))}>Open the record</a> : null}
      </NotThere>
    );
  }
  return (
    <div class="grid-screen">
      <Heading>{`${steps.at(-1) ?? view.path}${label === null ? "" : ` of ${label}`}`}</Heading>
      <Description text={query.place.set?.description ?? query.place.type.description} />
      <Rows key={`${session.signIns.value} ${view.path}`} {...{ session, view, query }} />
    </div>
  );
}

/** Shows the rows of one query, and above them the tools that change it. */
function Rows(props: GridProps): JSX.Element {
  const { session, view, query } = props;
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const [isGrouping, setGrouping] = useState(false);
  const loading = useLoaded(query.first, async (signal) => {
    const open = async (asked: GridQuery): Promise<PagedRows> =>
      new PagedRows(asked, await readPage(session.client, asked.first, signal));
    const plain = gridQuery(session, view, false) ?? query;
    const rows = await open(query).catch((error: unknown) => {
      // If the service refuses the labels of foreign keys, the request omits them.
      if (!isRefused(error) || plain.first === query.first) throw error;
      return open(plain);
    });
    return {
      query,
      rows,
      order: view.options.get("$orderby") ?? "",
      columns: columnsOf(query.place, view, rows.sample),
    };
  });
  const { state, last } = loading;
  const isOld = state.kind === "loading";
  const choices = ["$select", "$apply", "columns", "widths"].map((name) => view.options.get(name));
  const columns = useMemo(() => arranged(query.place, last?.columns ?? [], view.options), [last?.columns, ...choices]);
  const shared = { ...props, onMenu: setMenu };
  return (
    <>
      <Tools {...props} columns={columns} onGroup={() => setGrouping(!isGrouping)} />
      <Chips {...props} />
      {/* The rows before stay on the screen until the next ones are there. */}
      <div class="grid-panes">
        {isGrouping ? <GroupsPanel {...props} onClose={() => setGrouping(false)} /> : null}
        <div class="grid-rows">
          <Loadable loading={loading} label={`Loading ${view.path}`} lines={last ? 0 : 8} children={() => null} />
          {last !== null && (isOld || state.kind === "loaded") ? (
            <Shown {...shared} {...last} {...{ columns, isOld }} />
          ) : null}
        </div>
      </div>
      {menu === null ? null : <HeadingMenu {...props} {...menu} columns={columns} onClose={() => setMenu(null)} />}
    </>
  );
}

/** Shows rows as a table, and below it how many there are. */
function Shown(props: Omit<TableProps, "isCounting">): JSX.Element {
  const { session, view, query, rows } = props;
  const [total, length, next] = [rows.total.value, rows.length.value, rows.next.value];
  const reading = useLoaded(next?.url ?? "", async (signal) => {
    if (next === null) return;
    rows.add(next.start, await readNext((url) => readPage(session.client, url, signal), query, next));
  });
  const count = rows.end.value === null ? query.count : null;
  const { state } = useLoaded(count ?? "", async (signal) => {
    const answer = count === null ? null : await session.client.get(count, { signal });
    return Number(memberOf(answer?.body, "@odata.count")) - query.skipped || null;
  });
  useEffect(() => {
    if (state.kind === "loaded") rows.counted.value = state.value;
  }, [rows, state]);
  useEffect(() => session.announce(total === null ? "Rows are there" : countText(total, "row")), [rows, total]);
  const order = query.skipTo === null && rows.end.value === null ? ", page by page: $skip is not possible" : "";
  if (total === 0) return <Empty title="No rows">The conditions, or the rules of your user, may hide them.</Empty>;
  return (
    <>
      <Loadable loading={reading} label="Reading rows" lines={0} children={() => null} />
      <GridTable {...props} isCounting={total === null && count !== null && state.kind !== "failed"} />
      <div class="grid-foot">
        <span>{(total === null ? "More rows follow" : countText(total, "row")) + order}</span>
        {length > 20 ? (
          <label class="grid-go">
            <input
              class="input"
              type="number"
              min={1}
              max={length}
              placeholder="Go to row"
              aria-label="Go to row"
              onChange={({ currentTarget: input }) => {
                if (input.reportValidity()) session.go(withOptions(view, { row: input.value }), { replace: true });
              }}
            />
          </label>
        ) : null}
      </div>
    </>
  );
}

/** Shows the tools that change the query, and that make a file of its rows. */
function Tools(props: GridProps & Pick<TableProps, "columns"> & { readonly onGroup: () => void }): JSX.Element {
  const { session, view, query, columns, onGroup } = props;
  const { set, type } = query.place;
  const names = shownNames(type, view.options.get("$select")).filter(
    (name) => columns.length === 0 || columns.some((column) => column.name === name),
  );
  const [select, listed] = [names.join(","), view.options.get("columns") ?? ""];
  const [isSaving, setSaving] = useState(false);
  const [editor, setEditor] = useState<OpenEditor | null>(null);
  const opener = (title: OpenEditor["title"], text: string = title): JSX.Element => (
    <Button popup="dialog" onClick={(event) => setEditor({ title, anchor: event.currentTarget, select })}>
      {text}
    </Button>
  );
  return (
    <div class="grid-tools">
      <RowSearch key={JSON.stringify(limitsOf(view.options))} {...props} />
      {set?.abilities.canFilter === false ? null : opener("Filter")}
      {set?.abilities.canApply === true ? <Button onClick={onGroup}>Groups and totals</Button> : null}
      {view.options.has("$apply") ? null : opener("Columns", `${names.length} of ${type.properties.size} columns`)}
      {listed.includes(",-") ? (
        <Button onClick={() => session.go(withOptions(view, { columns: listed.replaceAll(/,-[^,]*/gu, "") }))}>
          Show all columns
        </Button>
      ) : null}
      {editor === null ? null : <QueryPopover {...props} {...editor} onClose={() => setEditor(null)} />}
      <Button icon="download" popup="dialog" disabled={columns.length === 0} onClick={() => setSaving(true)}>
        CSV
      </Button>
      <ZoneSwitch session={session} types={columns.map((column) => column.type)} />
      {set?.abilities.canCreate === true && view.path === set.name ? (
        <ButtonLink icon="add" href={hrefOf(viewOf("edit", set.name))}>
          New record
        </ButtonLink>
      ) : null}
      {isSaving ? <CsvDialog {...props} onClose={() => setSaving(false)} /> : null}
    </div>
  );
}

/** Finds rows by a text, in any letter case, and leads to those of all sets. */
function RowSearch({ session, view, query }: GridProps): JSX.Element {
  const place = { ...query.place, isPart: query.place.set?.name !== view.path };
  const found = textIn(place, view.options);
  const all = (text: string): View => viewOf("find", "", [["text", text]]);
  const find = (text: string): void => {
    const options = withText(place, view.options, text);
    session.go(options === null ? all(text) : changedView(view, options));
  };
  return (
    <>
      <SearchBox place={`rows of ${pathSegments(view.path).at(-1) ?? ""}`} onFind={find} {...{ session, found }} />
      {found === "" ? null : (
        <ButtonLink kind="quiet" href={hrefOf(all(found))}>
          In all sets
        </ButtonLink>
      )}
    </>
  );
}

const CSV_PAGE = 1000;

/** Makes a file of all rows of a query, page by page, and saves it. */
function CsvDialog(props: GridProps & Pick<TableProps, "columns"> & { readonly onClose: () => void }): JSX.Element {
  const { session, view, columns, query, onClose } = props;
  const name = `${pathSegments(view.path).at(-1)?.replace(/\(.*/su, "") ?? "rows"}.csv`;
  const [read, setRead] = useState(0);
  const first = (gridQuery(session, view, false) ?? query).first;
  const loading = useLoaded(first, async (signal) => {
    const readOf = (column: Column) => (row: Row) => cellValue(row, column);
    const file = new CsvFile(columns.map((each) => ({ ...each, title: each.name, read: readOf(each) })));
    let next: string | null = first;
    while (next !== null && !file.isFull) {
      const place = { start: file.rows, url: next };
      const page: Page = await readNext((url) => readPage(session.client, url, signal, CSV_PAGE), query, place);
      if (file.append(page.rows) === page.rows.length) next = page.nextLink;
      setRead(file.rows);
    }
    saveFile(file.toBlob(), name);
    return next === null ? "" : " A file has no more rows: filter them to get the others in parts.";
  });
  return (
    <Dialog title={`Rows as ${name}`} onClose={onClose}>
      <Loadable loading={loading} label={`${countText(read, "row")} read`} lines={0}>
        {(rest) => <p role="status">{`The file was saved with ${countText(read, "row")}.${rest}`}</p>}
      </Loadable>
    </Dialog>
  );
}
