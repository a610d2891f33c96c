import type { Context, WriteContext } from "../definition/context.ts";
import type { EntityTypeDeclaration } from "../definition/value-type.ts";
import type { DirectJoin, LinkJoin, NavigationJoin, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { hasExpected, toExpected } from "./expected-values.ts";
import { ownProperties, refersToKey, relatedProperties } from "./join-sides.ts";
import { addLink, removeLink } from "./link-rows.ts";
import { isShown } from "./shown-entity.ts";
import { insertNode } from "./sql-deep-insert.ts";
import { inTransaction } from "./sql-session.ts";
import type { SqlTable } from "./sql-table.ts";
import { setOfTable, tableOfSet, targetSet } from "./table-sets.ts";
import type { TableWriter, Values, WriteTask } from "./table-writer.ts";
import { writerOf } from "./writer-of-table.ts";

/** What writes get as their last argument; its type of the ETag values does not matter here. */
export type LinkContext = Context & Partial<Pick<WriteContext<EntityTypeDeclaration>, "expected">>;

/** A navigation from the rows of a table. */
export interface RelatedWrite {
  readonly table: SqlTable;
  /** The application's key of the navigation. */
  readonly field: string;
}

/** A navigation with both of its sides, within a transaction in which nobody else writes the entity that it starts from. */
interface Relation {
  readonly task: WriteTask;
  readonly navigation: NavigationProperty;
  readonly join: NavigationJoin;
  readonly own: TableWriter;
  readonly ownKey: readonly PrimitiveValue[];
  /** The entity that the navigation starts from: what the join and the preconditions ask for. */
  readonly row: Values;
  readonly other: TableWriter;
}

/** Adds a link to a collection. */
export function addRelated(write: RelatedWrite, key: unknown, related: unknown, context: LinkContext): Promise<void> {
  const ends = { key, related, absent: unknownId };
  return withRelation(write, ends, context, (relation) => link(relation, related));
}

/** Sets the link of a single-valued navigation; what was linked before is not any more. */
export function setRelated(write: RelatedWrite, key: unknown, related: unknown, context: LinkContext): Promise<void> {
  return withRelation(write, { key, related, absent: unknownId }, context, async (relation) => {
    const { navigation, join } = relation;
    if (join.kind === "direct" && !refersToKey(navigation, join)) await clear(relation, join, related);
    await link(relation, related);
  });
}

/** Removes a link of a collection. @throws ODataError `NotFound` where there is none */
export function removeRelated(
  write: RelatedWrite,
  key: unknown,
  related: unknown,
  context: LinkContext,
): Promise<void> {
  return withRelation(write, { key, related, absent: noLink }, context, async (relation) => {
    const { join, other, task, own } = relation;
    const otherKey = other.keyValues(related);
    const row = await other.read(task, otherKey, selectedOf(other, relatedProperties(join)), true);
    const isLinked =
      row !== null &&
      (join.kind === "link"
        ? await removeLink(task, own.table, join, linkValues(relation, join, row))
        : isRelated(relation, join, row));
    if (!isLinked) throw noLink();
    if (join.kind === "direct") {
      await other.update(
        task,
        otherKey,
        nulls(
          other,
          join.pairs.map((pair) => pair.related),
        ),
        [],
      );
    }
  });
}

/** Removes the link of a single-valued navigation; without one nothing happens. */
export function clearRelated(write: RelatedWrite, key: unknown, context: LinkContext): Promise<void> {
  return withRelation(write, { key }, context, async (relation) => {
    const { navigation, join, own, ownKey, task } = relation;
    if (join.kind === "link") throw new Error(`${navigation.name} leads to more than one entity.`);
    if (ownProperties(join).some(({ field }) => (relation.row[field] ?? null) === null)) return;
    if (refersToKey(navigation, join)) {
      await own.update(
        task,
        ownKey,
        nulls(
          own,
          join.pairs.map(({ property }) => property),
        ),
        [],
      );
    } else await clear(relation, join, undefined);
  });
}

/**
 * Creates an entity that is related to one of this table, along `on`.
 * @returns null where the entity of the key is missing
 */
export async function createRelated(
  write: RelatedWrite,
  key: unknown,
  values: object,
  context: LinkContext,
): Promise<Values | null> {
  let created: Values | null = null;
  try {
    await withRelation(write, { key }, context, async (relation) => {
      const { join, other, task } = relation;
      if (join.kind === "link") throw new Error("Entities are created along `on` alone.");
      const stored = await insertNode(
        task,
        { table: other.table, set: null, values: values as Values },
        linked(relation, join),
        [],
      );
      created = stored.entity;
    });
  } catch (error) {
    if (error === MISSING) return null;
    throw error;
  }
  return created;
}

/** Stands for an entity that is not there, where the endpoint has words of its own for that. */
const MISSING: ODataError = protocolError("NotFound", "There is no entity with this key.");

function unknownId(): ODataError {
  return protocolError("InvalidBody", "@odata.id: There is no entity with this key.", { target: "@odata.id" });
}

function noLink(): ODataError {
  return protocolError("NotFound", "There is no link to this entity.", { target: "$id" });
}

/** The keys of the entities that a write is about. */
interface LinkEnds {
  readonly key: unknown;
  readonly related?: unknown;
  /** Makes the error of a related entity that is not there. */
  readonly absent?: () => ODataError;
}

/** Runs a write along a navigation in a transaction. @throws ODataError for an entity that is missing, or has changed */
async function withRelation(
  { table, field }: RelatedWrite,
  { key, related, absent }: LinkEnds,
  context: LinkContext,
  work: (relation: Relation) => Promise<void>,
): Promise<void> {
  const set = setOfTable(context, table);
  const navigation = [...(set?.entitySet.navigationProperties.values() ?? [])].find((each) => each.field === field);
  if (set === null || navigation === undefined) throw new Error(`The navigation ${field} is no part of this service.`);
  const join = set.entitySet.navigationJoins.get(navigation.name);
  const target = targetSet(context, set, navigation.name);
  const other = target === null ? null : tableOfSet(target);
  if (join === undefined || target === null || other === null) {
    throw new Error(`The navigation ${field} leads to no table.`);
  }
  if (!(await isShown(set, key, context))) throw MISSING;
  if (absent !== undefined && !(await isShown(target, related, context))) throw absent();
  const own = writerOf(table);
  const ownKey = own.keyValues(key);
  const expected = toExpected(table, context.expected);
  await inTransaction(table, context, async (session) => {
    const task: WriteTask = { session, context, place: "" };
    const asked = [...ownProperties(join), ...expected.map(([property]) => property)];
    const row = await own.read(task, ownKey, selectedOf(own, asked), true);
    if (row === null || !hasExpected(row, expected)) throw expected.length === 0 ? MISSING : changed();
    await work({ task, navigation, join, own, ownKey, row, other: writerOf(other) });
  });
}

async function link(relation: Relation, related: unknown): Promise<void> {
  const { navigation, join, own, ownKey, other, task } = relation;
  const otherKey = other.keyValues(related);
  const row = await other.read(task, otherKey, selectedOf(other, relatedProperties(join)), true);
  if (row === null) throw unknownId();
  if (join.kind === "link") {
    await addLink(task, own.table, join, linkValues(relation, join, row));
  } else if (!navigation.isCollection && refersToKey(navigation, join)) {
    const values = join.pairs.map(
      (pair) => [checkChangeable(own, pair.property).field, row[pair.related.field]] as const,
    );
    await own.update(task, ownKey, Object.fromEntries(values), []);
  } else {
    for (const pair of join.pairs) checkChangeable(other, pair.related);
    await other.update(task, otherKey, linked(relation, join), []);
  }
}

/** Removes the links of all rows of the other table that refer to this entity, but for one. */
async function clear(relation: Relation, join: DirectJoin, kept: unknown): Promise<void> {
  const { other, task } = relation;
  const keptKey = kept === undefined ? null : textOf(other.keyValues(kept));
  const keys = await other.keysBy(task, linked(relation, join));
  for (const key of keys) {
    if (textOf(key) === keptKey) continue;
    await other.update(
      task,
      key,
      nulls(
        other,
        join.pairs.map((pair) => pair.related),
      ),
      [],
    );
  }
}

/** The values of the related entity that refer to this one. @throws ODataError where there is nothing to refer by */
function linked({ row, navigation }: Relation, join: DirectJoin): Values {
  const values = join.pairs.map((pair) => {
    const value = row[pair.property.field] ?? null;
    if (value !== null) return [pair.related.field, value] as const;
    const problem = "A value of the entity is null, so that nothing can be related by it.";
    throw protocolError("NotSupported", problem, { target: navigation.name });
  });
  return Object.fromEntries(values);
}

function linkValues({ row, navigation }: Relation, join: LinkJoin, other: Values): readonly PrimitiveValue[] {
  const values = [
    ...join.from.map(({ property }) => row[property.field]),
    ...join.to.map(({ property }) => other[property.field]),
  ];
  // What is read of properties with a single value is one.
  if (!values.includes(null) && !values.includes(undefined)) return values as readonly PrimitiveValue[];
  throw protocolError("NotSupported", "A value is null, so that nothing can be linked by it.", {
    target: navigation.name,
  });
}

function isRelated(relation: Relation, join: DirectJoin, row: Values): boolean {
  const values = linked(relation, join);
  return join.pairs.every(({ related }) => {
    const [one, other] = [row[related.field] ?? null, values[related.field]];
    return one !== null && codecOf(related).compare(one as PrimitiveValue, other as PrimitiveValue) === 0;
  });
}

/** Tells keys of one type apart. */
function textOf(key: readonly PrimitiveValue[]): string {
  return JSON.stringify(key.map(String));
}

/** Null for each property of a link. @throws ODataError where one of them is never null */
function nulls(writer: TableWriter, properties: readonly StructuralProperty[]): Values {
  const required = properties.find(({ nullable, isKey }) => !nullable || isKey);
  if (required === undefined) {
    return Object.fromEntries(properties.map((property) => [checkChangeable(writer, property).field, null]));
  }
  const target = shownName(writer, required);
  const problem = "is never null, so that the link cannot be removed: set another one.";
  throw protocolError("NullNotAllowed", `${subject(target)} ${problem}`, { target });
}

/** @throws ODataError for a property that no write after the first may change */
function checkChangeable(writer: TableWriter, property: StructuralProperty): StructuralProperty {
  const { isKey, computed, immutable } = property;
  if (!isKey && !computed && !immutable) return property;
  const target = shownName(writer, property);
  if (!isKey) throw protocolError("NotSupported", `${subject(target)} cannot be written.`, { target });
  throw protocolError("ImmutableKey", `${subject(target)} is part of a key, which never changes.`, { target });
}

/** The name of a property; undefined where no client may know it. */
function shownName({ table }: TableWriter, { name, field }: StructuralProperty): string | undefined {
  return table.entityType.properties.some((property) => property.field === field) ? name : undefined;
}

function subject(name: string | undefined): string {
  return name === undefined ? "What the link is by" : `'${name}', which the link is by,`;
}

function selectedOf(
  { table }: TableWriter,
  properties: readonly StructuralProperty[],
): readonly { readonly property: StructuralProperty }[] {
  const byField = new Map([...table.entityType.key, ...properties].map((property) => [property.field, property]));
  return [...byField.values()].map((property) => ({ property }));
}

function changed(): ODataError {
  const reason = "If-Match does not hold. There is no entity with this key, or it has changed meanwhile.";
  return protocolError("PreconditionFailed", reason, { target: "If-Match" });
}
