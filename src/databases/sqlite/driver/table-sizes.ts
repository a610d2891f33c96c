import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

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
export class TableSizes {
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
export function lastName(quoted: string): string {
  const names = quoted.slice(1, -1).split('"."');
  return (names.at(-1) ?? "").replaceAll('""', '"');
}
