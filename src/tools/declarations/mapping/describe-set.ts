import { required } from "../../../base/required.ts";
import type { StorageForm } from "../../../databases/columns/storage-option.ts";
import type {
  DatabaseSchema,
  ObjectColumn,
  ForeignKey,
  SchemaObject,
  DatabaseKind,
} from "../../../databases/introspect/database-schema.ts";
import { catalogueOf } from "../../../databases/kinds/catalogues.ts";
import { rulesOf } from "../columns/rules-of.ts";
import type {
  DescribeOptions,
  DescribedColumn,
  DescribedProperty,
  DescribedSet,
  DescribedLink,
  DescribedNavigation,
  DescribedEnumType,
  DescribedWarning,
} from "../described-service.ts";
import {
  type RelationNames,
  objectKey,
  type ServiceNames,
  TakenNames,
  type MemberName,
  type ObjectNames,
} from "../names/naming.ts";
import { describePlacement } from "./describe-placement.ts";
import type { DraftObject } from "./draft-object.ts";
import { isGuaranteed, mapColumn, placeOf, publishedColumn, roughMapping } from "./find-key.ts";
import type { FoundLink, DraftRelation } from "./find-relations.ts";
import { hasOwnDefault, literalDefault } from "./literal-default.ts";
import type { ForcedTypes } from "./read-map.ts";
import { unsuppliedColumns } from "./unsupplied-columns.ts";

/** Describes the entity set of an object. */
export function describeSet(draft: DraftObject, found: FoundService): DescribedSet {
  const { object, columns, key } = draft;
  const { typeName, setName } = namesOf(object, found.names);
  const properties = columns.map((column) => describeProperty(draft, column, found));
  const { unwritable } = object;
  const message = `can only be read: ${String(unwritable)}`;
  if (unwritable !== undefined) found.warn({ code: "unwritable", place: placeOf(object), message, flag: null });
  return {
    typeName,
    setName,
    table: { schema: object.schema, name: object.name },
    needsSchema: object.schema !== found.schema.defaultSchema,
    kind: object.kind,
    key: key.kind,
    isKeyGuaranteed: isGuaranteed(object, key),
    excludesNulls: columns.flatMap((column) =>
      key.columns.includes(column.name) && mayBeNullInKey(draft, column)
        ? [memberOf(object, column.name, found.names).field]
        : [],
    ),
    excludes: [],
    leftOutRows: 0,
    description: descriptionOf(draft),
    properties,
    unsuppliedColumns: unsuppliedColumns(draft, properties),
    navigations: describeNavigations(draft, found),
    estimatedRows: object.estimatedRows,
    ...describePlacement(
      object,
      found.schema,
      (name) => properties.find(({ column, sql }) => column === name && sql === null)?.field,
    ),
    ...(unwritable !== undefined && { isUnwritable: true }),
  };
}

/** The source of a key that only the data has is a part of the description, because clients rely on keys. */
function descriptionOf({ object: { comment }, key }: DraftObject): string | null {
  if (key.kind !== "unique in the data") return comment;
  const note = "The key is unique in the data, which the database does not guarantee.";
  return comment === null ? note : `${comment} ${note}`;
}

/**
 * Rows with null in the key cannot be entities. SQLite accepts null in most primary keys, and the sample shows whether a row
 * has it. The proven key of a view is never null.
 */
function mayBeNullInKey({ key, object }: DraftObject, { nullable, sample }: ObjectColumn): boolean {
  if (!nullable || key.kind === "proven" || key.kind === "rowid") return false;
  return object.kind !== "table" || sample === null || sample.nulls > 0;
}

function describeProperty(draft: DraftObject, column: ObjectColumn, found: FoundService): DescribedProperty {
  const { object, key } = draft;
  const member = memberOf(object, column.name, found.names);
  const place = `${namesOf(object, found.names).setName}.${member.name}`;
  const chosen = typeOf(draft, column, place, found);
  const isKey = key.columns.includes(column.name);
  // SQLite may have cells that a type of `map` cannot have.
  const isForced = rulesOf(found.schema.kind).acceptsAnyCell && Object.hasOwn(found.options.map ?? {}, place);
  const nullable = (isForced && !isKey) || mayBeNull(draft, column, chosen, found.schema.kind);
  if (nullable && !column.nullable && column.holdsUnreadable === true) {
    found.warn({ code: "null-cells", place, message: "holds cells without a value, published as null", flag: null });
  }
  if (column.lost !== undefined) found.warn({ code: "unreadable", place, message: column.lost, flag: null });
  const defaultValue = isKey ? undefined : literalDefault(column, chosen, found.schema.kind);
  return {
    ...chosen,
    ...member,
    column: column.name,
    isKey,
    nullable,
    computed: column.isIdentity || column.isGenerated,
    defaultValue,
    databaseDefault: defaultValue === undefined && hasOwnDefault(column, chosen, found.schema.kind),
    description: column.comment ?? commentOfSource(column, found.schema),
    ...findIndexes(object, column, { ...chosen, nullable }, found.schema),
  };
}

