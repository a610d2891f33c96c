import type { StructuralProperty } from "../../edm/model.ts";
import type { ArithmeticExpression, ConvertExpression, NegateExpression, ScalarType } from "../../query/expression.ts";
import type { ArraySyntax } from "../columns/array-syntax.ts";
import type { ColumnFormat } from "../columns/column-format.ts";
import type { StorageForm } from "../columns/storage-option.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import type { ConstantOperand, RowOperand } from "../statement/sql-operand.ts";

/** How one kind of database holds values, and computes with them. */
export interface DialectValues {
  /** The form in which functions and arithmetic take and give the values of a type. */
  readonly canonicalForm: (type: ScalarType) => SqlForm;
  /**
   * The format of a primitive or enumeration property in a column.
   * @param storage as `columns` says; undefined for the default of the type
   * @returns null when values of the type cannot be stored so
   */
  readonly columnFormat: (property: StructuralProperty, storage: StorageForm | undefined) => ColumnFormat | null;
  /** Whether Guids are texts by default, whose letter case a foreign key repeats. */
  readonly guidsAreTexts: boolean;
  /** How collections stand in arrays of the database; absent where it has none. */
  readonly arrays?: ArraySyntax;
  /** What is selected of a column with JSON: its text. */
  readonly documentText: (column: Sql) => Sql;
  /**
   * Arithmetic; null when a term is null. Integers are those of Int64: a result beyond it and a division by zero are null.
   * @throws ODataError `UnsupportedQueryOption` for what the database cannot compute with the results of the others
   */
  readonly compute: (expression: ArithmeticExpression, left: Term, right: Term) => RowOperand;
  /** `-x`; null for the least Int64, too. */
  readonly negate: (expression: NegateExpression, term: Term) => RowOperand;
  /** A conversion of what depends on the row to a wider type. Columns keep their cells where an index is to serve. */
  readonly convert: (expression: ConvertExpression, operand: RowOperand) => RowOperand;
  /**
   * The offset of a timestamp from UTC in minutes, undefined where it is zero; absent where the canonical form of
   * timestamps has it.
   */
  readonly offsetOf?: (operand: RowOperand | ConstantOperand, type: ScalarType) => Sql | undefined;
}

/** An operand of arithmetic, in the form that is computed with. */
export interface Term {
  readonly sql: Sql;
  readonly type: ScalarType;
  /** A column or a constant: short enough to stand twice. */
  readonly isShort: boolean;
  /** The offset of a timestamp from UTC in minutes; absent: it is in UTC, or no timestamp. */
  readonly offset?: Sql | undefined;
}
