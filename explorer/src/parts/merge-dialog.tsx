import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type EntityValues, type MergeChoice, type MergeRow, mergedChanges } from "../format/entity.ts";
import type { OpenSession } from "../state/session.ts";
import { Button } from "./button.tsx";
import { DataTable } from "./data-table.tsx";
import { Dialog } from "./dialog.tsx";
import { ValueCell } from "./value-cell.tsx";

/** Asks which of the changes of two people to keep. @returns the values to write over the record as it is now; null for none */
export function askToMerge(session: OpenSession, rows: readonly MergeRow[]): Promise<EntityValues | null> {
  return ask<EntityValues | null>(session, (onEnd) => <MergeDialog rows={rows} onEnd={onEnd} />, null);
}

/** Asks whether to delete a record that is not as the reader saw it. */
export function askToDelete(session: OpenSession, path: string, rows: readonly MergeRow[]): Promise<boolean> {
  return ask<boolean>(session, (onEnd) => <DeleteDialog path={path} rows={rows} onEnd={onEnd} />, false);
}

/** Shows a dialog over any screen until it ends. @param none the result if another user signs in meanwhile */
function ask<Result>(
  { dialog }: OpenSession,
  make: (onEnd: (result: Result) => void) => JSX.Element,
  none: Result,
): Promise<Result> {
  return new Promise((resolve) => {
    const end = (result: Result): void => {
      dialog.value = null;
      resolve(result);
    };
    dialog.value = { content: make(end), end: () => end(none) };
  });
}

const TITLE = "Somebody else changed this record";

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
    <Dialog title={TITLE} onClose={() => props.onEnd(null)}>
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

function DeleteDialog(props: {
  readonly path: string;
  readonly rows: readonly MergeRow[];
  readonly onEnd: (isMeant: boolean) => void;
}): JSX.Element {
  const { path, rows, onEnd } = props;
  return (
    <Dialog title={TITLE} onClose={() => onEnd(false)}>
      <p>{`${path} is not as you saw it. Closing deletes nothing.`}</p>
      {rows.length === 0 ? null : (
        <DataTable
          label="Changed values"
          columns={["Property", "Before", "Now"]}
          rows={rows.map(({ property: { name, type }, base, theirs }) => [
            name,
            <ValueCell value={base} type={type} />,
            <ValueCell value={theirs} type={type} />,
          ])}
        />
      )}
      <div class="dialog-actions">
        <Button onClick={() => onEnd(false)}>Keep it</Button>
        <Button kind="primary" onClick={() => onEnd(true)}>
          Delete it all the same
        </Button>
      </div>
    </Dialog>
  );
}
