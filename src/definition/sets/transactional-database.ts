import type { Maybe } from "../../base/maybe.ts";
import type { PositionedDatabase } from "../../language/query/reading.ts";
import type { Isolation, RuleContext } from "../context.ts";

/** How a transaction runs. */
export interface TransactOptions {
  /** Whether the work may run again; true if absent. */
  readonly isRepeatable?: boolean | undefined;
  /** The isolation; read committed if absent. */
  readonly isolation?: Isolation | undefined;
  /** Milliseconds after which no further attempt begins; null for no limit. */
  readonly timeout: number | null;
}

/** A database whose sets can be read and written within one transaction. */
export interface TransactionalDatabase {
  /** Identifies the database: all sets of one database have the same instance. */
  readonly instance: object;
  /** Returns the name of the tenant of a request; absent: all requests use one database. @throws errors of the application */
  readonly tenantOf?: ((context: RuleContext) => string) | undefined;
  /** Tells its position, if reads may go to another server: the same object for all sets that agree on it; absent otherwise. */
  readonly positioned?: PositionedDatabase | undefined;
  /**
   * Runs work as one transaction, which commits when the work succeeds and rolls back when it fails. Work that fails
   * because of a concurrent transaction is repeated until the timeout, unless it is not repeatable.
   * @param context the context of the request; no transaction starts if the client has disconnected
   * @throws any error of the work; ODataError `ServiceUnavailable` after the last attempt, or without a connection
   */
  transact<T>(work: (transaction: unknown) => Promise<T>, context: RuleContext, options: TransactOptions): Promise<T>;
  /**
   * Runs a part of the work of an open transaction. If the part fails, only this part is rolled back.
   * @param name the number of enclosing parts, or another name that no enclosing part has
   * @param ended is called after a failure if the database has rolled back the whole transaction: nothing may follow in it
   */
  attempt<T>(transaction: unknown, name: number | "creates", part: () => Promise<T>, ended?: () => void): Promise<T>;
  /** Returns whether an error has rolled back the whole transaction, which may succeed on a retry. */
  isLost(error: unknown): boolean;
  /** Whether triggers run at the end of a transaction, as far as schema checks have found. */
  defers(context: RuleContext): Maybe<boolean>;
  /** Runs the triggers, and checks the constraints, that wait for the end of a transaction. @throws the errors of the end */
  settle(transaction: unknown): Promise<void>;
}

/** A handler that an operation would call to write. */
export interface PlannedWrite {
  /** The set or operation, for errors. */
  readonly name: string;
  /** The database of the set; undefined if the handler belongs to no set of a database. */
  readonly database: TransactionalDatabase | undefined;
  /** The writer: the library, a handler of the application in the open transaction, or a handler without a transaction. */
  readonly by: "table" | "transactional" | "handler";
}

/** Returns the databases of entity sets, each once. */
export function databasesOf(
  entitySets: Iterable<{ readonly database?: TransactionalDatabase | undefined }>,
): readonly TransactionalDatabase[] {
  const byInstance = new Map<object, TransactionalDatabase>();
  for (const { database } of entitySets) {
    if (database !== undefined) byInstance.set(database.instance, database);
  }
  return [...byInstance.values()];
}
