import { chain, recover, type Maybe } from "../../base/maybe.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PlaceTerm } from "../../language/query/place.ts";
import type { Row } from "../../language/query/row-shape.ts";
import type { SourceQuery } from "../../language/query/source.ts";
import { columnName } from "../columns/column-name.ts";
import { everyMember, type ColumnPlan, type PlansByField } from "../columns/table-columns.ts";
import { CATALOGUE_FACTS } from "../connection/statement-facts.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import type { CatalogueQuery } from "../introspect/catalogue-steps.ts";
import type { Placement } from "../placement/placement.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { JoinComparisons } from "../translate/relation.ts";
import type { PageClauses } from "../translate/translate-query.ts";
import type { CompileTarget } from "./compile-statement.ts";
import type { NamedRows } from "./kept-statements.ts";
import type { SqlRows } from "./sql-rows.ts";
import type { Structures } from "./structures.ts";

/** Nothing is known of a table. */
const NO_FACTS: readonly unknown[] = Object.freeze([]);

/**
 * Reads facts about the columns of a table from the catalogue: which are `not null`, the labels of enumeration types, and whether equal cells
 * are the same value. Columns
 * of views and queries are not `not null`. Neither are columns of tables that the schema check did not compare with their
 * declarations.
 */
export class ProvenColumns {
  readonly #db: AnyKysely;
  readonly #syntax: Database["syntax"];
  readonly #table: Sql | undefined;
  #proven: ReadonlySet<unknown> | undefined;
  #labels: ReadonlyMap<unknown, ReadonlySet<unknown>> | undefined;
  #exact: ReadonlyMap<unknown, unknown> | undefined;
  /** The known facts. Statements that were made before they were known do without them. */
  facts: readonly unknown[] = NO_FACTS;

  /** @param table the quoted name of the table; undefined for a query */
  constructor(db: AnyKysely, { syntax }: Database, table: Sql | undefined) {
    this.#db = db;
    this.#syntax = syntax;
    this.#table = table;
  }

