import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ServiceError } from "../../client/service-error.ts";
import { type Entity, toEntity } from "../../format/entity.ts";
import type { EntityValues } from "../../format/merge-columns.ts";
import type { Property } from "../../model/model.ts";
import { BusyBar } from "../../parts/busy.tsx";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { ValueField } from "../../parts/value-field.tsx";
import { encodePath } from "../../state/resource-url.ts";
import { hrefOf, viewOf } from "../../state/view.ts";
import { editedProperties, firstTyped, readForm, type Typed } from "./form-values.ts";
import { MergeDialog } from "./merge-dialog.tsx";
import { changeRecord, createRecord, type Target } from "./save.ts";

type Saving =
  | { readonly kind: "idle" | "saving" }
  | { readonly kind: "failed"; readonly error: unknown }
  /** Someone else changed the record meanwhile. */
  | { readonly kind: "conflict"; readonly mine: EntityValues; readonly theirs: Entity };

/** Shows a field for each property that a write may state. @param props `entity` is null for a new record */
export function EditForm(props: Target & { readonly entity: Entity | null }): JSX.Element {
  const { path, place, entity } = props;
  const properties = editedProperties(place.type, entity === null);
  const [typed, setTyped] = useState(() => firstTyped(properties, entity?.values ?? null));
  const shown = properties.filter(({ name }) => typed.has(name));
  const { saving, faults, save, merge, close } = useSaving(props, shown, typed);
  return (
    <form
      class="edit-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {shown.map((property) => (
        <PropertyField
          key={property.name}
          property={property}
          typed={typed.get(property.name)}
          error={faults.get(property.name) ?? null}
          onChange={(value) => setTyped(new Map([...typed, [property.name, value]]))}
        />
      ))}
      {saving.kind === "failed" ? <Failure error={saving.error} /> : null}
      <div class="row">
        <Button type="submit" kind="primary" disabled={saving.kind === "saving"}>
          {entity === null ? "Create" : "Save"}
        </Button>
        <ButtonLink href={hrefOf(viewOf(entity === null ? "grid" : "record", path))}>Cancel</ButtonLink>
        {saving.kind === "saving" ? <BusyBar label="Saving" /> : null}
      </div>
      {saving.kind === "conflict" && entity !== null ? (
        <MergeDialog
          type={place.type}
          base={entity.values}
          mine={saving.mine}
          theirs={saving.theirs.values}
          onClose={close}
          onMerged={(changes) => merge(saving.theirs, changes)}
        />
      ) : null}
      <span class="hidden" aria-live="assertive">
        {faults.size === 0 ? "" : `${String(faults.size)} of the fields need another value.`}
      </span>
    </form>
  );
}

/** Saves what was typed, and keeps what became of it. */
function useSaving(
  target: Target & { readonly entity: Entity | null },
  properties: readonly Property[],
  typed: ReadonlyMap<string, Typed>,
) {
  const { session, entity } = target;
  const [saving, setSaving] = useState<Saving>({ kind: "idle" });
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const write = (base: Entity | null, values: EntityValues): void => {
    setSaving({ kind: "saving" });
    const written = base === null ? createRecord(target, values) : changeRecord(target, base, values);
    written
      .catch(async (error: unknown) => {
        if (!(error instanceof ServiceError) || error.status !== 412 || base === null) throw error;
        const { body } = await session.client.get(encodePath(target.path));
        const theirs = toEntity(body);
        if (theirs === null) throw error;
        setSaving({ kind: "conflict", mine: values, theirs });
      })
      .catch((error: unknown) => {
        const found = faultsOf(error);
        setFaults(found);
        setSaving({ kind: "failed", error });
      });
  };
  return {
    saving,
    faults,
    save: (): void => {
      const form = readForm(properties, typed, entity?.values ?? null);
      setFaults(form.faults);
      if (form.faults.size > 0) return;
      if (entity !== null && Object.keys(form.values).length === 0) {
        session.toasts.show("Nothing has changed.");
        return;
      }
      write(entity, form.values);
    },
    /** Saves what was chosen over the record as it is now. */
    merge: (theirs: Entity, changes: EntityValues): void => {
      if (Object.keys(changes).length > 0) {
        write(theirs, changes);
        return;
      }
      session.toasts.show("The record stays as the other change left it.");
      session.go(viewOf("record", target.path), { replace: true });
    },
    close: (): void => {
      setSaving({ kind: "idle" });
    },
  };
}

/** Returns what the service says of properties, by their names. */
function faultsOf(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ServiceError)) return new Map();
  const { target, message, details } = error;
  const all = details.length === 0 ? [{ target, message }] : details;
  return new Map(all.flatMap((each) => (each.target === null ? [] : [[each.target, each.message] as const])));
}

function PropertyField(props: {
  readonly property: Property;
  readonly typed: Typed;
  readonly error: string | null;
  readonly onChange: (typed: Typed) => void;
}): JSX.Element {
  const { property, typed, error, onChange } = props;
  const { name, label, description, isNullable, defaultValue } = property;
  if (typed !== undefined) {
    return (
      <ValueField
        label={label ?? name}
        shape={property}
        typed={typed}
        isNullable={isNullable}
        required={!isNullable}
        hint={description ?? undefined}
        error={error}
        onChange={onChange}
      />
    );
  }
  return (
    <div class="row">
      <span class="field-label">{label ?? name}</span>
      <span class="dim">{defaultValue === null ? "set by the service" : `becomes ${defaultValue}`}</span>
      <Button kind="quiet" onClick={() => onChange("")}>{`Set ${label ?? name}`}</Button>
    </div>
  );
}
