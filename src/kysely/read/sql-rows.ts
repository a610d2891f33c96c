import { CompiledQuery } from "kysely";
import type { Maybe } from "../../base/maybe.ts";
import type { Row } from "../../query/row-shape.ts";
import { cancelOptions, isOfDatabase, openTransaction } from "../connection/kysely-instance.ts";
import type { AnyKysely, SynchronousReader } from "../connection/synchronous-reader.ts";
import { toReadFault } from "../dialects/database-fault.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import { toRows } from "../translate/select-columns.ts";
import type { RowStatement, Statement } from "./statement-cache.ts";

/** The parts of a profile that running statements requires. */
type RowsProfile = Pick<DialectProfile, "name" | "guardConnections">;

/** The parts of a row statement that running it requires. */
type ReadRows = Pick<RowStatement, "sql" | "width" | "table">;

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
  all(statement: ReadRows, parameters: readonly unknown[], signal?: AbortSignal): Maybe<readonly Row[]> {
    return this.#reader === null
      ? this.#query(statement, parameters, signal)
      : readNow(this.#reader, this.#profile, "readRows", statement, parameters);
  }

  /** Returns the first row; undefined without rows. */
  first(statement: ReadRows, parameters: readonly unknown[], signal?: AbortSignal): Maybe<Row | undefined> {
    return this.#reader === null
      ? this.#query(statement, parameters, signal).then(([row]) => row)
      : readNow(this.#reader, this.#profile, "readOne", statement, parameters);
  }

  /** Returns the single number that a statement selects. */
  number(statement: Statement, parameters: readonly unknown[], signal?: AbortSignal): Maybe<number> {
    return this.#reader === null
      ? this.#numberByPromise(statement, parameters, signal)
      : Number(readNow(this.#reader, this.#profile, "readOne", statement, parameters)?.[0]);
  }

  async #numberByPromise(
    statement: Statement,
    parameters: readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const rows = await this.#objects(statement, parameters, signal);
    return Number(rows.flatMap((row): readonly unknown[] => Object.values(row as object))[0]);
  }

  async #query(
    statement: ReadRows,
    parameters: readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Row[]> {
    return toRows(await this.#objects(statement, parameters, signal), statement.width);
  }

  async #objects(
    { sql, table }: Pick<Statement, "sql" | "table">,
    parameters: readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<readonly unknown[]> {
    signal?.throwIfAborted();
    try {
      if (!this.#isGuarded) await this.guard();
      // A statement within a transaction is not cancelled: that would leave its connection in an unknown state.
      const isCancelled = signal !== undefined && !this.#db.isTransaction;
      const options = isCancelled ? await cancelOptions(this.#db, signal) : undefined;
      const { rows } = await this.#db.executeQuery(CompiledQuery.raw(sql, [...parameters]), options);
      return rows;
    } catch (error) {
      throw toReadFault(error, this.#profile.name, table);
    }
  }
}

/** Reads synchronously. @throws ODataError for a statement that exceeds a limit of the database */
function readNow<Method extends keyof SynchronousReader>(
  reader: SynchronousReader,
  profile: RowsProfile,
  method: Method,
  { sql, table }: Pick<Statement, "sql" | "table">,
  parameters: readonly unknown[],
): ReturnType<SynchronousReader[Method]>;
function readNow(
  reader: SynchronousReader,
  { name }: RowsProfile,
  method: keyof SynchronousReader,
  { sql, table }: Pick<Statement, "sql" | "table">,
  parameters: readonly unknown[],
): ReturnType<SynchronousReader[keyof SynchronousReader]> {
  try {
    return reader[method](sql, parameters);
  } catch (error) {
    throw toReadFault(error, name, table);
  }
}
