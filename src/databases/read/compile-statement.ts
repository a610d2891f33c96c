import { isODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import type { StatementFacts } from "../connection/statement-facts.ts";
import type { AnyKysely, SynchronousReader } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import { ofTable } from "../kinds/database-fault.ts";
import { limitPlaces } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { From } from "../translate/base-query.ts";
import type { StatementState } from "../translate/relation.ts";
import type { JsonQuery } from "../translate/translate-json.ts";
import type { RowQuery } from "../translate/translate-query.ts";
import { compileStatement } from "../translate/utc-session.ts";

/** A compiled statement: its text and its placeholders. */
export interface Statement {
  readonly sql: string;
  readonly slots: readonly unknown[];
  readonly facts: StatementFacts;
  /** The table of the set, for the log; absent for a query of the application. */
  readonly table?: string | undefined;
}

/** A statement that returns rows. */
export interface RowStatement extends Statement {
  readonly rowShape: RowShape;
  /** The number of cells in a row. */
  readonly width: number;
}

/** A statement that returns a page as JSON: one row, or one for each object. */
export interface JsonStatement extends Statement, Omit<JsonQuery, "query"> {}

/** The database of statements, and the rows that they read. */
export interface CompileTarget {
  readonly db: AnyKysely;
  readonly profile: Database;
  readonly from: From;
  /** The synchronous reader, which can explain a statement before it runs; null without one. */
  readonly local: SynchronousReader | null;
}

/** Compiles the statements of one table or base query. */
export class StatementCompiler {
  readonly #target: CompileTarget;

  constructor(target: CompileTarget) {
    this.#target = target;
  }

  /**
   * Compiles a statement in its usual form or, if no index serves that, in a form whose time does not grow with the product of
   * the row counts. A query that this second form cannot express keeps the usual form. Expressions that no index serves are
   * computed in the cheapest way.
   */
  choose<S extends Statement | null>(make: (profile: Database) => S): S {
    const { profile } = this.#target;
    const usual = make(profile);
    if (usual === null) return usual;
    const { whenScanning } = profile;
    if (whenScanning === undefined || !this.scans(usual)) return this.#chooseFunctions(usual, profile, make);
    try {
      return this.#chooseFunctions(make(whenScanning.profile), whenScanning.profile, make);
    } catch (error) {
      if (isODataError(error)) return usual;
      throw error;
    }
  }

  #chooseFunctions<S extends Statement | null>(
    usual: S,
    { whenUnindexed }: Database,
    make: (profile: Database) => S,
  ): S {
    const { local } = this.#target;
    if (usual === null || local === null || whenUnindexed === undefined) return usual;
    return this.ofTable(() => whenUnindexed.isNeeded(usual, local)) ? make(whenUnindexed.profile) : usual;
  }

  /** Whether the time of a statement in its usual form may grow with the product of the row counts. */
  scans(statement: Statement): boolean {
    const { profile, local } = this.#target;
    const { whenScanning } = profile;
    if (whenScanning === undefined) return false;
    return local === null || this.ofTable(() => whenScanning.isNeeded(statement, local));
  }

  /** Runs a query about a statement; its errors name the table. */
  ofTable<T>(ask: () => T): T {
    try {
      return ask();
    } catch (error) {
      throw ofTable(error, this.#target.from.table);
    }
  }

  compileRows({ query, rowShape, width }: RowQuery, scope: StatementState): RowStatement {
    const row = rowShape.columns.size === 0 ? undefined : { width, besides: namesOf(rowShape) };
    return Object.freeze({ ...this.compile(query, scope, row), rowShape, width });
  }

  /** @throws ODataError for too many values */
  compile(query: Sql, { notes }: StatementState, row?: StatementFacts["row"]): Statement {
    const { db, profile } = this.#target;
    const compiled = compileStatement(query, db, profile, notes);
    if (compiled.parameters.length > profile.session.maxParameters) {
      throw protocolError(
        "InvalidQueryOption",
        `The query needs more than the ${String(profile.session.maxParameters)} values that one SQL statement may have: shorten it.`,
      );
    }
    profile.session.checkStatement?.(compiled.sql);
    return Object.freeze({
      sql: compiled.sql,
      slots: Object.freeze([...compiled.parameters]),
      facts: Object.freeze({
        ...notes.facts(limitPlaces(compiled.parameters), (table) => table.compile(db).sql),
        row,
      }),
      table: this.#target.from.table,
    });
  }
}

/** Returns the bytes of the names of a row as JSON, with the characters around them. */
function namesOf({ columns, joined }: RowShape): number {
  let bytes = 2;
  for (const { name } of columns.keys()) bytes += name.length + 4;
  for (const [{ name }, related] of joined ?? []) {
    bytes += name.length + 4 + namesOf(related);
  }
  return bytes;
}
