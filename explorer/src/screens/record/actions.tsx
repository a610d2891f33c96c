import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Entity, isRepeatable, writableValues } from "../../format/entity.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { keyPredicate } from "../../query/literals.ts";
import { encodePath, hrefOf, viewOf } from "../../state/view.ts";
import type { ShownRecord } from "./shown-record.ts";

/** Shows what can be done with a record: change it, delete it, call its operations. */
export function Actions(props: ShownRecord): JSX.Element {
  const { session, path, place } = props;
  const { set, type } = place;
  const operations = session.model.operations.filter(
    ({ boundTo, boundToCollection }) => boundTo?.qualifiedName === type.qualifiedName && !boundToCollection,
  );
  return (
    <div class="row spread">
      {operations.map(({ name, qualifiedName }) => (
        <ButtonLink key={qualifiedName} href={hrefOf(viewOf("operation", `${path}/${qualifiedName}`))}>
          {name}
        </ButtonLink>
      ))}
      {set?.abilities.canUpdate === true ? (
        <ButtonLink href={hrefOf(viewOf("edit", recordPath(props)))} icon="edit">
          Edit
        </ButtonLink>
      ) : null}
      {set?.abilities.canDelete === true ? <DeleteButton {...props} /> : null}
    </div>
  );
}

/** The path of a record in its set, where it can be written. */
function recordPath({ path, place, entity }: ShownRecord): string {
  const key = keyPredicate(place.type, entity.values);
  return place.set === null || key === null ? path : `${place.set.name}${key}`;
}

/** A deleted record can be created again; where that is impossible, the reader is asked before. */
function DeleteButton(props: ShownRecord): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const { place, entity } = props;
  const canUndo = place.set?.abilities.canCreate === true && isRepeatable(place.type, entity.values);
  const remove = (): void => {
    setAsking(false);
    props.session.toasts.attempt(() => deleteRecord(props, canUndo));
  };
  return (
    <>
      <Button icon="delete" onClick={() => (canUndo ? remove() : setAsking(true))}>
        Delete
      </Button>
      {isAsking ? (
        <Dialog
          title="Delete this record?"
          onClose={() => setAsking(false)}
          actions={
            <Button kind="danger" onClick={remove}>
              Delete for good
            </Button>
          }
        >
          <p>The service cannot create it again as it was.</p>
        </Dialog>
      ) : null}
    </>
  );
}

async function deleteRecord(props: ShownRecord, canUndo: boolean): Promise<void> {
  const { session, path, place, entity } = props;
  const { client, go, toasts } = session;
  const { etag, values } = entity;
  const set = place.set?.name ?? "";
  const headers = etag === null ? {} : { "If-Match": etag };
  await client.send("DELETE", encodePath(recordPath(props)), undefined, { headers });
  go(viewOf("grid", set));
  const again = async (): Promise<void> => {
    const { body } = await client.send("POST", set, writableValues(place.type, values));
    const key = keyPredicate(place.type, (body ?? values) as Entity["values"]);
    if (key !== null) go(viewOf("record", set + key));
  };
  toasts.show(`Deleted ${path}.`, canUndo ? { label: "Create it again", run: again } : null);
}
