import type { ODataError } from "../../base/errors/odata-error.ts";
import { required } from "../../base/required.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import {
  isNew,
  judgeReference,
  positionsOf,
  type ReferenceScope,
  statedProperties,
  type StatedReference,
  statedReferences,
  type WrittenEntity,
} from "../../definition/sets/judge-references.ts";
import type { Restrictions } from "./placed-rows.ts";
import { inStatement } from "./sql-session.ts";
import { tableOf, type SqlTable, setOf, sharesDatabase, tableOfSet } from "./sql-table.ts";
import type { Values } from "./stored-columns.ts";
import { type WriteTask, writerOf } from "./table-writer.ts";
import { isVisible, restrictionsOf, rulesBeyondKey, rulesOf, type SetRow } from "./visible-rows.ts";

/** A foreign key that a write states. */
export interface StatedRow extends StatedReference {
  /** The set that it refers to. */
  readonly target: EntitySetDefinition;
  /** The refusal where handlers of the application, or another database, return no such entity. */
  readonly refused: ODataError | null;
}

/** The foreign keys to sets with row rules, by the values that state them. */
export type StatedIn = ReadonlyMap<object, readonly StatedRow[]>;

/**
 * Returns the foreign keys of written entities that refer to sets with hidden rows. Sets that are read by handlers of the
 * application, or in another database, are checked now: within the transaction a handler would wait for its connection.
 * @throws errors that a handler throws or returns, except 404
 */
export async function statedIn(
  entities: readonly WrittenEntity<EntitySetDefinition>[],
  context: Context,
  current: ReferenceScope["current"] = isNew,
): Promise<StatedIn> {
  const found = new Map<object, readonly StatedRow[]>();
  for (const written of entities) {
    const rows: StatedRow[] = [];
    for (const stated of statedReferences(written)) {
      const target = setOf(context, stated.reference.target.name);
      // A user who sees all rows learns nothing from a constraint.
      if (target === null || (await restrictionsOf([target], context)).size === 0) continue;
      const isSeen = async (of: Values): Promise<boolean> =>
        rulesOf(context).seesReferred(stated.reference, of, context);
      const isHere = isReadHere(written.set, target);
      const refused = isHere ? null : await judgeReference(stated, { current }, isSeen);
      rows.push({ ...stated, target, refused });
    }
    if (rows.length > 0) found.set(written.entity, rows);
  }
  return found;
}

/** Whether a write states a foreign key to a set with a row rule. Most writes do not, and need no transaction for it. */
export function statesReferences(set: EntitySetDefinition | null, values: Values): boolean {
  return (set?.guardedReferences ?? []).some((reference) => statedProperties(reference, values).length > 0);
}

/** Whether the rows of a target set are in the database of a set: the write looks them up in its transaction. */
function isReadHere(set: EntitySetDefinition, target: EntitySetDefinition): boolean {
  const { getByKey } = target.handlers;
  const other = getByKey === undefined ? tableOfSet(target) : tableOf(getByKey);
  const own = tableOfSet(set);
  return own !== null && other !== null && sharesDatabase(own, other);
}

/** A row whose foreign keys are checked. */
interface ReferringRow {
  readonly table: SqlTable;
  /** The values after the write, as far as they are known. */
  readonly entity: Values;
  /** Reads the current row; absent for a new one. */
  readonly current?: () => Promise<Values>;
}

/**
 * Rejects foreign keys to hidden rows before they are written. The same statement checks hidden and missing rows, so that
 * clients cannot distinguish them.
 * @param seen keeps which rows the user sees, for several rows that refer to them
 * @throws ODataError `Conflict`, target the property
 */
export async function checkReferredRows(
  task: WriteTask,
  restrictions: Restrictions,
  stated: readonly StatedRow[],
  { table, entity, current }: ReferringRow,
  seen: Map<string, Promise<boolean>> = new Map(),
): Promise<void> {
  for (const each of stated) {
    const isSeen = (values: Values): Promise<boolean> =>
      onceFor(seen, `${each.target.entitySet.name} ${textOf(values)}`, () =>
        isReferredSeen(task, restrictions, each, table, values),
      );
    const positionOf = positionsOf(current === undefined ? [{ set: each.reference, entity }] : []);
    const scope: ReferenceScope = { current: current ?? isNew, isCreated: (...key) => positionOf(...key) === 0 };
    const refused = each.refused ?? (await judgeReference({ ...each, entity }, scope, isSeen));
    if (refused !== null) throw refused;
  }
}

/** Returns a text that differs for different values, by the fields of one set. */
function textOf(values: Values): string {
  return JSON.stringify(Object.entries(values).map(([field, value]) => [field, typeof value, String(value)]));
}

function onceFor(known: Map<string, Promise<boolean>>, key: string, find: () => Promise<boolean>): Promise<boolean> {
  const found = known.get(key) ?? find();
  known.set(key, found);
  return found;
}

async function isReferredSeen(
  task: WriteTask,
  restrictions: Restrictions,
  { reference: { pairs }, target }: StatedRow,
  table: SqlTable,
  values: Values,
): Promise<boolean> {
  const declared = tableOfSet(target);
  // A set that is not a table of this database was checked before.
  if (declared === null || !sharesDatabase(table, declared)) return true;
  const other = declared.over(table.db);
  const writer = writerOf(other);
  const isKey = pairs.length === other.entityType.key.length && !other.comparesOtherwise(pairs);
  const rows = isKey ? [{ key: writer.keyOf(values) }] : await writer.findKeys(task, values, pairs, "read");
  for (const row of rows) {
    if (await isVisible(task, restrictions, { set: target, table: other, ...row })) return true;
  }
  return false;
}

/** Returns a function that reads the foreign keys of a row before the transaction, which checks whether it is missing. */
export function currentReferring(row: SetRow, context: Context): () => Promise<Values> {
  return async () => {
    const restrictions = await rulesBeyondKey(row.table, context);
    const found = await inStatement(row.table, context, (session) =>
      readReferring(row, { session, context, place: "", restrictions }),
    );
    return found ?? {};
  };
}

/** Returns the part of a locked row that its foreign keys depend on. */
export function lockedReferring(row: SetRow, task: WriteTask): Required<Omit<ReferringRow, "entity">> {
  const { table } = row;
  const current = async (): Promise<Values> =>
    required(await readReferring(row, task), `The locked row of ${table.name} cannot be read.`);
  return { table, current };
}

/** Reads the foreign keys of a row to sets with row rules. @returns null for a missing row */
function readReferring({ set, table, key }: SetRow, task: WriteTask): Promise<Values | null> {
  const fields = new Set(set.guardedReferences.flatMap(({ pairs }) => pairs.map(({ property }) => property.field)));
  const properties = [...table.entityType.properties, ...table.entityType.ignoredProperties];
  const selected = properties
    .filter(({ field, isKey }) => isKey || fields.has(field))
    .map((property) => ({ property }));
  return writerOf(table).read(task, key, selected);
}
