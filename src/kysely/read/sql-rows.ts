import { CompiledQuery } from "kysely";
import type { Maybe } from "../../base/maybe.ts";
import type { Row } from "../../query/row-shape.ts";
import { cancelOptions, isOfDatabase, openTransaction } from "../connection/kysely-instance.ts";
import type { AnyKysely, SynchronousReader } from "../connection/synchronous-reader.ts";
import { toReadFault } from "../dialects/database-fault.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import { toRows } from "../translate/select-columns.ts";
import type { RowStatement, Statement } from "./statement-cache.ts";

/** What a connection must know of its database. */
type RowsProfile = Pick<DialectProfile, "name" | "guardConnections">;

/** A statement that answers rows, as far as it matters here. */
type ReadRows = Pick<RowStatement, "sql" | "width" | "table">;

/** Runs statements: at once where the database is in this process, else through Kysely. */
export class SqlRows {
  readonly #db: AnyKysely;
  readonly #reader: SynchronousReader | null;
  readonly #profile: RowsProfile;
  #guarding: Promise<void> | null = null;
  #isReached = true;
  #isGuarded: boolean;

  constructor(db: AnyKysely, reader: SynchronousReader | null, profile: RowsProfile) {
    this.#profile = profile;
    // A transaction has one connection, and another instance of Kysely has made it.
    this.#isGuarded = profile.guardConnections === undefined || db.isTransaction;
    // A plugin would change the rows: its part, the names, is in the text of the statement already.
    this.#db = db.withoutPlugins();
    this.#reader = reader;
  }

  /**
   * Returns what runs statements within an open transaction: this one where there is none, or one of another database.
   * @param transaction of the context, as a query carries it
   */
  within(transaction: unknown): SqlRows {
    const open = transaction === undefined ? null : openTransaction(transaction);
    return open === null || !isOfDatabase(open, this.#db) ? this : new SqlRows(open, null, this.#profile);
  }

  /** What reads at once; null where rows come by a promise. */
  get local(): SynchronousReader | null {
    return this.#reader;
  }

  /**
   * Keeps lost connections from ending the process: before the first statement, at the latest.
   * @returns undefined once that is done
   * @throws whatever Kysely throws when it cannot connect
   */
  guard(): Promise<void> | undefined {
    if (this.#isGuarded) return undefined;
    this.#guarding ??= this.#guardNow();
    return this.#guarding;
  }

  async #guardNow(): Promise<void> {
    try {
      const isReached = await this.#profile.guardConnections?.(this.#db);
      this.#isGuarded = true;
      this.#isReached = isReached ?? true;
    } finally {
      // The next statement tries again where there was no connection.
      this.#guarding = null;
    }
  }

  /** Whether a lost connection is known not to end the process. */
  get isGuarded(): boolean {
    return this.#isReached;
  }

  /** All rows, as arrays of cells in the order of the statement. */
  all(statement: ReadRows, parameters: readonly unknown[], signal?: AbortSignal): Maybe<readonly Row[]> {
    return this.#reader === null
      ? this.#query(statement, parameters, signal)
      : readNow(this.#reader, this.#profile, "readRows", statement, parameters);
  }

  /** The first row; undefined when there is none. */
  first(statement: ReadRows, parameters: readonly unknown[], signal?: AbortSignal): Maybe<Row | undefined> {
    return this.#reader === null
      ? this.#query(statement, parameters, signal).then(([row]) => row)
      : readNow(this.#reader, this.#profile, "readOne", statement, parameters);
  }

  /** The one number that a statement answers. */
  number(statement: Statement, parameters: readonly unknown[], signal?: AbortSignal): Maybe<number> {
    return this.#reader === null
      ? this.#numberByPromise(statement, parameters, signal)
      : Number(readNow(this.#reader, this.#profile, "readOne", statement, parameters)?.[0] ?? 0);
  }

  async #numberByPromise(
    statement: Statement,
    parameters: readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const [row] = await this.#objects(statement, parameters, signal);
    return Number(Object.values(row ?? {})[0] ?? 0);
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
      // A transaction that has begun ends by itself: a statement cut off in it would leave its connection in doubt.
      const isCancelled = signal !== undefined && !this.#db.isTransaction;
      const options = isCancelled ? await cancelOptions(this.#db, signal) : undefined;
      const { rows } = await this.#db.executeQuery(CompiledQuery.raw(sql, [...parameters]), options);
      return rows;
    } catch (error) {
      throw toReadFault(error, this.#profile.name, table);
    }
  }
}

/** Reads at once. @throws ODataError for a statement that is more than the database takes */
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
