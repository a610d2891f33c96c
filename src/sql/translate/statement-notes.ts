import type { StatementFacts } from "../../connection/statement-facts.ts";
import type { FunctionName } from "../../query/functions.ts";
import type { Sql } from "../statement/sql-form.ts";

/** Collects the facts of a statement while it is translated. */
export class StatementNotes {
  readonly #tables: (readonly [alias: string, table: Sql])[] = [];
  readonly #functions = new Set<FunctionName>();
  #operations = 0;
  /** Whether `top` and `skip` bound the rows that are visited. */
  isLimited = false;
  /** Whether it reads related rows. */
  isRelational = false;

  /** @param table its quoted name */
  table(alias: string, table: Sql): void {
    this.#tables.push([alias, table]);
  }

  /**
   * @param name that of a function; undefined: an operator
   * @param times how often it is evaluated for each row
   */
  operation(name?: FunctionName, times = 1): void {
    this.#operations += times;
    if (name !== undefined) this.#functions.add(name);
  }

  /**
   * @param limits the places of `top` and `skip` among the values of the compiled statement
   * @param compile returns the text of a table
   */
  facts(limits: readonly number[], compile: (table: Sql) => string): StatementFacts {
    return Object.freeze<StatementFacts>({
      tables: Object.freeze(this.#tables.map(([alias, table]) => [alias, compile(table)] as const)),
      isRelational: this.isRelational,
      operations: this.#operations,
      functions: this.#functions,
      limits: this.isLimited ? limits : [],
    });
  }
}
