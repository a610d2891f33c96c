import type { JSX } from "preact";
import { itemsIn, textIn } from "../../client/json-members.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { CheckList, TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty, Loadable } from "../../parts/loadable.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";
import { resolvePath, type ResolvedPath } from "../../query/resolve-type.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { resourceUrl, withOptions } from "../../state/view.ts";
import {
  type ChartColumn,
  chartView,
  choiceOf,
  columnsOfRows,
  columnsOfType,
  KINDS,
  MOST_SERIES,
} from "./chart-choice.ts";
import { chartData, describe } from "./chart-data.ts";
import { Picture } from "./picture.tsx";

/** The most points of a picture. Bars need more room than others. */
const MOST = { bars: 200, lines: 2000, scatter: 2000 };

/** Shows the rows of a query as bars, lines or points. */
export function Chart({ session, view }: ScreenProps): JSX.Element {
  const place = resolvePath(session.model, view.path);
  return (
    <div class="chart">
      <Heading>Chart</Heading>
      {place?.isCollection === true ? (
        <Content {...{ session, view, place }} />
      ) : (
        <Empty title="A chart needs several rows">
          <p>Open a set first, or the related entities of a record.</p>
        </Empty>
      )}
    </div>
  );
}

function Content({ session, view, place }: ScreenProps & { readonly place: ResolvedPath }): JSX.Element {
  const { type, set } = place;
  const isApplied = view.options.has("$apply");
  const known = isApplied ? [] : columnsOfType(type);
  const url = resourceUrl(chartView(view, choiceOf(view, known), set?.abilities.canSelect !== false));
  const loading = useLoaded(url, (signal) => readRows(session, url, signal));
  // The columns of $apply are known once its rows are there.
  const columns = isApplied && loading.state.kind === "loaded" ? columnsOfRows(loading.state.value, type) : known;
  return (
    <>
      {columns.length === 0 ? null : <ChartFields {...{ session, view, columns }} />}
      <Loadable loading={loading} label="Reading the values">
        {(rows) => <Figure {...{ session, view, columns, rows }} />}
      </Loadable>
    </>
  );
}

interface ColumnsProps extends ScreenProps {
  readonly columns: readonly ChartColumn[];
}

/** Edits the choices of a chart. The URL of the page has the choices. */
function ChartFields({ session, view, columns }: ColumnsProps): JSX.Element {
  const { kind, x, y } = choiceOf(view, columns);
  const change = (name: string) => (value: string) =>
    session.go(withOptions(view, { [name]: value }), { replace: true });
  const paths = columns.map(({ path }) => path);
  const numbers = columns.filter(({ isNumber }) => isNumber).map(({ path }) => path);
  return (
    <div class="chart-fields">
      <TextField label="Kind" value={kind} choices={KINDS} onInput={change("kind")} />
      <TextField label="Horizontal" value={x} choices={paths} onInput={change("x")} />
      <CheckList
        {...{ label: "Values", names: numbers, chosen: y, least: 1, most: MOST_SERIES }}
        onChange={(chosen) => change("y")(chosen.join(","))}
      />
    </div>
  );
}

/** Reads pages: services refuse a large $top. One row more than the most says whether there are more. */
async function readRows(session: OpenSession, url: string, signal: AbortSignal): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  const headers = { Prefer: `odata.maxpagesize=${MOST.lines + 1}` };
  for (let next: string | null = url; next !== null && rows.length <= MOST.lines;) {
    const { body } = await session.client.get(next, { signal, headers });
    rows.push(...itemsIn(body, "value"));
    next = textIn(body, "@odata.nextLink");
  }
  session.announce(`${Math.min(rows.length, MOST.lines)} rows`);
  return rows;
}

/** Shows the picture, its description, and the same values as a table. */
function Figure({ view, columns, rows }: ColumnsProps & { readonly rows: readonly unknown[] }): JSX.Element {
  const { kind, x, y } = choiceOf(view, columns);
  const type = columns.find(({ path }) => path === x)?.type ?? null;
  const data = chartData(rows.slice(0, MOST[kind]), { x, y }, type, kind);
  const label = `${y.join(", ")} by ${x}`;
  if (data.points.length === 0) {
    return (
      <Empty title="There is nothing to draw">
        <p>{rows.length === 0 ? "No row meets the conditions." : "No row has a number and a place on the axis."}</p>
      </Empty>
    );
  }
  return (
    <figure class="chart-figure">
      <h2 dir="auto">{label}</h2>
      {rows.length <= MOST[kind] ? null : (
        <p class="notice notice-warning small">
          Only the first {MOST[kind]} rows are here. Filter them, or group them in the grid.
        </p>
      )}
      <Picture {...{ kind, data, label }} titles={y} width={Math.max(280, Math.min(1200, innerWidth - 80))} />
      <p class="small dim">{describe(data, y)}</p>
      <details>
        <summary>The same values as a table</summary>
        <DataTable
          label="Values"
          columns={[x, ...y]}
          numbers={y}
          rows={data.points.map(({ stated }) => stated.map((each) => <ValueCell {...each} />))}
        />
      </details>
    </figure>
  );
}