  /**
   * Reads the columns before the first statement that depends on them, but not in a transaction: if the query failed,
   * PostgreSQL would refuse all further statements of the transaction. Until then nothing is proven.
   * @param plansOf returns the columns of the table
   */
  prepare(query: SourceQuery, rows: SqlRows, plansOf: () => PlansByField): Maybe<undefined> {
    return chain(this.#prepareNulls(query, rows), () =>
      chain(this.#prepareLabels(query, rows, plansOf), () => this.#prepareExact(query, rows)),
    );
  }

  #prepareNulls(query: SourceQuery, rows: SqlRows): Maybe<undefined> {
    const { after, shape, orderBy } = query;
    // An index serves the order of groups from the first page on.
    const terms = after === undefined && shape.apply !== undefined ? orderBy : after?.kind.order.terms;
    if (this.#proven !== undefined || terms === undefined || !dependsOnNulls(terms)) return undefined;
    return this.#list(this.#syntax.unexpectedNulls.listNotNull, query, rows, (found) => {
      this.#proven = new Set(found.map(([name]) => name));
    });
  }

  #prepareLabels(query: SourceQuery, rows: SqlRows, plansOf: () => PlansByField): Maybe<undefined> {
    if (this.#labels !== undefined || query.filter === null) return undefined;
    const { listLabels = null } = this.#syntax;
    if (listLabels === null || ![...plansOf().values()].some(hasLabels)) {
      this.#labels = new Map();
      return undefined;
    }
    return this.#list(listLabels, query, rows, (found) => {
      const labels = new Map<unknown, Set<unknown>>();
      for (const [name, label] of found) labels.set(name, (labels.get(name) ?? new Set()).add(label));
      this.#labels = labels;
    });
  }

  #prepareExact(query: SourceQuery, rows: SqlRows): Maybe<undefined> {
    const { listExact = null } = this.#syntax;
    if (this.#exact !== undefined || listExact === null || !countsDistinct(query)) return undefined;
    return this.#list(listExact, query, rows, (found) => {
      this.#exact = new Map(found.map(([name, number]) => [name, number]));
    });
  }

  #list(
    list: ((table: string) => CatalogueQuery) | null,
    query: SourceQuery,
    rows: SqlRows,
    use: (found: readonly Row[]) => void,
  ): Maybe<undefined> {
    if (this.#table === undefined || list === null) return undefined;
    if (this.#db.isTransaction || rows.within(query.transaction) !== rows) return undefined;
    const { parameters, ...statement } = list(this.#table.compile(this.#db).sql);
    // A database that hides its catalogue proves nothing.
    const read = recover(
      () => rows.all({ ...statement, isInternal: true, facts: CATALOGUE_FACTS }, parameters, query),
      () => null,
    );
    return chain(read, (found) => {
      if (found === null) return undefined;
      use(found);
      this.facts = [this.#proven, this.#labels, this.#exact].map((facts) => [...(facts ?? [])]);
      return undefined;
    });
  }

  /** Whether a column is known to be `not null`. */
  has(column: string): boolean {
    return this.#proven?.has(this.#keyOf(column)) === true;
  }

  /** Whether equal cells of a column are known to be the same value. @param asNumber whether the value is a number */
  isExact(column: string, asNumber: boolean): boolean {
    const number = this.#exact?.get(this.#keyOf(column));
    return number !== undefined && (asNumber || number === null);
  }

  /** Returns the labels of a column; undefined unless it is known to have an enumeration type of the database. */
  labelsOf(column: string): ReadonlySet<unknown> | undefined {
    return this.#labels === undefined || this.#labels.size === 0 ? undefined : this.#labels.get(this.#keyOf(column));
  }

  #keyOf(column: string): string {
    return this.#syntax.columnKey(columnName(column, this.#db));
  }
}

function countsDistinct({ shape }: SourceQuery): boolean {
  return (shape.apply?.branches ?? []).some(({ steps }) =>
    steps.some(
      (step) =>
        step.kind === "group" &&
        step.aggregates.some(({ method, expression }) => method === "countdistinct" && expression?.kind === "property"),
    ),
  );
}

/** Whether a column may have an enumeration type of the database. */
export function hasLabels(plan: ColumnPlan): boolean {
  if (plan.kind === "complex") return [...everyMember(plan).values()].some(hasLabels);
  return plan.kind === "scalar" && plan.expression === undefined && plan.format.form.labels !== undefined;
}

/** Whether a term is a property whose column is `not null` if its table is as declared. Computed terms may always be null. */
function dependsOnNulls(terms: ReadonlyArray<Pick<PlaceTerm, "expression">>): boolean {
  return terms.some(
    ({ expression }) => expression.kind === "property" && !expression.property.nullable && !expression.property.isKey,
  );
}

/** The table or base query of the statements. */
export interface StatementTarget extends CompileTarget {
  /** The key of the type. */
  readonly key: readonly StructuralProperty[];
  /** Finds the columns. Called for the first statement, since tables may be created after the declarations. */
  readonly findPlans: () => PlansByField;
  /** Finds where the rows are. Called for the first statement, since other sets may be declared later. */
  readonly placement: () => Placement;
  readonly proven: ProvenColumns;
  readonly comparisons: JoinComparisons;
  /** The paths of ignored properties and members that have no column, as far as the schema check found. */
  readonly absent: Set<string>;
  readonly changes: SqlRows["changes"];
  /** Numbers the conditions on the rows. */
  readonly structures: Structures;
  readonly named: () => NamedRows;
}

/** Returns the clauses of a page that depend on places of rows. */
export function placesOf({ after, marked }: SourceQuery): Pick<PageClauses, "after" | "marked"> {
  return { after: after?.kind, marked: marked?.order };
}