function typeOf(draft: DraftObject, column: ObjectColumn, place: string, found: FoundService): DescribedColumn {
  const { schema, options, forced, names, warn } = found;
  const enumType = enumTypeOf(draft, column, names);
  const mapping = mapColumn(schema.kind, column, { place, enumType, zoneless: options.zoneless ?? "utc" });
  const natural = "column" in mapping ? mapping.column : null;
  const nameEnum = (): string => found.nameEnum(draft.object, column.name);
  const isKey = draft.key.columns.includes(column.name);
  const given = forced.apply(place, { kind: schema.kind, column, natural, nameEnum }, isKey);
  if (given !== undefined) return given;
  if (!("column" in mapping)) throw new Error(`${place} has no type.`);
  for (const warning of mapping.warnings) warn({ ...warning, place });
  return mapping.column;
}

/** A column of a view without a comment has that of its table. */
function commentOfSource({ source }: ObjectColumn, { objects }: DatabaseSchema): string | null {
  if (source === null) return null;
  const table = objects.find(({ schema, name }) => schema === source.schema && name === source.name);
  return table?.columns.find(({ name }) => name === source.column)?.comment ?? null;
}

/** Describes the navigations of an object: its foreign keys, foreign keys that refer to it, and link tables. */
function describeNavigations(draft: DraftObject, found: FoundService): readonly DescribedNavigation[] {
  return [
    ...found.relations.filter(({ from }) => from === draft).map((relation) => describeToOne(relation, found)),
    ...found.relations.filter(({ to }) => to === draft).map((relation) => describeReverse(relation, found)),
    ...found.links.filter(({ from }) => from.to === draft).flatMap((link) => describeThrough(link, found) ?? []),
  ];
}

function describeToOne(relation: DraftRelation, found: FoundService): DescribedNavigation {
  const { from, to, foreignKey } = relation;
  const { toOne, reverse } = relationNames(relation, found);
  // The library requires this of a foreign key without null, although SQLite may contain rows that refer to no row.
  const isRequired = foreignKey.columns.every((name) => !mayBeNullIn(from, name, found));
  return {
    ...toOne,
    cardinality: isRequired ? "required" : "optional",
    ...targetOf(to.object, found),
    partner: reverse.field,
    on: pairs(from.object, foreignKey.columns, to.object, foreignKey.targetColumns, found),
    through: null,
    description: foreignKey.comment,
    ...baseOf(foreignKey),
  };
}

function baseOf({ base }: ForeignKey): Pick<DescribedNavigation, "base"> {
  return base === undefined ? {} : { base: { schema: base.schema, name: base.name } };
}

function mayBeNullIn(draft: DraftObject, name: string, { schema, options }: FoundService): boolean {
  const { column, mapped } = publishedColumn(draft.columns, name, schema.kind, options);
  return mayBeNull(draft, column, mapped, schema.kind);
}

function describeReverse(relation: DraftRelation, found: FoundService): DescribedNavigation {
  const { from, to, foreignKey, isUnique } = relation;
  const { toOne, reverse } = relationNames(relation, found);
  return {
    ...reverse,
    cardinality: isUnique ? "optional" : "many",
    ...targetOf(from.object, found),
    partner: toOne.field,
    on: pairs(to.object, foreignKey.targetColumns, from.object, foreignKey.columns, found),
    through: null,
    description: null,
    ...baseOf(foreignKey),
  };
}

