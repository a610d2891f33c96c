import type { ObjectColumn } from "../../introspect/database-schema.ts";
import type { DraftObject } from "./draft-object.ts";
import { differentForeignKeys, type FoundRelation, isUniqueIn } from "./find-relations.ts";

/** One direction through a link table. */
export interface FoundLink {
  readonly id: string;
  readonly link: DraftObject;
  /** The foreign key to the object with the navigation. */
  readonly from: FoundRelation;
  /** The foreign key to the objects that the navigation returns. */
  readonly to: FoundRelation;
  /** The `id` of the other direction. */
  readonly back: string;
}

/**
 * Finds link tables: exactly two foreign keys over different columns without null, which together are unique; every other
 * column can be omitted when a link is stored.
 */
export function findLinks(drafts: readonly DraftObject[], relations: readonly FoundRelation[]): readonly FoundLink[] {
  return drafts.flatMap((link): readonly FoundLink[] => {
    if (link.object.kind !== "table" || differentForeignKeys(link.object).length !== 2) return [];
    const [one, other] = relations.filter(({ from }) => from === link);
    if (one === undefined || other === undefined || !isLink(link, one, other)) return [];
    const [forth, back] = [`${one.id} ${other.id}`, `${other.id} ${one.id}`];
    return [
      { id: forth, link, from: one, to: other, back },
      { id: back, link, from: other, to: one, back: forth },
    ];
  });
}

function isLink({ object, columns }: DraftObject, one: FoundRelation, other: FoundRelation): boolean {
  const ends = [...one.foreignKey.columns, ...other.foreignKey.columns];
  if (new Set(ends).size !== ends.length || one.isUnique || other.isUnique) return false;
  const isEnd = ({ name }: ObjectColumn): boolean => ends.includes(name);
  const mayBeOmitted = (column: ObjectColumn): boolean =>
    column.nullable || column.defaultValue !== null || column.isGenerated || column.isIdentity;
  // SQLite accepts null in a primary key. Such a row links nothing.
  const hasNoNull = columns.filter(isEnd).every(({ name, nullable }) => !nullable || object.primaryKey.includes(name));
  return (
    hasNoNull && isUniqueIn(object, ends) && object.columns.every((column) => isEnd(column) || mayBeOmitted(column))
  );
}
