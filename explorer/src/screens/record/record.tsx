import type { JSX } from "preact";
import { nameProperty } from "../../model/label-property.ts";
import { Description } from "../../parts/description.tsx";
import { Heading } from "../../parts/heading.tsx";
import { NotThere, RecordAt } from "../../parts/record-at.tsx";
import { type ResolvedPath, resolvePath } from "../../query/resolve-type.ts";
import { resourceUrl } from "../../state/resource-url.ts";
import type { ScreenProps } from "../../state/session.ts";
import { Actions } from "./actions.tsx";
import { Properties } from "./properties.tsx";
import { RelatedRecords } from "./related-records.tsx";
import type { ShownRecord } from "./shown-record.ts";

/** Shows one record: all of its properties, what it refers to, and what refers to it. */
export function Record({ session, view }: ScreenProps): JSX.Element {
  const { path } = view;
  const place = resolvePath(session.model, path);
  if (place === null) return <NotThere path={path} title="The model has no such record" />;
  return (
    <div class="record">
      <RecordAt session={session} url={resourceUrl({ path, options: expandOption(place) })}>
        {(entity) =>
          entity === null ? (
            <NotThere path={path} title="There is no record at this path" />
          ) : (
            <Shown {...{ session, path, place, entity }} />
          )
        }
      </RecordAt>
    </div>
  );
}

/** To-one navigations come with the record, so that their labels are known. */
function expandOption({ type, set }: ResolvedPath): ReadonlyMap<string, string> {
  const names = [...type.navigations.values()].filter(
    ({ name, isCollection }) => !isCollection && set?.abilities.expandable(name) === true,
  );
  return new Map([["$expand", names.map(({ name }) => name).join(",")]]);
}

function Shown(props: ShownRecord): JSX.Element {
  const { path, place, entity } = props;
  const text = entity.values[nameProperty(place.type)?.name ?? ""];
  return (
    <>
      <div class="row record-head">
        <Heading>{typeof text === "string" && text !== "" ? text : path}</Heading>
        <Actions {...props} />
      </div>
      <Description text={place.type.description} />
      <Properties type={place.type} entity={entity} />
      <RelatedRecords {...props} />
    </>
  );
}
