import type { JSX } from "preact";
import type { Entity } from "../../format/entity.ts";
import { nameProperty } from "../../model/label-property.ts";
import { Description, Heading } from "../../parts/heading.tsx";
import { LoadedRecord, NotThere, useRecord } from "../../parts/loadable.tsx";
import { type ResolvedPath, resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { resourceUrl } from "../../state/view.ts";
import { Actions } from "./actions.tsx";
import { Properties } from "./properties.tsx";
import { RelatedRecords } from "./related-records.tsx";
import type { ShownRecord } from "./shown-record.ts";

/** Shows one record: all of its properties, what it refers to, and what refers to it. */
export function Record({ session, view }: ScreenProps): JSX.Element {
  const { path } = view;
  const place = resolvePath(session.model, path);
  if (place === null) return <NotThere path={path} title="The model has no such record" />;
  return <RecordAtPlace session={session} path={path} place={place} />;
}

function RecordAtPlace(props: Omit<ShownRecord, "entity">): JSX.Element {
  const { session, path, place } = props;
  const loading = useRecord(session, resourceUrl({ path, options: expandOption(place) }));
  const entity = loading.state.kind === "loaded" ? loading.state.value : null;
  return (
    <div class="record">
      <div class="row record-head">
        <Heading>{headingOf(place, entity) ?? path}</Heading>
        {entity === null ? null : <Actions {...props} entity={entity} />}
      </div>
      <LoadedRecord loading={loading}>
        {(shown) => (
          <>
            <Description text={place.type.description} />
            <Properties type={place.type} entity={shown} />
            <RelatedRecords {...props} entity={shown} />
          </>
        )}
      </LoadedRecord>
    </div>
  );
}

/** A longer text stands among the properties as a whole. */
const MOST_CHARACTERS = 120;

/** Returns the text that names a record; null without one. */
function headingOf({ type }: ResolvedPath, entity: Entity | null): string | null {
  const text = entity?.values[nameProperty(type)?.name ?? ""];
  return typeof text === "string" && text.trim() !== "" ? text.slice(0, MOST_CHARACTERS) : null;
}

/** To-one navigations come with the record, so that their labels are known. */
function expandOption({ type, set }: ResolvedPath): ReadonlyMap<string, string> {
  const names = [...type.navigations.values()].filter(
    ({ name, isCollection }) => !isCollection && set?.abilities.expandable(name) === true,
  );
  return new Map([["$expand", names.map(({ name }) => name).join(",")]]);
}
