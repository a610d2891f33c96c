import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { valuesToSet, WriteFacts } from "../../definition/model/set-values.ts";
import { suppliedIn } from "../../definition/sets/supplied-values.ts";
import { type KeyHolder, keyHolderOf, ownProperties, relatedProperties, unknownHolder } from "../../edm/key-holder.ts";
import { keyOf } from "../../edm/literal.ts";
import type { DirectJoin, LinkJoin, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { asDirect } from "../translate/join-navigation.ts";
import { checkReferredRows, lockedReferring } from "./guarded-references.ts";
import { insertNode, type InsertTask } from "./insert-node.ts";
import { addLink, removeLink } from "./link-rows.ts";
import {
  type AnyWriteContext,
  checkRelated,
  LINKED,
  MISSING,
  noLink,
  lockRelatedRow,
  unknownId,
  withRelation,
  type RelatedWrite,
  type LockedRelation,
} from "./relation-write.ts";
import type { Values } from "./stored-columns.ts";
import type { TableWriter, WriteTask } from "./table-writer.ts";
import { checkSeesAny, isVisible, type SetRow } from "./visible-rows.ts";

/** Adds a link to a collection. */
export function addRelated(
  write: RelatedWrite,
  key: unknown,
  related: unknown,
  context: AnyWriteContext,
): Promise<void> {
  const ends = { key, related, absent: unknownId, isAdded: true };
  return withRelation(write, ends, context, (relation) => link(relation, related));
}

/** Sets the link of a single-valued navigation, in place of the previous link. */
export function setRelated(
  write: RelatedWrite,
  key: unknown,
  related: unknown,
  context: AnyWriteContext,
): Promise<void> {
  const ends = { key, related, absent: unknownId, isAdded: true };
  return withRelation(write, ends, context, async (relation) => {
    const { join } = relation;
    if (join.kind === "direct" && holderOf(relation) === "related") await clear(relation, join, related);
    await link(relation, related);
  });
}

/** Removes a link of a collection. @throws ODataError `NotFound` if it does not exist */
export function removeRelated(
  write: RelatedWrite,
  key: unknown,
  related: unknown,
  context: AnyWriteContext,
): Promise<void> {
  return withRelation(write, { key, related, absent: noLink }, context, async (relation) => {
    const { join, other, task, own } = relation;
    const otherKey = other.keyValues(related);
    const row = await lockRelatedRow(relation, otherKey, relatedProperties(join));
    const isLinked =
      row !== null &&
      (join.kind === "link"
        ? await removeLink(task, { own: own.table, other: other.table }, join, linkValues(relation, join, row))
        : await isRelated(relation, join, row, otherKey));
    if (!isLinked) throw noLink();
    if (join.kind === "direct") {
      const foreignKey = join.pairs.map((pair) => pair.related);
      await changeRow(relation.task, { set: relation.target, writer: other, key: otherKey }, nulls(other, foreignKey));
    }
    await checkRelated(relation, otherKey);
  });
}

/** Removes the link of a single-valued navigation, if it exists. */
export function clearRelated(write: RelatedWrite, key: unknown, context: AnyWriteContext): Promise<void> {
  return withRelation(write, { key }, context, async (relation) => {
    const { navigation, own, ownKey, task, set } = relation;
    const join = asDirect(relation.join, navigation);
    if (ownProperties(join).some(({ field }) => (relation.row[field] ?? null) === null)) return;
    if (holderOf(relation) === "parent") {
      const foreignKey = join.pairs.map(({ property }) => property);
      await changeRow(task, { set, writer: own, key: ownKey }, nulls(own, foreignKey));
    } else await clear(relation, join, undefined);
  });
}

/**
 * Creates an entity that is related to an entity of this table by `on`.
 * @returns null if no entity has this key
 */
export async function createRelated(
  write: RelatedWrite,
  key: unknown,
  values: object,
  context: AnyWriteContext,
): Promise<Values | null> {
  let created: Values | null = null;
  try {
    await withRelation(write, { key, created: values as Values }, context, async (relation) => {
      const { other, target, restrictions, stated } = relation;
      checkSeesAny(context, restrictions, target);
      const join = asDirect(relation.join, relation.navigation);
      const task: InsertTask = { ...relation.task, written: [], restrictions, stated };
      const node = { table: other.table, set: null, values: values as Values };
      const stored = await insertNode(task, node, linked(relation, join), []);
      await checkRelated(relation, other.keyOf(stored.entity), task.written[0]?.place);
      created = stored.entity;
    });
  } catch (error) {
    if (error === MISSING) return null;
    throw error;
  }
  return created;
}

async function link(relation: LockedRelation, related: unknown): Promise<void> {
  const { navigation, join, own, ownKey, other, task, set, target } = relation;
  const otherKey = other.keyValues(related);
  const row = await lockRelatedRow(relation, otherKey, relatedProperties(join));
  if (row === null) throw unknownId(target);
  if (join.kind === "link") {
    await addLink(task, { own: own.table, other: other.table }, join, linkValues(relation, join, row));
  } else if (holderOf(relation) === "parent") {
    const pairs = join.pairs.map(({ property, related: { field } }) => ({ property, value: row[field] ?? null }));
    if (pairs.some(({ value }) => value === null)) throw hasNoValue(navigation);
    const values = changesOf(own, pairs, relation.row);
    await checkReferred(relation, { set, table: own.table, key: ownKey }, values);
    await changeRow(task, { set, writer: own, key: ownKey }, values);
  } else {
    const given = linked(relation, join);
    const pairs = join.pairs.map(({ related: property }) => ({ property, value: given[property.field] }));
    const values = changesOf(other, pairs, row);
    await checkReferred(relation, { set: target, table: other.table, key: otherKey }, values);
    await changeRow(task, { set: target, writer: other, key: otherKey }, values);
  }
  await checkRelated(relation, otherKey);
}

/** Returns the side with the foreign key. @throws ODataError `NotImplemented` if either side could refer to the other */
function holderOf({ set: { entitySet }, navigation }: LockedRelation): KeyHolder {
  const holder = keyHolderOf(entitySet, navigation);
  if (holder !== "unknown") return holder;
  throw protocolError("NotImplemented", unknownHolder(entitySet, navigation), { target: navigation.name });
}

/** A row that a link changes. */
interface ChangedRow {
  readonly set: EntitySetDefinition;
  readonly writer: TableWriter;
  readonly key: readonly PrimitiveValue[];
}

/** Writes the values of a link, and the values that the server sets in each change of the row. */
async function changeRow(task: WriteTask, { set, writer, key }: ChangedRow, values: Values): Promise<Values | null> {
  const { setValues, entitySet } = set;
  if (setValues === null) return writer.update(task, key, { values, stored: null }, []);
  const seen = suppliedIn(task.context);
  const given = seen?.of(entitySet.name, key) ?? (await seen?.supply?.(key, values));
  const known = { ...given, ...values };
  const { context } = task;
  const facts = new WriteFacts({
    context,
    ofHandlers: () => context,
    input: values,
    key: keyOf(entitySet.entityType, key),
  });
  const supplied = {
    cause: "update",
    given: known,
    facts,
    run: (_name: string, supply: () => unknown) => supply(),
  } as const;
  const own = await valuesToSet(setValues, supplied);
  return writer.update(task, key, { values: { ...known, ...own }, stored: null }, []);
}

/** A property of a foreign key, and its value in a link. */
interface LinkedValue {
  readonly property: StructuralProperty;
  readonly value: unknown;
}

/**
 * Returns the values that a link changes. Values that the server sets must already be those of the link, such as the tenant
 * of both rows.
 * @param current the row with the foreign key
 * @throws ODataError `NotSupported`, `ImmutableKey` for a property that links cannot write
 */
function changesOf(writer: TableWriter, pairs: readonly LinkedValue[], current: Values): Values {
  const isOfClients = pairs.some(({ property }) => property.serverSet !== true);
  const changed = pairs.filter(({ property, value }) => {
    return !isOfClients || property.serverSet !== true || !isEqual(property, current[property.field], value);
  });
  return Object.fromEntries(changed.map(({ property, value }) => [checkChangeable(writer, property).field, value]));
}

function isEqual(property: StructuralProperty, one: unknown, other: unknown): boolean {
  if (one === null || one === undefined || other === null || other === undefined) return false;
  return codecOf(property).compare(one as PrimitiveValue, other as PrimitiveValue) === 0;
}

/** Checks the other foreign keys of a row that share properties with a link. @param entity the values that the link writes */
async function checkReferred(
  { task, restrictions, stated }: LockedRelation,
  row: SetRow,
  entity: Values,
): Promise<void> {
  const beside = stated.get(LINKED) ?? [];
  if (beside.length > 0) await checkReferredRows(task, restrictions, beside, { entity, ...lockedReferring(row, task) });
}

/** Removes all links of visible rows of the other table to this entity, except one. */
async function clear(relation: LockedRelation, join: DirectJoin, kept: unknown): Promise<void> {
  const { other, task, target, restrictions } = relation;
  const keptKey = kept === undefined ? null : textOf(other.keyValues(kept));
  const keys = await other.keysBy(task, linked(relation, join), join.pairs);
  for (const { key, place } of keys) {
    if (textOf(key) === keptKey) continue;
    if (!(await isVisible(task, restrictions, { set: target, table: other.table, key, place }))) continue;
    const foreignKey = join.pairs.map((pair) => pair.related);
    await changeRow(task, { set: target, writer: other, key }, nulls(other, foreignKey));
    await checkRelated(relation, key);
  }
}

/** Returns the values of the related entity that refer to this entity. @throws ODataError if one of them would be null */
function linked({ row, navigation }: LockedRelation, join: DirectJoin): Values {
  const values = join.pairs.map((pair) => {
    const value = row[pair.property.field] ?? null;
    if (value !== null) return [pair.related.field, value] as const;
    throw hasNoValue(navigation);
  });
  return Object.fromEntries(values);
}

function hasNoValue({ name }: NavigationProperty): ODataError {
  const problem = "The entity cannot be related: one of the values that the link needs is null.";
  return protocolError("NotSupported", problem, { target: name });
}

function linkValues({ row, navigation }: LockedRelation, join: LinkJoin, other: Values): readonly PrimitiveValue[] {
  const values = [
    ...join.from.map(({ property }) => row[property.field]),
    ...join.to.map(({ property }) => other[property.field]),
  ];
  // Single-valued properties are read as primitive values.
  if (!values.includes(null) && !values.includes(undefined)) return values as readonly PrimitiveValue[];
  throw protocolError("NotSupported", "The entities cannot be linked: one of the values that the link needs is null.", {
    target: navigation.name,
  });
}

async function isRelated(
  relation: LockedRelation,
  join: DirectJoin,
  row: Values,
  otherKey: readonly PrimitiveValue[],
): Promise<boolean> {
  const values = linked(relation, join);
  const { other, task } = relation;
  if (other.table.comparesOtherwise(join.pairs)) {
    const keys = await other.keysBy(task, values, join.pairs);
    return keys.some(({ key }) => textOf(key) === textOf(otherKey));
  }
  return join.pairs.every(({ related }) => isEqual(related, row[related.field], values[related.field]));
}

/** Returns a text that identifies a key among keys of one type. */
function textOf(key: readonly PrimitiveValue[]): string {
  return JSON.stringify(key.map(String));
}

/**
 * Returns null for each property of a link that the server does not set.
 * @throws ODataError if one of them is never null, and if the server sets them all
 */
function nulls(writer: TableWriter, foreignKey: readonly StructuralProperty[]): Values {
  const ofClients = foreignKey.filter(({ serverSet }) => serverSet !== true);
  const properties = ofClients.length === 0 ? foreignKey : ofClients;
  const required = properties.find(({ nullable, isKey }) => !nullable || isKey);
  if (required === undefined) {
    return Object.fromEntries(properties.map((property) => [checkChangeable(writer, property).field, null]));
  }
  const target = shownName(writer, required);
  const problem = "is never null, so the link cannot be removed: set another link instead.";
  throw protocolError("NullNotAllowed", `${subject(target)} ${problem}`, { target });
}

/** Returns the property. @throws ODataError if only the first write may set it */
function checkChangeable(writer: TableWriter, property: StructuralProperty): StructuralProperty {
  const { isKey, computed, immutable } = property;
  if (!isKey && !computed && !immutable) return property;
  const target = shownName(writer, property);
  if (!isKey) throw protocolError("NotSupported", `${subject(target)} cannot be written.`, { target });
  throw protocolError("ImmutableKey", `${subject(target)} is part of a key, and keys never change.`, { target });
}

/** Returns the name of a property; undefined if clients must not know it. */
function shownName({ table }: TableWriter, { name, field }: StructuralProperty): string | undefined {
  return table.entityType.properties.some((property) => property.field === field) ? name : undefined;
}

function subject(name: string | undefined): string {
  return name === undefined ? "The property of the link" : `'${name}', the property of the link,`;
}