/** @returns undefined if the columns of the link table are read by expressions, which links cannot do */
function describeThrough(link: FoundLink, found: FoundService): DescribedNavigation | undefined {
  const { names } = found;
  const [name, back] = [names.links.get(link.id), names.links.get(link.back)];
  const through = describeLink(link, found);
  if (through === undefined && link.id < link.back) {
    const message = "is not a many-to-many navigation: expressions read its columns";
    found.warn({ code: "link-table", place: placeOf(link.link.object), message, flag: null });
  }
  if (name === undefined || through === undefined) return undefined;
  return {
    ...name,
    cardinality: "many",
    ...targetOf(link.to.to.object, found),
    partner: back?.field ?? null,
    on: [],
    through,
    description: link.link.object.comment,
  };
}

function describeLink({ link, from, to }: FoundLink, found: FoundService): DescribedLink | undefined {
  const columns: Record<string, StorageForm> = {};
  for (const name of [...from.foreignKey.columns, ...to.foreignKey.columns]) {
    const { mapped } = publishedColumn(link.columns, name, found.schema.kind, found.options);
    if (mapped.sql !== null) return undefined;
    if (mapped.storage !== null) columns[name] = mapped.storage;
  }
  const { object } = link;
  const field = (owner: SchemaObject, name: string | undefined): string =>
    memberOf(owner, required(name, "A foreign key has as many columns as its target."), found.names).field;
  return {
    table: { schema: object.schema, name: object.name },
    needsSchema: object.schema !== found.schema.defaultSchema,
    from: from.foreignKey.columns.map((name, at) => [field(from.to.object, from.foreignKey.targetColumns[at]), name]),
    to: to.foreignKey.columns.map((name, at) => [name, field(to.to.object, to.foreignKey.targetColumns[at])]),
    columns,
    ...describePlacement(object, found.schema, (name) =>
      [...from.foreignKey.columns, ...to.foreignKey.columns].includes(name) ? name : undefined,
    ),
  };
}

function relationNames({ id }: DraftRelation, { names }: FoundService): RelationNames {
  return required(names.relations.get(id), "Each relation has names.");
}

function targetOf(object: SchemaObject, { names }: FoundService): Pick<DescribedNavigation, "target" | "targetSet"> {
  const { typeName, setName } = namesOf(object, names);
  return { target: typeName, targetSet: setName };
}

function pairs(
  object: SchemaObject,
  columns: readonly string[],
  target: SchemaObject,
  targetColumns: readonly string[],
  { names }: FoundService,
): DescribedNavigation["on"] {
  return columns.map((name, at) => [
    memberOf(object, name, names).field,
    memberOf(target, required(targetColumns[at], "A foreign key has as many columns as its target."), names).field,
  ]);
}

/** The indexes that serve a property. */
interface IndexUse {
  readonly isIndexed: boolean;
  readonly hasOrderedIndex: boolean;
}

const NONE: IndexUse = { isIndexed: false, hasOrderedIndex: false };

/** Finds the indexes that begin with a column, or with the column of a table that a view returns unchanged. */
function findIndexes(
  object: SchemaObject,
  column: ObjectColumn,
  { type, storage, sql, isCollection, nullable }: DescribedColumn & { readonly nullable: boolean },
  { kind, objects }: DatabaseSchema,
): IndexUse {
  const { nullsAreLast, textCollation } = catalogueOf(kind).indexes;
  const isCollated = textCollation !== null;
  // Statements compare the text of such a cell, which no index on the column contains.
  if (sql !== null || isCollection || (storage === "text" && (isCollated || type === "Edm.String"))) return NONE;
  const { source } = column;
  const table = source === null ? object : objects.find((each) => isNamed(each, source));
  const name = source === null ? column.name : source.column;
  const needsCodePoints = isCollated && type === "Edm.String" && storage !== "hex";
  const firsts = (table?.indexes ?? []).flatMap(({ columns: [first] }) =>
    first?.name === name && (!needsCodePoints || isByCodePoint(first.collation)) ? [first] : [],
  );
  // Statements order null first, and some databases have indexes that order it last.
  const needsNulls = nullsAreLast && nullable;
  return {
    isIndexed: firsts.length > 0,
    hasOrderedIndex: firsts.some(({ nullsFirst }) => nullsFirst || !needsNulls),
  };
}

/** Statements over PostgreSQL compare strings by code point, whatever the collation of the column. */
function isByCodePoint(collation: string | null): boolean {
  return collation === "C" || collation === "POSIX";
}

function isNamed(object: SchemaObject, wanted: { readonly schema: string; readonly name: string }): boolean {
  return object.schema === wanted.schema && object.name === wanted.name;
}

