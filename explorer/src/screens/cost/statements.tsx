import type { JSX } from "preact";
import type { Trace, TracedStatement } from "../../client/trace.ts";

/** Shows the statements of a request in their order, and the indexes that they lack. */
export function Statements({ trace }: { readonly trace: Trace }): JSX.Element {
  const { statements, omitted, advice } = trace;
  return (
    <>
      {advice.length === 0 ? null : (
        <section class="notice notice-warning" aria-labelledby="advice">
          <h2 id="advice">Indexes that would help</h2>
          <ul class="advice">
            {advice.map(({ message, fix }, index) => (
              <li key={index}>
                <p>{message}</p>
                <pre tabIndex={0}>{fix}</pre>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section class="cost-part" aria-labelledby="statements">
        <h2 id="statements">Statements</h2>
        {statements.length === 0 ? <p class="dim">The query asked no database.</p> : null}
        <ol class="statements">
          {statements.map((statement, index) => (
            <Statement key={index} number={index + 1} statement={statement} />
          ))}
        </ol>
        {omitted === 0 ? null : <p>{`The service did not keep ${String(omitted)} more.`}</p>}
      </section>
    </>
  );
}

function Statement(props: { readonly number: number; readonly statement: TracedStatement }): JSX.Element {
  const { sql, parameters, rows, milliseconds, error, plan } = props.statement;
  return (
    <li class="statement">
      <div class="row statement-head">
        <h3>{`Statement ${String(props.number)}`}</h3>
        <span class="tag">{`${milliseconds.toFixed(1)} ms`}</span>
        <span class="tag">{rows === 1 ? "1 row" : `${String(rows)} rows`}</span>
        {error === null ? null : <span class="tag tag-error">failed</span>}
      </div>
      <pre tabIndex={0}>{sql}</pre>
      {error === null ? null : <p class="field-error">{error}</p>}
      {parameters.length === 0 ? null : (
        <details>
          <summary>{parameters.length === 1 ? "1 parameter" : `${String(parameters.length)} parameters`}</summary>
          <ol class="parameters">
            {parameters.map((parameter, index) => (
              <li key={index}>
                <code>{parameter}</code>
              </li>
            ))}
          </ol>
        </details>
      )}
      {plan === null ? null : (
        <details open>
          <summary>Plan</summary>
          <pre tabIndex={0}>{plan.join("\n")}</pre>
        </details>
      )}
    </li>
  );
}
