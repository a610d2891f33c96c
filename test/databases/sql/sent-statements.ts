import { CompiledQuery, type DatabaseConnection } from "kysely";
import type { ArrayReader } from "../../../src/databases/connection/array-reader.ts";
import type { AnyDatabase } from "../../engine/executors/open-database.ts";

/**
 * Returns the prototype of the connections of a database, to observe the methods that run statements. If a connection had
 * its own method, the service would notice the observer and read in another way.
 */
export async function connectionsOf(db: AnyDatabase): Promise<DatabaseConnection> {
  const connection = await db.getExecutor().provideConnection((each) => Promise.resolve(each));
  return Object.getPrototypeOf(connection) as DatabaseConnection;
}

/**
 * Calls a function before each statement, whatever the way of reading. Other observers of the same connections end on their
 * own.
 * @param hear throws the error with which the statement fails
 * @returns a function that ends the calls
 */
export function hearStatements(connections: DatabaseConnection, hear: (query: CompiledQuery) => void): () => void {
  const methods: DatabaseConnection & Partial<ArrayReader> = connections;
  const executeQuery = Reflect.get(methods, "executeQuery");
  const readEach = Reflect.get(methods, "readEach");
  const heard: DatabaseConnection["executeQuery"] = async function (this: DatabaseConnection, query, options) {
    hear(query);
    return executeQuery.call(this, query, options) as never;
  };
  methods.executeQuery = heard;
  if (readEach !== undefined) {
    methods.readEach = async function (this: ArrayReader, commands, options) {
      for (const { sql, parameters } of commands) hear(CompiledQuery.raw(sql, [...parameters]));
      return readEach.call(this, commands, options);
    };
  }
  return () => {
    if (methods.executeQuery !== heard) return;
    methods.executeQuery = executeQuery;
    if (readEach !== undefined) methods.readEach = readEach;
  };
}

/** Runs a function, and returns the statements that the database gets meanwhile. */
export async function sentStatements(db: AnyDatabase, run: () => Promise<unknown>): Promise<readonly CompiledQuery[]> {
  const statements: CompiledQuery[] = [];
  const end = hearStatements(await connectionsOf(db), (query) => statements.push(query));
  try {
    await run();
    return statements;
  } finally {
    end();
  }
}
