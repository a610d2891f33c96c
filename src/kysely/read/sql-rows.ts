import { CompiledQuery } from "kysely";
import { chain, isPromiseLike, type Maybe } from "../../base/maybe.ts";
import type { Row } from "../../query/row-shape.ts";
import { cancelOptions, isOfDatabase, openTransaction } from "../connection/kysely-instance.ts";
import { isPatientReader, type Patience } from "../connection/patient-reader.ts";
import { isSynchronousReader, type AnyKysely, type SynchronousReader } from "../connection/synchronous-reader.ts";
import { toReadFault } from "../dialects/database-fault.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import { toRows } from "../translate/select-columns.ts";
import type { RowStatement, Statement } from "./statement-cache.ts";
import { TimeLimit } from "./time-limit.ts";

/** The parts of a profile that running statements requires. */
type RowsProfile = Pick<DialectProfile, "name" | "guardConnections" | "syntax">;

/** The parts of a row statement that running it requires. */
type ReadRows = Pick<RowStatement, "sql" | "width" | "table">;

/** The patience of statements that read single rows by key. */
const USUAL: Patience = Object.freeze({});

/** Runs statements: synchronously if the database is in this process, otherwise through Kysely. */
export class SqlRows {
  readonly #db: AnyKysely;
  readonly #reader: SynchronousReader | null;
  readonly #profile: RowsProfile;
  #guarding: Promise<void> | null = null;
  #isReached = true;
  #isGuarded: boolean;

  constructor(db: AnyKysely, reader: SynchronousReader | null, profile: RowsProfile) {
    this.#profile = profile;
    // The connection of a transaction was guarded by the Kysely instance that opened it.
    this.#isGuarded = profile.guardConnections === undefined || db.isTransaction;
    // A plugin would change the rows. The compiled statement already contains the names that it maps.
    this.#db = db.withoutPlugins();
    this.#reader = reader;
  }

  /**
   * Returns the runner for an open transaction: this one without a transaction, or for one of another database.
   * @param transaction the transaction of the context, as in a query
   */
  within(transaction: unknown): SqlRows {
    const open = transaction === undefined ? null : openTransaction(transaction);
    return open === null || !isOfDatabase(open, this.#db) ? this : new SqlRows(open, null, this.#profile);
  }

  /** The synchronous reader; null if rows need a promise. */
  get local(): SynchronousReader | null {
    return this.#reader;
  }

  /**
   * Prevents lost connections from ending the process. Runs before the first statement at the latest.
   * @returns undefined once that is done
   * @throws the error of Kysely if it cannot connect
   */
  guard(): Promise<void> | undefined {
    if (this.#isGuarded) return undefined;
    this.#guarding ??= this.#guardNow();
    return this.#guarding;
  }

  async #guardNow(): Promise<void> {
    try {
      this.#isReached = (await this.#profile.guardConnections?.(this.#db)) !== false;
      this.#isGuarded = true;
    } finally {
      // After a failure the next statement tries again.
      this.#guarding = null;
    }
  }

  /** Whether a lost connection certainly does not end the process. */
  get isGuarded(): boolean {
    return this.#isReached;
  }

  /** Returns all rows, as arrays of cells in the order of the statement. */
  all(statement: ReadRows, parameters: readonly unknown[], patience: Patience = USUAL): Maybe<readonly Row[]> {
    return this.#reader === null
      ? this.#query(statement, parameters, patience)
      : this.#readLocal(this.#reader, "readRows", statement, parameters, patience);
  }

  /** Returns the first row; undefined without rows. */
  first(statement: ReadRows, parameters: readonly unknown[], patience: Patience = USUAL): Maybe<Row | undefined> {
    return this.#reader === null
      ? this.#query(statement, parameters, patience).then(([row]) => row)
      : this.#readLocal(this.#reader, "readOne", statement, parameters, patience);
  }

  /** Returns the single number that a statement selects. */
  number(statement: Statement, parameters: readonly unknown[], patience: Patience = USUAL): Maybe<number> {
    if (this.#reader === null) return this.#numberByPromise(statement, parameters, patience);
    const row = this.#readLocal(this.#reader, "readOne", statement, parameters, patience);
    return chain(row, (cells) => Number(cells?.[0]));
  }

  /** Reads in this process: synchronously, or as a promise if the reader runs the statement elsewhere. */
  #readLocal<Method extends "readRows" | "readOne">(
    reader: SynchronousReader,
    method: Method,
    { sql, table }: Pick<Statement, "sql" | "table">,
    parameters: readonly unknown[],
    patience: Patience,
  ): Maybe<ReturnType<SynchronousReader[Method]>>;
  #readLocal(
    reader: SynchronousReader,
    method: "readRows" | "readOne",
    { sql, table }: Pick<Statement, "sql" | "table">,
    parameters: readonly unknown[],
    patience: Patience,
  ): Maybe<readonly Row[] | Row | undefined> {
    const { name } = this.#profile;
    try {
      if (!isPatientReader(reader)) return reader[method](sql, parameters);
      const read = method === "readRows" ? "read" : "readFirst";
      const found: Maybe<readonly Row[] | Row | undefined> = reader[read](sql, parameters, patience);
      if (!isPromiseLike(found)) return found;
      return Promise.resolve(found).catch((error: unknown) => {
        throw toReadFault(error, name, table);
      });
    } catch (error) {
      throw toReadFault(error, name, table);
    }
  }

  async #numberByPromise(statement: Statement, parameters: readonly unknown[], patience: Patience): Promise<number> {
    const rows = await this.#objects(statement, parameters, patience);
    return Number(rows.flatMap((row): readonly unknown[] => Object.values(row as object))[0]);
  }

  async #query(statement: ReadRows, parameters: readonly unknown[], patience: Patience): Promise<readonly Row[]> {
    return toRows(await this.#objects(statement, parameters, patience), statement.width);
  }

  async #objects(
    { sql, table }: Pick<Statement, "sql" | "table">,
    parameters: readonly unknown[],
    { signal, timeout = null }: Patience,
  ): Promise<readonly unknown[]> {
    signal?.throwIfAborted();
    const limit = new TimeLimit(signal, timeout);
    try {
      if (!this.#isGuarded) await this.guard();
      const text = this.#limited(sql, parameters, timeout);
      // A statement within a transaction is not cancelled: that would leave its connection in an unknown state.
      const options = this.#db.isTransaction ? undefined : await cancelOptions(this.#db, limit.start());
      const { rows } = await this.#db.executeQuery(CompiledQuery.raw(text, [...parameters]), options);
      return rows;
    } catch (error) {
      throw toReadFault(error, this.#profile.name, table);
    } finally {
      limit.end();
    }
  }

  /** Returns a text whose time the database limits itself, as far as it can. */
  #limited(sql: string, parameters: readonly unknown[], timeout: number | null): string {
    if (timeout === null) return sql;
    const { adapter } = this.#db.getExecutor();
    if (isSynchronousReader(adapter) && isPatientReader(adapter)) return adapter.guard(sql, parameters);
    return this.#profile.syntax.within?.(timeout, sql) ?? sql;
  }
}
