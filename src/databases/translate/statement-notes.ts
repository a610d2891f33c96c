import { sql } from "kysely";
import type { FunctionName } from "../../edm/canonical-functions.ts";
import type { UsedColumns } from "../../language/query/used-columns.ts";
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
  /** The columns of conditions that no index serves, with the operation of each. It may grow, too. */
  readonly scanned?: ReadonlyMap<string, string>;
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
  recurses = false;
  /** What reads the columns that are translated now: see `reading`. */
  #reader: string | null | undefined;
  /** The operation around the conditions that are translated now, which no index serves. */
  #around: string | null = null;
  /** Whether an index may serve a condition. */
  #isServed = false;

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
   * Translates a part of a condition or a computation.
   * @param operation the operation that keeps indexes from serving the condition; null if an index may serve it
   * @param isAround whether the condition consists of others
   */
  reading<T>(operation: string | null, isAround: boolean, translate: () => T): T {
    const [reader, around] = [this.#reader, this.#around];
    if (isAround) this.#around = operation;
    else this.#reader = operation ?? around;
    if (!isAround && this.#reader === null) this.#isServed = true;
    try {
      return translate();
    } finally {
      [this.#reader, this.#around] = [reader, around];
    }
  }

  /** Translates a computation, which no index serves, unless it belongs to a condition. */
  computing<T>(translate: () => T): T {
    return this.#reader === undefined ? this.reading("", false, translate) : translate();
  }

  /**
   * Records a column that is translated now.
   * @param foundBy receives it if an index may serve the statement by it
   * @param scanned receives it if it belongs to a condition that no index serves
   */
  column(name: string, foundBy: Set<string>, scanned: Map<string, string>): void {
    const reader = this.#reader;
    if (reader === undefined || reader === null) foundBy.add(name);
    else if (reader !== "") scanned.set(name, reader);
  }

  /**
   * @param limits the places of `top` and `skip` among the values of the compiled statement
   * @param compile returns the text of a name
   */
  facts(limits: readonly number[], compile: (name: Sql) => string): StatementFacts {
    const tables = Object.freeze(this.#tables.map(({ alias, table }) => [alias, compile(table)] as const));
    const quoted = (name: string): string => compile(sql`${sql.id(name)}`);
    const columns = (): UsedColumns => ({
      found: this.#tables.flatMap(({ table, columns: found }) =>
        Array.from(found, (column) => [compile(table), quoted(column)] as const),
      ),
      scanned: this.#isServed
        ? []
        : this.#tables.flatMap(({ table, scanned = [] }) =>
            Array.from(scanned, ([column, operation]) => [compile(table), quoted(column), operation] as const),
          ),
    });
    return Object.freeze<StatementFacts>({
      tables,
      columns,
      isRelational: this.isRelational,
      operations: this.#operations,
      functions: this.#functions,
      limits: this.isLimited ? limits : [],
    });
  }
}
