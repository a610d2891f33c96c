import { isODataError } from "../../base/errors/odata-error.ts";
import { required } from "../../base/required.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { refusalOfUnseen, type RowRuleChecks } from "../../definition/sets/authorization.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { RowRestriction } from "../../language/query/source.ts";
import { baseOf } from "../read/read-page.ts";
import { checkJoinable } from "../read/sql-row-source.ts";
import { MANY_KEYS } from "../read/statement-cache.ts";
import { readSlots, toExecution } from "../statement/parameter-slot.ts";
import type { PlacedKey, Restrictions } from "./placed-rows.ts";
import { placeBeyondKey } from "./shared-keys.ts";
import { type SqlTable, findService, mayHideRows, writtenSet } from "./sql-table.ts";
import type { WriteTask } from "./table-writer.ts";
import { toWriteFault } from "./write-faults.ts";

export const NO_RULES: Restrictions = new Map();

/** A row of a table, as an entity of a set. */
export interface SetRow extends PlacedKey {
  readonly set: EntitySetDefinition;
  readonly table: SqlTable;
}

/**
 * Returns the row rules of some sets for the user of a request. Call this before a transaction begins: a rule may use
 * handlers, which wait for the same connection.
 * @throws the errors of the rules
 */
export async function restrictionsOf(
  sets: Iterable<EntitySetDefinition | null>,
  context: Context,
): Promise<Restrictions> {
  const guarded = [...new Set(sets)].filter((set) => mayHideRows(set, context));
  if (guarded.length === 0) return NO_RULES;
  const found = new Map<EntitySetDefinition, RowRestriction>();
  for (const set of guarded) {
    const restriction = await rulesOf(context).restrictionOf(set, context);
    if (isODataError(restriction)) throw restriction;
    if (restriction !== null) found.set(set, restriction);
  }
  return found;
}

/**
 * Returns the row rule for the rows of a table if a property outside of its key decides on the machine of a row: a database locks
 * no row of an unknown machine.
 */
export async function rulesBeyondKey(table: SqlTable, context: Context): Promise<Restrictions> {
  if (placeBeyondKey(table) === null) return NO_RULES;
  const set = writtenSet(context, table);
  return set === null || !mayHideRows(set, context) ? NO_RULES : restrictionsOf([set], context);
}

/** Returns the checks of the row rules of a service with such rules. */
export function rulesOf(context: Context): RowRuleChecks {
  return required(findService(context)?.rowRules ?? undefined, "The service does not check its row rules.");
}

/** Whether the row exists and the user sees it, in its state within the transaction. */
export async function isVisible(
  task: WriteTask,
  restrictions: Restrictions,
  { set, table, key, place }: SetRow,
): Promise<boolean> {
  const restriction = restrictions.get(set);
  if (restriction === undefined) return true;
  if (restriction.hidesAll === true || place === null) return false;
  return (await countVisible(task, restriction, table, [{ key, place }], false)) > 0;
}

/** Whether the user sees no row of a set, so that a write needs no statement to find none. */
export function seesNone(restrictions: Restrictions, set: EntitySetDefinition): boolean {
  return restrictions.get(set)?.hidesAll === true;
}

/**
 * Whether rows with different keys exist and the user sees all of them, as `isVisible` does. The table has one row at most per key and place.
 */
export async function areVisible(
  task: WriteTask,
  restrictions: Restrictions,
  { set, table, rows }: Pick<SetRow, "set" | "table"> & { readonly rows: readonly PlacedKey[] },
): Promise<boolean> {
  const restriction = restrictions.get(set);
  if (restriction === undefined) return true;
  if (restriction.hidesAll === true || rows.some(({ place }) => place === null)) return false;
  for (let at = 0; at < rows.length; at += MANY_KEYS) {
    const chunk = rows.slice(at, at + MANY_KEYS);
    const last = chunk.at(-1) ?? { key: [] };
    const filled = Array.from({ length: MANY_KEYS }, (_, index) => chunk[index] ?? last);
    if ((await countVisible(task, restriction, table, filled, true)) < chunk.length) return false;
  }
  return true;
}

/** @param rows one row, or `MANY_KEYS` */
async function countVisible(
  { session, context, place }: WriteTask,
  { filter, values, sources }: RowRestriction,
  table: SqlTable,
  rows: readonly PlacedKey[],
  hasMany: boolean,
): Promise<number> {
  const { reader } = table;
  checkJoinable(reader, sources);
  const isPlaced = rows.every(({ place }) => place !== undefined);
  const property = isPlaced ? placeBeyondKey(table) : null;
  const beside = property === null ? [] : [property];
  const { sql, slots, width } = reader.statements.test(filter, sources, hasMany, beside);
  const key = rows.flatMap((row) => (property === null ? row.key : [...row.key, row.place as PrimitiveValue]));
  const execution = toExecution({ values, keys: [key], base: baseOf(reader, sources) });
  try {
    const command = { sql, parameters: readSlots(slots, execution), width };
    return await session.run(command, ({ rows: found }) => found.length);
  } catch (error) {
    reader.rows.noteOutdated(error);
    throw toWriteFault(error, { context, table, place });
  }
}

/**
 * Rejects users who see no rows of a set before anything is added: a key that is already in use would reveal one.
 * @throws ODataError `Forbidden`; `Unauthorized` without a user
 */
export function checkSeesAny({ user }: Context, restrictions: Restrictions, set: EntitySetDefinition): void {
  if (seesNone(restrictions, set)) throw refusalOfUnseen(user, set.entitySet);
}

/**
 * Checks that the user sees a row after a write.
 * @throws ODataError `Forbidden` if not; `Unauthorized` without a user
 */
export async function checkVisible(task: WriteTask, restrictions: Restrictions, row: SetRow): Promise<void> {
  if (await isVisible(task, restrictions, row)) return;
  throw refusalOfUnseen(task.context.user, row.set.entitySet);
}
