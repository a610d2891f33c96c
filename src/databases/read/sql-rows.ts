import { CompiledQuery, type DatabaseConnection } from "kysely";
import { chain, type Maybe, recover, unawaited, isPromiseLike } from "../../base/maybe.ts";
import { required } from "../../base/required.ts";
import type { Row } from "../../language/query/row-shape.ts";
import {
  isArrayReader,
  isPooledAdapter,
  type PooledAdapter,
  type ReadRowsResult,
  RoomyValues,
} from "../connection/array-reader.ts";
import { runLimited, OwnTransaction } from "../connection/limited-query.ts";
import { beginInTime, type Patience, type SnapshotReader, isPatientReader } from "../connection/patient-reader.ts";
import { CATALOGUE_FACTS } from "../connection/statement-facts.ts";
import {
  isOfDatabase,
  openTransaction,
  type AnyKysely,
  type SynchronousReader,
  type SnapshotSyntax,
} from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import { toReadFault, isOutdated } from "../kinds/database-fault.ts";
import { ReplicaReads } from "../replicas/replica-reads.ts";
import type { Explainer, RunningStatement } from "../statement/parameter-slot.ts";
import { toRows } from "../translate/select-columns.ts";
import type { Statement } from "./compile-statement.ts";
import { CHARACTERS_PER_BYTE, type Executor, fittingRows, keeping } from "./fewer-rows.ts";
import { Outage } from "./outage.ts";
import { inReadTime } from "./read-time.ts";
import { repeatOnce } from "./repeat-once.ts";
import { beginRead, countOf, type Read, type ReadRows, toNumber } from "./traced-read.ts";

/** The parts of a profile that running statements requires. */
type RowsProfile = Pick<Database, "name" | "session" | "values">;

/** The patience of statements that read single rows by key. */
const USUAL: Patience = Object.freeze({});

/** Milliseconds after its time in which a database ends a statement itself. */
const GRACE = 500;

/** Stands for the result of a read whose statement was outdated. */
const OUTDATED = Symbol("outdated");

/** Runs statements: synchronously if the database is in this process, otherwise through Kysely. */
export class SqlRows {
  readonly #db: AnyKysely;
  readonly #reader: SynchronousReader | null;
  readonly #profile: RowsProfile;
  /** Reads a replica in place of this database; null without one. */
  readonly positioned: ReplicaReads<SqlRows> | null;
  /** Whether the database can be reached. */
  readonly outage: Outage = new Outage();
  /** The changes of its tables that made statements outdated. */
  readonly changes: { count: number } = { count: 0 };
  readonly #source: ReadSource;
  /** The runner of the database that a snapshot or a transaction belongs to. */
  #origin: SqlRows | undefined;
  /** The transaction that holds a snapshot. */
  #own: OwnTransaction | undefined;
  /** The pool of the database; null for another dialect, and for a transaction. */
  readonly #pool: PooledAdapter | null;
  #prepares = true;

  constructor(
    db: AnyKysely,
    reader: SynchronousReader | null,
    profile: RowsProfile,
    replica: { readonly rows: SqlRows; readonly wait: number } | null = null,
  ) {
    this.#profile = profile;
    this.positioned = replica === null ? null : new ReplicaReads(this, replica.rows, replica.wait);
    const { adapter } = db.getExecutor();
    this.#pool = !db.isTransaction && isPooledAdapter(adapter) ? adapter : null;
    // A plugin would change the rows. The compiled statement already contains the names that it maps.
    this.#db = db.withoutPlugins();
    this.#reader = reader;
    this.#source = { name: profile.name, explainer: this };
  }

  /**
   * Returns the runner for an open transaction: this one without a transaction, or for one of another database.
   * @param transaction the transaction of the context, or the runner of a snapshot, as in a query
   */
  within(transaction: unknown): SqlRows {
    const own = this.#within(transaction);
    const replica = this.positioned?.replica;
    if (transaction === undefined || own !== this || replica === undefined) return own;
    // The snapshot may be one of the replica.
    const other = replica.within(transaction);
    return other === replica ? this : other;
  }

