import type { ForeignKey, SchemaObject } from "../../introspect/database-schema.ts";
import type { DescribedWarning } from "../described-service.ts";
import { objectKey } from "../names/naming.ts";
import type { DraftObject } from "./draft-object.ts";
import { placeOf } from "./rough-mapping.ts";

/** A foreign key between two published objects. */
export interface FoundRelation {
  readonly id: string;
  readonly from: DraftObject;
  readonly to: DraftObject;
  readonly foreignKey: ForeignKey;
  /** Whether the columns are unique, so that one row at most refers to a row. */
  readonly isUnique: boolean;
}

/** Returns whether two columns have one type, so that a navigation can compare them. */
export type IsComparable = (
  from: readonly [draft: DraftObject, column: string],
  to: readonly [draft: DraftObject, column: string],
) => boolean;

/** Finds the foreign keys that become navigations. The others get a warning. */
export function findRelations(
  drafts: readonly DraftObject[],
  isComparable: IsComparable,
  warn: (warning: DescribedWarning) => void,
): readonly FoundRelation[] {
  const byKey = new Map(drafts.map((draft) => [objectKey(draft.object), draft]));
  return drafts.flatMap((from) =>
    differentForeignKeys(from.object).flatMap((foreignKey): readonly FoundRelation[] => {
      const to = byKey.get(objectKey(foreignKey.target));
      const reason = reasonAgainst(from, to, foreignKey, isComparable);
      if (reason !== undefined || to === undefined) {
        // The table has the same warning, and a view may leave out columns by intent.
        if (foreignKey.base !== undefined) return [];
        const place = `${placeOf(from.object)}(${foreignKey.columns.join(", ")})`;
        warn({ code: "foreign-key", place, message: `is no navigation: ${String(reason)}`, flag: null });
        return [];
      }
      const isUnique = isUniqueInDraft(from, foreignKey.columns);
      return [{ id: relationId(from.object, foreignKey), from, to, foreignKey, isUnique }];
    }),
  );
}

/** Returns the foreign keys of an object. A table may have several constraints that say the same. */
export function differentForeignKeys(object: SchemaObject): readonly ForeignKey[] {
  const found = new Map<string, ForeignKey>();
  for (const foreignKey of object.foreignKeys) {
    const id = relationId(object, foreignKey);
    if (!found.has(id)) found.set(id, foreignKey);
  }
  return [...found.values()];
}

/** The identifier depends on the foreign key alone. */
function relationId(object: SchemaObject, { columns, target, targetColumns }: ForeignKey): string {
  return JSON.stringify([object.schema, object.name, columns, target.schema, target.name, targetColumns]);
}

function reasonAgainst(
  from: DraftObject,
  to: DraftObject | undefined,
  { columns, target, targetColumns }: ForeignKey,
  isComparable: IsComparable,
): string | undefined {
  const place = placeOf(target);
  if (to === undefined) return `${place} is not published`;
  const hidden = columns.find((name) => !hasColumn(from, name));
  if (hidden !== undefined) return `the column ${hidden} is not published`;
  const missing = targetColumns.find((name) => !hasColumn(to, name));
  if (missing !== undefined) return `the column ${place}.${missing} is not published`;
  if (targetColumns.length !== columns.length) return `${place} has no key with as many columns`;
  if (!isUniqueInDraft(to, targetColumns)) return `${place}(${targetColumns.join(", ")}) is not unique`;
  const other = columns.findIndex((name, at) => !isComparable([from, name], [to, String(targetColumns[at])]));
  return other < 0
    ? undefined
    : `${String(columns[other])} and ${place}.${String(targetColumns[other])} have different types`;
}

function hasColumn({ columns }: DraftObject, name: string): boolean {
  return columns.some((column) => column.name === name);
}

/** Returns whether columns contain the key of a set too, which may be that of a view. */
export function isUniqueInDraft({ object, key }: DraftObject, columns: readonly string[]): boolean {
  return isUniqueIn(object, columns) || key.columns.every((name) => columns.includes(name));
}

/** Returns whether columns contain a primary key or a unique index, so that each combination of values occurs once. */
export function isUniqueIn({ primaryKey, indexes }: SchemaObject, columns: readonly string[]): boolean {
  const contains = (names: readonly string[]): boolean =>
    names.length > 0 && names.every((name) => columns.includes(name));
  if (contains(primaryKey)) return true;
  return indexes.some((index) => index.isUnique && contains(index.columns.map((column) => column?.name ?? "")));
}
