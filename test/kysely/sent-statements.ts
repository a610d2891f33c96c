import type { CompiledQuery, DatabaseConnection } from "kysely";
import { vi } from "vitest";
import type { AnyDatabase } from "../executors/open-database.ts";

/**
 * Returns the prototype of the connections of a database, to observe its `executeQuery`: each statement ends there, whatever
 * the way of reading. An own method of a connection would tell the service that somebody observes it, and change the way.
 */
export async function connectionsOf(db: AnyDatabase): Promise<DatabaseConnection> {
  const connection = await db.getExecutor().provideConnection((each) => Promise.resolve(each));
  return Object.getPrototypeOf(connection) as DatabaseConnection;
}

/** Runs a function, and returns the statements that the database gets meanwhile. */
export async function sentStatements(db: AnyDatabase, run: () => Promise<unknown>): Promise<readonly CompiledQuery[]> {
  const statements = vi.spyOn(await connectionsOf(db), "executeQuery");
  try {
    await run();
    return statements.mock.calls.map(([query]) => query);
  } finally {
    statements.mockRestore();
  }
}
