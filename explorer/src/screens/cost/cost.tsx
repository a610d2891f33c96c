import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { memberOf } from "../../client/json-members.ts";
import { type Answer, getAllowed } from "../../client/service-client.ts";
import { ServiceError } from "../../client/service-error.ts";
import { readTrace, type Trace, type TracedStatement } from "../../client/trace.ts";
import { countText } from "../../format/show-value.ts";
import { Button } from "../../parts/button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";

/** The request of the grid: its target, that without labels, and the headers with the size of a page. */
interface CostProps extends ScreenProps {
  readonly url: string;
  readonly plain: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Shows the cost of a request: the time of its stages, its statements with their plans, and missing indexes. */
export function Cost({ session, url, plain, headers }: CostProps): JSX.Element {
  const { client, about, announce } = session;
  const loading = useLoaded(`${url} ${String(about.traces)}`, async (signal) => {
    const answer = await getAllowed(client, url, plain, { signal, headers });
    const { requestId } = answer;
    announce(`The query took ${answer.milliseconds.toFixed(1)} ms.`);
    const isTraced = about.traces && requestId !== null;
    return { answer, trace: isTraced ? await readTrace(client, requestId, signal).catch(withoutTrace) : null };
  });
  return (
    <div class="cost">
      <Heading>Cost</Heading>
      <Loadable loading={loading} label="Running the query">
        {({ answer, trace }) => (
          <>
            <div class="row cost-facts">
              <p>{factsOf(answer)}</p>
              <Button onClick={loading.again}>Run again</Button>
            </div>
            <Tables {...{ answer, trace, session }} />
            {answer.stages.length === 0 ? <p class="measure">{NO_STAGES}</p> : null}
            {trace === null ? <p class="measure">{NO_TRACE}</p> : null}
            {trace?.statements.length === 0 && trace.omitted === 0 ? <p>The query ran no statements.</p> : null}
            {trace !== null && trace.omitted > 0 ? <p>{`${trace.omitted} more statements were not kept.`}</p> : null}
          </>
        )}
      </Loadable>
    </div>
  );
}

const NO_STAGES =
  "The service does not say the time of its stages. It does with the option serverTiming of odataService.";
const NO_TRACE =
  "You cannot see the statements of this query. The service shows them to requests from its own machine, or to the users " +
  "that the option sql of explorerRoute names. Sets without a database have none.";

/** A service of several processes may ask another one for the trace. */
function withoutTrace(error: unknown): null {
  if (error instanceof ServiceError && (error.status === 404 || error.status === 403)) return null;
  throw error;
}

function factsOf({ body, milliseconds, requestId }: Answer): string {
  const rows = memberOf(body, "value");
  const count = Array.isArray(rows) ? rows.length : 1;
  return `${milliseconds.toFixed(1)} ms · ${countText(count, "row")} · request ${requestId ?? "without an id"}`;
}

/** The meaning of each stage of `Server-Timing`. */
const STAGES: Readonly<Record<string, string>> = {
  parse: "Read the URL",
  authorize: "Identify you, and check the rules",
  schema: "Wait for the comparison with the database",
  bind: "Understand the query",
  body: "Read the body",
  plan: "Plan the query",
  execute: "Read the data",
  db: "Statements, a part of the stages",
  write: "Write the response",
  total: "Until the response began",
};

type Table = readonly [title: string, columns: readonly string[], rows: readonly (readonly ComponentChildren[])[]];

interface TablesProps extends Pick<ScreenProps, "session"> {
  readonly answer: Answer;
  readonly trace: Trace | null;
}

function Tables({ answer, trace, session }: TablesProps): JSX.Element {
  const { stages } = answer;
  const longest = Math.max(...stages.map(({ milliseconds }) => milliseconds), Number.MIN_VALUE);
  const bar = (time: number): JSX.Element => (
    <progress class="stage-bar" value={time} max={longest} aria-hidden="true" />
  );
  const tables: readonly Table[] = [
    [
      "Time in the service",
      ["Stage", "ms", "Share"],
      stages.map(({ name, milliseconds: time }) => [STAGES[name] ?? name, time.toFixed(1), bar(time)]),
    ],
    [
      "Indexes that would help",
      ["Why", "Statement"],
      trace?.advice.map(({ message, fix }) => [message, code(fix)]) ?? [],
    ],
    ["Statements", ["Statement", "Rows", "ms"], trace?.statements.map((each) => statementRow(each, session)) ?? []],
  ];
  return (
    <>
      {tables
        .filter(([, , rows]) => rows.length > 0)
        .map(([label, columns, rows]) => (
          <section key={label} class="cost-part">
            <h2>{label}</h2>
            <DataTable {...{ label, columns, rows }} numbers={["ms", "Rows"]} />
          </section>
        ))}
    </>
  );
}

function code(text: string): JSX.Element {
  return <pre tabIndex={0}>{text}</pre>;
}

function statementRow(traced: TracedStatement, session: ScreenProps["session"]): ComponentChildren[] {
  const { error, plan, rows, milliseconds, pasted } = traced;
  const { sql = null, omits = [], refusal = null } = pasted ?? {};
  const statement = (
    <>
      {sql === null ? null : <Pasted {...{ sql, session }} />}
      {omits.length === 0 ? null : (
        <p>{`Without the entities of ${omits.join(", ")}, which the service reads, too.`}</p>
      )}
      {sql === null ? (
        <Sent {...traced} />
      ) : (
        <details>
          <summary>As the service sent it</summary>
          <Sent {...traced} />
        </details>
      )}
      {refusal === null ? null : <p>{`There is no SQL to paste. ${refusal}`}</p>}
      {error === null ? null : <p class="field-error">{error}</p>}
      {plan === null ? null : code(plan.join("\n"))}
    </>
  );
  return [statement, rows ?? "hidden", milliseconds.toFixed(1)];
}

function Sent({ sql, parameters }: TracedStatement): JSX.Element {
  return (
    <>
      {code(sql)}
      {parameters.length === 0 ? null : <code>{`Parameters: ${parameters.join(", ")}`}</code>}
    </>
  );
}

interface PastedProps extends Pick<ScreenProps, "session"> {
  readonly sql: string;
}

/** Shows a statement that people run elsewhere, with a button that copies it. */
function Pasted({ sql, session: { toasts } }: PastedProps): JSX.Element {
  const text = useRef<HTMLPreElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(sql);
      toasts.show("Copied: SQL");
    } catch {
      // Pages of HTTP have no clipboard, and users may forbid it.
      text.current?.focus();
      if (text.current !== null) getSelection()?.selectAllChildren(text.current);
      toasts.show("The browser does not let the page copy. The SQL is selected: copy it with your keyboard.");
    }
  };
  return (
    <>
      <pre tabIndex={0} ref={text}>
        {sql}
      </pre>
      <Button icon="copy" onClick={() => void copy()}>
        Copy SQL
      </Button>
    </>
  );
}
