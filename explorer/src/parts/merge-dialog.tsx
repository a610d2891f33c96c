import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type EntityValues, type MergeChoice, type MergeRow, mergedChanges } from "../format/entity.ts";
import type { OpenSession } from "../state/session.ts";
import { Button } from "./button.tsx";
import { DataTable } from "./data-table.tsx";
import { Dialog } from "./dialog.tsx";
import { ValueCell } from "./value-cell.tsx";

/**
 * Asks which of the changes of two people to keep, over any screen.
 * @returns the values to write over the record as it is now; null for none, also if another user signs in meanwhile
 */
export function askToMerge({ dialog }: OpenSession, rows: readonly MergeRow[]): Promise<EntityValues | null> {
  return new Promise((resolve) => {
    const onEnd = (changes: EntityValues | null): void => {
      dialog.value = null;
      resolve(changes);
    };
    dialog.value = { content: <MergeDialog rows={rows} onEnd={onEnd} />, end: () => onEnd(null) };
  });
}

/** Shows the concurrent changes of two people, in three columns, and asks for a choice where both changed the same property. */
function MergeDialog(props: {
  readonly rows: readonly MergeRow[];
  readonly onEnd: (changes: EntityValues | null) => void;
}): JSX.Element {
  const [choices, setChoices] = useState<ReadonlyMap<string, MergeChoice>>(new Map());
  const rows = props.rows.filter(({ state }) => state !== "same");
  const changes = mergedChanges(rows, choices);
  const cell = ({ property: { name, type }, state, ...values }: MergeRow, side: MergeChoice): JSX.Element => {
    const shown = <ValueCell value={values[side]} type={type} />;
    const isKept = state === side || (state === "agreed" && side === "theirs");
    if (state !== "conflict") return isKept ? <strong>{shown}</strong> : shown;
    const choose = (): void => setChoices(new Map([...choices, [name, side]]));
    return (
      <label class="check">
        <input type="radio" name={name} checked={choices.get(name) === side} onChange={choose} />
        {shown}
      </label>
    );
  };
  return (
    <Dialog title="Somebody else changed this record" onClose={() => props.onEnd(null)}>
      <p>
        The bold values are kept: one of you changed them. Choose for each value that both changed. Closing saves
        nothing.
      </p>
      <DataTable
        label="Changed values"
        columns={["Property", "Before", "Yours", "Theirs"]}
        rows={rows.map((row) => {
          const before = <ValueCell value={row.base} type={row.property.type} />;
          return [row.property.name, before, cell(row, "mine"), cell(row, "theirs")];
        })}
      />
      <div class="dialog-actions">
        <Button kind="primary" disabled={changes === null} onClick={() => props.onEnd(changes)}>
          Save the chosen values
        </Button>
      </div>
    </Dialog>
  );
}
