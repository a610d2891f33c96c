import type { JSX } from "preact";
import { itemsIn, textIn } from "../../client/json-members.ts";
import { valueAt } from "../../format/csv.ts";
import { showValue } from "../../format/show-value.ts";
import { Heading } from "../../parts/heading.tsx";
import { Empty, Loadable } from "../../parts/loadable.tsx";
import { resolvePath, type ResolvedPath } from "../../query/resolve-type.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { resourceUrl } from "../../state/view.ts";
import { choiceOf, offerOf, offerOfColumns, type ChartOffer } from "./chart-choices.ts";
import { type ChartChoice, chartData, chartQuery, columnsOf, MOST_POINTS } from "./chart-data.ts";
import { ChartFields } from "./chart-fields.tsx";
import { toNumber } from "./chart-scale.ts";
import { Plot } from "./plot.tsx";

/** Shows a query as bars, lines or points. */
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

function Content(props: PlacedProps): JSX.Element {
  return props.view.options.has("$apply") ? <AppliedChart {...props} /> : <ModelChart {...props} />;
}

interface PlacedProps extends ScreenProps {
  readonly place: ResolvedPath;
}

/** The rows of `$apply` are totals already: their columns are known once they are there. */
function AppliedChart({ session, view }: ScreenProps): JSX.Element {
  const url = resourceUrl({ path: view.path, options: chartQuery(view.options, NOTHING).options });
  const loading = useLoaded(url, (signal) => readRows(session, url, signal));
  return (
    <Loadable loading={loading} label="Reading the values">
      {(rows) => {
        const columns = [...new Set(rows.flatMap((row) => columnsOf(row)))];
        const offer = offerOfColumns(columns, (column) => {
          const values = rows.map((row) => valueAt(row, column.split("/")) ?? null).filter((value) => value !== null);
          return values.length > 0 && values.every((value) => toNumber(value) !== null);
        });
        const choice = choiceOf(view, offer, null);
        const series = choice.y.map((path) => ({ column: path, title: path }));
        return (
          <>
            <ChartFields {...{ session, view, offer, choice }} />
            <Drawn {...{ rows, offer, choice, series, name: view.path }} />
          </>
        );
      }}
    </Loadable>
  );
}

const NOTHING: ChartChoice = Object.freeze({ kind: "bars", x: "", y: [], total: null });

function ModelChart({ session, view, place }: PlacedProps): JSX.Element {
  const offer = offerOf(place);
  const choice = choiceOf(view, offer, place);
  const { options, series } = chartQuery(view.options, choice, place.set?.abilities);
  const url = resourceUrl({ path: view.path, options });
  const loading = useLoaded(url, (signal) => readRows(session, url, signal));
  const isCut = choice.total !== null && (view.options.has("$top") || view.options.has("$skip"));
  return (
    <>
      <ChartFields {...{ session, view, offer, choice }} />
      {isCut ? <p class="small dim">Totals are of all rows that meet the filter, without $top and $skip.</p> : null}
      <Loadable loading={loading} label="Reading the values">
        {(rows) => <Drawn {...{ rows, offer, choice, series, name: view.path }} />}
      </Loadable>
    </>
  );
}

/** Services refuse a large $top, but divide large answers into pages. One row more says whether there are more. */
const PAGES = Object.freeze({ Prefer: `odata.maxpagesize=${String(MOST_POINTS + 1)}` });

async function readRows(
  { client, announce }: OpenSession,
  url: string,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  let next: string | null = url;
  while (next !== null && rows.length <= MOST_POINTS) {
    const { body } = await client.get(next, { signal, headers: PAGES });
    rows.push(...itemsIn(body, "value"));
    next = textIn(body, "@odata.nextLink");
  }
  announce(`${String(Math.min(rows.length, MOST_POINTS))} rows`);
  return rows;
}

function count(number: number): string {
  return showValue(number, null).text;
}

/** Bars that a picture can show. */
const MOST_BANDS = 200;

function Drawn(props: {
  readonly rows: readonly unknown[];
  readonly offer: ChartOffer;
  readonly choice: ChartChoice;
  readonly series: readonly { readonly column: string; readonly title: string }[];
  readonly name: string;
}): JSX.Element {
  const { rows, offer, choice, series } = props;
  const { kind, x } = choice;
  const y = series.map(({ column }) => column);
  const all = chartData(rows.slice(0, MOST_POINTS), { x, y }, offer.xOf(choice.total).get(x) ?? null, kind);
  const marks = all.points.slice(0, all.axis === "bands" ? MOST_BANDS : MOST_POINTS);
  const notes = [
    ...(rows.length > MOST_POINTS
      ? [`Only the first ${count(MOST_POINTS)} rows are here. Filter them, or choose a total.`]
      : []),
    ...(marks.length < all.points.length
      ? [`Only the first ${count(marks.length)} of ${count(all.points.length)} points are here.`]
      : []),
    ...(all.missing > 0
      ? [`${count(all.missing)} rows are not here: they lack a number, or a place on the axis.`]
      : []),
  ];
  if (marks.length === 0) {
    return (
      <Empty title="There is nothing to draw">
        <p>
          {rows.length === 0 ? "No row meets the conditions." : "Choose a column of numbers for the vertical axis."}
        </p>
      </Empty>
    );
  }
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="notice notice-warning small">
          {note}
        </p>
      ))}
      <Plot
        kind={kind}
        data={{ ...all, points: marks }}
        series={series.map(({ title }) => title)}
        x={x}
        name={`${props.name.replaceAll(/[^\p{L}\p{N}]+/gu, "-")}-${kind}`}
      />
    </>
  );
}
