import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

/** An index as SQLite names it in query plans. */
interface IndexFacts {
  readonly table: string;
  readonly isUnique: boolean;
  readonly columns: readonly string[];
}

/** The number of rows up to which a table is counted exactly if its row ids do not tell. */
const COUNTED = 20_001;

/** The number of keys whose rows are counted to estimate an index, and the most rows counted per key. */
const SAMPLES = 8;
const MOST_PER_KEY = 2000;

/** The growth of a table after which estimates are out of date. */
const GROWTH = 1.5;

/** The assumed size of a table that cannot be counted. */
export const UNKNOWN_SIZE = 1_000_000;

/**
 * The sizes of the tables and indexes of a database: the statistics of `analyze` if they exist, otherwise a few short
 * reads. A size is read once, until `refresh` finds that a table has grown or the schema has changed.
 */
export class TableSizes {
  readonly #database: DatabaseSync;
  readonly #rows = new Map<string, number>();
  readonly #perKey = new Map<string, number>();
  #largest: number | undefined;
  #indexes: ReadonlyMap<string, IndexFacts> | undefined;
  #statistics: ReadonlyMap<string, readonly number[]> | undefined;
  #version: string;
  #schema: string;
  /** Changes whenever estimates are out of date. */
  epoch = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#version = this.#changes();
    this.#schema = this.#pragma("schema_version");
  }

  /** Begins a new epoch if the schema has changed, or a table has become much larger or smaller. */
  refresh(): void {
    const version = this.#changes();
    const schema = this.#pragma("schema_version");
    if (version === this.#version && schema === this.#schema) return;
    const isSame =
      schema === this.#schema &&
      [...this.#rows].every(([table, rows]) => isLike(rows, this.#count(table))) &&
      // Views multiply it, so small tables matter too.
      (this.#largest === undefined || this.#measureLargest() <= this.#largest * GROWTH);
    this.#version = version;
    this.#schema = schema;
    if (isSame) return;
    this.#rows.clear();
    this.#perKey.clear();
    this.#indexes = undefined;
    this.#largest = undefined;
    this.#statistics = undefined;
    this.epoch += 1;
  }

  /** Returns the number of rows of a table; undefined for an unknown table. */
  rows(table: string): number | undefined {
    const known = this.#rows.get(table);
    if (known !== undefined) return known;
    if (
      this.#row("select 1 from sqlite_schema where type = 'table' and lower(name) = lower(?)", [table]) === undefined
    ) {
      return undefined;
    }
    const counted = this.#count(table);
    this.#rows.set(table, counted);
    return counted;
  }

  /** Returns a bound for the rows of anything whose table is unknown, such as those of a view. */
  largest(): number {
    this.#largest ??= this.#measureLargest();
    return this.#largest;
  }

  #measureLargest(): number {
    return this.#all("select name from sqlite_schema where type = 'table' and rootpage > 0", []).reduce(
      (most, [table]) => Math.max(most, this.#span(String(table)) ?? this.#countOf(String(table))),
      0,
    );
  }

  /** Returns the table of an index; undefined for an unknown index. */
  tableOf(index: string): string | undefined {
    return this.#indexOf(index)?.table;
  }

  /** Returns the number of rows that an index finds by values of its first columns. */
  perKey(index: string, columns: number): number {
    const facts = this.#indexOf(index);
    if (facts === undefined || columns === 0) return UNKNOWN_SIZE;
    if (facts.isUnique && columns >= facts.columns.length) return 1;
    const key = `${String(columns)} ${index}`;
    const known = this.#perKey.get(key);
    if (known !== undefined) return known;
    const found = this.#statistic(index, columns) ?? this.#sample(facts, columns);
    this.#perKey.set(key, found);
    return found;
  }

  #count(table: string): number {
    const span = this.#span(table);
    return span !== undefined && span < COUNTED ? span : this.#countOf(table, span);
  }

  /** Returns the greatest number of rows that the row ids allow; undefined for a table without row ids. */
  #span(table: string): number | undefined {
    try {
      const [low, high] = this.#row(rowIdsOf(table), []) ?? [];
      return high === null || high === undefined ? 0 : Number(high) - Number(low) + 1;
    } catch {
      return undefined;
    }
  }

  /** Counts the rows of a table up to a limit: row ids may have gaps. */
  #countOf(table: string, span: number = UNKNOWN_SIZE): number {
    const text = `select count(*) from (select 1 from ${quoted(table)} limit ${String(COUNTED)})`;
    try {
      const counted = Number(this.#row(text, [])?.[0]);
      return counted < COUNTED ? counted : Math.max(COUNTED, Math.min(span, this.#analyzed(table) ?? span));
    } catch {
      // A table of a module that this connection lacks.
      return UNKNOWN_SIZE;
    }
  }

  /** Counts the rows of a few keys, picked by row id, so that frequent keys are likelier. */
  #sample({ table, columns }: IndexFacts, length: number): number {
    try {
      const names = columns.slice(0, length).map(quoted);
      const [low, high] = this.#row(rowIdsOf(table), []) ?? [];
      const [first, last] = [Number(low ?? 0), Number(high ?? 0)];
      const pick = `select ${names.join(", ")} from ${quoted(table)} where rowid >= ? limit 1`;
      const tests = names.map((name) => `${name} is ?`).join(" and ");
      const count = `select count(*) from (select 1 from ${quoted(table)} where ${tests} limit ${String(MOST_PER_KEY)})`;
      let total = 0;
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        const at = BigInt(Math.floor(first + ((last - first) * (sample + 0.5)) / SAMPLES));
        const key = this.#row(pick, [at]) ?? [];
        total += key.length === length ? Number(this.#row(count, key)?.[0]) : 0;
      }
      const average = total / SAMPLES;
      // A count that reached its limit may be anything: such keys are a large part of the table.
      return average > MOST_PER_KEY / 2 ? (this.rows(table) ?? UNKNOWN_SIZE) : Math.max(average, 1);
    } catch {
      return this.rows(table) ?? UNKNOWN_SIZE;
    }
  }

  #indexOf(index: string): IndexFacts | undefined {
    this.#indexes ??= this.#readIndexes();
    return this.#indexes.get(index);
  }

  #readIndexes(): ReadonlyMap<string, IndexFacts> {
    const text = `select i.name, t.name, i."unique" and not i.partial, c.name
      from sqlite_schema t join pragma_index_list(t.name) i join pragma_index_info(i.name) c
      where t.type = 'table' order by 1, c.seqno`;
    const found = new Map<string, { table: string; isUnique: boolean; columns: string[] }>();
    for (const [name, table, unique, column] of this.#all(text, [])) {
      const facts = found.get(String(name)) ?? { table: String(table), isUnique: Number(unique) === 1, columns: [] };
      facts.columns.push(String(column));
      found.set(String(name), facts);
    }
    return found;
  }

  #analyzed(table: string): number | undefined {
    const [total] = this.#stat().get(`table ${table}`) ?? [];
    return total;
  }

  #statistic(index: string, columns: number): number | undefined {
    return this.#stat().get(`index ${index}`)?.[columns];
  }

  #stat(): ReadonlyMap<string, readonly number[]> {
    this.#statistics ??= this.#readStatistics();
    return this.#statistics;
  }

  /** Reads the numbers of `analyze`: rows in total, then rows per value of the first column, and so on. */
  #readStatistics(): ReadonlyMap<string, readonly number[]> {
    const found = new Map<string, readonly number[]>();
    try {
      for (const [table, index, stat] of this.#all("select tbl, idx, stat from sqlite_stat1", [])) {
        const numbers = String(stat).split(" ").map(Number);
        found.set(`table ${String(table)}`, numbers);
        if (index !== null) found.set(`index ${String(index)}`, numbers);
      }
    } catch {
      // The database was never analysed.
    }
    return found;
  }

  /** Identifies the state of the rows: changes of other connections, and of this one. */
  #changes(): string {
    return `${this.#pragma("data_version")} ${String(this.#row("select total_changes()", [])?.[0])}`;
  }

  #pragma(name: string): string {
    return String(this.#row(`pragma ${name}`, [])?.[0]);
  }

  #row(text: string, values: readonly SQLInputValue[]): readonly SQLOutputValue[] | undefined {
    return this.#all(text, values)[0];
  }

  #all(text: string, values: readonly SQLInputValue[]): readonly (readonly SQLOutputValue[])[] {
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    // The types of node:sqlite know only rows as objects.
    return statement.all(...values) as unknown as readonly (readonly SQLOutputValue[])[];
  }
}

function isLike(before: number, now: number): boolean {
  return now <= Math.max(before * GROWTH, 1000) && now >= Math.min(before / GROWTH, 1000);
}

/** Selects the first and the last row id. Within one `select`, SQLite would read all rows for both. */
function rowIdsOf(table: string): string {
  const from = `from ${quoted(table)}`;
  return `select (select min(rowid) ${from}), (select max(rowid) ${from})`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
