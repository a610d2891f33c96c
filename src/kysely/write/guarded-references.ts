import { required } from "../../base/required.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/service-definition.ts";
import {
  besideKey,
  type GuardedReference,
  hasValues,
  isNested,
  keepsReference,
  missingReference,
  referredKey,
  referredValues,
  statedPairs,
} from "../../definition/sets/guarded-reference.ts";
import { ERROR_CODES } from "../../errors/error-codes.ts";
import { isODataError } from "../../errors/odata-error.ts";
import { tableOf, type SqlTable } from "./sql-table.ts";
import type { Values } from "./stored-columns.ts";
import { readSeen, setOf, tableOfSet } from "./table-sets.ts";
import { type WriteTask, writerOf } from "./table-writer.ts";
import { isVisible, type Restrictions, restrictionsOf } from "./visible-rows.ts";

/** A foreign key that a write states. */
export interface StatedReference {
  readonly reference: GuardedReference;
  /** The set that it refers to. */
  readonly target: EntitySetDefinition;
  /** The name of the property, with the path of its entity in the body. */
  readonly name: string;
  /** The path of the entity in the body, with a trailing slash. */
  readonly place: string;
  /** Whether handlers of the application, or another database, returned no such entity. */
  readonly isAbsent: boolean;
}

/** The values that a write states for an entity. */
export interface StatedValues {
  readonly set: EntitySetDefinition | null;
  readonly values: Values;
  /** The path of the entity in the body, with a trailing slash. */
  readonly place: string;
}

/**
 * Returns the foreign keys of a write that refer to sets with hidden rows. Sets that are read by handlers of the application,
 * or in another database, are checked now: within the transaction a handler would wait for its connection.
 * @throws errors that a handler throws or returns, except 404
 */
export async function statedReferences(
  { set, values, place }: StatedValues,
  context: Context,
): Promise<readonly StatedReference[]> {
  const found: StatedReference[] = [];
  for (const reference of set?.guardedReferences ?? []) {
    const [first] = statedPairs(reference, values);
    const target = setOf(context, reference.target.name);
    if (first === undefined || target === null || isNested(reference, values)) continue;
    // A user who sees all rows learns nothing from a constraint.
    if ((await restrictionsOf([target], context)).size === 0) continue;
    const isAbsent = await isAbsentFor(set, reference, target, values, context);
    found.push({ reference, target, name: place + first.property.name, place, isAbsent });
  }
  return found;
}

/** The foreign keys to sets with row rules, by the values that state them. */
export type StatedIn = ReadonlyMap<Values, readonly StatedReference[]>;

/** Finds the foreign keys of several new entities. @throws as `statedReferences` */
export async function statedIn(entities: readonly StatedValues[], context: Context): Promise<StatedIn> {
  const found = new Map<Values, readonly StatedReference[]>();
  for (const each of entities) {
    const stated = await statedReferences(each, context);
    if (stated.length > 0) found.set(each.values, stated);
  }
  return found;
}

/**
 * Returns the foreign keys of an entity that do not follow completely from related entities.
 * @param known the values that do, by field
 */
export function notFollowing(
  stated: readonly StatedReference[],
  values: Values,
  known: Values,
): readonly StatedReference[] {
  return stated.flatMap((each) => {
    const own = statedPairs(each.reference, values).find(({ property: { field } }) => known[field] === undefined);
    return own === undefined ? [] : [{ ...each, name: each.place + own.property.name }];
  });
}

/** Whether a write states a foreign key to a set with a row rule. Most writes do not, and need no transaction for it. */
export function statesReferences(set: EntitySetDefinition | null, values: Values): boolean {
  return (set?.guardedReferences ?? []).some((reference) => statedPairs(reference, values).length > 0);
}

/** Whether a handler reads a table in the database of a set, whose rows the write looks up in its transaction. */
function isJoined(set: EntitySetDefinition | null, getByKey: object): boolean {
  const [own, other] = [set === null ? null : tableOfSet(set), tableOf(getByKey)];
  return other !== null && own?.shares(other) === true;
}

async function isAbsentFor(
  set: EntitySetDefinition | null,
  reference: GuardedReference,
  target: EntitySetDefinition,
  values: Values,
  context: Context,
): Promise<boolean> {
  const referred = referredValues(reference, values);
  const { getByKey } = target.handlers;
  if (referred === null || getByKey === undefined || isJoined(set, getByKey)) return false;
  try {
    return (await readSeen(target, referredKey(reference, referred), context)) === null;
  } catch (error) {
    if (isODataError(error) && error.status === ERROR_CODES.NotFound) return true;
    throw error;
  }
}

/**
 * Rejects foreign keys to hidden rows before they are written. The same statement checks hidden and missing rows, so that
 * clients cannot tell them apart.
 * @param entity the row after the write
 * @param current the current row; null for a new one
 * @throws ODataError `Conflict`, target the property
 */
export async function checkReferredRows(
  task: WriteTask,
  restrictions: Restrictions,
  stated: readonly StatedReference[],
  { table, entity, current }: { readonly table: SqlTable; readonly entity: Values; readonly current: Values | null },
): Promise<void> {
  for (const each of stated) {
    const { reference, name } = each;
    if (current !== null && keepsReference(reference, entity, current)) continue;
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
  // A set that is not a table of this database was checked before.
  if (other === null || !table.shares(other)) return true;
  const writer = writerOf(other);
  if (other.comparesOtherwise(reference.pairs)) {
    for (const key of await writer.keysBy(task, values, reference.pairs)) {
      if (await isVisible(task, restrictions, { set: target, table: other, key })) return true;
    }
    return false;
  }
  const key = writer.keyValues(referredKey(reference, values));
  const referred = { set: target, table: other, key };
  const beside = besideKey(reference);
  if (beside.length === 0) return isVisible(task, restrictions, referred);
  const selected = [...other.entityType.key, ...beside.map(({ field }) => declaredOf(other, field))];
  const row = await writer.read(
    task,
    key,
    selected.map((property) => ({ property })),
  );
  return row !== null && hasValues(row, beside, values) && isVisible(task, restrictions, referred);
}

function declaredOf({ entityType }: SqlTable, wanted: string): SqlTable["entityType"]["properties"][number] {
  const properties = [...entityType.properties, ...entityType.ignoredProperties];
  return required(
    properties.find(({ field }) => field === wanted),
    `${entityType.name} has no property ${wanted}.`,
  );
}

/** Whether a row refers to itself: the row exists after the write. */
function isItself({ reference, target }: StatedReference, table: SqlTable, entity: Values): boolean {
  if (tableOfSet(target) !== table) return false;
  return reference.pairs.every(({ property, related }) => {
    const own = entity[related.field];
    return related.isKey && own !== undefined && own !== null && own === entity[property.field];
  });
}
