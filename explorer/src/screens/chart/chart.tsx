import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { textIn } from "../../client/json-members.ts";
import { rowsIn } from "../../client/service-client.ts";
import { ServiceError } from "../../client/service-error.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { CheckList, TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty, Loadable } from "../../parts/loadable.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";
import { ZoneMark, ZoneSwitch } from "../../parts/zone.tsx";
import { resolvePath, type ResolvedPath } from "../../query/resolve-type.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { hrefOf, resourceUrl, withOptions } from "../../state/view.ts";
import { PERIODS } from "./calendar.ts";
import {
  type ChartChoice,
  type ChartColumn,
  choiceOf,
  columnsOfRows,
  columnsOfType,
  COUNT,
  isInTime,
  KINDS,
  METHODS,
  MOST_SERIES,
  placesOf,
  valuesOf,
} from "./chart-choice.ts";
import { chartData, type ChartData, describe, EXACT } from "./chart-data.ts";
import { type ChartPlan, planOf, viewOfRows } from "./chart-plan.ts";
import { Picture } from "./picture.tsx";

/** The most rows of a picture. Bars with names need more room than others. */
const MOST_BARS = 200;
const MOST = 2000;

/** Shows the totals of a query, or each of its rows, as bars, lines or points. */
export function Chart({ session, view }: ScreenProps): JSX.Element {
  const place = resolvePath(session.model, view.path);
  return (
    <div class="chart">
      <Heading>Chart</Heading>
      {place?.isCollection === true ? (
        <Content key={view.path} {...{ session, view, place }} />
      ) : (
        <Empty title="A chart needs several rows">
          <p>Open a set first, or the related entities of a record.</p>
        </Empty>
      )}
    </div>
  );
}

interface ContentProps extends ScreenProps {
  readonly place: ResolvedPath;
}

function Content({ session, view, place }: ContentProps): JSX.Element {
  const { type, set } = place;
  const apply = view.options.get("$apply");
  const known = useMemo(
    () => columnsOfType(type, set?.abilities.canApply === true ? set.abilities : null),
    [type, set],
  );
  const asked = choiceOf(view, apply === undefined ? known : []);
  const request = { view, place, columns: known, choice: asked, zone: session.zone.value };
  const url = resourceUrl(planOf(request).view);
  const each = withOptions(view, { rows: "each" });
  const loading = useLoaded(url, async (signal) => {
    try {
      return { rows: await readRows(session, url, signal), view };
    } catch (error) {
      // Services without the standard profile have no totals along navigations.
      const isRefused = error instanceof ServiceError && [400, 501].includes(error.status);
      if (!isRefused || asked.source !== "totals" || !view.path.includes("/")) throw error;
      const plan = planOf({ ...request, view: each, choice: choiceOf(each, known) });
      return { rows: await readRows(session, resourceUrl(plan.view), signal), view: each };
    }
  });
  const loaded = loading.state.kind === "loaded" ? loading.state.value : null;
  // The columns of $apply are known once its rows are there.
  const columns = apply !== undefined && loaded !== null ? columnsOfRows(loaded.rows, type, apply) : known;
  const shown = loaded?.view === each || loaded?.view.options.get("rows") === "each" ? each : view;
  const choice = choiceOf(shown, columns);
  return (
    <>
      {columns.length === 0 ? null : (
        <ChartFields
          {...{ session, view, columns, choice }}
          canTotal={known !== columns || set?.abilities.canApply === true}
        />
      )}
      <Loadable loading={loading} label="Reading the values">
        {({ rows }) => <Figure {...{ session, view: shown, place, columns, choice, rows }} />}
      </Loadable>
    </>
  );
}

interface ChoiceProps extends ScreenProps {
  readonly columns: readonly ChartColumn[];
  readonly choice: ChartChoice;
}

/** Edits the choices of a chart. The URL of the page has the choices. */
function ChartFields({
  session,
  view,
  columns,
  choice,
  canTotal,
}: ChoiceProps & { readonly canTotal: boolean }): JSX.Element {
  const { kind, x, y, source, method, period } = choice;
  const change = (name: string) => (value: string) =>
    session.go(withOptions(view, { [name]: value }), { replace: true });
  const places = placesOf(columns, source).map(({ path }) => path);
  const values = valuesOf(columns, source, method).map((path) => (path === COUNT ? COUNT : path));
  const column = columns.find(({ path }) => path === x);
  const isDate = source !== "applied" && column !== undefined && isInTime(column);
  const periods = [
    ...PERIODS.map((value) => ({ value, label: titled(value) })),
    { value: "value", label: "Each value" },
  ];
  return (
    <div class="chart-fields">
      <TextField label="Kind" value={kind} choices={KINDS} onInput={change("kind")} />
      {places.length === 0 ? null : <TextField label="Horizontal" value={x} choices={places} onInput={change("x")} />}
      {isDate ? <TextField label="By" value={period ?? "value"} choices={periods} onInput={change("by")} /> : null}
      {source === "applied" || kind === "scatter" || !canTotal ? null : (
        <TextField label="Rows" value={source === "rows" ? "each" : "totals"} choices={ROWS} onInput={change("rows")} />
      )}
      {source === "totals" || (source === "rows" && period !== null) ? (
        <TextField label="Total" value={method} choices={METHODS} onInput={change("total")} />
      ) : null}
      <ZoneSwitch session={session} types={[column?.type ?? null]} />
      <CheckList
        {...{ label: "Values", names: values, chosen: y, least: 1, most: MOST_SERIES }}
        labelOf={(path) => (path === COUNT ? "Number of rows" : path)}
        onChange={(chosen) => change("y")(chosen.join(","))}
      />
    </div>
  );
}

