import type { Expression, ScalarType } from "../../query/expression.ts";
import type { SqlConstant } from "./parameter-slot.ts";
import type { FormedSql, Sql } from "./sql-form.ts";

/** A scalar expression on its way into a statement. */
export type SqlOperand = RowOperand | ConstantOperand | NullOperand;

/** What depends on the row. */
export interface RowOperand extends FormedSql {
  readonly kind: "row";
  /** When it is null: never; when a column is, which `is not null` can ask it for; or for another reason, too. */
  readonly nulls: "never" | "column" | "computed";
  /** The offset of a timestamp from UTC in minutes, where its form does not tell it and it may be other than zero. */
  readonly offset?: Sql | undefined;
}

/** What is the same for all rows, and bound in the form of whatever it meets. */
export interface ConstantOperand {
  readonly kind: "constant";
  readonly constant: SqlConstant;
  readonly type: ScalarType;
}

/** The literal null. */
export interface NullOperand {
  readonly kind: "null";
}

/** The one null. */
export const NULL_OPERAND: NullOperand = Object.freeze({ kind: "null" });

/** An operand that is computed. */
export function computed({ sql, form }: FormedSql): RowOperand {
  return { kind: "row", sql, form, nulls: "computed" };
}

/** Whether a condition must tell false from null: below `not`, and where its value is used. */
export type ConditionMode = "filter" | "exact";

/** Translates the expressions of one statement. */
export interface Translator {
  readonly operand: (expression: Expression) => SqlOperand;
  /** In mode `filter` null may stand for false. */
  readonly condition: (expression: Expression, mode: ConditionMode) => Sql;
}
