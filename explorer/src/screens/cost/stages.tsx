import type { JSX } from "preact";
import type { Stage } from "../../client/service-client.ts";

/** What each stage of `Server-Timing` is. */
const MEANINGS: Readonly<Record<string, string>> = {
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

/** Shows the time of each stage of the service, as numbers and as bars. */
export function Stages({ stages }: { readonly stages: readonly Stage[] }): JSX.Element | null {
  if (stages.length === 0) return null;
  const longest = Math.max(...stages.map(({ milliseconds }) => milliseconds), Number.MIN_VALUE);
  return (
    <section class="cost-part" aria-labelledby="stages">
      <h2 id="stages">Time in the service</h2>
      <div class="table-box" tabIndex={0} role="group" aria-labelledby="stages">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Stage</th>
              <th scope="col" class="number">
                ms
              </th>
              <th scope="col" class="stage-bars">
                <span class="hidden">Share</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {stages.map(({ name, milliseconds }) => (
              <tr key={name}>
                <th scope="row">{MEANINGS[name] ?? name}</th>
                <td class="number">{milliseconds.toFixed(1)}</td>
                <td class="stage-bars">
                  <svg class="stage-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={(milliseconds / longest) * 100} height={8} />
                  </svg>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
