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
        Values that only one of you changed are kept. Choose for each value that both changed; closing returns to your
        form, and nothing is saved.
      </p>
      <Rows
        rows={rows}
        choices={choices}
        onChoose={(name, choice) => setChoices(new Map([...choices, [name, choice]]))}
      />
    </Dialog>
  );
}

function Rows(props: {
  readonly rows: readonly MergeRow[];
  readonly choices: ReadonlyMap<string, MergeChoice>;
  readonly onChoose: (name: string, choice: MergeChoice) => void;
}): JSX.Element {
  return (
    <div class="table-box" tabIndex={0} role="group" aria-label="Changed values">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Property</th>
            <th scope="col">Before</th>
            <th scope="col">Yours</th>
            <th scope="col">Theirs</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <Row
              key={row.property.name}
              row={row}
              choice={props.choices.get(row.property.name)}
              onChoose={(choice) => props.onChoose(row.property.name, choice)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: {
  readonly row: MergeRow;
  readonly choice: MergeChoice | undefined;
  readonly onChoose: (choice: MergeChoice) => void;
}): JSX.Element {
  const { property, base, mine, theirs, state } = props.row;
  const cell = (side: MergeChoice, value: unknown): JSX.Element => {
    const isKept = state === side || (state === "agreed" && side === "theirs");
    const shown = <ValueCell value={value} type={property.type} />;
    if (state !== "conflict") {
      return (
        <td class={isKept ? "merge-kept" : ""}>
          {shown}
          {isKept ? <span class="tag">kept</span> : null}
        </td>
      );
    }
    return (
      <td class={props.choice === side ? "merge-kept" : ""}>
        <label class="check">
          <input
            type="radio"
            name={`merge-${property.name}`}
            checked={props.choice === side}
            onChange={() => props.onChoose(side)}
          />
          {shown}
        </label>
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
