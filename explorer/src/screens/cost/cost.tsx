import type { JSX } from "preact";
import { memberOf } from "../../client/json-members.ts";
import type { Answer } from "../../client/service-client.ts";
import { ServiceError } from "../../client/service-error.ts";
import { readTrace, type Trace, type TracedStatement } from "../../client/trace.ts";
import { Button } from "../../parts/button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import { resourceUrl } from "../../state/resource-url.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";

/** What a query costs: its answer, and the statements behind it; null if they cannot be read. */
interface Measured {
  readonly answer: Answer;
  readonly trace: Trace | null;
}

/** Shows what a query costs: the time of its stages, its statements with their plans, and missing indexes. */
export function Cost({ session, view }: ScreenProps): JSX.Element {
  const url = resourceUrl(view);
  const loading = useLoaded(url, async (signal) => measure(session, url, signal));
  return (
    <div class="cost">
      <Heading>Cost</Heading>
      <Loadable loading={loading} label="Running the query">
        {(measured) => (
          <>
            <div class="row cost-facts">
              <Button onClick={loading.again}>Run again</Button>
            </div>
            <CostOf {...measured} />
          </>
        )}
      </Loadable>
    </div>
  );
}

async function measure({ client, about, announce }: OpenSession, url: string, signal: AbortSignal): Promise<Measured> {
  const answer = await client.get(url, { signal });
  announce(`The query took ${answer.milliseconds.toFixed(1)} ms.`);
  const { requestId } = answer;
  if (!about.traces || requestId === null) return { answer, trace: null };
  try {
    return { answer, trace: await readTrace(client, requestId, signal) };
  } catch (error) {
    // A service of several processes may ask another one for the trace.
    if (error instanceof ServiceError && (error.status === 404 || error.status === 403)) return { answer, trace: null };
    throw error;
  }
}

/** What each stage of `Server-Timing` is. */
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

function CostOf({ answer, trace }: Measured): JSX.Element {
  const { body, stages, requestId } = answer;
  const rows = memberOf(body, "value");
  const longest = Math.max(...stages.map(({ milliseconds }) => milliseconds), Number.MIN_VALUE);
  return (
    <>
      <p>
        {`${answer.milliseconds.toFixed(1)} ms · ${Array.isArray(rows) ? rows.length : 1} rows · request `}
        <code>{requestId ?? "without an id"}</code>
      </p>
      <Part
        title="Time in the service"
        columns={[{ title: "Stage" }, { title: "ms", isNumber: true }, { title: "Share" }]}
        rows={stages.map(({ name, milliseconds }) => [
          STAGES[name] ?? name,
          milliseconds.toFixed(1),
          <svg class="stage-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect width={(milliseconds / longest) * 100} height={8} />
          </svg>,
        ])}
      />
      {trace === null ? <NoTrace /> : <Statements {...trace} />}
    </>
  );
}

function Part(props: Omit<Parameters<typeof DataTable>[0], "label"> & { readonly title: string }): JSX.Element | null {
  const { title, rows } = props;
  return rows.length === 0 ? null : (
    <section class="cost-part">
      <h2>{title}</h2>
      <DataTable label={title} {...props} />
    </section>
  );
}

function Statements({ statements, omitted, advice }: Trace): JSX.Element {
  return (
    <>
      <Part
        title="Indexes that would help"
        columns={[{ title: "Why" }, { title: "Statement" }]}
        rows={advice.map(({ message, fix }) => [message, <pre tabIndex={0}>{fix}</pre>])}
      />
      <Part
        title="Statements"
        columns={[{ title: "Statement" }, { title: "Rows", isNumber: true }, { title: "ms", isNumber: true }]}
        rows={statements.map((statement) => [
          <Statement {...statement} />,
          statement.rows,
          statement.milliseconds.toFixed(1),
        ])}
      />
      {statements.length === 0 ? <p class="dim">The query asked no database.</p> : null}
      {omitted === 0 ? null : <p>{`The service did not keep ${omitted} more.`}</p>}
    </>
  );
}

function Statement({ sql, parameters, error, plan }: TracedStatement): JSX.Element {
  return (
    <>
      <pre tabIndex={0}>{sql}</pre>
      {parameters.length === 0 ? null : (
        <p>
          Parameters: <code>{parameters.join(", ")}</code>
        </p>
      )}
      {error === null ? null : <p class="field-error">{error}</p>}
      {plan === null ? null : (
        <details open>
          <summary>Plan</summary>
          <pre tabIndex={0}>{plan.join("\n")}</pre>
        </details>
      )}
    </>
  );
}

function NoTrace(): JSX.Element {
  return (
    <div class="notice">
      <h2>You cannot see the statements of this query</h2>
      <p>
        The service shows them to requests from its own machine, or to the users that the option <code>sql</code> of
        {" explorerRoute "} names. Sets without a database have none.
      </p>
    </div>
  );
}
