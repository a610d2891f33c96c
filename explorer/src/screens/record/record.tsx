import type { JSX } from "preact";
import { isRepeatable } from "../../format/entity.ts";
import { labelText, nameProperties } from "../../model/label-properties.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Description, Heading } from "../../parts/heading.tsx";
import { LoadedRecord, NotThere, useRecord } from "../../parts/loadable.tsx";
import { type RecordPlace, deleteRecord } from "../../parts/record-writes.ts";
import { ZoneSwitch } from "../../parts/zone.tsx";
import { recordPath } from "../../query/literals.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { hrefOf, resourceUrl, type View, viewOf } from "../../state/view.ts";
import { type ShownRecord, factsOf } from "./facts.tsx";

/** Shows one record: all of its properties, and its relations in both directions. */
export function Record({ session, view: { path, options } }: ScreenProps): JSX.Element {
  const place = resolvePath(session.model, path);
  if (place === null) return <NotThere path={path} title="The model has no such record" />;
  return <RecordAtPlace {...{ session, path, place, options }} />;
}

/** A longer text is shown as a whole among the properties. */
const MOST_CHARACTERS = 120;

function RecordAtPlace(props: RecordPlace & Pick<View, "options">): JSX.Element {
  const { session, path, place } = props;
  const { type, set } = place;
  // To-one navigations come with the record, so that their labels are known.
  const expanded = [...type.navigations.values()].filter(
    ({ name, isCollection }) => !isCollection && set?.abilities.expandable(name) === true,
  );
  const options = new Map([...props.options, ["$expand", expanded.map(({ name }) => name).join(",")]]);
  // The service may refuse the labels of related records.
  const loading = useRecord(session, resourceUrl({ path, options }), resourceUrl(props));
  const entity = loading.state.kind === "loaded" ? loading.state.value : null;
  const label = labelText(nameProperties(type), entity?.values);
  return (
    <div class="record">
      <div class="row record-head">
        <Heading>{label?.slice(0, MOST_CHARACTERS) ?? path}</Heading>
        {entity === null ? null : <Actions {...props} entity={entity} />}
        {entity === null ? null : (
          <ZoneSwitch session={session} types={Array.from(type.properties.values(), (each) => each.type)} />
        )}
      </div>
      <Description text={type.description} />
      <LoadedRecord loading={loading}>
        {(shown) => (
          <dl class="properties">
            {factsOf({ ...props, entity: shown }).map(({ name, tag, note, value }, index) => (
              <div key={index} class="property">
                <dt>
                  <span>{name}</span>
                  {tag === null ? null : <span class="tag">{tag}</span>}
                  {note === null || note === name ? null : <span class="property-note">{note}</span>}
                </dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </LoadedRecord>
    </div>
  );
}

/** Shows the actions on a record: its operations, and buttons to change and delete it. */
function Actions(props: ShownRecord): JSX.Element {
  const { session, path, place, entity } = props;
  const { set, type } = place;
  const operations = session.model.operations.filter(
    ({ boundTo, boundToCollection }) => !boundToCollection && boundTo?.qualifiedName === type.qualifiedName,
  );
  const called = set?.abilities.canInvoke === false ? [] : operations;
  const select = [...props.options].filter(([name]) => name === "$select");
  const edit = viewOf("edit", recordPath(set, entity.values) ?? path, select);
  const remove = (): void => {
    const canUndo = set?.abilities.canCreate === true && isRepeatable(type, entity.values);
    const isMeant = canUndo || confirm(`Delete ${path} for good? The service cannot create it again as it was.`);
    const run = (signal: AbortSignal): Promise<void> => deleteRecord(props, entity, canUndo, signal);
    if (isMeant) void session.toasts.attempt({ label: `Deleting ${path}`, run });
  };
  return (
    <div class="row spread">
      {called.map(({ name, qualifiedName }) => (
        <ButtonLink href={hrefOf(viewOf("operation", `${path}/${qualifiedName}`))}>{name}</ButtonLink>
      ))}
      {set?.abilities.canUpdate === true ? <ButtonLink href={hrefOf(edit)}>Edit</ButtonLink> : null}
      {set?.abilities.canDelete === true ? <Button onClick={remove}>Delete</Button> : null}
    </div>
  );
}
