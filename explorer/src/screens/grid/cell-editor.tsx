import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { changeableProperties, toEntity } from "../../format/entity.ts";
import type { Property } from "../../model/model.ts";
import { MemberForm } from "../../parts/member-form.tsx";
import { Popover } from "../../parts/popover.tsx";
import { changeRecord, editFormId, type RecordPlace } from "../../parts/record-writes.ts";
import { isEditedAsJson, recordPath } from "../../query/literals.ts";
import { referenceOf } from "../../query/reference.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { viewOf } from "../../state/view.ts";
import type { Column, Row } from "./columns.ts";

/** A cell whose value a reader changes. */
export interface EditedCell extends RecordPlace {
  readonly row: Row;
  readonly property: Property;
  readonly anchor: Element;
}

/** Returns the value of a cell as one to change; null where the user may not change it, or where it needs more room. */
export function editedCell(
  { session, view }: ScreenProps,
  row: Row,
  column: Column,
  anchor: Element,
): EditedCell | null {
  // What the user may do can be known later than the rows.
  const place = resolvePath(session.model, view.path);
  if (place === null) return null;
  const { set, type } = place;
  const path = recordPath(set, row);
  const property = changeableProperties(type, row).find(({ name }) => name === column.name);
  if (path === null || property === undefined || set?.abilities.canUpdate !== true) return null;
  const isLarge =
    isEditedAsJson(property) || (property.type.kind === "primitive" && property.type.name === "Edm.Binary");
  return isLarge || view.options.has("$apply")
    ? null
    : { session, path, place: { type, set, isCollection: false }, row, property, anchor };
}

/** Shows a form for one value at its cell. Enter saves, Escape gives up; elsewhere, what was typed is kept. */
export function CellEditor(
  props: EditedCell & { readonly onSaved: () => void; readonly onClose: () => void },
): JSX.Element {
  const { session, path, place, row, property, anchor, onClose, onSaved } = props;
  const base = toEntity(row) ?? { values: {}, etag: null };
  const form = { id: editFormId(path), view: viewOf("edit", path), title: `Edit ${path}`, base };
  const before = useRef(session.drafts.of(form.id));
  const box = useRef<HTMLDivElement>(null);
  // The next text replaces the value.
  useLayoutEffect(() => box.current?.querySelector<HTMLInputElement>("input.input, textarea")?.select(), []);
  return (
    <Popover title={path} anchor={anchor} onClose={onClose}>
      <div
        ref={box}
        onKeyDown={({ key }) => {
          if (key === "Escape") session.drafts.keep(form.id, before.current);
        }}
      >
        <MemberForm
          class="stack"
          form={form}
          members={[property]}
          base={base.values}
          button="Save"
          referenceOf={(name) => referenceOf(session.model, place, name)}
          send={async (values, signal) => {
            const isSaved = await changeRecord({ session, path, place }, base, values, { signal, onUndone: onSaved });
            const follow = (): void => {
              onClose();
              onSaved();
            };
            return isSaved ? follow : null;
          }}
        />
      </div>
    </Popover>
  );
}
