import type { SQLInputValue } from "node:sqlite";
import { setImmediate as macrotask } from "node:timers/promises";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  type RootOperationNode,
  SelectQueryNode,
} from "kysely";
import type { SynchronousWriter } from "../connection/synchronous-reader.ts";
import type { PreparedStatement } from "./prepared-statement.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { toBoundValues } from "./sqlite-values.ts";

/** Rows of a stream after which other work of the process gets its turn. */
const ROWS_PER_TURN = 500;

/** How raw SQL that changes rows begins. */
const CHANGES_ROWS = /^\s*(?:insert|update|delete|replace|with)\b/i;

/** The connection that Kysely runs its statements on; while nobody has it, writes at once run there, too. */
export class SqliteConnection implements DatabaseConnection, SynchronousWriter {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  get mayWrite(): boolean {
    return this.#database.isFree;
  }

  writeRows(sql: string, parameters: readonly unknown[]): readonly (readonly unknown[])[] {
    return this.#database.writes.get(sql).all(toBoundValues(parameters));
  }

  /** Runs a statement. `numAffectedRows` and `insertId` are there where it has changed rows. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return new Promise((resolve) => {
      const values = toBoundValues(query.parameters);
      resolve(execute<R>(this.#database.statements.get(query.sql), values, query));
    });
  }

  /**
   * Answers the rows of a statement `chunkSize` at a time, as they are read. Every 500 rows other work of the process
   * gets its turn.
   */
  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncGenerator<QueryResult<R>> {
    const { statements } = this.#database;
    const values = toBoundValues(query.parameters);
    const statement = statements.take(query.sql);
    if (statement.hasRows) yield* readChunks<R>(statement.iterate(values), chunkSize);
    else yield execute<R>(statement, values, query);
    // Not one that failed: `node:sqlite` would report its error again when it is next iterated.
    statements.giveBack(statement);
  }

  /** Runs a command that is neither compiled nor kept: `begin`, `commit`. */
  control(command: string): Promise<void> {
    return new Promise((resolve) => {
      this.#database.connection.exec(command);
      resolve();
    });
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
    if (count % ROWS_PER_TURN === 0) await macrotask();
  }
  if (chunk.length > 0) yield { rows: chunk };
}

function execute<R>(
  statement: PreparedStatement<"objects">,
  values: readonly SQLInputValue[],
  { query, sql }: CompiledQuery,
): QueryResult<R> {
  if (statement.hasRows) {
    if (SelectQueryNode.is(query)) return { rows: statement.select(values).map(asResult<R>) };
    const rows = statement.all(values).map(asResult<R>);
    return changesRows(query, sql) ? { rows, numAffectedRows: BigInt(rows.length) } : { rows };
  }
  const { changes, lastInsertRowid } = statement.run(values);
  if (!changesRows(query, sql)) return { rows: [] };
  return { rows: [], numAffectedRows: changes, ...(changes > 0n && { insertId: lastInsertRowid }) };
}

/** Only then the count of changes is that of this statement; after `create table` it is still the one before. */
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

/** What a row holds is for the application's table types to say: Kysely takes their word. */
function asResult<R>(row: unknown): R {
  return row as R;
}
