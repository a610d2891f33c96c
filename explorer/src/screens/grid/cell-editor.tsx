import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { changeableProperties, toEntity } from "../../format/entity.ts";
import type { Property } from "../../model/model.ts";
import { MemberForm } from "../../parts/member-form.tsx";
import { Popover } from "../../parts/popover.tsx";
import { changeRecord, editFormId, type RecordPlace } from "../../parts/record-writes.ts";
import { recordPath } from "../../query/literals.ts";
import { referenceOf } from "../../query/reference.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import { asDrafted, keepDraft } from "../../state/drafts.ts";
import type { ScreenProps } from "../../state/session.ts";
import { viewOf } from "../../state/view.ts";
import type { Row } from "./columns.ts";

/** A cell whose value a reader changes. */
export interface EditedCell extends RecordPlace {
  readonly row: Row;
  readonly property: Property;
  readonly anchor: Element;
}

/** Returns the value of a cell as one to change; null where the user may not change it. */
export function editedCell({ session, view }: ScreenProps, row: Row, name: string, anchor: Element): EditedCell | null {
  // What the user may do can be known later than the rows.
  const place = resolvePath(session.model, view.path);
  const path = recordPath(place?.set, row);
  if (place?.set?.abilities.canUpdate !== true || path === null) return null;
  const property = changeableProperties(place.type, row).find((each) => each.name === name);
  return property === undefined
    ? null
    : { session, path, place: { ...place, isCollection: false }, row, property, anchor };
}

/** Shows a form for one value at its cell. Enter saves, Escape gives up; elsewhere, what was typed is kept. */
export function CellEditor(
  props: EditedCell & { readonly onSaved: () => void; readonly onClose: () => void },
): JSX.Element {
  const { session, path, place, row, property, anchor, onClose, onSaved } = props;
  const id = editFormId(path);
  const draft = session.drafts.peek().get(id);
  const base = asDrafted(draft, toEntity(row) ?? { values: {}, etag: null }, property.name);
  const form = { id, view: viewOf("edit", path), title: `Edit ${path}`, base };
  const before = useRef(draft ?? null);
  const box = useRef<HTMLDivElement>(null);
  // The next text replaces the value.
  useLayoutEffect(() => box.current?.querySelector<HTMLInputElement>("input.input, textarea")?.select(), []);
  return (
    <Popover title={path} anchor={anchor} onClose={onClose}>
      <div
        ref={box}
        onKeyDown={({ key }) => {
          if (key === "Escape") keepDraft(session.drafts, form.id, before.current);
        }}
      >
        <MemberForm
          class="stack"
          form={form}
          members={[property]}
          base={base.values}
          button="Save"
          onDiscard={() => {
            before.current = session.drafts.peek().get(id) ?? null;
          }}
          referenceOf={(name) => referenceOf(session.model, place, name)}
          send={async (values, signal) => {
            const isSaved = await changeRecord({ session, path, place }, base, values, { signal, onUndone: onSaved });
            if (isSaved) onSaved();
            return isSaved ? onClose : null;
          }}
        />
      </div>
    </Popover>
  );
}
