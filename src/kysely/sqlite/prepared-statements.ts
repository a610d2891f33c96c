import type { DatabaseSync } from "node:sqlite";
import { BoundedCache } from "../../base/bounded-cache.ts";
import { PreparedStatement, type RowForm } from "./prepared-statement.ts";

/** White space, semicolons and comments: what may follow a statement. */
const NO_STATEMENT = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*$/;

/** The prepared statements of one connection by their text: those used last, up to a number of them. */
export class PreparedStatements<F extends RowForm> {
  readonly #database: DatabaseSync;
  readonly #form: F;
  readonly #kept: BoundedCache<string, PreparedStatement<F>>;

  /** @param capacity most statements kept, at least 1 */
  constructor(database: DatabaseSync, form: F, capacity: number) {
    this.#database = database;
    this.#form = form;
    this.#kept = new BoundedCache(capacity);
  }

  /** The statement of a text, for use at once. */
  get(sql: string): PreparedStatement<F> {
    const statement = this.take(sql);
    this.giveBack(statement);
    return statement;
  }

  /**
   * The statement of a text, to be given back after use: until then nobody else gets it. A statement that an iterator
   * is open on cannot be run a second time, so another reader of the same text gets one of its own.
   * @throws Error when the text is no single statement
   */
  take(sql: string): PreparedStatement<F> {
    const kept = this.#kept.take(sql);
    if (kept !== undefined) return kept;
    const statement = this.#database.prepare(sql);
    // SQLite prepares the first statement and would leave the others undone in silence.
    if (!NO_STATEMENT.test(sql.slice(statement.sourceSQL.length))) {
      throw new Error(`Only one SQL statement can be run at a time; after the first there is more: ${sql}`);
    }
    return new PreparedStatement(sql, statement, this.#form);
  }

  /** Keeps a statement as the one used last. The one used longest ago goes when there are too many. */
  giveBack(statement: PreparedStatement<F>): void {
    this.#kept.set(statement.sql, statement);
  }
}
