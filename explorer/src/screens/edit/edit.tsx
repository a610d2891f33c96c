import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ServiceError } from "../../client/service-error.ts";
import {
  type Entity,
  toEntity,
  type EntityValues,
  type MergeChoice,
  type MergeRow,
  mergeColumns,
  mergedChanges,
} from "../../format/entity.ts";
import type { Property, StructuredType } from "../../model/model.ts";
import { Button } from "../../parts/button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Heading } from "../../parts/heading.tsx";
import { LoadedRecord, NotThere, useRecord } from "../../parts/loadable.tsx";
import { MemberForm } from "../../parts/member-form.tsx";
import { type RecordPlace, changeRecord, createRecord } from "../../parts/record-writes.ts";
import { ValueCell } from "../../parts/value-cell.tsx";
import { resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { resourceUrl, viewOf } from "../../state/view.ts";

/** Shows a form that creates a record of a collection, or changes the record of a path. */
export function Edit({ session, view }: ScreenProps): JSX.Element {
  const { path } = view;
  const place = resolvePath(session.model, path);
  if (place === null) return <NotThere path={path} title="The model has no such record" />;
  const { set, type, isCollection } = place;
  const mayWrite = isCollection ? set?.abilities.canCreate !== false : set?.abilities.canUpdate === true;
  if (!mayWrite) return <NotThere path={path} title="The service does not permit to change this" />;
  // PUT replaces the whole record, so it must be read whole.
  const isReplaced = set?.abilities.updatesByPut === true && set.abilities.canSelect;
  const options = isReplaced ? new Map([["$select", "*"]]) : view.options;
  const at = { session, path, place, url: resourceUrl({ path, options }) };
  return (
    <div class="edit" key={path}>
      <Heading>{isCollection ? `New record of ${set?.name ?? type.name}` : `Edit ${path}`}</Heading>
      {isCollection ? <EditForm {...at} entity={null} /> : <Change {...at} />}
    </div>
  );
}

/** A place, with the URL that reads the record. */
type EditedPlace = RecordPlace & { readonly url: string };

function Change(at: EditedPlace): JSX.Element {
  const loading = useRecord(at.session, at.url);
  return <LoadedRecord loading={loading}>{(entity) => <EditForm {...at} entity={entity} />}</LoadedRecord>;
}

/** Shows a field for each property that a write may state. `entity` is null for a new record. */
function EditForm(props: EditedPlace & { readonly entity: Entity | null }): JSX.Element {
  const { session, path, place, url, entity } = props;
  const base = entity?.values ?? null;
  const [conflict, setConflict] = useState<Parameters<typeof MergeDialog>[0] | null>(null);
  const save = async (over: Entity, values: EntityValues, signal: AbortSignal): Promise<void> => {
    try {
      await changeRecord(props, over, values, { signal });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 412) throw error;
      const theirs = toEntity((await session.client.get(url, { signal })).body);
      if (theirs === null) throw error;
      const rows = mergeColumns(place.type, base ?? {}, values, theirs.values);
      const merged = await new Promise<EntityValues | null>((onEnd) => {
        setConflict({ rows, onEnd });
      });
      setConflict(null);
      if (merged !== null) await save(theirs, merged, signal);
    }
  };
  return (
    <>
      <MemberForm
        class="edit-form"
        members={editedProperties(place.type, base)}
        base={base}
        button={entity === null ? "Create" : "Save"}
        isAsking={conflict !== null}
        send={(values, signal) =>
          entity === null ? createRecord(props, values, { signal }) : save(entity, values, signal)
        }
      >
        <Button onClick={() => session.leave(viewOf(entity === null ? "grid" : "record", path))}>Cancel</Button>
      </MemberForm>
      {conflict === null ? null : <MergeDialog {...conflict} />}
    </>
  );
}

/** Returns the properties that a write may state. */
function editedProperties(type: StructuredType, base: EntityValues | null): readonly Property[] {
  const { properties, hidden, key } = type;
  // A value that the user may not read can be given, but neither compared nor restored.
  if (base === null) return [...properties.values(), ...hidden].filter((each) => !each.readOnly && !each.isNotCreated);
  return [...properties.values()].filter((property) => {
    const isChangeable = !property.readOnly && !property.immutable && !key.includes(property);
    return isChangeable && Object.hasOwn(base, property.name);
  });
}

/** Shows the concurrent changes of two people, in three columns, and asks for a choice where both changed the same property. */
function MergeDialog(props: {
  readonly rows: readonly MergeRow[];
  /** Called with the values to write over the record as it is now; null to save nothing. */
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
