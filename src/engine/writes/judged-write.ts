import { protocolError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { needsResource } from "../../definition/sets/authorization.ts";
import { databasesOf, type TransactionalDatabase } from "../../definition/sets/transactional-database.ts";
import { identityOfKey } from "../entities/entity-key.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import { type AtomicCall, ServiceContext } from "../rules/row-access.ts";

/** A handler that writes, and the set whose transaction it uses. */
export interface WritingHandler {
  readonly set: EntitySetDefinition;
  readonly handler: object;
  /** Whether the handler uses the open transaction; absent: as its set says. */
  readonly transactional?: boolean | undefined;
}

/**
 * Runs a write within the open transaction, else in a new one: that of the table, or of handlers that use the only database of the
 * service. Without one, it runs in the turn of the entity.
 * @param key the key of the written entity; undefined for a new one, and if nothing reads the stored entity
 */
export function runAtomically<T>(
  by: WritingHandler,
  key: unknown,
  reader: Reader,
  call: Pick<AtomicCall, "returnsIgnored" | "supplied">,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const whole = { ...call, ...protectionOf(by, key, reader) };
  return ServiceContext.atomically(reader.context, whole, (context) => work({ ...reader, context }));
}

/** Returns the protection of a write from concurrent ones: the transaction of a database, else the turn of the entity. */
function protectionOf(
  { set, handler, transactional = set.transactional }: WritingHandler,
  key: unknown,
  { context }: Reader,
): Pick<AtomicCall, "database" | "isRepeatable" | "turn"> {
  const service = serviceOf(context);
  const isTable = service.handlersCheckingRows.has(handler);
  const database = isTable || transactional ? (set.database ?? onlyDatabase(service)) : null;
  const isLocked = key === undefined || (database !== null && set.lock !== undefined);
  const { name, entityType } = set.entitySet;
  return { database, isRepeatable: isTable, turn: isLocked ? undefined : `${name} ${identityOfKey(entityType, key)}` };
}

/**
 * Runs the reads of a stored entity, and the write that depends on them, in one transaction that first locks the entity. Without
 * a transaction, they run in the turn of the entity. After a conflict with another transaction, both run again.
 * @throws ODataError `ServiceUnavailable` after `transactionTimeout`; the errors of the work, after its changes are undone
 * @see docs/reference/handlers.md, Rules that read the stored entity
 */
export function runJudged<T>(
  by: WritingHandler,
  key: unknown,
  reader: Reader,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  return runAtomically(by, key, reader, {}, async (inner) => {
    await lockEntity(by.set, key, inner.context, by.handler === by.set.handlers.delete);
    return work(inner);
  });
}

/**
 * Locks an entity until the open transaction ends; does nothing outside of transactions, and for handlers without a table.
 * @param isDeleted whether the entity is about to be deleted
 * @throws ODataError `NotImplemented` if the database cannot lock it
 */
export async function lockEntity(
  set: EntitySetDefinition,
  key: unknown,
  context: Context,
  isDeleted = false,
): Promise<void> {
  if ((await lockIfPossible(set, key, context, isDeleted)) !== false) return;
  const message = `The database cannot lock single rows of ${set.entitySet.name}: a column outside of the key distributes them, several rows may have one key, or they are those of a view.`;
  throw protocolError("NotImplemented", message);
}

/** Locks an entity like `lockEntity`. @returns false if the database cannot lock it */
export function lockIfPossible(
  { lock }: EntitySetDefinition,
  key: unknown,
  context: Context,
  isDeleted = false,
): Maybe<unknown> {
  return context.transaction === undefined ? undefined : lock?.(key, context, isDeleted);
}

/**
 * Runs a write that reads nothing of the stored entity. If other writes of the set do, and no database locks the entity, it runs
 * in the turn of the entity.
 */
export function runInTurn<T>(
  by: WritingHandler,
  key: unknown,
  reader: Reader,
  work: (reader: Reader) => Maybe<T>,
): Maybe<T> {
  const { turn } = readsStored(by.set) ? protectionOf(by, key, reader) : {};
  if (turn === undefined) return work(reader);
  const call = { database: null, isRepeatable: false, turn };
  return ServiceContext.atomically(reader.context, call, async (context) => work({ ...reader, context }));
}

function readsStored({ validators, hooks, authorization, setValues }: EntitySetDefinition): boolean {
  const { patch, replace, delete: remove } = hooks?.before ?? {};
  if (setValues?.isAsync.update === true) return true;
  if (validators?.readsStored === true || (patch ?? replace ?? remove) !== undefined) return true;
  return [...authorization.update, ...authorization.delete].some(needsResource);
}

function onlyDatabase({ entitySets }: ServiceDefinition): TransactionalDatabase | null {
  const [only, ...others] = databasesOf(entitySets.values());
  return others.length === 0 ? (only ?? null) : null;
}
