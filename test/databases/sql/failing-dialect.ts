import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";

/** Decides whether a command fails: the text of a statement, `begin` or `commit`. */
export type FailPoint = (command: string, position: number) => Error | null;

/** Decides which commands fail, and records the commands since the last change. */
export class Failures {
  readonly commands: string[] = [];
  #point: FailPoint = () => null;

  /** Sets the commands that fail from now on. */
  set(point: FailPoint): void {
    this.commands.length = 0;
    this.#point = point;
  }

  /** Lets all commands succeed. */
  clear(): void {
    this.set(() => null);
  }

  /** Records a command. @throws Error if it is to fail */
  ask(command: string): void {
    const error = this.#point(command, this.commands.length);
    this.commands.push(command);
    if (error !== null) throw error;
  }
}

/** A dialect whose driver can fail before a command reaches the database. */
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
