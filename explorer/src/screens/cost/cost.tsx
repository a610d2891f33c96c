import type { JSX } from "preact";
import { memberOf } from "../../client/json-members.ts";
import type { Answer } from "../../client/service-client.ts";
import { ServiceError } from "../../client/service-error.ts";
import { readTrace, type Trace } from "../../client/trace.ts";
import { Button } from "../../parts/button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import { resourceUrl } from "../../state/resource-url.ts";
import type { ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";

/** Shows what a query costs: the time of its stages, its statements with their plans, and missing indexes. */
export function Cost({ session, view }: ScreenProps): JSX.Element {
  const { client, about, announce } = session;
  const url = resourceUrl(view);
  const loading = useLoaded(url, async (signal) => {
    const answer = await client.get(url, { signal });
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
            <Stages {...answer} />
            {trace === null ? <NoTrace /> : <Statements {...trace} />}
          </>
        )}
      </Loadable>
    </div>
  );
}

/** A service of several processes may ask another one for the trace. */
function withoutTrace(error: unknown): null {
  if (error instanceof ServiceError && (error.status === 404 || error.status === 403)) return null;
  throw error;
}

function factsOf({ body, milliseconds, requestId }: Answer): string {
  const rows = memberOf(body, "value");
  const count = Array.isArray(rows) ? rows.length : 1;
  return `${milliseconds.toFixed(1)} ms · ${count === 1 ? "1 row" : `${count} rows`} · request ${requestId ?? "without an id"}`;
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

function Stages({ stages }: Answer): JSX.Element {
  const longest = Math.max(...stages.map(({ milliseconds }) => milliseconds), Number.MIN_VALUE);
  const bar = (length: number): JSX.Element => (
    <svg class="stage-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect width={length} height={8} />
    </svg>
  );
  return (
    <Part
      title="Time in the service"
      columns={[{ title: "Stage" }, { title: "ms", isNumber: true }, { title: "Share" }]}
      rows={stages.map(({ name, milliseconds: time }) => [
        STAGES[name] ?? name,
        time.toFixed(1),
        bar((time / longest) * 100),
      ])}
    />
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
        rows={statements.map(({ sql, parameters, error, plan, rows, milliseconds }) => [
          <>
            <pre tabIndex={0}>{sql}</pre>
            {error === null ? null : <p class="field-error">{error}</p>}
            {parameters.length === 0 ? null : <code>{`Parameters: ${parameters.join(", ")}`}</code>}
            {plan === null ? null : <pre tabIndex={0}>{plan.join("\n")}</pre>}
          </>,
          rows,
          milliseconds.toFixed(1),
        ])}
      />
      {statements.length === 0 ? <p class="dim">The query asked no database.</p> : null}
      {omitted === 0 ? null : <p>{`The service did not keep ${omitted} more.`}</p>}
    </>
  );
}

function Part(props: Omit<Parameters<typeof DataTable>[0], "label"> & { readonly title: string }): JSX.Element | null {
  return props.rows.length === 0 ? null : (
    <section class="cost-part">
      <h2>{props.title}</h2>
      <DataTable label={props.title} {...props} />
    </section>
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
