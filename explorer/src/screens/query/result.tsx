import type { JSX } from "preact";
import { itemsIn, memberOf } from "../../client/json-members.ts";
import type { Answer } from "../../client/service-client.ts";
import { ServiceError } from "../../client/service-error.ts";
import { isNumeric, showValue } from "../../format/show-value.ts";
import type { PropertyType, StructuredType } from "../../model/model.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Failure, Loadable } from "../../parts/loadable.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";
import { memberAt, resolvePath } from "../../query/resolve-type.ts";
import type { OpenSession } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { hrefOf } from "../../state/view.ts";
import { ShownFault } from "./query-fault.tsx";
import { faultOfService } from "./query-view.ts";
import type { SentQuery } from "./use-draft.ts";

const MOST_ROWS = 50;

interface ResultProps {
  readonly session: OpenSession;
  readonly sent: SentQuery;
  readonly onGo: (position: number) => void;
}

/** Shows the answer of a query: its first rows, or where its fault is. */
export function Result(props: ResultProps): JSX.Element {
  const { session, sent } = props;
  const loading = useLoaded(`${sent.url} ${String(sent.round)}`, async (signal) => {
    const answer = await session.client.get(sent.url, {
      signal,
      headers: { Prefer: `odata.maxpagesize=${String(MOST_ROWS)}` },
    });
    session.announce(`${String(answer.status)}, ${countText(answer)}`);
    return answer;
  });
  const { state } = loading;
  if (state.kind === "failed") return <Refused {...props} error={state.error} onAgain={loading.again} />;
  return (
    <Loadable loading={loading} label="Running the query">
      {(answer) => <AnswerOf {...props} answer={answer} />}
    </Loadable>
  );
}

function Refused(props: ResultProps & { readonly error: unknown; readonly onAgain: () => void }): JSX.Element {
  const { session, sent, error, onGo, onAgain } = props;
  const fault = error instanceof ServiceError ? faultOfService(sent.text, session.client.root, error.message) : null;
  return (
    <Failure error={error} onAgain={onAgain}>
      {fault === null ? null : <ShownFault text={sent.text} fault={fault} isSaid onGo={() => onGo(fault.position)} />}
    </Failure>
  );
}

function AnswerOf({ session, sent, answer }: ResultProps & { readonly answer: Answer }): JSX.Element {
  const type = resolvePath(session.model, sent.view.path)?.type ?? null;
  const rows = rowsOf(answer.body);
  return (
    <div class="query-result">
      <p class="row small">
        <strong>{answer.status}</strong>
        <span class="dim number">{`${countText(answer)} · ${showValue(Math.round(answer.milliseconds), null).text} ms`}</span>
        <a class="spread" href={hrefOf({ ...sent.view, screen: "grid" })}>
          Open in the grid
        </a>
      </p>
      <p class="small dim query-url">
        <code>{`GET ${answer.url}`}</code>
      </p>
      {rows === null ? <pre class="query-value">{plainText(answer.body)}</pre> : <Rows rows={rows} type={type} />}
    </div>
  );
}

function Rows(props: { readonly rows: readonly unknown[]; readonly type: StructuredType | null }): JSX.Element {
  const rows = props.rows.slice(0, MOST_ROWS);
  const columns = columnsOf(rows);
  if (rows.length === 0) return <p class="dim">No entity meets the conditions.</p>;
  const types = new Map(columns.map((name) => [name, typeOf(props.type, name) ?? typeOfTotal(rows, name)]));
  return (
    <DataTable
      label="First rows"
      columns={columns.map((name) => ({ title: name === "" ? "Value" : name, isNumber: isNumber(types.get(name)) }))}
      rows={rows.map((row) =>
        columns.map((name) => (
          <ValueCell value={name === "" ? row : memberOf(row, name)} type={types.get(name) ?? null} />
        )),
      )}
    />
  );
}

/** The members of the rows without annotations; an empty name for rows that are values. */
function columnsOf(rows: readonly unknown[]): readonly string[] {
  const names = rows.flatMap((row) => (typeof row === "object" && row !== null ? Object.keys(row) : [""]));
  return [...new Set(names)].filter((name) => !name.includes("@"));
}

function isNumber(type: PropertyType | null | undefined): boolean {
  return type !== null && type !== undefined && isNumeric(type);
}

function typeOf(type: StructuredType | null, name: string): PropertyType | null {
  const property = type === null ? undefined : memberAt(type, name)?.property;
  return property === undefined || property.isCollection ? null : property.type;
}

const TOTAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/u;

/** The model does not have the columns of $apply and $compute. Their numbers arrive as text, so that they are exact. */
function typeOfTotal(rows: readonly unknown[], name: string): PropertyType | null {
  const values = rows.map((row) => memberOf(row, name)).filter((value) => value !== null && value !== undefined);
  const isTotal = values.every((value) => TOTAL.test(typeof value === "string" ? value : JSON.stringify(value)));
  return isTotal && values.length > 0 ? { kind: "primitive", name: "Edm.Decimal" } : null;
}

/** Returns the rows of an answer, one for an entity; null for a value. */
function rowsOf(body: unknown): readonly unknown[] | null {
  if (Array.isArray(memberOf(body, "value"))) return itemsIn(body, "value");
  return typeof body !== "object" || body === null || Object.hasOwn(body, "value") ? null : [body];
}

function plainText(body: unknown): string {
  const value = memberOf(body, "value") ?? body;
  if (value === null) return "No content";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function countText({ body }: Answer): string {
  const rows = rowsOf(body);
  if (rows === null) return "a value";
  const shown = Math.min(rows.length, MOST_ROWS);
  const count = memberOf(body, "@odata.count");
  const text = shown === 1 ? "1 row" : `${String(shown)} rows`;
  if (count !== undefined) return `${text} of ${showValue(count, { kind: "primitive", name: "Edm.Int64" }).text}`;
  const isPart = shown < rows.length || memberOf(body, "@odata.nextLink") !== undefined;
  return isPart ? `the first ${text}; more follow` : text;
}
