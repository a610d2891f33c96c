import type { SQLInputValue } from "node:sqlite";
import type { Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { Fetch, Patience } from "../connection/patient-reader.ts";
import type { PreparedStatement } from "./prepared-statement.ts";
import {
  estimateCost,
  isOfSchemaCheck,
  jsonRows,
  type PlanLine,
  type QueryCost,
  visitsOf,
  withExpansions,
} from "./query-cost.ts";
import { ReaderThreads, threadEntry } from "./reader-threads.ts";
import { MOST_BYTES_HERE, type SqliteDatabase } from "./sqlite-database.ts";
import { TOO_BIG } from "./sqlite-text-functions.ts";
import { toBoundValues } from "./sqlite-values.ts";
import { TableSizes } from "./table-sizes.ts";
import { MAX_TIME_HERE } from "./watch.ts";

/** The most visits of rows of a statement that runs in the main thread: some 10 ms. */
const MOST_VISITS = 20_000;

const NO_ENTRY =
  "odatakit/sqlite is bundled without its file reader-thread.js, so long reads stop the whole process: keep odatakit external.";

/** Milliseconds between two checks whether tables have grown. */
const SIZES_KEPT = 250;

/** A statement with more work for each row reads only shorter values here, because each of its functions reads them whole. */
const MOST_WORK = 16;
const SHORT_BYTES = 1 << 16;

/** A read that took longer in the main thread twice runs in a reader thread until its estimate is renewed. */
const TOO_LONG = 25;

const FREE: QueryCost = Object.freeze<QueryCost>({ fixed: 0, perRow: 1, most: 1, bound: "none" });

/** The estimate of a statement. */
interface Estimate {
  cost: QueryCost;
  epoch: number;
  /** Whether the last execution took too long by the clock. The processor may have done something else meanwhile. */
  isInDoubt: boolean;
}

const estimateOf = keptPer((_statement: PreparedStatement<"arrays">): Estimate => ({
  cost: FREE,
  epoch: -1,
  isInDoubt: false,
}));

type Rows = readonly (readonly unknown[])[];

/** The reads of one snapshot. */
export interface ThreadReads {
  readonly read: (...statement: Parameters<SqliteReads["read"]>) => Promise<Rows>;
  /** Returns the next rows of a statement, which stays open until the snapshot ends. */
  readonly fetch: (sql: string, parameters: readonly unknown[], wanted: Fetch, patience: Patience) => Promise<Rows>;
  readonly end: () => void;
}

/** Runs reads: short ones at once, all others in reader threads if those see the same rows. */
export class SqliteReads {
  readonly #database: SqliteDatabase;
  #sizes: TableSizes | undefined;
  #checked = 0;
  #threads: ReaderThreads | null | undefined;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Returns all rows, or the first. @throws as `PatientReader` */
  read(sql: string, parameters: readonly unknown[], patience: Patience, isFirst: boolean): Maybe<Rows> {
    const statement = this.#database.rows.get(sql);
    const values = toBoundValues(parameters);
    const estimate = this.#estimate(statement);
    const isShort = visitsOf(estimate.cost, values) <= MOST_VISITS;
    if (isShort) {
      try {
        return this.#readHere(statement, values, isFirst, estimate);
      } catch (error) {
        if (!isTooLong(error)) throw error;
        if (estimate.cost !== FREE) estimate.cost = raised(estimate.cost, values, 2);
      }
    }
    const threads = this.#findThreads();
    if (threads !== null) return threads.read({ sql, values, isFirst }, patience);
    if (isShort) return this.readHere(sql, parameters, isFirst);
    return this.#readInTime(sql, values, isFirst, patience);
  }

  /** Returns all rows, or the first, in the main thread, whatever it takes. */
  readHere(sql: string, parameters: readonly unknown[], isFirst = false): Rows {
    const values = toBoundValues(parameters);
    const read = (): Rows => rowsOf(this.#database.rows.get(sql), values, isFirst);
    try {
      return read();
    } catch (error) {
      if (!isTooLong(error)) throw error;
      return this.#database.atAnyLength(read);
    }
  }

  /** Whether a statement runs in a thread, if there is one. An invalid statement does not: it reports its error itself. */
  isLong(sql: string, parameters: readonly unknown[]): boolean {
    try {
      const values = toBoundValues(parameters);
      const { cost } = this.#estimate(this.#database.rows.get(sql));
      return visitsOf(cost, values) > MOST_VISITS;
    } catch {
      return false;
    }
  }

  /** Opens a snapshot; null if reads run in the main thread, or would block writes. @throws as `PatientReader` */
  snapshot(): ThreadReads | null {
    const threads = this.#database.hasSnapshots ? this.#findThreads() : null;
    if (threads === null) return null;
    const snapshot = threads.openSnapshot();
    const statement = (sql: string, parameters: readonly unknown[]) => {
      return { sql, values: toBoundValues(parameters), snapshot };
    };
    return {
      read: (sql, parameters, patience, isFirst) => threads.read({ ...statement(sql, parameters), isFirst }, patience),
      fetch: (sql, parameters, fetch, patience) =>
        threads.read({ ...statement(sql, parameters), isFirst: false, fetch }, patience),
      end: () => threads.endSnapshot(snapshot),
    };
  }

  /** Ends the reader threads. */
  async close(): Promise<void> {
    await this.#threads?.close();
  }

  #readHere(
    statement: PreparedStatement<"arrays">,
    values: readonly SQLInputValue[],
    isFirst: boolean,
    estimate: Estimate,
  ): Rows {
    if (estimate.cost === FREE) return rowsOf(statement, values, isFirst);
    // Reading the clock is much cheaper than reading the time of the processor.
    const { isInDoubt } = estimate;
    const begun = isInDoubt ? processorTime() : performance.now();
    const { perRow } = estimate.cost;
    const read = (): Rows => rowsOf(statement, values, isFirst);
    const rows =
      perRow <= MOST_WORK
        ? read()
        : this.#database.atLength(Math.max(SHORT_BYTES, Math.floor((MOST_BYTES_HERE * MOST_WORK) / perRow)), read);
    const taken = (isInDoubt ? processorTime() : performance.now()) - begun;
    estimate.isInDoubt = taken > TOO_LONG;
    // The same statement with a smaller limit may still be short.
    if (isInDoubt && taken > TOO_LONG) estimate.cost = raised(estimate.cost, values, taken / TOO_LONG);
    return rows;
  }

  #readInTime(sql: string, values: readonly SQLInputValue[], isFirst: boolean, { timeout }: Patience): Rows {
    const { rows, readingWatch } = this.#database;
    if (timeout !== null) readingWatch.begin(Math.min(timeout ?? MAX_TIME_HERE, MAX_TIME_HERE));
    try {
      return this.#database.atAnyLength(() => rowsOf(rows.get(sql), values, isFirst));
    } finally {
      readingWatch.end();
    }
  }

  #estimate(statement: PreparedStatement<"arrays">): Estimate {
    const sizes = this.#freshSizes();
    const estimate = estimateOf(statement);
    if (estimate.epoch !== sizes.epoch) {
      estimate.cost = this.#costOf(statement.sql, sizes);
      estimate.epoch = sizes.epoch;
    }
    return estimate;
  }

  #costOf(statement: string, sizes: TableSizes): QueryCost {
    if (isOfSchemaCheck(statement)) return FREE;
    const rows = jsonRows(statement);
    try {
      const own = estimateCost(rows ?? statement, this.#explain(rows ?? statement), sizes);
      if (rows === null) return own.fixed + own.perRow * own.most <= 2 ? FREE : own;
      return withExpansions(own, rows, { sql: statement, lines: this.#explain(statement) }, sizes);
    } catch {
      // The statement itself reports the error.
      return FREE;
    }
  }

  /** Explains a statement without values, which SQLite takes for NULL. */
  #explain(sql: string): readonly PlanLine[] {
    return this.#database.rows
      .get(`explain query plan ${sql}`)
      .all([])
      .map(([id, parent, , detail]): PlanLine => ({ id: Number(id), parent: Number(parent), detail: String(detail) }));
  }

  #freshSizes(): TableSizes {
    const now = performance.now();
    if (this.#sizes === undefined) this.#sizes = new TableSizes(this.#database.reading);
    else if (now - this.#checked > SIZES_KEPT) this.#sizes.refresh();
    else return this.#sizes;
    this.#checked = now;
    return this.#sizes;
  }

  /** Returns the threads; null if they would not see the rows, or would block writes. */
  #findThreads(): ReaderThreads | null {
    if (this.#threads === undefined) {
      const { settings, isShared } = this.#database;
      const isWanted = settings.readerThreads > 0 && isShared;
      const entry = isWanted ? threadEntry() : null;
      if (isWanted && entry === null) process.emitWarning(NO_ENTRY);
      this.#threads = entry === null ? null : new ReaderThreads(settings, entry);
    }
    return this.#threads;
  }
}

/** Milliseconds that this thread has used a processor. Node.js 22 does not tell: the clock is a bound. */
function processorTime(): number {
  if (!("threadCpuUsage" in process)) return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the cost at which an execution with these values visits so many times the most rows. */
function raised(cost: QueryCost, values: readonly unknown[], times: number): QueryCost {
  const factor = (times * MOST_VISITS) / Math.max(1, visitsOf(cost, values));
  return { ...cost, fixed: cost.fixed * factor, perRow: cost.perRow * factor };
}

/** Whether a statement met a value that is longer than the limit of its connection. @see https://sqlite.org/rescode.html#toobig */
function isTooLong(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === TOO_BIG;
}

function rowsOf(statement: PreparedStatement<"arrays">, values: readonly SQLInputValue[], isFirst: boolean): Rows {
  if (!isFirst) return statement.select(values);
  const row = statement.selectFirst(values);
  return row === undefined ? [] : [row];
}
