import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { memberOf } from "../../client/json-members.ts";
import { ServiceError } from "../../client/service-error.ts";
import { Button } from "../../parts/button.tsx";
import { Description } from "../../parts/description.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import { NotThere } from "../../parts/loaded-record.tsx";
import { pathSegments } from "../../state/path-segments.ts";
import type { ScreenProps } from "../../state/session.ts";
import { type Loading, useLoaded } from "../../state/use-loaded.ts";
import { withOptions } from "../../state/view.ts";
import { columnsOf, shownNames } from "./columns.ts";
import { type GridQuery, gridQuery, type Options } from "./grid-query.ts";
import { GridTable, type ShownRows, type TableProps } from "./grid-table.tsx";
import { PagedRows, readPage } from "./paged-rows.ts";
import { Chips, QueryDialog, rowsText, Tools } from "./tools.tsx";

/** Shows the rows of a collection. */
export function Grid({ session, view }: ScreenProps): JSX.Element {
  const query = gridQuery(session.model, view);
  if (query === null) return <NotThere path={view.path} title="The service has no collection at this path" />;
  return (
    <div class="grid-screen">
      <Heading>{pathSegments(view.path).at(-1) ?? view.path}</Heading>
      <Description text={query.place.set?.description ?? query.place.type.description} />
      <Rows key={`${session.credentials.changes.value} ${view.path}`} {...{ session, view, query }} />
    </div>
  );
}

type QueryProps = ScreenProps & { readonly query: GridQuery };

/** A service that refuses the labels of foreign keys is asked without them. */
async function openRows({ session, view, query }: QueryProps, signal: AbortSignal): Promise<ShownRows> {
  const { client, model } = session;
  const open = async (asked: GridQuery): Promise<PagedRows> =>
    new PagedRows(asked, await readPage(client, asked.first, signal));
  const plain = gridQuery(model, view, false) ?? query;
  const rows = await open(query).catch((error: unknown) => {
    const isRefused = error instanceof ServiceError && (error.status === 403 || error.message.includes("$expand"));
    if (!isRefused || plain.first === query.first) throw error;
    return open(plain);
  });
  return { rows, columns: columnsOf(query.place, view.options, rows.sample) };
}

/** Shows the rows of one query, with what changes the query above them. */
function Rows(props: QueryProps): JSX.Element {
  const loading = useLoaded(props.query.first, (signal) => openRows(props, signal));
  const { state, last } = loading;
  const [begun, setBegun] = useState<Options | null>(null);
  const shared = { ...props, onEdit: (options: Options = new Map()) => setBegun(options) };
  const isOld = state.kind === "loading";
  return (
    <>
      <Tools {...shared} columns={last?.columns ?? []} />
      <Chips {...shared} />
      {/* The rows before stay on the screen until the next ones are there. */}
      {last !== null && (isOld || state.kind === "loaded") ? <Shown {...shared} {...last} isOld={isOld} /> : null}
      <Loadable loading={loading} label={`Loading ${props.view.path}`} lines={last === null ? 8 : 0}>
        {() => null}
      </Loadable>
      {begun === null ? null : <QueryDialog {...shared} begun={begun} onClose={() => setBegun(null)} />}
    </>
  );
}

type ShownProps = Omit<TableProps, "isCounting">;

/** Shows rows as a table, and below it how many there are. */
function Shown(props: ShownProps): JSX.Element {
  const { session, query, rows } = props;
  const { client } = session;
  const [total, missing] = [rows.total.value, rows.missing.value];
  const target = missing === null ? "" : rows.targetOf(missing);
  const reading = useLoaded(target, async (signal) => {
    if (missing !== null) rows.add(missing, await readPage(client, target, signal));
  });
  const count = rows.end.value === null ? query.count : null;
  const counting = useLoaded(count ?? "", async (signal) =>
    count === null ? null : memberOf((await client.get(count, { signal })).body, "@odata.count"),
  );
  const { state } = counting;
  useEffect(() => {
    const counted = state.kind === "loaded" ? Number(state.value ?? Number.NaN) - query.skipped : Number.NaN;
    if (!Number.isNaN(counted)) rows.counted.value = Math.max(0, counted);
  }, [rows, state]);
  useEffect(() => session.announce(total === null ? "Rows are there" : rowsText(total)), [rows, total]);
  if (total === 0) {
    return (
      <Empty title="No rows">
        <p>Rows appear here once there are any. The conditions above, or the rules of your user, may hide them.</p>
      </Empty>
    );
  }
  return (
    <>
      <GridTable {...props} isCounting={state.kind === "loading"} />
      <div class="grid-foot">
        {total === null ? <Uncounted {...{ query, counting }} /> : <span>{rowsText(total)}</span>}
        <HiddenColumns {...props} />
        <Loadable loading={reading} label="Reading rows" lines={0}>
          {() => null}
        </Loadable>
        {rows.length.value > 20 ? <GoToRow {...props} /> : null}
      </div>
    </>
  );
}

function Uncounted(props: { readonly query: GridQuery; readonly counting: Loading<unknown> }): JSX.Element {
  const { query, counting } = props;
  if (counting.state.kind === "loading") return <span class="dim">Counting the rows …</span>;
  return query.count === null ? (
    <span class="dim">More rows follow</span>
  ) : (
    <Button onClick={counting.again}>Count the rows</Button>
  );
}

/** Says that there are more columns than those without a choice of the reader. */
function HiddenColumns({ view, query, onEdit }: ShownProps): JSX.Element | null {
  const { type } = query.place;
  const names = shownNames(type, view.options.get("$select"));
  if (names.length >= type.properties.size || view.options.has("$apply")) return null;
  return (
    <Button kind="quiet" popup="dialog" onClick={() => onEdit(new Map([["$select", names.join(",")]]))}>
      {`${names.length} of ${type.properties.size} columns`}
    </Button>
  );
}

/** The browser says what is wrong with a number. */
function GoToRow({ session, view, rows }: ShownProps): JSX.Element {
  return (
    <form
      class="grid-go"
      onSubmit={(event) => {
        event.preventDefault();
        const row = event.currentTarget.querySelector("input")?.value ?? "";
        session.go(withOptions(view, { row }), { replace: true });
      }}
    >
      <input class="input" type="number" required min={1} max={rows.length.value} aria-label="Row number" />
      <Button type="submit">Go to row</Button>
    </form>
  );
}
