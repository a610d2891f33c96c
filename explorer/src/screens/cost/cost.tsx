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

/** Shows tables of the answer and its trace; those without rows are left out. */
function Tables(
  props: Pick<ScreenProps, "session"> & { readonly answer: Answer; readonly trace: Trace | null },
): JSX.Element {
  const { stages } = props.answer;
  const { advice = [], statements = [] } = props.trace ?? {};
  const longest = Math.max(...stages.map(({ milliseconds }) => milliseconds), Number.MIN_VALUE);
  const bar = (time: number): JSX.Element => (
    <progress class="stage-bar" value={time} max={longest} aria-hidden="true" />
  );
  const tables = {
    "Time in the service": stages.map(({ name, milliseconds: time }) => {
      return { Stage: STAGES[name] ?? name, ms: time.toFixed(1), Share: bar(time) };
    }),
    "Indexes that would help": advice.map(({ message, fix }) => ({ Why: message, Statement: code(fix) })),
    Statements: statements.map((each) => {
      const ms = each.milliseconds.toFixed(1);
      return { Statement: <Statement {...each} session={props.session} />, Rows: each.rows ?? "hidden", ms };
    }),
  };
  return (
    <>
      {Object.entries<readonly Readonly<Record<string, ComponentChildren>>[]>(tables).map(([label, rows]) =>
        rows.length === 0 ? null : (
          <section key={label} class="cost-part">
            <h2>{label}</h2>
            <DataTable
              label={label}
              columns={Object.keys(rows[0] ?? {})}
              rows={rows.map((row) => Object.values(row))}
              numbers={["ms", "Rows"]}
            />
          </section>
        ),
      )}
    </>
  );
}

function code(text: string): JSX.Element {
  return <pre tabIndex={0}>{text}</pre>;
}

/** Shows a statement as people run it elsewhere, with a button that copies it, and as the service sent it, with its plan. */
function Statement(props: TracedStatement & Pick<ScreenProps, "session">): JSX.Element {
  const { error, plan, parameters, pasted } = props;
  const { toasts } = props.session;
  const text = useRef<HTMLPreElement>(null);
  const { sql = null, omits = [], refusal = null } = pasted ?? {};
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(sql ?? "");
      toasts.show("Copied: SQL");
    } catch {
      // Pages of HTTP have no clipboard, and users may forbid it.
      text.current?.focus();
      if (text.current !== null) getSelection()?.selectAllChildren(text.current);
      toasts.show("The browser does not let the page copy. The SQL is selected: copy it with your keyboard.");
    }
  };
  const sent = [
    code(props.sql),
    parameters.length === 0 ? null : <code>{`Parameters: ${parameters.join(", ")}`}</code>,
  ];
  return (
    <>
      {sql === null ? (
        sent
      ) : (
        <>
          <pre tabIndex={0} ref={text}>
            {sql}
          </pre>
          <Button icon="copy" onClick={() => void copy()}>
            Copy SQL
          </Button>
          {omits.length === 0 ? null : (
            <p>{`Without the entities of ${omits.join(", ")}, which the service reads, too.`}</p>
          )}
          <details>
            <summary>As the service sent it</summary>
            {sent}
          </details>
        </>
      )}
      {refusal === null ? null : <p>{`There is no SQL to paste. ${refusal}`}</p>}
      {error === null ? null : <p class="field-error">{error}</p>}
      {plan === null ? null : code(plan.join("\n"))}
    </>
  );
}
