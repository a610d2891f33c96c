import { sql } from "kysely";
import type { FunctionName } from "../../edm/canonical-functions.ts";
import type { StatementFacts } from "../connection/statement-facts.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { SessionNeeds } from "./utc-session.ts";

/** A table of a statement. */
interface NotedTable {
  readonly alias: string;
  /** Its quoted name. */
  readonly table: Sql;
  /** The columns by which the statement finds, sorts or groups rows. It may grow until the statement is complete. */
  readonly columns: ReadonlySet<string>;
}

/** Collects the facts of a statement while it is translated. */
export class StatementNotes implements SessionNeeds {
  readonly #tables: NotedTable[] = [];
  readonly #functions = new Set<FunctionName>();
  #operations = 0;
  /** Whether `top` and `skip` bound the rows that are visited. */
  isLimited = false;
  /** Whether it reads related rows. */
  isRelational = false;
  /** As in `SessionNeeds`. */
  inUtc = false;
  longSorts = 0;

  table(table: NotedTable): void {
    this.#tables.push(table);
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
   * @param compile returns the text of a name
   */
  facts(limits: readonly number[], compile: (name: Sql) => string): StatementFacts {
    const tables = Object.freeze(this.#tables.map(({ alias, table }) => [alias, compile(table)] as const));
    const columnsOf = ({ table, columns }: NotedTable): ReadonlyArray<readonly [string, string]> =>
      Array.from(columns, (column) => [compile(table), compile(sql`${sql.id(column)}`)]);
    return Object.freeze<StatementFacts>({
      tables,
      columns: () => this.#tables.flatMap(columnsOf),
      isRelational: this.isRelational,
      operations: this.#operations,
      functions: this.#functions,
      limits: this.isLimited ? limits : [],
    });
  }
}
