import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";

/** What is asked of a database: the text of a statement, `begin` or `commit`. */
export type FailPoint = (command: string, position: number) => Error | null;

/** Decides what fails, and counts what was asked since it was last set. */
export class Failures {
  readonly commands: string[] = [];
  #point: FailPoint = () => null;

  /** Sets what fails from now on. */
  set(point: FailPoint): void {
    this.commands.length = 0;
    this.#point = point;
  }

  /** Nothing fails any more. */
  clear(): void {
    this.set(() => null);
  }

  /** @throws Error what was decided on */
  ask(command: string): void {
    const error = this.#point(command, this.commands.length);
    this.commands.push(command);
    if (error !== null) throw error;
  }
}

/** A dialect whose driver fails where it is told to, before the database hears of the command. */
export function failingDialect(dialect: Dialect, failures: Failures): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => failingDriver(dialect.createDriver(), failures),
  };
}

function failingDriver(driver: Driver, failures: Failures): Driver {
  const wrapped = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const inner = (connection: DatabaseConnection): DatabaseConnection => wrapped.get(connection) ?? connection;
  return {
    init: () => driver.init(),
    destroy: () => driver.destroy(),
    acquireConnection: async () => {
      const connection = await driver.acquireConnection();
      const made: DatabaseConnection = {
        executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
          failures.ask(query.sql);
          return connection.executeQuery<R>(query);
        },
        streamQuery: <R>(query: CompiledQuery, chunkSize: number) => connection.streamQuery<R>(query, chunkSize),
      };
      wrapped.set(made, connection);
      return made;
    },
    releaseConnection: (connection) => driver.releaseConnection(inner(connection)),
    beginTransaction: async (connection, settings) => {
      failures.ask("begin");
      await driver.beginTransaction(inner(connection), settings);
    },
    commitTransaction: async (connection) => {
      failures.ask("commit");
      await driver.commitTransaction(inner(connection));
    },
    rollbackTransaction: (connection) => driver.rollbackTransaction(inner(connection)),
  };
}