/** Returns whether a column becomes a property of an enumeration type. */
export function isEnumColumn(kind: DatabaseKind, column: ObjectColumn, options: DescribeOptions): boolean {
  const mapping = roughMapping(kind, column, options);
  return "column" in mapping && typeof mapping.column.type === "object";
}

/** Returns the name of the enumeration type of a column; null without one. */
function enumTypeOf({ object }: DraftObject, column: ObjectColumn, names: ServiceNames): string | null {
  if (column.labels === null) return null;
  if (column.enumType !== null) return names.enumTypes.get(objectKey(column.enumType)) ?? null;
  return names.objects.get(objectKey(object))?.enumTypes.get(column.name) ?? null;
}

/** Describes the enumeration types of all columns, in the order of their names. The values are the positions of the labels. */
export function describeEnumTypes(
  drafts: readonly DraftObject[],
  names: ServiceNames,
  kind: DatabaseKind,
  options: DescribeOptions,
): readonly DescribedEnumType[] {
  const found = new Map<string, DescribedEnumType>();
  for (const draft of drafts) {
    for (const column of draft.columns) {
      const name = isEnumColumn(kind, column, options) ? enumTypeOf(draft, column, names) : null;
      if (name === null) continue;
      const members = (column.labels ?? []).map((label, value) => ({ name: label, value }));
      found.set(name, { name, members, description: null });
    }
  }
  return [...found.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** Returns whether the property of a column may be null in responses. Collections are empty instead. */
function mayBeNull(
  { key, object }: DraftObject,
  column: ObjectColumn,
  chosen: DescribedColumn,
  kind: DatabaseKind,
): boolean {
  const { name, nullable, sample } = column;
  // SQLite does not enforce types, so a row beyond the sample may have a cell that the property cannot have.
  const isAnyText = chosen.sql !== null || (chosen.type === "Edm.String" && chosen.storage === "text");
  const isPartlySampled = sample !== null && object.estimatedRows === null && !isAnyText;
  if (key.columns.includes(name) || chosen.isCollection || object.provenKey.includes(name)) return false;
  return nullable || mayBeUnreadable(chosen, kind, column) || isPartlySampled;
}

/**
 * Returns whether the column may hold cells that the property cannot have, such as infinity, NaN and zero dates: it does, or its
 * cells were not checked. The service returns null for them.
 */
function mayBeUnreadable(
  chosen: DescribedColumn,
  kind: DatabaseKind,
  { definition, holdsUnreadable: checked, holdsUnreadable = true }: ObjectColumn,
): boolean {
  const { type, storage } = chosen;
  if (typeof type === "object" && checked === true) return true;
  // A mapped Boolean has two cells, and the column may have others. So has a mapped enumeration.
  if (typeof storage === "object" && storage !== null) return true;
  return rulesOf(kind).mayBeUnreadable(chosen, definition, holdsUnreadable);
}

/** Everything that is known when sets are described. */
interface FoundService {
  readonly schema: DatabaseSchema;
  readonly options: DescribeOptions;
  readonly relations: readonly DraftRelation[];
  readonly links: readonly FoundLink[];
  readonly names: ServiceNames;
  readonly forced: ForcedTypes;
  /** Returns a free name for the enumeration type of a column. */
  readonly nameEnum: (object: SchemaObject, column: string) => string;
  readonly warn: (warning: DescribedWarning) => void;
}

/** Makes the function that names enumeration types after an entity type and a property. */
export function enumNamer(names: ServiceNames): FoundService["nameEnum"] {
  const taken = new TakenNames();
  for (const { typeName, setName, enumTypes } of names.objects.values()) {
    for (const name of [typeName, setName, ...enumTypes.values()]) taken.add(name);
  }
  for (const name of names.enumTypes.values()) taken.add(name);
  return (object, column) => {
    const name = `${namesOf(object, names).typeName}${memberOf(object, column, names).name}`;
    const free = taken.free([name, `${name}Type`]);
    taken.add(free);
    return free;
  };
}

/** Returns the names of a published object. */
function namesOf(object: SchemaObject, names: ServiceNames): ObjectNames {
  return required(names.objects.get(objectKey(object)), `${object.name} has no name.`);
}

/** Returns the name of the property of a published column. */
function memberOf(object: SchemaObject, column: string, names: ServiceNames): MemberName {
  return required(namesOf(object, names).properties.get(column), `${object.name}.${column} has no name.`);
}
