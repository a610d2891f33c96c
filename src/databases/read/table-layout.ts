import type { TableSchema } from "../introspect/schema.ts";

/** A text for values that have the same JSON. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? `${String(each)}n` : each));
}

/** The tables of a database as far as schema checks have read them. Databases with equal texts have equal tables. */
export class TableLayout {
  readonly #tables = new Map<string, string>();
  /** The facts of each check, by the names of its tables. */
  readonly #facts = new Map<string, string>();
  readonly #triggers = new Map<string, TableSchema["triggers"]>();
  #isDeferred = false;
  #text: string | undefined;

  /** Describes all tables that were read; undefined before the first check. */
  get text(): string | undefined {
    return this.#text;
  }

  /** Whether a check has read a table. @param table its quoted name */
  has(table: string): boolean {
    return this.#tables.has(table);
  }

  /** Returns which rows triggers may change after a statement has written a table. @param table its quoted name */
  triggersOf(table: string): TableSchema["triggers"] {
    return this.#triggers.get(table);
  }

  /** Whether triggers of the database run at the end of a transaction. */
  get isDeferred(): boolean {
    return this.#isDeferred;
  }

  /**
   * Adds the result of a check, in place of an earlier one.
   * @param tables by quoted name
   * @param facts further facts on which statements depend
   */
  add(tables: ReadonlyMap<string, TableSchema>, facts: unknown): void {
    for (const [name, table] of tables) {
      this.#tables.set(name, textOf(table));
      this.#triggers.set(name, table.triggers);
    }
    this.#isDeferred = [...this.#triggers.values()].includes("deferred");
    this.#facts.set(textOf([...tables.keys()].toSorted()), textOf(facts));
    this.#text = textOf([this.#tables, this.#facts].map((each) => [...each].toSorted(([a], [b]) => (a < b ? -1 : 1))));
  }
}
