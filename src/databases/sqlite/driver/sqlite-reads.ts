import type { SQLInputValue } from "node:sqlite";
import { isODataError } from "../../../base/errors/odata-error.ts";
import type { Maybe } from "../../../base/maybe.ts";
import { keptPer } from "../../../base/memo.ts";
import type { Patience } from "../../connection/patient-reader.ts";
import { CATALOGUE_FACTS, type StatementFacts } from "../../connection/statement-facts.ts";
import { type PreparedStatement, toBoundValues, MAX_TIME_HERE } from "./prepared-statement.ts";
import { explain, type PlanLine, QueryPlan } from "./query-plan.ts";
import {
  isTooLong,
  NO_LIMIT,
  readWithin,
  roomOf,
  type FittingRows,
  type LengthLimit,
  type WantedRows,
} from "./read-fitting.ts";
import { ReaderThreads, threadEntry } from "./reader-threads.ts";
import { MOST_BYTES, MOST_BYTES_HERE, type SqliteDatabase } from "./sqlite-database.ts";
import { lastName, TableSizes } from "./table-sizes.ts";

/** The most visits of rows, each counted once more per operation, of a statement in the main thread: some 10 ms. */
const MOST_VISITS = 50_000;

const NO_ENTRY =
  "odatakit/sqlite is bundled without its file reader-thread.js, so long reads stop the whole process: keep odatakit external.";

/** A statement with more operations reads only shorter values here, because each of its functions reads them whole. */
const MOST_OPERATIONS = 5;
const SHORT_BYTES = 1 << 16;

/** Milliseconds. A read that takes longer here runs in a thread for a while, unless it visits only a few rows. */
const TOO_LONG = 25;
const FEW_VISITS = 100;
/** Milliseconds after which a read ends here, and begins again in a thread: it visits more rows than its plan says. */
const LONGEST_HERE = 50;
/** Milliseconds in which a read that took too long runs in a thread. */
const SLOW_FOR = 60_000;

/** The visits of a statement, with its operations, as long as its tables do not change. */
interface Work {
  readonly version: string;
  readonly whole: number;
  /** For a page: the visits without its rows, and those for each of them. */
  readonly fixed: number;
  readonly perRow: number;
}

const UNKNOWN: Work = { version: "", whole: Infinity, fixed: Infinity, perRow: Infinity };

/** The known facts about a statement. */
interface Kept {
  work: Work;
  /** Its query plan in a schema. */
  plan: { readonly schema: string; readonly lines: readonly PlanLine[] } | undefined;
  /** Until when it runs in a thread, because it took too long here. */
  slowUntil: number;
}

const keptOf = keptPer((_statement: PreparedStatement<"arrays">): Kept => {
  return { work: UNKNOWN, plan: undefined, slowUntil: 0 };
});

type Rows = readonly (readonly unknown[])[];

/** The reads of one snapshot. */
interface ThreadReads {
  readonly read: (
    sql: string,
    parameters: readonly unknown[],
    patience: Patience,
    isFirst: boolean,
    facts?: StatementFacts,
  ) => Promise<Rows>;
  readonly end: () => void;
}

