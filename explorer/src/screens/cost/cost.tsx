import type { JSX } from "preact";
import { memberOf } from "../../client/json-members.ts";
import type { Answer } from "../../client/service-client.ts";
import { ServiceError } from "../../client/service-error.ts";
import { readTrace, type Trace } from "../../client/trace.ts";
import { showValue } from "../../format/show-value.ts";
import { Button } from "../../parts/button.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { resourceUrl } from "../../state/view.ts";
import { Stages } from "./stages.tsx";
import { Statements } from "./statements.tsx";

/** What a query costs: its answer, and the statements behind it; null if they cannot be read. */
interface Cost {
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
        {(cost) => <CostOf cost={cost} onAgain={loading.again} />}
      </Loadable>
    </div>
  );
}

async function measure({ client, about, announce }: OpenSession, url: string, signal: AbortSignal): Promise<Cost> {
  const answer = await client.get(url, { signal });
  announce(`The query took ${milliseconds(answer.milliseconds)}.`);
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

function CostOf({ cost, onAgain }: { readonly cost: Cost; readonly onAgain: () => void }): JSX.Element {
  const { answer, trace } = cost;
  return (
    <>
      <div class="row cost-facts">
        <Fact name="Time" value={milliseconds(answer.milliseconds)} />
        <Fact name="Rows" value={rowsText(answer)} />
        {trace === null ? null : <Fact name="Statements" value={String(trace.statements.length + trace.omitted)} />}
        <span class="spread">
          <Button onClick={onAgain}>Run again</Button>
        </span>
      </div>
      <Stages stages={answer.stages} />
      {trace === null ? <NoTrace /> : <Statements trace={trace} />}
      <p class="small dim">
        {"Request "}
        <code>{answer.requestId ?? "without an id"}</code>
      </p>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <dl class="fact">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </dl>
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

function rowsText({ body }: Answer): string {
  const rows = memberOf(body, "value");
  return showValue(Array.isArray(rows) ? rows.length : 1, null).text;
}

function milliseconds(value: number): string {
  return `${showValue(Math.round(value * 10) / 10, null).text} ms`;
}
