import type { TransactionalDatabase } from "../definition/sets/transactional-database.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import type { PlannedOperation } from "./part-pipeline.ts";

/** How the operations of a change set become one. */
export interface AtomicPlan {
  /** The database of their transaction. */
  readonly database: TransactionalDatabase;
  /** Whether no handler of the application runs, so that the transaction may be repeated after a conflict. */
  readonly isRepeatable: boolean;
}

/**
 * Decides whether the operations of a change set can succeed or fail together: tables of one database, and handlers of the
 * application that use its transaction.
 * @param planned the operations of the change set
 * @param only the only database of the service, for change sets without a table
 * @throws ODataError `NotImplemented` that names the set that cannot take part
 * @see OData Protocol 4.0, section 11.7.1; docs/reference/batch.md
 */
export function planChangeSet(
  planned: readonly PlannedOperation[],
  only: TransactionalDatabase | null,
): AtomicPlan | null {
  const writes = planned.flatMap((each) => each.writes);
  const joined = new Map<object, JoinedDatabase>();
  for (const { name, database, by } of writes) {
    if (by === "handler") throw cannotJoin(name);
    if (database !== undefined && !joined.has(database.instance)) joined.set(database.instance, { name, database });
  }
  const [home, other] = joined.values();
  if (home !== undefined && other !== undefined) throw severalDatabases(home.name, other.name);
  const [first] = writes;
  if (first === undefined) return null;
  const database = home?.database ?? only;
  if (database === null) throw withoutDatabase(first.name);
  return { database, isRepeatable: writes.every(({ by }) => by === "table") };
}

/** A database, and a set of it. */
interface JoinedDatabase {
  readonly name: string;
  readonly database: TransactionalDatabase;
}

function cannotJoin(name: string): ODataError {
  return protocolError(
    "NotImplemented",
    `The change set cannot be executed as one: the handlers of ${name} do not take part in transactions. Send the operation outside of a change set.`,
  );
}

function severalDatabases(name: string, other: string): ODataError {
  return protocolError(
    "NotImplemented",
    `The change set cannot be executed as one: ${name} and ${other} are in different databases. Send one change set for each database.`,
  );
}

function withoutDatabase(name: string): ODataError {
  return protocolError(
    "NotImplemented",
    `The change set cannot be executed as one: it contains no set of a database whose transaction ${name} can use. Send the operations outside of a change set.`,
  );
}