const ROWS = [
  { value: "totals", label: "Totals of groups" },
  { value: "each", label: "Each row" },
] as const;

function titled(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Reads pages: services refuse a large $top. One row more than the most says whether there are more. */
async function readRows(session: OpenSession, url: string, signal: AbortSignal): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  const headers = { Prefer: `odata.maxpagesize=${MOST + 1}` };
  for (let next: string | null = url; next !== null && rows.length <= MOST;) {
    const { body } = await session.client.get(next, { signal, headers });
    rows.push(...rowsIn(body));
    next = textIn(body, "@odata.nextLink");
  }
  session.announce(`${Math.min(rows.length, MOST)} rows`);
  return rows;
}

/** Shows the picture, what it shows, its description, and the same values as a table. */
function Figure(props: ChoiceProps & Pick<ContentProps, "place"> & { readonly rows: readonly unknown[] }): JSX.Element {
  const { session, view, place, columns, choice, rows } = props;
  const { kind, x } = choice;
  const request = { view, place, columns, choice, zone: session.zone.value };
  const plan = planOf(request);
  const most = kind === "bars" && plan.period === null ? MOST_BARS : MOST;
  const data = chartData(rows.slice(0, most), plan, choice);
  const titles = plan.series.map(({ title }) => title);
  const by =
    x === "" ? "" : ` by ${plan.period === null || choice.source === "applied" ? x : `${plan.period} of ${x}`}`;
  const label = `${titles.join(", ")}${by}`;
  if (data.points.length === 0) {
    return (
      <Empty title="There is nothing to draw">
        <p>{rows.length === 0 ? "No row meets the conditions." : "No row has a number and a place on the axis."}</p>
      </Empty>
    );
  }
  const views = data.points.map(({ row, span }) => viewOfRows(request, plan, row, span));
  const hrefs = views.map((each) => (each === null ? null : hrefOf(each)));
  return (
    <figure class="chart-figure">
      <h2 dir="auto">
        {label} <ZoneMark type={plan.type} />
      </h2>
      <Note {...{ choice, plan, most }} isCut={rows.length > most} />
      <Picture
        {...{ kind, data, label, titles, hasNames: plan.hasNames, zone: plan.zone }}
        hrefOf={(at) => hrefs[at] ?? null}
        width={Math.max(280, Math.min(2000, innerWidth - 80))}
      />
      <p class="small dim">{describe(data, titles)}</p>
      <details>
        <summary>The same values as a table</summary>
        <Values {...{ data, plan, hrefs, x }} />
      </details>
    </figure>
  );
}

/** Says what a point is, and whether rows are missing. */
function Note(props: {
  readonly choice: ChartChoice;
  readonly plan: ChartPlan;
  readonly most: number;
  readonly isCut: boolean;
}): JSX.Element | null {
  const { choice, plan, most, isCut } = props;
  const isGroupedHere = plan.period !== null && plan.groups === null;
  const what = isGroupedHere ? "The page made these totals of the rows that it read." : "Each point is a row.";
  const advice = plan.period === null ? "Filter them, or group them." : "Filter them, or choose a longer period.";
  return (
    <>
      {choice.source === "rows" || isGroupedHere ? <p class="small dim">{what}</p> : null}
      {isCut ? (
        <p class="notice notice-warning small">
          Only the first {most} {plan.groups === null ? "rows" : "groups"} are here. {advice}
        </p>
      ) : null}
    </>
  );
}

/** Shows the values as a table, whose first column leads to the rows. */
function Values(props: {
  readonly data: ChartData;
  readonly plan: ChartPlan;
  readonly hrefs: readonly (string | null)[];
  readonly x: string;
}): JSX.Element {
  const titles = props.plan.series.map(({ title }) => title);
  return (
    <DataTable
      label="Values"
      columns={[props.x === "" ? "Rows" : props.x, ...titles]}
      marks={[<ZoneMark type={props.plan.type} />]}
      numbers={titles}
      rows={props.data.points.map(({ label, stated, place }, at) => {
        const href = props.hrefs[at] ?? null;
        const shown = place === null ? label : <ValueCell {...place} />;
        return [
          href === null ? shown : <a href={href}>{shown}</a>,
          ...stated.map((value) => <ValueCell value={value} type={EXACT} />),
        ];
      })}
    />
  );
}
