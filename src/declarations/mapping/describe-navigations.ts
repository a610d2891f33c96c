import { required } from "../../base/required.ts";
import type { ForeignKey, SchemaObject } from "../../introspect/database-schema.ts";
import type { StorageForm } from "../../kysely/columns/storage-option.ts";
import type { DescribedLink, DescribedNavigation } from "../described-service.ts";
import type { RelationNames } from "../names/naming.ts";
import type { DraftObject } from "./draft-object.ts";
import type { FoundLink } from "./find-links.ts";
import type { FoundRelation } from "./find-relations.ts";
import { memberOf, namesOf, type FoundService } from "./found-service.ts";
import { mayBeNull } from "./may-be-null.ts";
import { placeOf, publishedColumn } from "./rough-mapping.ts";

/** Describes the navigations of an object: its foreign keys, those that refer to it, and link tables. */
export function describeNavigations(draft: DraftObject, found: FoundService): readonly DescribedNavigation[] {
  return [
    ...found.relations.filter(({ from }) => from === draft).map((relation) => describeToOne(relation, found)),
    ...found.relations.filter(({ to }) => to === draft).map((relation) => describeReverse(relation, found)),
    ...found.links.filter(({ from }) => from.to === draft).flatMap((link) => describeThrough(link, found) ?? []),
  ];
}

function describeToOne(relation: FoundRelation, found: FoundService): DescribedNavigation {
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

function describeReverse(relation: FoundRelation, found: FoundService): DescribedNavigation {
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
    const message = "is no many-to-many navigation: expressions read its columns";
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
  };
}

function relationNames({ id }: FoundRelation, { names }: FoundService): RelationNames {
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
