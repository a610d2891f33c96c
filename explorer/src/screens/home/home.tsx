import type { JSX } from "preact";
import type { RowEstimate, Warning } from "../../client/about.ts";
import { showValue } from "../../format/show-value.ts";
import type { EntitySet } from "../../model/model.ts";
import { type Card, Cards, operationCard } from "../../parts/cards.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Description } from "../../parts/description.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Heading } from "../../parts/heading.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { viewOf } from "../../state/view.ts";

/** Shows what the service offers: its sets, its operations, and what the check of its database found. */
export function Home({ session: { model, about } }: ScreenProps): JSX.Element {
  const unbound = model.operations.filter(({ boundTo }) => boundTo === null);
  return (
    <div class="home">
      <div class="home-head">
        <Heading>{about.title ?? model.title}</Heading>
        <Description text={model.description} />
      </div>
      <Findings warnings={about.warnings} />
      <Cards title="Sets" cards={Array.from(model.sets.values(), (set) => setCard(set, about.rows.get(set.name)))} />
      {model.sets.size > 0 ? null : (
        <Empty title="This service has no sets">
          <p>Sets appear here once the service declares them. The rules of your user may also hide them.</p>
        </Empty>
      )}
      <Cards title="Operations" cards={unbound.map((operation) => operationCard(model, operation))} />
    </div>
  );
}

/** Shows a line, which opens to what the check of the database found, with remedies. */
function Findings({ warnings }: { readonly warnings: readonly Warning[] }): JSX.Element | null {
  if (warnings.length === 0) return null;
  return (
    <details class="notice notice-warning findings" open={warnings.length < 3}>
      <summary>
        {warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`} of the check of the database
      </summary>
      <DataTable
        label="Warnings"
        columns={["Place", "Warning", "Remedy", "Code"].map((title) => ({ title }))}
        rows={warnings.map(({ place, message, fix, code }) => [
          place,
          message,
          <code>{fix}</code>,
          <code>{code}</code>,
        ])}
      />
    </details>
  );
}

const MOST_NAMES = 5;

/** Without a description, the first properties say what a set holds. */
function setCard({ name, description, type }: EntitySet, rows: RowEstimate | undefined): Card {
  const names = [...type.properties.keys()];
  const text = description ?? names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? " …" : "");
  return { name, target: viewOf("grid", name), fact: rows === undefined ? "" : rowsText(rows), text };
}

function rowsText({ count, kind }: RowEstimate): string {
  const about = { exact: "", estimate: "about ", least: "more than " };
  return `${about[kind]}${showValue(count, null).text} ${count === 1 ? "row" : "rows"}`;
}
