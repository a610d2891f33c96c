import type { ConfigurationFault } from "../../../base/errors/configuration-error.ts";
import { nearestName } from "../../../base/errors/nearest-name.ts";
import type { ForeignKey, SchemaObject, ObjectColumn } from "../../../databases/introspect/database-schema.ts";
import type { GivenRelation, DescribedWarning } from "../described-service.ts";
import { objectKey } from "../names/naming.ts";
import type { DraftObject } from "./draft-object.ts";
import { placeOf } from "./find-key.ts";

/** A foreign key between two published objects. */
export interface DraftRelation {
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
): readonly DraftRelation[] {
  const byKey = new Map(drafts.map((draft) => [objectKey(draft.object), draft]));
  return drafts.flatMap((from) =>
    differentForeignKeys(from.object).flatMap((foreignKey): readonly DraftRelation[] => {
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
function differentForeignKeys(object: SchemaObject): readonly ForeignKey[] {
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
function isUniqueInDraft({ object, key }: DraftObject, columns: readonly string[]): boolean {
  return isUniqueIn(object, columns) || key.columns.every((name) => columns.includes(name));
}

/** Returns whether columns contain a primary key or a unique index, so that each combination of values occurs once. */
function isUniqueIn({ primaryKey, indexes }: SchemaObject, columns: readonly string[]): boolean {
  const contains = (names: readonly string[]): boolean =>
    names.length > 0 && names.every((name) => columns.includes(name));
  if (contains(primaryKey)) return true;
  return indexes.some((index) => index.isUnique && contains(index.columns.map((column) => column?.name ?? "")));
}

/** A published column. */
interface End {
  readonly draft: DraftObject;
  readonly column: ObjectColumn;
}

/**
 * Adds relations that the database does not declare, such as relations of views, as foreign keys. A foreign key refers to the end
 * whose column is unique.
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

/** One direction through a link table. */
export interface FoundLink {
  readonly id: string;
  readonly link: DraftObject;
  /** The foreign key to the object with the navigation. */
  readonly from: DraftRelation;
  /** The foreign key to the objects that the navigation returns. */
  readonly to: DraftRelation;
  /** The `id` of the other direction. */
  readonly back: string;
}

/**
 * Finds link tables: exactly two foreign keys over different columns without null, which together are unique; every other
 * column can be omitted when a link is stored.
 */
export function findLinks(drafts: readonly DraftObject[], relations: readonly DraftRelation[]): readonly FoundLink[] {
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

function isLink({ object, columns }: DraftObject, one: DraftRelation, other: DraftRelation): boolean {
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
