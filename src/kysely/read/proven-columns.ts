import { chain, recover, type Maybe } from "../../base/maybe.ts";
import type { PlaceOrder } from "../../query/place.ts";
import type { SourceQuery } from "../../query/source.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import { columnName } from "../schema/table-rows.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { SqlRows } from "./sql-rows.ts";

const NOTHING_PROVEN: ReadonlySet<unknown> = new Set();

/**
 * The columns of a table that are `not null`. Columns of views and queries are not, and neither are those of tables that the
 * schema check did not compare with their declarations.
 */
export class ProvenColumns {
  readonly #db: AnyKysely;
  readonly #syntax: DialectProfile["syntax"];
  readonly #table: Sql | undefined;
  #proven: ReadonlySet<unknown> | undefined;

  /** @param table the quoted name of the table; undefined for a query */
  constructor(db: AnyKysely, { syntax }: DialectProfile, table: Sql | undefined) {
    this.#db = db;
    this.#syntax = syntax;
    this.#table = table;
  }

  /** The identity of what is known: statements that were made before the columns were read tested them for null. */
  get identity(): object {
    return this.#proven ?? NOTHING_PROVEN;
  }

  /**
   * Reads the columns before the first statement that depends on them, but not in a transaction: if the query failed,
   * PostgreSQL would refuse all further statements of the transaction. Until then nothing is proven.
   */
  prepare(query: SourceQuery, rows: SqlRows): Maybe<undefined> {
    const { after } = query;
    if (after === undefined || this.#proven !== undefined || !dependsOnNulls(after.kind.order)) return undefined;
    const { listNotNull } = this.#syntax.unexpectedNulls;
    if (this.#table === undefined || listNotNull === null) return undefined;
    if (this.#db.isTransaction || rows.within(query.transaction) !== rows) return undefined;
    const { parameters, ...statement } = listNotNull(this.#table.compile(this.#db).sql);
    // A database that hides its catalogue proves nothing.
    const read = recover(
      () => rows.all({ ...statement, isInternal: true }, parameters, query),
      () => null,
    );
    return chain(read, (found) => {
      if (found !== null) this.#proven = new Set(found.map(([name]) => name));
      return undefined;
    });
  }

  /** Whether a column is known to be `not null`. */
  has(column: string): boolean {
    return this.#proven?.has(this.#syntax.columnKey(columnName(column, this.#db))) === true;
  }
}

/** Whether a term is a property whose column is `not null` if its table is as declared. Computed terms may always be null. */
function dependsOnNulls({ terms }: PlaceOrder): boolean {
  return terms.some(
    ({ expression }) => expression.kind === "property" && !expression.property.nullable && !expression.property.isKey,
  );
}
