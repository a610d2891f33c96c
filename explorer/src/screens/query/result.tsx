import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { memberOf } from "../../client/json-members.ts";
import { messageOf } from "../../client/service-error.ts";
import { countText, isNumeric, showValue, shownAs } from "../../format/show-value.ts";
import type { PropertyType, StructuredType } from "../../model/model.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";
import { ZoneMark } from "../../parts/zone.tsx";
import { columnType, resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { resourceUrl } from "../../state/view.ts";

const MOST_ROWS = 50;

type Row = Readonly<Record<string, unknown>>;

/** Shows the answer of a query: its first rows, or its fault. */
export function Result(props: ScreenProps & { readonly onRefused: (message: string) => void }): JSX.Element {
  const { session, view, onRefused } = props;
  const { client, model, announce } = session;
  const url = resourceUrl(view);
  const loading = useLoaded(url, async (signal) => {
    const answer = await client.get(url, { signal, headers: { Prefer: `odata.maxpagesize=${MOST_ROWS}` } });
    announce(answerText(answer.body));
    return answer;
  });
  const message = loading.state.kind === "failed" ? messageOf(loading.state.error) : "";
  useEffect(() => onRefused(message), [message]);
  return (
    <div class="query-result">
      <Loadable loading={loading} label="Running the query">
        {({ body, milliseconds }) => (
          <>
            <p class="small dim">{`${answerText(body)} · ${milliseconds.toFixed(0)} ms`}</p>
            <Rows body={body} type={resolvePath(model, view.path)?.type ?? null} />
          </>
        )}
      </Loadable>
    </div>
  );
}

function Rows({ body, type }: { readonly body: unknown; readonly type: StructuredType | null }): JSX.Element {
  const rows = rowsOf(body)?.slice(0, MOST_ROWS) ?? null;
  if (rows === null) {
    const value = memberOf(body, "value") ?? body;
    return <pre class="query-value">{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>;
  }
  if (rows.length === 0) return <p class="dim">No entity meets the conditions.</p>;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !name.includes("@"));
  const typeOf = (name: string): PropertyType | null =>
    columnType(
      type,
      name,
      rows.map((row) => row[name]),
    );
  const columns = names.map((name) => ({ name, type: typeOf(name) }));
  return (
    <DataTable
      label="First rows"
      columns={names}
      marks={columns.map(({ name, type: own }) => (
        <ZoneMark key={name} type={own} />
      ))}
      numbers={columns.flatMap(({ name, type: own }) => (own !== null && isNumeric(own) ? name : []))}
      rows={rows.map((row) =>
        columns.map((column) => <ValueCell {...shownAs(type, column.name, row[column.name], column.type)} />),
      )}
    />
  );
}

/** Returns the rows of an answer, one for an entity; null for a value. */
function rowsOf(body: unknown): readonly Row[] | null {
  const value = memberOf(body, "value") ?? (typeof body === "object" ? [body] : body);
  if (!Array.isArray(value)) return null;
  return value.map((row: unknown) => (typeof row === "object" && row !== null ? { ...row } : { Value: row }));
}

function answerText(body: unknown): string {
  const rows = rowsOf(body);
  if (rows === null) return "A value";
  const count = memberOf(body, "@odata.count");
  const isPart = rows.length > MOST_ROWS || memberOf(body, "@odata.nextLink") !== undefined;
  const shown = countText(Math.min(rows.length, MOST_ROWS), "row");
  const all = count === undefined ? "" : ` of ${showValue(Number(count), null).text}`;
  return `${shown}${all}${isPart ? "; more follow" : ""}`;
}
