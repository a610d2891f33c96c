import { sql } from "kysely";
import type { EntitySet, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { RootExpression } from "../../query/expression.ts";
import { refuseConverted } from "../columns/converted-plan.ts";
import type { PlansByField, ColumnPlan } from "../columns/table-columns.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";

/** The rows of one entity set, or of the source that is asked, and the columns of their type. */
export interface Rows {
  /** What stands behind `from`. */
  readonly from: (alias: string) => Sql;
  readonly plans: PlansByField;
  /** The key of the type: its columns are never NULL. */
  readonly key: readonly StructuralProperty[];
  /** The column that shows whether a row is one of them, as in `From` (base-query). */
  readonly seen?: string | undefined;
}

/** What a statement asks of base queries that depend on it. */
export interface RowsUse {
  readonly profile: DialectProfile;
  /** Whether few rows are looked up, by values that others have, or the client: so that nothing else is to be read whole. */
  readonly isLookup: boolean;
}

/** Returns the `where` of some conditions; nothing for none. */
export function whereClause(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, sql` and `)}`;
}

/** What makes the rows of statements, for a set that a statement mentions or for the source that is asked (null). */
export interface RowStatements {
  readonly rowsFor: (entitySet: EntitySet | null, use?: RowsUse) => Rows;
}

/** What all parts of one statement share. */
export interface StatementScope extends RowsUse {
  /** Whether there may be more relations than one, so that columns are named with theirs. */
  readonly isRelational: boolean;
  /** The rows of a set that the query mentions. */
  readonly rowsOf: (entitySet: EntitySet) => Rows;
  /** A name that no other relation of the statement has. */
  readonly nextAlias: () => string;
}

/** Names for the relations of one statement. @param taken a name that one of them has already */
export function aliases(taken?: string): StatementScope["nextAlias"] {
  let relations = 0;
  const next = (): string => {
    relations += 1;
    const alias = `r${String(relations)}`;
    return alias === taken ? next() : alias;
  };
  return next;
}

/** One `from`: its first relation, and what is joined to it on the way, in an order in which each knows those before. */
export class Level {
  readonly #joins: Sql[] = [];
  /** The entities that `$root` leads to. */
  readonly roots: Map<RootExpression, Relation> = new Map<RootExpression, Relation>();

  join(join: Sql): void {
    this.#joins.push(join);
  }

  /** Whether anything was joined. */
  get isJoined(): boolean {
    return this.#joins.length > 0;
  }

  /** What stands behind `from`: asked for when all else that stands at this level was translated. */
  from(first: Sql): Sql {
    return sql`${first}${sql.join(this.#joins, sql``)}`;
  }
}

/** What a relation is made of. */
interface RelationOptions {
  readonly alias: string;
  readonly rows: Rows;
  readonly level: Level;
  readonly isOptional: boolean;
  readonly isQualified: boolean;
}

/** A table or base query under its name within a statement. */
export class Relation {
  readonly alias: string;
  readonly rows: Rows;
  readonly level: Level;
  /** Whether it was joined, so that there may be no row of it. */
  readonly isOptional: boolean;
  /** What a single-valued navigation from it leads to, as far as that is joined. */
  readonly joined: Map<NavigationProperty, Relation> = new Map<NavigationProperty, Relation>();
  readonly #isQualified: boolean;

  constructor({ alias, rows, level, isOptional, isQualified }: RelationOptions) {
    this.alias = alias;
    this.rows = rows;
    this.level = level;
    this.isOptional = isOptional;
    this.#isQualified = isQualified;
  }

  /** Refers to a column. */
  column(name: string): Sql {
    return this.#isQualified ? sql`${sql.id(this.alias, name)}` : sql`${sql.id(name)}`;
  }

  /** What stands behind `from`, but for what is joined. */
  get from(): Sql {
    return this.rows.from(this.alias);
  }

  /** The same with columns that are named with it: where another relation has columns of its own. */
  qualified(): Relation {
    if (this.#isQualified) return this;
    const { alias, rows, level, isOptional } = this;
    return new Relation({ alias, rows, level, isOptional, isQualified: true });
  }

  /** The columns of the key. */
  keyColumns(): readonly Sql[] {
    return this.rows.key.map(({ field, name }) => {
      const plan = this.rows.plans.get(field);
      if (plan?.kind !== "scalar") throw new Error(`The key ${name} has no column.`);
      return this.column(plan.column);
    });
  }

  /** The test whether there is a row of a relation that was joined. */
  isPresent(): Sql {
    return sql`${sql.join(this.keyColumns().slice(0, 1))} is not null`;
  }
}

/** A relation of a statement beside its first one, whose row is there. */
export function addRelation(rows: Rows, level: Level, alias: string): Relation {
  return new Relation({ alias, rows, level, isOptional: false, isQualified: true });
}

/** A property of the entities of a relation as an operand. */
export function columnOperand(property: StructuralProperty, relation: Relation): RowOperand {
  const plan = relation.rows.plans.get(property.field);
  if (plan === undefined) throw new Error(`${property.name} has no column.`);
  refuseConverted(plan, property.name);
  return plannedOperand(plan, relation);
}

/** The column of a plan as an operand. */
export function plannedOperand(plan: ColumnPlan, relation: Relation): RowOperand {
  if (plan.kind !== "scalar") throw new Error(`${plan.property.name} is no single value.`);
  const { column, format, nullable } = plan;
  const mayBeNull = nullable || relation.isOptional;
  return { kind: "row", sql: relation.column(column), form: format.form, nulls: mayBeNull ? "column" : "never" };
}
