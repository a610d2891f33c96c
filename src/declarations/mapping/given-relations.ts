import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { nearestName } from "../../errors/nearest-name.ts";
import type { ForeignKey, ObjectColumn } from "../../introspect/database-schema.ts";
import type { GivenRelation } from "../describe-options.ts";
import type { DraftObject } from "./draft-object.ts";
import { isUniqueInDraft, type IsComparable } from "./find-relations.ts";
import { placeOf } from "./rough-mapping.ts";

/** A published column. */
interface End {
  readonly draft: DraftObject;
  readonly column: ObjectColumn;
}

/**
 * Adds relations that the database does not declare, such as those of views, as foreign keys. The end whose column is unique
 * is the one that the other refers to.
 */
export function withGivenRelations(
  drafts: readonly DraftObject[],
  given: readonly GivenRelation[],
  isComparable: IsComparable,
  faults: ConfigurationFault[],
): readonly DraftObject[] {
  const added = new Map<DraftObject, ForeignKey[]>();
  for (const { from, to } of given) {
    const ends = [from, to].map((text) => findEnd(text, drafts, faults));
    const [first, second] = ends;
    if (first === undefined || second === undefined) continue;
    const isTo = isUniqueInDraft(second.draft, [second.column.name]);
    if (!isTo && !isUniqueInDraft(first.draft, [first.column.name])) {
      const message = `The relation of ${from} and ${to} has no end whose values are unique.`;
      faults.push({ message, fix: "Name the key of one end, such as with `keys`, or a column with a unique index." });
      continue;
    }
    const [own, other] = isTo ? [first, second] : [second, first];
    if (!isComparable([own.draft, own.column.name], [other.draft, other.column.name])) {
      const message = `The relation of ${from} and ${to} compares columns of different types.`;
      faults.push({ message, fix: "Name two columns of one type, or give them one with `map` or in the database." });
      continue;
    }
    const { schema, name } = other.draft.object;
    const foreignKey = {
      name: null,
      columns: [own.column.name],
      target: { schema, name },
      targetColumns: [other.column.name],
      comment: null,
    };
    added.set(own.draft, [...(added.get(own.draft) ?? []), foreignKey]);
  }
  return drafts.map((draft) => {
    const more = added.get(draft);
    if (more === undefined) return draft;
    return { ...draft, object: { ...draft.object, foreignKeys: [...draft.object.foreignKeys, ...more] } };
  });
}

/** Names may contain dots, so the names of all columns are compared. */
function findEnd(text: string, drafts: readonly DraftObject[], faults: ConfigurationFault[]): End | undefined {
  const ends = drafts.flatMap((draft) => draft.columns.map((column): End => ({ draft, column })));
  const wanted = text.toLowerCase();
  const similar = ends.filter((end) => namesOf(end).some((name) => name.toLowerCase() === wanted));
  const exact = similar.filter((end) => namesOf(end).includes(text));
  const found = exact.length > 0 ? exact : similar;
  if (found.length === 1) return found[0];
  const message = `\`relations\` names ${JSON.stringify(text)}, which is`;
  if (found.length > 1) {
    const full = found.map((end) => JSON.stringify(namesOf(end)[1])).join(" or ");
    faults.push({ message: `${message} the name of ${String(found.length)} columns.`, fix: `Write ${full}.` });
    return undefined;
  }
  const nearest = nearestName(text, ends.flatMap(shownNames));
  const fix = nearest === null ? "Write `table.column`, in the names of the database." : `Did you mean "${nearest}"?`;
  faults.push({ message: `${message} no published column.`, fix });
  return undefined;
}

/** Returns the names of a column, without and with its schema. */
function namesOf({ draft, column }: End): readonly [short: string, full: string] {
  const { schema, name } = draft.object;
  const short = `${name}.${column.name}`;
  return [short, `${schema}.${short}`];
}

function shownNames(end: End): readonly string[] {
  const [short] = namesOf(end);
  return [placeOf({ schema: end.draft.object.schema, name: short }), short];
}