  #within(transaction: unknown): SqlRows {
    if (transaction instanceof SqlRows) return transaction.#origin === this ? transaction : this;
    if (transaction instanceof OwnTransaction) {
      const rows = this.#within(transaction.transaction);
      if (rows !== this) rows.#own = transaction;
      return rows;
    }
    const open = transaction === undefined ? null : openTransaction(transaction);
    if (open === null || !isOfDatabase(open, this.#db)) return this;
    const rows = new SqlRows(open, null, this.#profile);
    rows.#origin = this;
    return rows;
  }

  /** Returns the plan of a statement, in lines. A transaction or snapshot may be over. */
  explain(sql: string, parameters: readonly unknown[]): Maybe<readonly string[]> {
    if (this.#origin !== undefined) return this.#origin.explain(sql, parameters);
    const { statement, lines } = this.#profile.session.plan;
    const read = { sql: statement(sql), table: undefined, facts: CATALOGUE_FACTS, isInternal: true } as const;
    return chain(this.all(read, parameters, { timeout: 2000 }), lines);
  }

  /** Returns the runner for a snapshot. */
  reading(snapshot: SnapshotReader): SqlRows {
    const rows = new SqlRows(this.#db, snapshot, this.#profile);
    rows.#origin = this;
    return rows;
  }

  /** Opens a transaction that reads one snapshot. The caller ends it. @throws as `beginInTime`; as `toReadFault` */
  async begin(patience: Patience): Promise<OwnTransaction> {
    try {
      return await inReadTime(patience, (rest) => beginInTime(this.#db, rest));
    } catch (error) {
      throw this.outage.note(toReadFault(error, this.#profile.name, undefined));
    }
  }

  /** Whether further connections are free while one has a transaction. */
  hasConnections({ hasConnections }: SnapshotSyntax): boolean {
    return !this.#db.isTransaction && hasConnections(this.#db.getExecutor().adapter);
  }

  /** The synchronous reader; null if rows need a promise. */
  get local(): SynchronousReader | null {
    return this.#reader;
  }

  /**
   * Runs a read of this database. If a statement of this process does not fit the tables any more, the read runs once more
   * with new statements.
   * @param read makes its statements itself, and has no effects
   */
  upToDate<T>(read: () => Maybe<T>): Maybe<T> {
    const found = recover<T | typeof OUTDATED, typeof OUTDATED>(read, (error) => {
      if (!this.noteOutdated(error)) throw error;
      return OUTDATED;
    });
    return chain(found, (value): Maybe<T> => (value === OUTDATED ? read() : value));
  }

  /** Makes all statements anew if the statement of an error, in this process, does not fit the tables any more. */
  noteOutdated(error: unknown): boolean {
    const isNoted = this.#reader !== null && isOutdated(error);
    if (isNoted) this.changes.count += 1;
    return isNoted;
  }

  /** Prepares no statements from now on. */
  stopPreparing(): void {
    this.#prepares = false;
    this.positioned?.replica.stopPreparing();
  }

  /** The servers of the database, the primary first. */
  get servers(): ReplicaReads<SqlRows>["servers"] {
    return this.positioned?.servers ?? [{ role: "primary", rows: this }];
  }

  /** Calls a function whenever a connection is opened or closed. @returns false if the driver does not report it */
  watchConnections(changed: () => void): boolean {
    this.#pool?.watchConnections(changed);
    return this.#pool !== null;
  }

  /** Whether a lost connection certainly does not end the process. */
  get isGuarded(): boolean {
    return this.#pool !== null || this.#profile.session.mayEndProcess?.(this.#db.getExecutor().adapter) !== true;
  }

  /** Returns all rows, as arrays of cells in the order of the statement. */
  all(statement: ReadRows, parameters: readonly unknown[], patience: Patience = USUAL): Maybe<readonly Row[]> {
    const reader = this.#reader;
    const read = { statement, parameters };
    if (reader === null) return this.#query(read, patience);
    return inReadTime(patience, (rest) => readLocal(reader, "readRows", read, rest, this.#source));
  }

  /** Returns the first row; undefined without rows. */
  first(statement: ReadRows, parameters: readonly unknown[], patience: Patience = USUAL): Maybe<Row | undefined> {
    const reader = this.#reader;
    const read = { statement, parameters };
    if (reader === null) return this.#query(read, patience).then(([row]) => row);
    return inReadTime(patience, (rest) => readLocal(reader, "readOne", read, rest, this.#source));
  }

  /** Returns the row of a key, in this process within milliseconds. A server has its own limits, and an index. */
  byKey(statement: ReadRows, parameters: readonly unknown[], patience: Patience): Maybe<Row | undefined> {
    const { timeout, reading, bytes } = patience;
    if (this.#reader === null) return this.first(statement, parameters, { reading, bytes });
    return this.first(statement, parameters, timeout === undefined ? USUAL : patience);
  }

  /** Returns the single number that a statement selects. */
  number(statement: Statement, parameters: readonly unknown[], patience: Patience = USUAL): Maybe<number> {
    return chain(this.first(statement, parameters, patience), toNumber);
  }

  /**
   * Returns the rows of several statements: in one round trip if the driver can, otherwise in parallel. Outside a
   * transaction, they run once more if their connection is lost.
   * @throws the error of the first read that fails
   */
  async each(reads: readonly Read[], patience: Patience = USUAL): Promise<readonly (readonly Row[])[]> {
    const read = (rest: Patience): Promise<readonly (readonly Row[])[]> =>
      this.repeated(rest, (rows, left) => rows.eachOnce(reads, left));
    // A transaction that writes ends with its own time.
    return this.#db.isTransaction && this.#own === undefined ? read(patience) : inReadTime(patience, read);
  }

  /**
   * Runs a read without effects where its request reads. Outside a transaction, it runs once more if its connection is lost.
   * @throws the errors of the read; the reason of the signal
   */
  async repeated<T>(patience: Patience, read: (rows: SqlRows, patience: Patience) => Promise<T>): Promise<T> {
    const { positioned } = this;
    // A transaction is lost with its connection.
    const here = (given: Patience): Promise<T> =>
      this.#db.isTransaction ? read(this, given) : repeatOnce((rest) => read(this, rest), given);
    if (positioned === null) return here(patience);
    return positioned.read(patience, (rows, rest) => (rows === this ? here(rest) : read(rows, rest)));
  }

  /** As `each`, without a repetition and without a replica. */
  async eachOnce(reads: readonly Read[], patience: Patience): Promise<readonly (readonly Row[])[]> {
    if (this.#pool?.pipelines === true) return this.#together(reads, patience);
    const found = reads.map((read) => unawaited(this.#together([read], patience)));
    const rows: (readonly Row[])[] = [];
    for (const each of found) rows.push(...(await each));
    return rows;
  }

  async #query(read: Read, patience: Patience): Promise<readonly Row[]> {
    const [rows] = await this.each([read], patience);
    return required(rows, "A read has no rows.");
  }

  /** Reads on one connection. A read one of whose rows is refused because of its bytes has no rows. */
  async #together(reads: readonly Read[], patience: Patience): Promise<readonly (readonly Row[])[]> {
    const { signal } = patience;
    signal?.throwIfAborted();
    const running = reads.map(({ statement, parameters }) => beginRead(statement, parameters, this));
    try {
      const all = await this.#run(reads, patience);
      const found = all.map((rows, index) => fittingRows(rows, reads[index]?.statement.facts, patience));
      this.outage.end();
      for (const [index, { statement }] of reads.entries()) {
        running[index]?.end(countOf(statement, found[index] ?? []));
      }
      // Then the connection may have ended before the other reads.
      const isOver = reads.length > 1 && all.some(({ isCut }) => isCut);
      return isOver ? await this.#uncounted(reads, patience, found) : found;
    } catch (error) {
      for (const each of running) each?.fail(error);
      const { bytes } = patience;
      const { rowGuard } = this.#profile.values;
      if (bytes !== undefined && error instanceof Error && rowGuard?.isRefused(error) === true) {
        bytes.merge(0, true);
        return this.#uncounted(reads, patience);
      }
      throw this.outage.note(toReadFault(error, this.#profile.name, reads[0]?.statement.table));
    }
  }

  /** Repeats the reads that cannot be refused, such as totals, without the others. @param kept the rows of the others */
  async #uncounted(
    reads: readonly Read[],
    patience: Patience,
    kept: readonly (readonly Row[])[] = [],
  ): Promise<readonly (readonly Row[])[]> {
    const found: (readonly Row[])[] = [];
    for (const [index, read] of reads.entries()) {
      const isCounted = reads.length === 1 || read.statement.facts?.row !== undefined;
      found.push(...(isCounted ? [kept[index] ?? []] : await this.#together([read], patience)));
    }
    return found;
  }

  async #run(reads: readonly Read[], patience: Patience): Promise<readonly ReadRowsResult[]> {
    const { signal, timeout = null, bytes } = patience;
    const transaction = this.#own;
    const { isTransaction } = this.#db;
    const enough = bytes?.left ?? Infinity;
    const most = Math.min(MOST_CHARACTERS, CHARACTERS_PER_BYTE * enough);
    const each = async (connection: Executor): Promise<readonly ReadRowsResult[]> => {
      const found: ReadRowsResult[] = [];
      for (const { statement, parameters } of reads) {
        const room = { most, enough, mayEnd: !isTransaction, isCut: false };
        const values = RoomyValues.for(parameters, room);
        const query = CompiledQuery.raw(this.#limited(statement.sql, timeout), values);
        const isKept = transaction !== undefined && bytes !== undefined && statement.facts?.row !== undefined;
        const { rows } = await (isKept
          ? keeping(connection, query, transaction, this.#profile.values)
          : connection.executeQuery(query));
        found.push({ rows: toRows(rows, statement.width), isCut: room.isCut });
      }
      return found;
    };
    // A statement within a transaction of the application is not cancelled: that would leave it in an unknown state.
    if (isTransaction && transaction === undefined) return each(this.#db);
    const read = (connection: DatabaseConnection): Promise<readonly ReadRowsResult[]> => {
      if (isTransaction || !isArrayReader(connection)) return each(connection);
      const commands = reads.map(({ statement: { sql, width }, parameters }) => ({ sql, parameters, width }));
      return connection.readEach(commands, { timeout, prepares: this.#prepares, most, enough });
    };
    // Where statements share a round trip, the database ends each itself, a little earlier.
    const time = timeout !== null && this.#pool?.pipelines === true ? timeout * reads.length + GRACE : timeout;
    return runLimited(this.#db, read, { signal, timeout: time, stated: timeout, transaction });
  }

  /** Returns a text whose time the database limits itself, as far as it can. */
  #limited(sql: string, timeout: number | null): string {
    if (timeout === null) return sql;
    return this.#profile.session.within?.(timeout, sql) ?? sql;
  }
}

/** The most characters that a driver keeps for one statement. */
const MOST_CHARACTERS = 256_000_000;

/** The database of a read. */
interface ReadSource {
  /** For messages. */
  readonly name: string;
  readonly explainer: Explainer;
}

/**
 * Reads in this process: synchronously, or as a promise if the reader runs the statement elsewhere.
 * @throws as `toReadFault`
 */
function readLocal<Method extends "readRows" | "readOne">(
  reader: SynchronousReader,
  method: Method,
  read: Read,
  patience: Patience,
  source: ReadSource,
): Maybe<ReturnType<SynchronousReader[Method]>>;
function readLocal(
  reader: SynchronousReader,
  method: "readRows" | "readOne",
  { statement, parameters }: Read,
  patience: Patience,
  { name, explainer }: ReadSource,
): Maybe<readonly Row[] | Row | undefined> {
  const { sql, table, facts } = statement;
  const running = beginRead(statement, parameters, explainer);
  const isMany = method === "readRows";
  try {
    const found: Maybe<readonly Row[] | Row | undefined> = isPatientReader(reader)
      ? reader[isMany ? "read" : "readFirst"](sql, parameters, patience, facts)
      : reader[method](sql, parameters);
    if (isPromiseLike(found)) return readElsewhere(found, { statement, running, isMany, name });
    running?.end(countOf(statement, found, isMany));
    return found;
  } catch (error) {
    running?.fail(error);
    throw toReadFault(error, name, table);
  }
}

/** A statement that the reader runs elsewhere. */
interface Elsewhere {
  readonly statement: ReadRows;
  readonly running: RunningStatement | undefined;
  readonly isMany: boolean;
  readonly name: string;
}

/** Waits for a statement that the reader runs elsewhere. */
async function readElsewhere<R extends readonly Row[] | Row | undefined>(
  found: PromiseLike<R>,
  { statement, running, isMany, name }: Elsewhere,
): Promise<R> {
  try {
    const read = await found;
    running?.end(countOf(statement, read, isMany));
    return read;
  } catch (error) {
    running?.fail(error);
    throw toReadFault(error, name, statement.table);
  }
}
