import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ServiceError } from "../../client/service-error.ts";
import { type Entity, isWritable, toEntity } from "../../format/entity.ts";
import type { EntityValues } from "../../format/merge-columns.ts";
import type { Property, StructuredType } from "../../model/model.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { BusyBar, Failure } from "../../parts/loadable.tsx";
import { type Member, MemberFields, type MemberForm, type Typed, useMemberForm } from "../../parts/member-form.tsx";
import { typedOf } from "../../query/typed-json.ts";
import { encodePath, hrefOf, viewOf } from "../../state/view.ts";
import { MergeDialog } from "./merge-dialog.tsx";
import { changeRecord, createRecord, type Target } from "./save.ts";

type Saving =
  | { readonly kind: "idle" | "saving" }
  | { readonly kind: "failed"; readonly error: unknown }
  /** Someone else changed the record meanwhile. */
  | { readonly kind: "conflict"; readonly mine: EntityValues; readonly theirs: Entity };

/** What a form writes; `entity` is null for a new record. */
interface EditProps extends Target {
  readonly entity: Entity | null;
}

/** Shows a field for each property that a write may state. */
export function EditForm(props: EditProps): JSX.Element {
  const { path, place, entity } = props;
  const values = entity?.values ?? null;
  const form = useMemberForm(editedProperties(place.type, values), (member) => firstTyped(member, values), values);
  const { saving, save, merge, close } = useSaving(props, form);
  return (
    <form
      class="edit-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (saving.kind !== "saving") save();
      }}
    >
      <MemberFields
        form={form}
        verb="Set"
        textOf={(defaultValue) => (defaultValue === null ? "set by the service" : `becomes ${defaultValue}`)}
      />
      {saving.kind === "failed" ? <Failure error={saving.error} /> : null}
      <div class="row">
        <Button type="submit" kind="primary" isIdle={saving.kind === "saving"}>
          {entity === null ? "Create" : "Save"}
        </Button>
        <ButtonLink href={hrefOf(viewOf(entity === null ? "grid" : "record", path))}>Cancel</ButtonLink>
        {saving.kind === "saving" ? <BusyBar label="Saving" /> : null}
      </div>
      {saving.kind === "conflict" && values !== null ? (
        <MergeDialog
          type={place.type}
          base={values}
          mine={saving.mine}
          theirs={saving.theirs.values}
          onClose={close}
          onMerged={(changes) => merge(saving.theirs, changes)}
        />
      ) : null}
    </form>
  );
}

/** Returns the properties that a write may state. */
function editedProperties({ properties, key }: StructuredType, values: EntityValues | null): readonly Property[] {
  return [...properties.values()].filter((property) => {
    if (!isWritable(property)) return false;
    return values === null || (!property.immutable && !key.includes(property) && Object.hasOwn(values, property.name));
  });
}

/** A new record leaves to the service what it can set. */
function firstTyped(member: Member, values: EntityValues | null): Typed {
  const value = values?.[member.name];
  if (values !== null) return value === null ? null : typedOf(value, member);
  const isSet = member.defaultValue !== null || ("hasComputedDefault" in member && member.hasComputedDefault);
  if (isSet) return undefined;
  return member.isNullable ? null : "";
}

/** Saves what was typed, and keeps what became of it. */
function useSaving(target: EditProps, form: MemberForm) {
  const { session, entity, path } = target;
  const [saving, setSaving] = useState<Saving>({ kind: "idle" });
  const write = (base: Entity | null, values: EntityValues): void => {
    setSaving({ kind: "saving" });
    const written = base === null ? createRecord(target, values) : changeRecord(target, base, values);
    written
      .catch(async (error: unknown) => {
        if (!(error instanceof ServiceError) || error.status !== 412 || base === null) throw error;
        const { body } = await session.client.get(encodePath(path));
        const theirs = toEntity(body);
        if (theirs === null) throw error;
        setSaving({ kind: "conflict", mine: values, theirs });
      })
      .catch((error: unknown) => {
        form.refuse(error);
        setSaving({ kind: "failed", error });
      });
  };
  return {
    saving,
    save: (): void => {
      const values = form.read();
      if (values === null) return;
      if (entity !== null && Object.keys(values).length === 0) session.toasts.show("Nothing has changed.");
      else write(entity, values);
    },
    /** Saves what was chosen over the record as it is now. */
    merge: (theirs: Entity, changes: EntityValues): void => {
      if (Object.keys(changes).length > 0) {
        write(theirs, changes);
        return;
      }
      session.toasts.show("The record stays as the other change left it.");
      session.go(viewOf("record", path), { replace: true });
    },
    close: (): void => setSaving({ kind: "idle" }),
  };
}
