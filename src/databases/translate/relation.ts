import { sql } from "kysely";
import type { EntitySet, JoinPair, NavigationProperty, StructuralProperty, LinkColumn } from "../../edm/model.ts";
import type { RootExpression } from "../../language/query/expression.ts";
import { comparedPlanOf, scalarPlanOf, type PlansByField, type ColumnPlan } from "../columns/table-columns.ts";
import type { Database } from "../forms/database.ts";
import type { Placement } from "../placement/placement.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { StatementNotes } from "./statement-notes.ts";

/** The rows of one entity set, or of the queried source, and the columns of their type. */
export interface Rows {
  /** Returns the SQL for `from`. @param isFenced see `RowsUse` */
  readonly from: (alias: string, isFenced?: boolean) => Sql;
  readonly plans: PlansByField;
  /** The paths of ignored properties and members that have no column, such as `home.note`: no statement selects them. */
  readonly absent: ReadonlySet<string>;
  /** Whether a column is known to be `not null`. */
  readonly isProven: (column: string) => boolean;
  /** Returns the labels of a column that is known to have an enumeration type of the database; undefined for others. */
  readonly labelsOf: (column: string) => ReadonlySet<unknown> | undefined;
  /**
   * Whether equal cells of a column are known to be the same value; absent: none is.
   * @param asNumber whether the value is a number: 1.0 and 1.00 are one number and two texts
   */
  readonly isExact?: ((column: string, asNumber: boolean) => boolean) | undefined;
  /** The key of the type. Its columns are never NULL. */
  readonly key: readonly StructuralProperty[];
  /** Their alias in a statement over them, if a step of `$apply` made them; absent: the usual one. */
  readonly alias?: string | undefined;
  /** The column that says whether a row belongs to these rows: see `From`. */
  readonly seen?: string | undefined;
  /** Whether computations need `isFenced`: see `From`. */
  readonly needsFence?: boolean | undefined;
  /** How the database compares a part of a join; undefined: by code point. */
  readonly comparisonOf: JoinComparisons["of"];
  /** Whether the rows have row ids; absent if no caller needs to know: see `Alive`. */
  readonly hasRowIds?: boolean | undefined;
  /** Their table, quoted; absent for a query, and where conditions restrict them. */
  readonly quoted?: Sql | undefined;
  /** Where they are, after the statement has read them first if it may have to. */
  readonly placement: Placement;
}

/** The properties of a statement that its base queries depend on. */
export interface RowsUse {
  readonly profile: Database;
  /** Whether few rows are looked up by known values, so that a base query should not read its tables completely. */
  readonly isLookup: boolean;
  /** Whether the database must find the rows before it evaluates anything else; default false. */
  readonly isFenced?: boolean;
  /** Receives the facts of the statement. */
  readonly notes: StatementNotes;
}

/** Returns the use of rows by which no row is read, or only to examine its columns. */
export function unnoted(profile: Database): RowsUse {
  return { profile, isLookup: false, notes: new StatementNotes() };
}

