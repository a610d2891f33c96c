import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/service-definition.ts";
import {
  type GuardedReference,
  missingReference,
  referredKey,
  referredValues,
  statedPairs,
} from "../../definition/sets/guarded-reference.ts";
import { ERROR_CODES } from "../../errors/error-codes.ts";
import { isODataError } from "../../errors/odata-error.ts";
import { tableOf, type SqlTable } from "./sql-table.ts";
import type { Values } from "./stored-columns.ts";
import { setOf, tableOfSet } from "./table-sets.ts";
import { type WriteTask, writerOf } from "./table-writer.ts";
import { isVisible, type Restrictions, restrictionsOf } from "./visible-rows.ts";

/** A foreign key that a write states. */
export interface StatedReference {
  readonly reference: GuardedReference;
  /** The set that it refers to. */
  readonly target: EntitySetDefinition;
  /** The name of the property, with its place in the body. */
  readonly name: string;
  /** Where the entity stands in the body, with a slash behind it. */
  readonly place: string;
  /** Whether handlers of the application, or another database, were asked and have no such entity. */
  readonly isAbsent: boolean;
}

/** What a write states of an entity. */
export interface StatedValues {
  readonly set: EntitySetDefinition | null;
  readonly values: Values;
  /** Where the entity stands in the body, with a slash behind it. */
  readonly place: string;
}

/**
 * Returns the foreign keys that a write states and that refer to sets of which the user does not see all rows. Sets that handlers of the
 * application or another database read are asked now: within the transaction a handler would wait for its connection.
 * @throws what a handler threw or returned, but 404
 */
export async function statedReferences(
  { set, values, place }: StatedValues,
  context: Context,
): Promise<readonly StatedReference[]> {
  const found: StatedReference[] = [];
  for (const reference of set?.guardedReferences ?? []) {
    const [first] = statedPairs(reference, values);
    const target = setOf(context, reference.target.name);
    const nested = values[reference.navigationProperty.field];
    if (first === undefined || target === null || (typeof nested === "object" && nested !== null)) continue;
    // Whoever sees all rows learns nothing from a constraint.
    if ((await restrictionsOf([target], context)).size === 0) continue;
    const isAbsent = await isAbsentFor(set, reference, target, values, context);
    found.push({ reference, target, name: place + first.property.name, place, isAbsent });
  }
  return found;
}

/** The foreign keys to sets with row rules, by the values that state them. */
export type StatedIn = ReadonlyMap<Values, readonly StatedReference[]>;

/** Finds the foreign keys that several new entities state. @throws as `statedReferences` */
export async function statedIn(entities: readonly StatedValues[], context: Context): Promise<StatedIn> {
  const found = new Map<Values, readonly StatedReference[]>();
  for (const each of entities) {
    const stated = await statedReferences(each, context);
    if (stated.length > 0) found.set(each.values, stated);
  }
  return found;
}

/** Returns those of the foreign keys that do not follow from related entities as a whole. @param known what does, by field */
export function notFollowing(stated: readonly StatedReference[], known: Values): readonly StatedReference[] {
  return stated.flatMap((each) => {
    const own = each.reference.pairs.find(({ property: { field } }) => known[field] === undefined);
    return own === undefined ? [] : [{ ...each, name: each.place + own.property.name }];
  });
}

/** Whether a write states a foreign key to a set with a row rule: most do not, and need no transaction for it. */
export function statesReferences(set: EntitySetDefinition | null, values: Values): boolean {
  return (set?.guardedReferences ?? []).some((reference) => statedPairs(reference, values).length > 0);
}

/** Whether a handler reads a table of the database of a set: the transaction of the write looks its rows up. */
function isJoined(set: EntitySetDefinition | null, getByKey: object): boolean {
  const [own, other] = [set === null ? null : tableOfSet(set), tableOf(getByKey)];
  return other !== null && own?.shares(other) === true;
}

async function isAbsentFor(
  set: EntitySetDefinition | null,
  reference: GuardedReference,
  { handlers: { getByKey }, getSeen }: EntitySetDefinition,
  values: Values,
  context: Context,
): Promise<boolean> {
  const referred = referredValues(reference, values);
  if (referred === null || getByKey === undefined || isJoined(set, getByKey)) return false;
  try {
    const answer: unknown = await (getSeen ?? getByKey)(referredKey(reference, referred), context);
    if (isODataError(answer)) throw answer;
    return answer === null || answer === undefined;
  } catch (error) {
    if (isODataError(error) && error.status === ERROR_CODES.NotFound) return true;
    throw error;
  }
}

/**
 * Refuses foreign keys to rows that the user does not see, before they are written: hidden and missing rows take the
 * same statement.
 * @param entity the row as it will be
 * @param current the row as it is; null for a new one
 * @throws ODataError `Conflict`, target the property
 */
export async function checkReferences(
  task: WriteTask,
  restrictions: Restrictions,
  stated: readonly StatedReference[],
  { table, entity, current }: { readonly table: SqlTable; readonly entity: Values; readonly current: Values | null },
): Promise<void> {
  for (const each of stated) {
    const { reference, name } = each;
    if (current !== null && keeps(reference, entity, current)) continue;
    if (isItself(each, table, entity)) continue;
    if (!(await isReferredSeen(task, restrictions, each, table, entity))) throw missingReference(name);
  }
}

async function isReferredSeen(
  task: WriteTask,
  restrictions: Restrictions,
  { reference, target, isAbsent }: StatedReference,
  table: SqlTable,
  entity: Values,
): Promise<boolean> {
  const values = referredValues(reference, entity);
  if (values === null) return true;
  if (isAbsent) return false;
  const other = tableOfSet(target);
  // A set that is no table of this database was asked before.
  if (other === null || !table.shares(other)) return true;
  const writer = writerOf(other);
  const key = writer.keyValues(referredKey(reference, values));
  const beside = reference.pairs.filter(({ related }) => !reference.target.entityType.key.includes(related));
  const isWhole = beside.length === 0;
  if (isWhole) return isVisible(task, restrictions, { set: target, table: other, key });
  const selected = [...other.entityType.key, ...beside.map(({ related }) => declaredOf(other, related.field))];
  const row = await writer.read(
    task,
    key,
    selected.map((property) => ({ property })),
  );
  const isEqual = row !== null && beside.every(({ related: { field } }) => row[field] === values[field]);
  return isEqual && isVisible(task, restrictions, { set: target, table: other, key });
}

function declaredOf({ entityType }: SqlTable, wanted: string): SqlTable["entityType"]["properties"][number] {
  const found = [...entityType.properties, ...entityType.ignoredProperties].find(({ field }) => field === wanted);
  if (found === undefined) throw new Error(`${entityType.name} has no property ${wanted}.`);
  return found;
}

/** A foreign key that is not changed tells nobody anything: bodies as read can be written. */
function keeps({ pairs }: GuardedReference, entity: Values, current: Values): boolean {
  return pairs.every(({ property: { field } }) => (entity[field] ?? null) === (current[field] ?? null));
}

/** Whether a row refers to itself: it is there once it is written. */
function isItself({ reference, target }: StatedReference, table: SqlTable, entity: Values): boolean {
  if (tableOfSet(target) !== table) return false;
  return reference.pairs.every(({ property, related }) => {
    const own = entity[related.field];
    return related.isKey && own !== undefined && own !== null && own === entity[property.field];
  });
}
