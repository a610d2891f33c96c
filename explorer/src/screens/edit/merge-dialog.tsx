import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  type EntityValues,
  type MergeChoice,
  type MergeRow,
  mergeColumns,
  mergedChanges,
} from "../../format/merge-columns.ts";
import type { StructuredType } from "../../model/model.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";

/** Shows what two people changed at the same time, in three columns, and asks where both changed the same. */
export function MergeDialog(props: {
  readonly type: StructuredType;
  /** The record as the form began. */
  readonly base: EntityValues;
  readonly mine: EntityValues;
  readonly theirs: EntityValues;
  readonly onClose: () => void;
  /** Called with the values to write over the record as it is now. */
  readonly onMerged: (changes: EntityValues) => void;
}): JSX.Element {
  const { type, base, mine, theirs } = props;
  const [choices, setChoices] = useState<ReadonlyMap<string, MergeChoice>>(new Map());
  const rows = mergeColumns(type, base, mine, theirs).filter(({ state }) => state !== "same");
  const changes = mergedChanges(rows, choices);
  return (
    <Dialog
      title="Somebody else changed this record"
      onClose={props.onClose}
      actions={
        <Button
          kind="primary"
          disabled={changes === null}
          onClick={() => {
            if (changes !== null) props.onMerged(changes);
          }}
        >
          Save the chosen values
        </Button>
      }
    >
      <p>
        Values that only one of you changed are kept. Choose for each value that both changed. Closing saves nothing.
      </p>
      <div class="table-box" tabIndex={0} role="group" aria-label="Changed values">
        <table class="table">
          <thead>
            <tr>
              {["Property", "Before", "Yours", "Theirs"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={row.property.name}
                row={row}
                choice={choices.get(row.property.name)}
                onChoose={(choice) => setChoices(new Map([...choices, [row.property.name, choice]]))}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}

function Row(props: {
  readonly row: MergeRow;
  readonly choice: MergeChoice | undefined;
  readonly onChoose: (choice: MergeChoice) => void;
}): JSX.Element {
  const { property, base, mine, theirs, state } = props.row;
  const cell = (side: MergeChoice, value: unknown): JSX.Element => {
    const isConflict = state === "conflict";
    const isKept = isConflict ? props.choice === side : state === side || (state === "agreed" && side === "theirs");
    const shown = <ValueCell value={value} type={property.type} />;
    return (
      <td class={isKept ? "merge-kept" : ""}>
        {isConflict ? (
          <label class="check">
            <input
              type="radio"
              name={`merge-${property.name}`}
              checked={isKept}
              onChange={() => props.onChoose(side)}
            />
            {shown}
          </label>
        ) : (
          shown
        )}
        {isKept && !isConflict ? <span class="tag">kept</span> : null}
      </td>
    );
  };
  return (
    <tr>
      <th scope="row">{property.name}</th>
      <td>
        <ValueCell value={base} type={property.type} />
      </td>
      {cell("mine", mine)}
      {cell("theirs", theirs)}
    </tr>
  );
}
