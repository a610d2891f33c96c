import type { SQLInputValue, DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { Fetch, Patience } from "../../connection/patient-reader.ts";
import { CATALOGUE_FACTS, type StatementFacts } from "../../connection/statement-facts.ts";
import { isODataError } from "../../errors/odata-error.ts";
import { type PreparedStatement, toBoundValues, MAX_TIME_HERE } from "./prepared-statement.ts";
import { explain, type PlanLine, QueryPlan } from "./query-plan.ts";
import { ReaderThreads, threadEntry } from "./reader-threads.ts";
import { MOST_BYTES_HERE, type SqliteDatabase } from "./sqlite-database.ts";
import { TOO_BIG } from "./sqlite-text-functions.ts";

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
  readonly read: (sql: string, parameters: readonly unknown[], patience: Patience, isFirst: boolean) => Promise<Rows>;
  /** Returns the next rows of a statement, which stays open until the snapshot ends. */
  readonly fetch: (sql: string, parameters: readonly unknown[], wanted: Fetch, patience: Patience) => Promise<Rows>;
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
    if (this.#isShort(statement, values, facts)) {
      try {
        return this.#readHere(statement, values, isFirst, facts);
      } catch (error) {
        if (!isTooLong(error) && !isTimeout(error)) throw error;
      }
    }
    const threads = this.#findThreads();
    if (threads !== null) return threads.read({ sql, values, isFirst }, patience);
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
  isLong(sql: string, parameters: readonly unknown[], facts?: StatementFacts): boolean {
    try {
      return !this.#isShort(this.#database.rows.get(sql), toBoundValues(parameters), facts);
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
    facts: StatementFacts | undefined,
  ): Rows {
    const kept = keptOf(statement);
    const isFew = facts?.isOfCatalogue === true || kept.work.whole <= FEW_VISITS;
    const { operations = 0 } = facts ?? {};
    const most = Math.max(SHORT_BYTES, Math.floor((MOST_BYTES_HERE * MOST_OPERATIONS) / operations));
    const read = (): Rows => rowsOf(statement, values, isFirst);
    const { readingWatch } = this.#database;
    const begun = isFew ? 0 : performance.now();
    readingWatch.begin(LONGEST_HERE);
    try {
      return isFew || operations <= MOST_OPERATIONS ? read() : this.#database.atLength(most, read);
    } finally {
      readingWatch.end();
      if (!isFew && performance.now() - begun > TOO_LONG) kept.slowUntil = performance.now() + SLOW_FOR;
    }
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

/** Whether a statement met a value that is longer than the limit of its connection. @see https://sqlite.org/rescode.html#toobig */
function isTooLong(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === TOO_BIG;
}

function rowsOf(statement: PreparedStatement<"arrays">, values: readonly SQLInputValue[], isFirst: boolean): Rows {
  if (!isFirst) return statement.select(values);
  const row = statement.selectFirst(values);
  return row === undefined ? [] : [row];
}

/** A table with more rows is not counted further. */
const COUNTED = 20_001;

/** Milliseconds between two checks whether tables have changed. */
const KEPT = 250;

/** The unique indexes of a database. */
interface UniqueIndexes {
  /** The number of their columns, by name. */
  readonly columns: ReadonlyMap<string, number>;
  /** The names of primary keys, by the names of their tables. */
  readonly primary: ReadonlyMap<string, string>;
}

/** A bound for the rows of each table of a database, kept until something has changed, and its unique indexes. */
class TableSizes {
  readonly #database: DatabaseSync;
  readonly #rows = new Map<string, number | undefined>();
  #unique: UniqueIndexes | undefined;
  #checked = -Infinity;
  /** Changes with the rows and the tables of the database. */
  version = "";
  /** Changes with its tables and indexes alone. */
  schema = "";

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Forgets the bounds if another connection, or this one, has changed something, which is checked four times a second. */
  refresh(): void {
    const now = performance.now();
    if (now - this.#checked < KEPT) return;
    this.#checked = now;
    const [schema, others, own] = ["pragma schema_version", "pragma data_version", "select total_changes()"].map(
      (text) => String(this.#row(text)?.[0]),
    );
    const version = [schema, others, own].join(" ");
    if (version === this.version) return;
    if (schema !== this.schema) {
      this.#unique = undefined;
      this.#rows.clear();
    }
    this.schema = schema ?? "";
    this.version = version;
    // Large tables stay large: counting them again would cost most.
    for (const [table, rows] of this.#rows) if (rows !== Infinity) this.#rows.delete(table);
  }

  /** Returns a bound for the rows of a table, infinite for a large one; undefined if it is none. @param table its quoted name */
  rows(table: string): number | undefined {
    if (!this.#rows.has(table)) this.#rows.set(table, this.#count(table));
    return this.#rows.get(table);
  }

  /** Whether values for the first columns of an index identify a row. @param index null: the primary key of the table */
  isUnique(tables: readonly string[], index: string | null, columns: number): boolean {
    this.#unique ??= this.#readUnique();
    const { columns: known, primary } = this.#unique;
    const names = index === null ? tables.map((table) => primary.get(lastName(table).toLowerCase()) ?? "") : [index];
    return names.length > 0 && names.every((name) => columns >= (known.get(name) ?? Infinity));
  }

  /** The range of the row ids is found at once. They may have gaps, so a wide range says nothing. */
  #count(table: string): number | undefined {
    // The rows of a view may take long.
    const found = "select 1 from sqlite_schema where type = 'table' and name = ? collate nocase";
    if (this.#all(found, [lastName(table)]).length === 0) return undefined;
    try {
      const ids = `select (select min(_rowid_) from ${table}), (select max(_rowid_) from ${table})`;
      const [low, high] = this.#row(ids) ?? [];
      if (high === null) return 0;
      const span = Number(high) - Number(low) + 1;
      if (span < COUNTED) return span;
    } catch {
      // A table without row ids.
    }
    try {
      const rows = Number(this.#row(`select count(*) from (select 1 from ${table} limit ${String(COUNTED)})`)?.[0]);
      return rows < COUNTED ? rows : Infinity;
    } catch {
      return Infinity;
    }
  }

  #readUnique(): UniqueIndexes {
    // An index with a column that may be null holds any number of rows without a value.
    const text = `select i.name, t.name, i.origin, count(*), min(i.origin = 'pk' or coalesce(k."notnull", 0))
      from sqlite_schema t join pragma_index_list(t.name) i join pragma_index_info(i.name) c
      left join pragma_table_xinfo(t.name) k on k.cid = c.cid
      where t.type = 'table' and i."unique" and not i.partial group by 1, 2, 3`;
    const columns = new Map<string, number>();
    const primary = new Map<string, string>();
    for (const [index, table, origin, count, isSure] of this.#all(text, [])) {
      columns.set(String(index), Number(isSure) === 1 ? Number(count) : Infinity);
      if (origin === "pk") primary.set(String(table).toLowerCase(), String(index));
    }
    return { columns, primary };
  }

  /** Returns the rows of a statement that is not kept. */
  rowsOf(text: string): readonly (readonly unknown[])[] {
    return this.#all(text, []);
  }

  #row(text: string): readonly SQLOutputValue[] | undefined {
    return this.#all(text, [])[0];
  }

  #all(text: string, values: readonly SQLInputValue[]): readonly (readonly SQLOutputValue[])[] {
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    // The types of node:sqlite know only rows as objects.
    return statement.all(...values) as unknown as readonly (readonly SQLOutputValue[])[];
  }
}

/** Returns the name of a table without its schema. */
function lastName(quoted: string): string {
  const names = quoted.slice(1, -1).split('"."');
  return (names.at(-1) ?? "").replaceAll('""', '"');
}
