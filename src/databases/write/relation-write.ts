import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { required } from "../../base/required.ts";
import type { Context, WriteContext } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { ALONE, type EntityLink, linkEnds, statedReferences } from "../../definition/sets/judge-references.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import { keyPairsOf, ownProperties, reversedPairs } from "../../edm/key-holder.ts";
import type { NavigationJoin, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { hasExpected, toExpected } from "./expected-values.ts";
import { currentReferring, type StatedIn, statedIn } from "./guarded-references.ts";
import type { Restrictions } from "./placed-rows.ts";
import { placeBeyondKey, isAmbiguous } from "./shared-keys.ts";
import { inStatement, inTransaction, type SqlSession } from "./sql-session.ts";
import { type DeclaredTable, tableOf, readSeen, tableBehindSet, targetSet, writtenSet } from "./sql-table.ts";
import type { Values } from "./stored-columns.ts";
import { type TableWriter, type WriteTask, writerOf } from "./table-writer.ts";
import { checkVisible, isVisible, restrictionsOf, rulesBeyondKey, seesNone, type SetRow } from "./visible-rows.ts";

/** A navigation from the rows of a table. */
export interface RelatedWrite {
  readonly table: DeclaredTable;
  /** The application's key of the navigation. */
  readonly field: string;
}

/** A navigation with both sides, within a transaction that locks the entity that it starts from. */
export interface LockedRelation {
  readonly task: WriteTask;
  readonly navigation: NavigationProperty;
  readonly join: NavigationJoin;
  readonly own: TableWriter;
  readonly ownKey: readonly PrimitiveValue[];
  /** The entity that the navigation starts from, with the properties for the join and the preconditions. */
  readonly row: Values;
  readonly other: TableWriter;
  /** The sets of both sides, and their row rules for the user. */
  readonly set: EntitySetDefinition;
  readonly target: EntitySetDefinition;
  readonly restrictions: Restrictions;
  /** The foreign keys of the entity to create, and the foreign keys that the link changes, by `LINKED`. */
  readonly stated: StatedIn;
}

/** The entity of a link that is added to an existing row: all its values follow from the link. */
export const LINKED: object = Object.freeze({});

/** Thrown for a missing entity if the endpoint has its own message for that. */
export const MISSING: ODataError = protocolError("NotFound", "There is no entity with this key.");

/** Returns the error for an `@odata.id` that names no entity of the target set. */
export function unknownId({ entitySet }: EntitySetDefinition): ODataError {
  const message = `@odata.id: ${entitySet.name} has no entity with this key.`;
  return protocolError("NotFound", message, { target: "@odata.id" });
}

/** Returns the error for a link that does not exist. */
export function noLink(): ODataError {
  return protocolError("NotFound", "There is no link to this entity.", { target: "$id" });
}

/** The keys of the entities of a write. */
interface LinkedKeys {
  readonly key: unknown;
  readonly related?: unknown;
  readonly absent?: (target: EntitySetDefinition) => ODataError;
  /** A related entity to create. */
  readonly created?: Values;
  /** Whether a link is added between existing entities. */
  readonly isAdded?: boolean;
}

/**
 * Runs a write along a navigation in a transaction.
 * @throws ODataError for an entity that is missing, hidden from the user or changed; `Forbidden` if the user would not see
 *   it afterwards
 */
export async function withRelation(
  { table: declared, field }: RelatedWrite,
  { key, related, absent, created, isAdded = false }: LinkedKeys,
  context: AnyWriteContext,
  work: (relation: LockedRelation) => Promise<void>,
): Promise<void> {
  const table = await declared.open(context);
  const set = required(writtenSet(context, table), `The table ${table.name} is not part of this service.`);
  const navigation = required(
    [...set.entitySet.navigationProperties.values()].find((each) => each.field === field),
    `The navigation ${field} is not part of this service.`,
  );
  const problem = `The target of the navigation ${field} is not a table.`;
  const join = required(set.entitySet.navigationJoins.get(navigation.name), problem);
  const target = required(targetSet(context, set, navigation.name), problem);
  const other = required(tableBehindSet(target), problem).over(table.db);
  if (!(await isShown(set, key, context))) throw MISSING;
  if (absent !== undefined && !(await isShown(target, related, context))) throw absent(target);
  const own = writerOf(table);
  const ownKey = own.keyValues(key);
  const expected = toExpected(table, context.expected);
  const relation = { set, target, navigation, ownRow: { set, table, key: ownKey } };
  const stated = isAdded
    ? await statedByLink(relation, { set: target, table: other, key: writerOf(other).keyValues(related) }, context)
    : await statedByCreation(relation, created, context);
  const referred = [...stated.values()].flatMap((each) => each.map((reference) => reference.target));
  const restrictions = await restrictionsOf([set, target, ...referred], context);
  const missing = (): ODataError => (expected.length === 0 ? MISSING : changed(context));
  if (seesNone(restrictions, set)) throw missing();
  const write = async (session: SqlSession): Promise<void> => {
    const task: WriteTask = { session, context, place: "", restrictions };
    const asked = [...ownProperties(join), ...expected.map(([property]) => property)];
    const row = await own.read(task, ownKey, selectedOf(own, asked), "locked");
    const isSeen = row !== null && (await isVisible(task, restrictions, { set, table, key: ownKey }));
    if (!isSeen || !hasExpected(row, expected)) throw missing();
    const ends = { own, ownKey, row, other: writerOf(other), set, target };
    await work({ task, navigation, join, ...ends, restrictions, stated });
    await checkVisible(task, restrictions, { set, table, key: ownKey });
  };
  const mayBeRefused = restrictions.size > 0 || isAmbiguous(other) || placeBeyondKey(table) !== null;
  await inTransaction(table, context, write, mayBeRefused);
}

/** A navigation with the row that it starts from. */
interface OwnRelation extends Pick<LockedRelation, "set" | "target" | "navigation"> {
  readonly ownRow: SetRow;
}

/** Returns the foreign keys of an entity that is created along a navigation, with the values that follow from the parent. */
async function statedByCreation(
  { set, target, navigation, ownRow }: OwnRelation,
  created: Values | undefined,
  context: Context,
): Promise<StatedIn> {
  if (created === undefined) return new Map();
  const parent = { target: set.entitySet, pairs: reversedPairs(keyPairsOf(set.entitySet, navigation)), values: {} };
  const entity = { ...ALONE, set: target, entity: created, parent };
  if (statedReferences(entity).length === 0) return new Map();
  return statedIn([{ ...entity, parent: await withValues(parent, ownRow, context) }], context);
}

/** Returns the foreign keys of a row that share properties with a link. */
async function statedByLink(
  { set, navigation, ownRow }: OwnRelation,
  otherRow: SetRow,
  context: Context,
): Promise<StatedIn> {
  const { written, from, pairs } = linkEnds(set.entitySet, navigation, ownRow, otherRow);
  const link = { target: from.set.entitySet, pairs, values: {} };
  const entity = { ...ALONE, set: written.set, entity: LINKED, links: [link] };
  if (statedReferences(entity).length === 0) return new Map();
  const links = [await withValues(link, from, context)];
  return statedIn([{ ...entity, links }], context, currentReferring(written, context));
}

/** Adds the values of a row to a link, before the transaction: those of its key, else the stored ones. */
async function withValues(link: EntityLink, { table, key }: SetRow, context: Context): Promise<EntityLink> {
  const { key: properties } = table.entityType;
  const isKey = link.pairs.every(({ related }) => properties.some(({ field }) => field === related.field));
  if (isKey) return { ...link, values: Object.fromEntries(properties.map(({ field }, index) => [field, key[index]])) };
  const writer = writerOf(table);
  const selected = selectedOf(
    writer,
    link.pairs.map(({ related }) => related),
  );
  const restrictions = await rulesBeyondKey(table, context);
  const found = await inStatement(table, context, (session) =>
    writer.read({ session, context, place: "", restrictions }, key, selected),
  );
  return { ...link, values: found ?? {} };
}

/** Selects the key and further properties of an entity. */
function selectedOf(
  { table }: TableWriter,
  properties: readonly StructuralProperty[],
): readonly { readonly property: StructuralProperty }[] {
  const byField = new Map([...table.entityType.key, ...properties].map((property) => [property.field, property]));
  return [...byField.values()].map((property) => ({ property }));
}

/** Reads and locks a related entity; null if it is missing or hidden. */
export async function lockRelatedRow(
  { task, other, target, restrictions }: LockedRelation,
  key: readonly PrimitiveValue[],
  properties: readonly StructuralProperty[],
): Promise<Values | null> {
  if (seesNone(restrictions, target)) return null;
  const row = await other.read(task, key, selectedOf(other, properties), "locked");
  if (row === null) return null;
  return (await isVisible(task, restrictions, { set: target, table: other.table, key })) ? row : null;
}

/** @throws ODataError `Forbidden` if the user does not see a related entity that was written */
export function checkRelated(
  { task, other, target, restrictions }: LockedRelation,
  key: readonly PrimitiveValue[],
  place?: unknown,
): Promise<void> {
  return checkVisible(task, restrictions, { set: target, table: other.table, key, place });
}

/** Makes the error for changed values. Values are expected after a precondition held: If-Match, otherwise If-None-Match. */
function changed({ request }: AnyWriteContext): ODataError {
  const header = request.headers.has("If-Match") ? "If-Match" : "If-None-Match";
  return protocolError(
    "PreconditionFailed",
    `${header} does not hold. No entity has this key, or the entity has changed.`,
  );
}

/**
 * Whether a set shows an entity to the user. A set whose rows are chosen by handlers of the application may hide it; without
 * a handler that reads by key, such a set shows none. Call this before a transaction begins, because a handler may wait for
 * the same connection.
 * @throws ODataError that a handler returns
 */
async function isShown(set: EntitySetDefinition, key: unknown, context: Context): Promise<boolean> {
  const { getByKey, queryable, getAll, applyQuery } = set.handlers;
  if (getByKey === undefined) {
    return getAll === undefined && applyQuery === undefined && (queryable === undefined || tableOf(queryable) !== null);
  }
  if (tableOf(getByKey) !== null) return true;
  return (await readSeen(set, key, context)) !== null;
}

/** The last argument of handlers that write; the type of its ETag values does not matter here. */
export type AnyWriteContext = Context & Partial<Pick<WriteContext<EntityTypeDeclaration>, "expected">>;
