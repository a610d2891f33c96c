import type { JSX } from "preact";
import { changeableProperties, type Entity, type EntityValues } from "../../format/entity.ts";
import type { Property, StructuredType } from "../../model/model.ts";
import { Button } from "../../parts/button.tsx";
import { Heading } from "../../parts/heading.tsx";
import { LoadedRecord, NotThere, useRecord } from "../../parts/loadable.tsx";
import { MemberForm } from "../../parts/member-form.tsx";
import { type RecordPlace, changeRecord, createRecord, editFormId } from "../../parts/record-writes.ts";
import { referenceOf } from "../../query/reference.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import { asDrafted } from "../../state/drafts.ts";
import type { ScreenProps } from "../../state/session.ts";
import { resourceUrl, type View, viewOf } from "../../state/view.ts";

/** Shows a form that creates a record of a collection, or changes the record of a path. */
export function Edit({ session, view }: ScreenProps): JSX.Element {
  const { path } = view;
  const place = resolvePath(session.model, path);
  if (place === null) return <NotThere path={path} title="The model has no such record" />;
  const { set, type, isCollection } = place;
  const mayWrite = isCollection ? set?.abilities.canCreate !== false : set?.abilities.canUpdate === true;
  if (!mayWrite) return <NotThere path={path} title="The service does not permit to change this" />;
  const at = { session, path, place, view };
  const title = isCollection ? `New record of ${set?.name ?? type.name}` : `Edit ${path}`;
  return (
    <div class="edit" key={path}>
      <Heading>{title}</Heading>
      {isCollection ? <EditForm {...at} title={title} entity={null} /> : <Change {...at} title={title} />}
    </div>
  );
}

type EditedPlace = RecordPlace & { readonly view: View; readonly title: string };

function Change(at: EditedPlace): JSX.Element {
  const { session, path, place, view } = at;
  const { updatesByPut = false, canSelect = false } = place.set?.abilities ?? {};
  // PUT replaces the whole record, so it must be read whole.
  const options = updatesByPut && canSelect ? new Map([["$select", "*"]]) : view.options;
  const loading = useRecord(session, resourceUrl({ path, options }));
  return (
    <LoadedRecord loading={loading}>
      {({ values, etag }) => {
        const entity = asDrafted(session.drafts.peek().get(editFormId(path)), { values, etag });
        return <EditForm {...at} entity={entity} />;
      }}
    </LoadedRecord>
  );
}

/** Shows a field for each property that a write may state. `entity` is null for a new record. */
function EditForm(props: EditedPlace & { readonly entity: Entity | null }): JSX.Element {
  const { session, path, place, view, title, entity } = props;
  /** Who left the form meanwhile stays where the change may be seen. */
  const unlessGone = (go: () => void): void => (session.view.peek() === view ? go : session.refresh)();
  const leave = (): void => unlessGone(() => session.leave(viewOf(entity === null ? "grid" : "record", path)));
  const save = async (values: EntityValues, signal: AbortSignal): Promise<(() => void) | null> => {
    if (entity === null) {
      const created = await createRecord(props, values, signal);
      session.toasts.show("The record is created.");
      return () => unlessGone(() => session.go(created, { replace: true }));
    }
    const isSaved = await changeRecord(props, entity, values, { signal, onUndone: session.refresh });
    return isSaved ? leave : null;
  };
  return (
    <MemberForm
      class="edit-form"
      form={{ id: editFormId(path), view, title, base: entity }}
      members={editedProperties(place.type, entity?.values ?? null)}
      base={entity?.values ?? null}
      button={entity === null ? "Create" : "Save"}
      referenceOf={(name) => referenceOf(session.model, place, name)}
      send={save}
    >
      {(discard) => (
        <Button
          onClick={() => {
            discard();
            leave();
          }}
        >
          Cancel
        </Button>
      )}
    </MemberForm>
  );
}

/** Returns the properties that a write may state. A value that the user may not read can be given to a new record only. */
function editedProperties(type: StructuredType, base: EntityValues | null): readonly Property[] {
  if (base !== null) return changeableProperties(type, base);
  return [...type.properties.values(), ...type.hidden].filter((each) => !each.readOnly && !each.isNotCreated);
}