/** Returns the `where` of some conditions; nothing for none. */
export function whereClause(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, sql` and `)}`;
}

/** Returns the rows for a statement: of a set that it mentions, or of the queried source (null). */
export interface RowStatements {
  /** Returns the cache of the statements, and the name of the rows in it: rows with the same name give equal statements. */
  readonly named: () => { readonly kept: object; readonly name: string };
  readonly rowsFor: (entitySet: EntitySet | null, use?: RowsUse) => Rows;
}

/** The state that all parts of one statement share. */
export interface StatementState extends RowsUse {
  /** Whether there may be several relations, so that columns must be qualified. */
  readonly isRelational: boolean;
  /** Returns the rows of a set that the query mentions. */
  readonly rowsOf: (entitySet: EntitySet) => Rows;
  /** Returns an unused alias. */
  readonly nextAlias: () => string;
  /** Whether there is, or may be, an outer join: see `unfolded` of `DialectSyntax`. */
  readonly isBesideOuterJoin: boolean;
  /** Is called for each outer join. */
  readonly onOuterJoin: () => void;
}

/** Makes the aliases of related rows of one statement. @param taken an alias that is already in use */
export function aliases(notes: StatementNotes, taken?: string): StatementState["nextAlias"] {
  let relations = 0;
  const next = (): string => {
    relations += 1;
    notes.isRelational = true;
    const alias = `r${String(relations)}`;
    return alias === taken ? next() : alias;
  };
  return next;
}

/** One `from` clause: its first relation and the joins, in an order in which each join refers only to earlier ones. */
export class Level {
  readonly #joins: Array<() => Sql> = [];
  /** The entities that `$root` addresses. */
  readonly roots: Map<RootExpression, Relation> = new Map<RootExpression, Relation>();

  /** @param join makes the join, after all other parts of the statement */
  join(join: () => Sql): void {
    this.#joins.push(join);
  }

  /** The aliases of relations that the statement computes with, although their rows have no column `seen`. */
  readonly fenced: Set<string> = new Set<string>();

  /** Whether there are any joins. */
  get isJoined(): boolean {
    return this.#joins.length > 0;
  }

  /** Returns the SQL for `from`. Call it after all other parts of this level are translated, since they may add joins. */
  from(first: Sql): Sql {
    return sql`${first}${sql.join(
      this.#joins.map((join) => join()),
      sql``,
    )}`;
  }
}

/** The properties of a relation. */
interface RelationOptions {
  readonly alias: string;
  readonly rows: Rows;
  readonly level: Level;
  readonly isOptional: boolean;
  readonly isQualified: boolean;
  /** Whether the statement has cells, with whose names an order would mean the cells. */
  readonly hasCells?: boolean;
  /** The expressions in place of columns, for a statement over the table itself, such as a write. */
  readonly expressions?: ReadonlyMap<string, string> | undefined;
  /** See `Relation`; absent: none yet. */
  readonly foundBy?: Set<string>;
  /** See `Relation`; absent: none yet. */
  readonly scanned?: Map<string, string>;
}

/** Returns an expression of the application. It may end in a comment. */
export function rawExpression(expression: string): Sql {
  return sql`(${sql.raw(expression)}\n)`;
}

/** The names of cells (see `cellName`) and of computed values. Databases prefer them to columns in an order. */
const CELL_NAME = /^(?:c\d+|odata_.*)$/i;

/** A table or base query with its alias in a statement. */
export class Relation {
  readonly alias: string;
  readonly rows: Rows;
  readonly level: Level;
  /** Whether it is an outer join, so that its row may be missing. */
  readonly isOptional: boolean;
  /** The joined relations of its single-valued navigations. */
  readonly joined: Map<NavigationProperty, Relation> = new Map<NavigationProperty, Relation>();
  /** The joined counts of its collection-valued navigations. */
  readonly counted: Map<NavigationProperty, Sql> = new Map<NavigationProperty, Sql>();
  readonly #isQualified: boolean;
  readonly #hasCells: boolean;
  readonly #expressions: ReadonlyMap<string, string> | undefined;
  readonly #columns: Map<string, Sql> = new Map<string, Sql>();
  /** The columns by which the statement finds, sorts or groups its rows. */
  readonly foundBy: Set<string>;
  /** The columns of conditions that no index serves, with the operation of each. */
  readonly scanned: Map<string, string>;

  constructor({
    alias,
    rows,
    level,
    isOptional,
    isQualified,
    hasCells = false,
    expressions,
    foundBy,
    scanned,
  }: RelationOptions) {
    this.alias = alias;
    this.rows = rows;
    this.level = level;
    this.isOptional = isOptional;
    this.#isQualified = isQualified;
    this.#hasCells = hasCells;
    this.#expressions = expressions;
    this.foundBy = foundBy ?? new Set();
    this.scanned = scanned ?? new Map<string, string>();
  }

  /** Returns a reference to a column: the same object each time, so that equal references can be recognized. */
  column(name: string): Sql {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const column = this.#reference(name);
    this.#columns.set(name, column);
    return column;
  }

  #reference(name: string): Sql {
    const expression = this.#expressions?.get(name);
    if (expression !== undefined) return rawExpression(expression);
    const isQualified = this.#isQualified || (this.#hasCells && CELL_NAME.test(name));
    return isQualified ? sql`${sql.id(this.alias, name)}` : sql`${sql.id(name)}`;
  }

  /** The SQL for `from`, without joins. Call it after all other parts of the statement are translated. */
  get from(): Sql {
    return this.rows.from(this.alias, this.level.fenced.has(this.alias));
  }

  /** Where the rows are. */
  get placement(): Placement {
    return this.rows.placement;
  }

  /** The first of the conditions on this relation: it ends a statement after its time. Nothing if its rows are already tested. */
  alive({ profile, notes }: StatementState): readonly Sql[] {
    const { hasRowIds, quoted } = this.rows;
    if (quoted !== undefined) {
      notes.table({ alias: this.alias, table: quoted, columns: this.foundBy, scanned: this.scanned });
    }
    const [column] = this.keyColumns();
    if (profile.session.alive === undefined || hasRowIds === undefined || column === undefined) return [];
    return [hasRowIds ? profile.session.alive.ofRowIds(this.alias) : profile.session.alive.ofRows(column)];
  }

  /** Returns this relation with qualified columns, for a scope with several relations. */
  qualified(): Relation {
    if (this.#isQualified) return this;
    const { alias, rows, level, isOptional, foundBy, scanned } = this;
    return new Relation({ alias, rows, level, isOptional, foundBy, scanned, isQualified: true });
  }

  /** Returns whether the key of an entity consists of some of these properties. */
  isIdentifiedBy(properties: readonly StructuralProperty[]): boolean {
    const fields = new Set(properties.map(({ field }) => field));
    return this.rows.key.every(({ field }) => fields.has(field));
  }

  /** Returns the columns of the key. */
  keyColumns(): readonly Sql[] {
    return this.rows.key.map((property) => this.column(scalarPlanOf(property, this.rows.plans).column));
  }

  /** Returns the test whether a joined row exists. */
  isPresent(): Sql {
    return sql`${sql.join(this.keyColumns().slice(0, 1))} is not null`;
  }
}

/**
 * Adds an outer join to a level.
 * @param joined makes the joined rows with their condition, after all other parts of the statement
 */
export function joinOuter(level: Level, statement: StatementState, joined: () => Sql): void {
  statement.onOuterJoin();
  level.join(() => sql` left join ${joined()}`);
}

/** Makes a further relation of a statement, whose row exists. */
export function addRelation(rows: Rows, level: Level, alias: string): Relation {
  return new Relation({ alias, rows, level, isOptional: false, isQualified: true });
}

/** Returns a property of the entities of a relation as an operand. */
export function columnOperand(property: StructuralProperty, relation: Relation): RowOperand {
  return plannedOperand(comparedPlanOf(property, relation.rows.plans), relation);
}

/** Returns one side of a pair of a join as an operand. */
export function pairOperand(pair: JoinPair, side: "property" | "related", relation: Relation): RowOperand {
  return compared(columnOperand(pair[side], relation), relation.rows.comparisonOf(pair));
}

/** Returns an operand as a foreign key compares it. */
export function compared(operand: RowOperand, comparison: JoinComparison | undefined): RowOperand {
  return comparison === undefined ? operand : { ...operand, form: comparison.form };
}

/**
 * Returns the column of a plan as an operand.
 * @param notes those of an expression with the column; absent: the statement finds rows by it
 */
export function plannedOperand(plan: ColumnPlan, relation: Relation, notes?: StatementNotes): RowOperand {
  if (plan.kind !== "scalar") throw new Error(`${plan.property.name} is not a single value.`);
  const { column, format, nullable, property, expression } = plan;
  const nulls = nullable || relation.isOptional ? "column" : "never";
  if (notes === undefined) relation.foundBy.add(column);
  else notes.column(column, relation.foundBy, relation.scanned);
  const isSuspect = !property.isKey && (expression !== undefined || !relation.rows.isProven(column));
  const form = expression === undefined ? labelledForm(format.form, relation.rows.labelsOf(column)) : format.form;
  return { kind: "row", sql: relation.column(column), form, nulls, isSuspect };
}

/** Returns the form for a column of an enumeration type with some labels. */
function labelledForm(form: SqlForm, found: ReadonlySet<unknown> | undefined): SqlForm {
  const { labels } = form;
  if (labels === undefined || found === undefined) return form;
  return (labels.cells.every((cell) => found.has(cell)) ? labels.all : labels.some) ?? form;
}

/** How the database compares the two columns of a foreign key. */
interface JoinComparison {
  readonly form: SqlForm;
  /** Whether a unique index on either column compares so. */
  readonly isShared: boolean;
}

/**
 * The parts of joins that follow a foreign key whose texts the database does not compare by code point. The schema check finds
 * them.
 */
export class JoinComparisons {
  readonly #known = new WeakMap<JoinPair | LinkColumn, JoinComparison>();

  /** Records how a part of a join is compared. */
  set(part: JoinPair | LinkColumn, comparison: JoinComparison): void {
    this.#known.set(part, comparison);
  }

  /** Returns how a part of a join is compared; undefined: by code point. */
  of(part: JoinPair | LinkColumn): JoinComparison | undefined {
    return this.#known.get(part);
  }
}
