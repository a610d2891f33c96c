import type { JSX } from "preact";
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
      <div class="table-box" tabIndex={0} role="group" aria-labelledby="relations-list">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">By</th>
              <th scope="col">To</th>
              <th scope="col">Navigations</th>
              <th scope="col">How many</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((relation, index) => (
              <tr key={index}>
                <td>
                  <a href={hrefOf(viewOf("grid", relation.from))}>{relation.from}</a>
                </td>
                <td>{relation.properties.join(", ")}</td>
                <td>
                  <a href={hrefOf(viewOf("grid", relation.to))}>{relation.to}</a>
                </td>
                <td>{namesOf(relation)}</td>
                <td>{countsText(relation)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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
