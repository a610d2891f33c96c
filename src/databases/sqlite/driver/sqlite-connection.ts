import type { SQLInputValue } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  type RootOperationNode,
  SelectQueryNode,
} from "kysely";
import { nextTurn } from "../../../base/host.ts";
import type { Maybe } from "../../../base/maybe.ts";
import type { RunRows, SynchronousWriter, WritePatience } from "../../connection/synchronous-reader.ts";
import { changeRows, type PreparedStatement, toBoundValues, MAX_TIME_HERE } from "./prepared-statement.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** The number of rows after which a stream yields to other work. */
const ROWS_PER_TURN = 500;

/** The start of raw SQL that changes rows. */
const CHANGES_ROWS = /^\s*(?:insert|update|delete|replace|with)\b/i;

/** The start of a statement that leaves the lock of writers alone. A read waits in SQLite, if at all. */
const READS = /^\s*(?:select|explain|pragma)\b/i;

/** The start of raw SQL that ends a transaction. */
const ENDS = /^\s*(?:commit|end)\b/i;

const NO_CLIENT = (): undefined => undefined;

/** The connection of Kysely's statements. While it is free, it also runs synchronous writes. */
export class SqliteConnection implements DatabaseConnection, SynchronousWriter {
  readonly #database: SqliteDatabase;
  #patience: WritePatience | undefined;
  #queued = 0;
  /** Whether a transaction has the lock of writers, so that no statement has to wait for it. */
  hasLock = false;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  get mayWrite(): boolean {
    return this.#database.isFree;
  }

  write<T>(work: (run: RunRows) => T): Maybe<T> {
    const { writes, group, connection } = this.#database;
    const write = (): T => work((sql, parameters) => writes.get(sql).all(toBoundValues(parameters)));
    if (group !== null) return group.add(write);
    connection.exec("begin");
    try {
      const result = write();
      connection.exec("commit");
      return result;
    } catch (error) {
      // Triggers may have ended the transaction.
      if (connection.isTransaction) connection.exec("rollback");
      throw error;
    }
  }

  patiently<T>(patience: WritePatience, request: () => T): T {
    this.#database.patience = patience;
    try {
      return request();
    } finally {
      this.#database.patience = undefined;
    }
  }

  /** Begins a use of the connection. @param asked when the user requested it, on the clock of `performance.now()` */
  begin(patience: WritePatience | undefined, asked: number): void {
    this.#patience = patience;
    this.#queued = performance.now() - asked;
    this.hasLock = false;
  }

  /** Begins a transaction that may write. */
  async beginWriting(): Promise<void> {
    await this.locking("begin immediate");
    this.hasLock = true;
  }

  /** Runs a statement. The result has `numAffectedRows` and `insertId` if it changed rows. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return new Promise((resolve) => {
      const values = toBoundValues(query.parameters);
      const { statements, watch, lock } = this.#database;
      const run = (): QueryResult<R> => {
        this.#checkFile(query.sql);
        watch.begin(MAX_TIME_HERE);
        try {
          return execute<R>(statements.get(query.sql), values, query);
        } finally {
          watch.end();
        }
      };
      resolve(this.hasLock || READS.test(query.sql) ? run() : lock.wait(run, this.#takePatience()));
    });
  }

  /**
   * Yields the rows of a statement in chunks of `chunkSize` as they are read. Every 500 rows it yields to other work of the
   * process.
   */
  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncGenerator<QueryResult<R>> {
    const values = toBoundValues(query.parameters);
    const { statements } = this.#database;
    this.#checkFile(query.sql);
    const statement = statements.take(query.sql);
    if (statement.hasRows) yield* readChunks<R>(statement.iterate(values), chunkSize);
    else yield execute<R>(statement, values, query);
    // A failed statement is not given back: `node:sqlite` would report its error again in the next iteration.
    statements.giveBack(statement);
  }

  /** Runs a command without preparing or caching it. */
  control(command: string): Promise<void> {
    return new Promise((resolve) => {
      this.#database.connection.exec(command);
      resolve();
    });
  }

  /** Runs a command that may have to wait for the lock of the file: `begin immediate`, `commit`. */
  locking(command: string): Promise<void> {
    return new Promise((resolve) => {
      const { connection, file, lock } = this.#database;
      const run = (): void => {
        file?.checkBefore(command);
        connection.exec(command);
      };
      resolve(lock.wait(run, this.#takePatience()));
    });
  }

  /** Checks the file before a statement that is its own transaction, or ends one. @throws MovedFileError */
  #checkFile(sql: string): void {
    const { connection, file } = this.#database;
    if (file === null || READS.test(sql)) return;
    if (!connection.isTransaction || ENDS.test(sql)) file.check();
  }

  /** The first command waits as the request does; time in the queue counts. Later ones have their own time. */
  #takePatience(): WritePatience {
    const first = this.#patience ?? { since: performance.now() - this.#queued, signal: NO_CLIENT };
    this.#patience = undefined;
    this.#queued = 0;
    return first;
  }
}

async function* readChunks<R>(rows: Iterable<unknown>, chunkSize: number): AsyncGenerator<QueryResult<R>> {
  let count = 0;
  let chunk: R[] = [];
  for (const row of rows) {
    chunk.push(asResult(row));
    count += 1;
    if (chunk.length >= chunkSize) {
      yield { rows: chunk };
      chunk = [];
    }
    if (count % ROWS_PER_TURN === 0) await nextTurn();
  }
  if (chunk.length > 0) yield { rows: chunk };
}

function execute<R>(
  statement: PreparedStatement<"objects">,
  values: readonly SQLInputValue[],
  { query, sql }: CompiledQuery,
): QueryResult<R> {
  if (statement.hasRows && SelectQueryNode.is(query)) return { rows: statement.select(values).map(asResult<R>) };
  const changed = changeRows(statement, values);
  const rows = changed.rows.map(asResult<R>);
  return changesRows(query, sql) ? { ...changed, rows } : { rows };
}

/** Whether SQLite's count of changes belongs to this statement; `create table` leaves the previous count. */
function changesRows(query: RootOperationNode, sql: string): boolean {
  switch (query.kind) {
    case "InsertQueryNode":
    case "UpdateQueryNode":
    case "DeleteQueryNode":
      return true;
    case "RawNode":
      return CHANGES_ROWS.test(sql);
    default:
      return false;
  }
}

/** Casts a row, since Kysely trusts the application's table types. */
function asResult<R>(row: unknown): R {
  return row as R;
}
