import { sql, ExpressionWrapper, TableNode } from "kysely";
import type { TableName } from "../../edm/table-name.ts";
import type { Expression, ScalarType } from "../../language/query/expression.ts";
import type { SqlConstant } from "./parameter-slot.ts";
import type { Conversion, FormedSql, Sql } from "./sql-form.ts";

/** A translated scalar expression. */
export type SqlOperand = RowOperand | ConstantOperand | NullOperand;

/** A value that depends on the row. */
export interface RowOperand extends FormedSql {
  readonly kind: "row";
  /** When the value is null: never; if its column is null, so that `is not null` can test it; or for other reasons too. */
  readonly nulls: "never" | "column" | "computed";
  /** The cell itself, which an index may serve, if `sql` is null for cells that responses show as null. */
  readonly bare?: Sql | undefined;
  /** When the cell itself is null, if that differs from `nulls`. */
  readonly bareNulls?: RowOperand["nulls"] | undefined;
  /** Whether it may be null although it never should. */
  readonly isSuspect?: boolean | undefined;
  /** The offset of a timestamp from UTC in minutes, if it may differ from zero and its form does not determine it. */
  readonly offset?: Sql | undefined;
  /** The texts that it joins, if it is a concatenation. A longer concatenation joins them at once. */
  readonly joined?: readonly JoinedText[] | undefined;
  /** The same value, computed in a way that takes less memory, but that no index serves; absent if `sql` is the only way. */
  readonly unindexed?: Sql | undefined;
}

/** A text of a concatenation; constants are never null. */
export interface JoinedText {
  readonly sql: Sql;
  readonly nulls: RowOperand["nulls"];
}

/** A value that is the same for all rows, bound in the form of the other operand. */
export interface ConstantOperand {
  readonly kind: "constant";
  readonly constant: SqlConstant;
  readonly type: ScalarType;
}

/** The literal null. */
interface NullOperand {
  readonly kind: "null";
}

export const NULL_OPERAND: NullOperand = Object.freeze({ kind: "null" });

/** Makes a computed operand. */
export function computed({ sql, form }: FormedSql): RowOperand {
  return { kind: "row", sql, form, nulls: "computed" };
}

/**
 * Returns an operand whose cells are compared as they are, unless its form converts them, which no index serves.
 * @param conversion the conversion before the comparison
 */
export function bareOperand(operand: RowOperand, conversion: Conversion | undefined): RowOperand {
  const { bare, nulls, bareNulls = nulls } = operand;
  const isConverted = conversion !== undefined && conversion.keepsCells !== true;
  return bare === undefined || isConverted ? operand : { ...operand, sql: bare, nulls: bareNulls };
}

/** Adds the test that an operand is not null where its bare cell was compared. */
export function whereReadable(condition: Sql, { sql: value }: RowOperand): Sql {
  return sql`(${condition} and ${value} is not null)`;
}

/** `exact`: a condition must distinguish false from null, as below `not` and where its value is used. */
export type ConditionMode = "filter" | "exact";

/** Translates the expressions of one statement. */
export interface Translator {
  readonly operand: (expression: Expression) => SqlOperand;
  /** In mode `filter` the condition may be null instead of false. */
  readonly condition: (expression: Expression, mode: ConditionMode) => Sql;
}

/**
 * Returns the quoted name of a table. A string is split at its dot; the parts of an object are taken as they are. Plugins
 * of Kysely may change both, for example to add a schema.
 */
export function sqlTableName(table: TableName): Sql {
  if (typeof table === "string") return sql`${sql.table(table)}`;
  const { schema, name } = table;
  const node = schema === undefined ? TableNode.create(name) : TableNode.createWithSchema(schema, name);
  return sql`${new ExpressionWrapper(node)}`;
}
