import type { JSX } from "preact";
import type { Warning } from "../../client/about.ts";

/** Shows what the check of the database found: a line, which opens to the findings with their remedies. */
export function Findings({ warnings }: { readonly warnings: readonly Warning[] }): JSX.Element | null {
  if (warnings.length === 0) return null;
  return (
    <details class="notice notice-warning findings" open={warnings.length < 3}>
      <summary>
        {warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`} of the check of the database
      </summary>
      <ul>
        {warnings.map((warning, index) => (
          <li key={index}>
            <p>
              {warning.place === "" ? null : <strong>{warning.place}: </strong>}
              {warning.message}
            </p>
            {warning.fix === "" ? null : <pre>{warning.fix}</pre>}
            <p class="small dim">
              <code>{warning.code}</code>
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