/** Runs reads: short ones at once, all others in reader threads if those see the same rows. */
export class SqliteReads {
  readonly #database: SqliteDatabase;
  #sizes: TableSizes | undefined;
  #threads: ReaderThreads | null | undefined;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Returns all rows, or the first. @throws as `PatientReader` */
  read(
    sql: string,
    parameters: readonly unknown[],
    patience: Patience,
    isFirst: boolean,
    facts?: StatementFacts,
  ): Maybe<Rows> {
    const statement = this.#database.rows.get(sql);
    const values = toBoundValues(parameters);
    const room = roomOf(patience.bytes, values, facts);
    if (this.#isShort(statement, values, facts)) {
      try {
        return counted(this.#readHere(statement, values, { isFirst, room }, facts), patience);
      } catch (error) {
        if (!isTooLong(error) && !isTimeout(error)) throw error;
      }
    }
    const threads = this.#findThreads();
    if (threads !== null) return threads.read({ sql, values, isFirst, room }, patience);
    return counted(this.#readInTime(sql, values, { isFirst, room }, patience), patience);
  }

  /** Returns all rows, or the first, in the main thread, whatever it takes. */
  readHere(sql: string, parameters: readonly unknown[], isFirst = false): Rows {
    const values = toBoundValues(parameters);
    const read = (): Rows => readWithin(this.#database.rows.get(sql), values, { isFirst }, NO_LIMIT).rows;
    try {
      return read();
    } catch (error) {
      if (!isTooLong(error)) throw error;
      return this.#database.atAnyLength(read);
    }
  }

  /** Opens a snapshot; null if reads run in the main thread, or would block writes. @throws as `PatientReader` */
  snapshot(): ThreadReads | null {
    const threads = this.#database.hasSnapshots ? this.#findThreads() : null;
    if (threads === null) return null;
    const snapshot = threads.openSnapshot();
    const statement = (sql: string, parameters: readonly unknown[], { bytes }: Patience, facts?: StatementFacts) => {
      const values = toBoundValues(parameters);
      return { sql, values, snapshot, room: roomOf(bytes, values, facts) };
    };
    return {
      read: (sql, parameters, patience, isFirst, facts) =>
        threads.read({ ...statement(sql, parameters, patience, facts), isFirst }, patience),
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
    wanted: WantedRows,
    facts: StatementFacts | undefined,
  ): FittingRows {
    const kept = keptOf(statement);
    const isFew = facts?.isOfCatalogue === true || kept.work.whole <= FEW_VISITS;
    const { operations = 0 } = facts ?? {};
    const isCheap = isFew || operations <= MOST_OPERATIONS;
    const most = Math.max(SHORT_BYTES, Math.floor((MOST_BYTES_HERE * MOST_OPERATIONS) / operations));
    const longest = isCheap ? MOST_BYTES_HERE : most;
    const { readingWatch } = this.#database;
    const begun = isFew ? 0 : performance.now();
    readingWatch.begin(LONGEST_HERE);
    try {
      return readWithin(statement, values, wanted, this.#limitOf(longest, !isCheap));
    } finally {
      readingWatch.end();
      if (!isFew && performance.now() - begun > TOO_LONG) kept.slowUntil = performance.now() + SLOW_FOR;
    }
  }

  /** @param isSet whether a read without a lower limit also gets `longest` */
  #limitOf(longest: number, isSet: boolean): LengthLimit {
    const within = <T>(most: number, read: () => T): T =>
      isSet || most < longest ? this.#database.atLength(Math.min(most, longest), read) : read();
    return { within, longest, isPossible: "limits" in this.#database.reading };
  }

  #readInTime(
    sql: string,
    values: readonly SQLInputValue[],
    wanted: WantedRows,
    { timeout }: Pick<Patience, "timeout">,
  ): FittingRows {
    const { rows, readingWatch } = this.#database;
    if (timeout !== null) readingWatch.begin(Math.min(timeout ?? MAX_TIME_HERE, MAX_TIME_HERE));
    try {
      return readWithin(rows.get(sql), values, wanted, this.#limitOf(MOST_BYTES, true));
    } finally {
      readingWatch.end();
    }
  }

  /** Whether an execution visits few rows, and did not take long before. */
  #isShort(
    statement: PreparedStatement<"arrays">,
    values: readonly SQLInputValue[],
    facts: StatementFacts | undefined,
  ): boolean {
    if (facts?.isOfCatalogue === true) return true;
    this.#sizes ??= new TableSizes(this.#database.reading);
    this.#sizes.refresh();
    const kept = keptOf(statement);
    if (kept.work.version !== this.#sizes.version) kept.work = this.#measure(statement.sql, this.#sizes, kept, facts);
    return isWithin(kept.work, values, facts) && (kept.slowUntil === 0 || kept.slowUntil < performance.now());
  }

  #measure(sql: string, sizes: TableSizes, kept: Kept, facts: StatementFacts = NO_FACTS): Work {
    const { version, schema } = sizes;
    try {
      if (kept.plan?.schema !== schema) {
        // Values that are missing are NULL.
        kept.plan = { schema, lines: explain(sql, 0, (text) => sizes.rowsOf(text)) };
      }
      const { lines } = kept.plan;
      const visits = (limit: number): number => visitsOf(lines, sizes, facts, limit);
      const fixed = visits(0);
      return { version, whole: visits(Infinity), fixed, perRow: visits(1) - fixed };
    } catch {
      // The statement reports its own errors.
      return { ...UNKNOWN, version };
    }
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

const NO_FACTS: StatementFacts = Object.freeze({ ...CATALOGUE_FACTS, isOfCatalogue: false });

/** Returns the most visits of a statement, with its operations, if it visits so many rows of its page. */
function visitsOf(
  lines: readonly PlanLine[],
  sizes: TableSizes,
  { tables, operations }: StatementFacts,
  limit: number,
): number {
  // The plan of a count names the table, not its alias.
  const isNamed = (table: string, name: string): boolean => lastName(table).toLowerCase() === name.toLowerCase();
  const tablesOf = (name: string): readonly string[] =>
    tables.filter(([alias, table]) => alias === name || isNamed(table, name)).map(([, table]) => table);
  // Views may hide rows of a table, which are visited, too.
  const isOfTables = tables.every(([, table]) => sizes.rows(table) !== undefined);
  const rowsOf = (alias: string): number | undefined => {
    const named = tablesOf(alias).map((table) => sizes.rows(table));
    const known = named.filter((rows) => rows !== undefined);
    return known.length === 0 || known.length < named.length ? undefined : Math.max(...known);
  };
  const isUnique = (alias: string, index: string | null, columns: number): boolean =>
    sizes.isUnique(tablesOf(alias), index, columns);
  const names = tables.flatMap(([alias, table]) => [alias, lastName(table)]);
  return (1 + operations) * new QueryPlan(lines, { names, rowsOf, isUnique }, isOfTables ? limit : Infinity).visits;
}

/** Whether an execution visits few rows. */
function isWithin(
  { whole, fixed, perRow }: Work,
  values: readonly SQLInputValue[],
  { limits, most }: StatementFacts = NO_FACTS,
): boolean {
  if (whole <= MOST_VISITS) return true;
  if (limits.length === 0 && most === undefined) return false;
  const rows = limits.reduce((sum, place) => sum + Number(values[place]), most ?? 0);
  return fixed + perRow * rows <= MOST_VISITS;
}

/** Whether a statement visited more rows than its plan says. */
function isTimeout(error: unknown): boolean {
  return isODataError(error) && error.code === "QueryTimeout";
}

/** Counts the rows for the request. */
function counted({ rows, used, isOver }: FittingRows, { bytes }: Patience): Rows {
  bytes?.merge(used, isOver);
  return rows;
}
