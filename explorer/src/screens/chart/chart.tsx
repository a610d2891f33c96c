import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { textIn } from "../../client/json-members.ts";
import { rowsIn } from "../../client/service-client.ts";
import { countText, showValue } from "../../format/show-value.ts";
import { isInTime } from "../../format/zone.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { CheckList, TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty, Loadable } from "../../parts/loadable.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";
import { ZoneMark, ZoneSwitch } from "../../parts/zone.tsx";
import { UNITS } from "../../query/date-groups.ts";
import { resolvePath, type ResolvedPath } from "../../query/resolve-type.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { hrefOf, resourceUrl, withOptions } from "../../state/view.ts";
import {
  type ChartChoice,
  type ChartColumn,
  choiceOf,
  columnsOfRows,
  columnsOfType,
  KINDS,
  METHODS,
  MOST_SERIES,
  nameOf,
  placesOf,
  valuesOf,
} from "./chart-choice.ts";
import { chartData, type ChartData, describe, EXACT } from "./chart-data.ts";
import { type ChartPlan, planOf, viewOfRows } from "./chart-plan.ts";
import { Picture } from "./picture.tsx";
import { type ChartRows, isCut, MOST, readChart } from "./read-chart.ts";

/** Bars with names need more room than others. */
const MOST_BARS = 200;

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
  // Services without the standard profile have no totals along navigations.
  const abilities = set?.abilities.canApply === true && !view.path.includes("/") ? set.abilities : null;
  const known = useMemo(() => columnsOfType(type, abilities), [type, abilities]);
  const zone = session.zone.value;
  const choice = choiceOf(view, apply === undefined ? known : []);
  const request = { view, place, columns: known, choice, zone };
  const loading = useLoaded(`${zone} ${resourceUrl(planOf(request).view)}`, (signal) =>
    readChart(request, (each) => readRows(session, resourceUrl(each), signal)),
  );
  // The columns of $apply are known once its rows are there.
  const isKnown = apply === undefined || loading.state.kind !== "loaded";
  const columns = isKnown ? known : columnsOfRows(loading.state.value.rows, type, apply);
  const shown = { session, view, columns, choice: isKnown ? choice : choiceOf(view, columns) };
  return (
    <>
      {columns.length === 0 ? null : <ChartFields {...shown} canTotal={abilities !== null} />}
      <Loadable loading={loading} label="Reading the values">
        {(read) => <Figure {...shown} {...read} place={place} />}
      </Loadable>
    </>
  );
}

interface ChoiceProps extends ScreenProps {
  readonly columns: readonly ChartColumn[];
  readonly choice: ChartChoice;
}

/** Edits the choices of a chart. The URL of the page has the choices. */
function ChartFields(props: ChoiceProps & { readonly canTotal: boolean }): JSX.Element {
  const { session, view, columns, choice, canTotal } = props;
  const { kind, x, y, source, method, period } = choice;
  const change = (name: string, value: string): void =>
    session.go(withOptions(view, { [name]: value }), { replace: true });
  const column = columns.find(({ path }) => path === x);
  const isDate = source !== "applied" && isInTime(column?.type ?? null);
  const hasRows = canTotal && source !== "applied" && kind !== "scatter";
  const lists: readonly (readonly [label: string, name: string, value: string, choices: readonly string[]])[] = [
    ["Kind", "kind", kind, KINDS],
    ["Horizontal", "x", x, placesOf(columns, source).map(({ path }) => path)],
    ["By", "by", period ?? "value", isDate ? [...UNITS, "value"] : []],
    ["Rows", "rows", source === "rows" ? "each" : "totals", hasRows ? ["totals", "each"] : []],
    ["Total", "total", method, source === "totals" || period !== null ? METHODS : []],
  ];
  return (
    <div class="chart-fields">
      {lists
        .filter(([, , , choices]) => choices.length > 0)
        .map(([label, name, value, choices]) => (
          <TextField
            key={name}
            {...{ label, value }}
            choices={choices.map((each) => ({ value: each, label: nameOf(each) }))}
            onInput={(chosen) => change(name, chosen)}
          />
        ))}
      <ZoneSwitch session={session} types={[column?.type ?? null]} />
      <CheckList
        {...{ label: "Values", names: valuesOf(columns, source, method), chosen: y, least: 1, most: MOST_SERIES }}
        labelOf={nameOf}
        onChange={(chosen) => change("y", chosen.join(","))}
      />
    </div>
  );
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

/** Says why there is no picture; null if there is one. */
function nothingOf(plan: ChartPlan, rows: readonly unknown[], { points }: ChartData) {
  if (isCut(plan, rows)) {
    const text = "The page makes the totals of this chart, and does not read so many rows. Filter them.";
    return { title: `There are more than ${MOST} rows`, text };
  }
  const text = rows.length === 0 ? "No row meets the conditions." : "No row has a number and a place on the axis.";
  return points.length > 0 ? null : { title: "There is nothing to draw", text };
}

/** Shows the picture, what it shows, its description, and the same values as a table. */
function Figure(props: ChoiceProps & Pick<ContentProps, "place"> & ChartRows): JSX.Element {
  const { view, choice, rows } = props;
  const { kind, x, source, period } = choice;
  const plan = planOf(props);
  const { type, groups, zone, hasNames, totals } = plan;
  const most = kind === "bars" && plan.period === null ? MOST_BARS : MOST;
  const data = chartData(rows.slice(0, most), plan, kind);
  const titles = plan.series.map(({ title }) => title);
  const label = `${titles.join(", ")}${x === "" ? "" : ` by ${period === null ? x : `${period} of ${x}`}`}`;
  const nothing = nothingOf(plan, rows, data);
  if (nothing !== null) {
    return (
      <Empty title={nothing.title}>
        <p>{nothing.text}</p>
      </Empty>
    );
  }
  const views = data.points.map(({ row }) => viewOfRows(props, plan, row));
  const hrefs = views.map((each) => (each === null ? null : hrefOf(each)));
  const ofAll = countText(Math.min(rows.length, MOST), groups === null ? "row" : "group");
  const grid = { ...(source === "rows" ? view : plan.view), screen: "grid" } as const;
  return (
    <figure class="chart-figure">
      <h2 dir="auto">
        {label} <ZoneMark {...{ type, zone }} />
      </h2>
      {groups === null ? <p class="small dim">Each point is a row.</p> : null}
      {totals === null ? null : <p class="small dim">The page made these totals of the rows that it read.</p>}
      {rows.length > most ? (
        <p class="notice notice-warning small">
          {`${showValue(most, null).text} of ${rows.length > MOST ? "more than " : ""}${ofAll} are here. `}
          <a href={hrefOf(grid)}>The grid has all of them</a>
        </p>
      ) : null}
      <Picture
        {...{ kind, data, label, titles, hasNames, zone, hrefs }}
        width={Math.max(280, Math.min(2000, innerWidth - 80))}
      />
      <p class="small dim">{describe(data, titles)}</p>
      <details>
        <summary>The same values as a table</summary>
        <DataTable
          label="Values"
          columns={[x === "" ? "Rows" : x, ...titles]}
          marks={[<ZoneMark {...{ type, zone }} />]}
          numbers={titles}
          rows={data.points.map(({ place, stated }, at) => {
            const [shown, href] = [<ValueCell {...place} />, hrefs[at] ?? null];
            const values = stated.map((value) => <ValueCell value={value} type={EXACT} />);
            return [href === null ? shown : <a href={href}>{shown}</a>, ...values];
          })}
        />
      </details>
    </figure>
  );
}
