import type { JSX } from "preact";
import { DataTable } from "../../parts/data-table.tsx";
import { hrefOf, viewOf } from "../../state/view.ts";
import type { Relation } from "./to-relations.ts";

/** Shows relations as a table: the same facts as the picture. */
export function RelationTable(props: {
  readonly relations: readonly Relation[];
  readonly focus: string | null;
}): JSX.Element | null {
  const { relations, focus } = props;
  const shown = focus === null ? relations : relations.filter(({ from, to }) => from === focus || to === focus);
  if (shown.length === 0) return <p class="dim">{focus ?? "This model"} has no relations.</p>;
  return (
    <section class="relations-list" aria-labelledby="relations-list">
      <h2 id="relations-list">
        {focus === null ? "All relations" : `Relations of ${focus}`} <span class="count">{shown.length}</span>
      </h2>
      <DataTable
        label="Relations"
        columns={["From", "By", "To", "Navigations", "How many"].map((title) => ({ title }))}
        rows={shown.map((relation) => [
          <a href={hrefOf(viewOf("grid", relation.from))}>{relation.from}</a>,
          relation.properties.join(", "),
          <a href={hrefOf(viewOf("grid", relation.to))}>{relation.to}</a>,
          namesOf(relation),
          countsText(relation),
        ])}
      />
    </section>
  );
}

function namesOf({ from, to, forth, back }: Relation): string {
  return [forth === null ? null : `${from}/${forth}`, back === null ? null : `${to}/${back}`]
    .filter((name) => name !== null)
    .join(", ");
}

/** A count that the model does not state is left out. */
function countsText({ from, to, fromCount, toCount }: Relation): string {
  if (fromCount === "?") return `${TEXTS[toCount]} of ${to}`;
  return toCount === "?" ? `${TEXTS[fromCount]} of ${from}` : `${TEXTS[fromCount]} to ${TEXTS[toCount]}`;
}

const TEXTS = { "1": "one", "0..1": "none or one", "*": "many", "?": "some" };
