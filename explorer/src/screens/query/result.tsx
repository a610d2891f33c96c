import type { JSX } from "preact";
import { memberOf } from "../../client/json-members.ts";
import { messageOf } from "../../client/service-error.ts";
import { isNumeric, showValue } from "../../format/show-value.ts";
import type { PropertyType, StructuredType } from "../../model/model.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";
import { memberAt, resolvePath } from "../../query/resolve-type.ts";
import { resourceUrl } from "../../state/resource-url.ts";
import type { ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { excerptAt, faultOfService, textOf } from "./query-view.ts";

/** Shows the answer of a query: its first rows, or where its fault is. */
export function Result({ session, view }: ScreenProps): JSX.Element {
  const { client, model, announce } = session;
  const url = resourceUrl(view);
  const loading = useLoaded(url, async (signal) => {
    const answer = await client.get(url, { signal, headers: { Prefer: `odata.maxpagesize=50` } });
    announce(countText(answer.body));
    return answer;
  });
  const { state, again } = loading;
  if (state.kind === "failed") {
    const fault = faultOfService(textOf(view), client.root, messageOf(state.error));
    return (
      <Failure error={state.error} onAgain={again}>
        {fault === null ? null : <Excerpt text={textOf(view)} position={fault.position} />}
      </Failure>
    );
  }
  return (
    <Loadable loading={loading} label="Running the query">
      {({ body, milliseconds }) => (
        <div class="query-result">
          <p class="small dim number">{`${countText(body)} · ${showValue(Math.round(milliseconds), null).text} ms`}</p>
          <Rows body={body} type={resolvePath(model, view.path)?.type ?? null} />
        </div>
      )}
    </Loadable>
  );
}

/** Shows a text with the word at a place underlined. */
export function Excerpt(props: { readonly text: string; readonly position: number }): JSX.Element {
  const { before, fault, after } = excerptAt(props.text, props.position);
  return (
    <code class="query-fault" dir="ltr">
      {before}
      <mark>{fault}</mark>
      {after}
    </code>
  );
}

function Rows({ body, type }: { readonly body: unknown; readonly type: StructuredType | null }): JSX.Element {
  const rows = rowsOf(body);
  if (rows === null) return <pre class="query-value">{JSON.stringify(memberOf(body, "value") ?? body, null, 2)}</pre>;
  if (rows.length === 0) return <p class="dim">No entity meets the conditions.</p>;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !name.includes("@"));
  const columns = names.map((name) => ({
    name,
    type: typeOf(
      type,
      name,
      rows.map((row) => row[name]),
    ),
  }));
  return (
    <DataTable
      label="First rows"
      columns={columns.map((column) => ({
        title: column.name,
        isNumber: column.type !== null && isNumeric(column.type),
      }))}
      rows={rows.map((row) => columns.map((column) => <ValueCell value={row[column.name]} type={column.type} />))}
    />
  );
}

const NUMBER = /^-?\d+(?:\.\d+)?$/u;

/** The model does not have the columns of $apply and $compute. Their numbers arrive as text, so that they are exact. */
function typeOf(type: StructuredType | null, name: string, values: readonly unknown[]): PropertyType | null {
  const property = type === null ? undefined : memberAt(type, name)?.property;
  if (property !== undefined) return property.isCollection ? null : property.type;
  const stated = values.filter((value) => value !== null && value !== undefined);
  const isNumber = stated.length > 0 && stated.every((value) => NUMBER.test(String(value)));
  return isNumber ? { kind: "primitive", name: "Edm.Decimal" } : null;
}

/** Returns the rows of an answer, one for an entity; null for a value. */
function rowsOf(body: unknown): readonly Readonly<Record<string, unknown>>[] | null {
  const value = memberOf(body, "value") ?? (typeof body === "object" ? [body] : body);
  if (!Array.isArray(value)) return null;
  return value.map((row: unknown) => (typeof row === "object" && row !== null ? { ...row } : { Value: row }));
}

function countText(body: unknown): string {
  const rows = rowsOf(body);
  if (rows === null) return "A value";
  const count = memberOf(body, "@odata.count");
  const all = count === undefined ? "" : ` of ${showValue(Number(count), null).text}`;
  const more = memberOf(body, "@odata.nextLink") === undefined ? "" : "; more follow";
  return `${rows.length} ${rows.length === 1 ? "row" : "rows"}${all}${more}`;
}
