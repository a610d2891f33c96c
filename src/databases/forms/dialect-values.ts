import type { FunctionName } from "../../edm/canonical-functions.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { RoundingMode } from "../../language/query/clauses.ts";
import type {
  ArithmeticExpression,
  CallExpression,
  ConvertExpression,
  NegateExpression,
  ScalarType,
} from "../../language/query/expression.ts";
import type { ColumnFormat, ColumnFormats } from "../columns/column-format.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { AnyKysely, SynchronousReader } from "../connection/synchronous-reader.ts";
import type { TextComparison } from "../introspect/schema.ts";
import type { Execution, SqlConstant } from "../statement/parameter-slot.ts";
import type { FormedSql, Mark, Sql, SqlForm } from "../statement/sql-form.ts";
import type { ConstantOperand, RowOperand } from "../statement/sql-operand.ts";
import type { AggregateSyntax } from "./aggregate-syntax.ts";

/** How are values stored, and computed with? */
export interface DialectValues extends ColumnFormats {
  /** One SQL form per canonical function. */
  readonly functions: Readonly<Record<FunctionName, TranslateCall>>;
  readonly documents: DocumentSyntax;
  readonly aggregates: AggregateSyntax;
  /** A computed text, which fails the statement before it is made of more bytes, as `DialectFaults.isTextTooLong` tells. */
  readonly withinText: (bytes: Sql, most: Sql, text: Sql) => Sql;
  /** Whether Guids are strings by default: foreign keys then match in one letter case only. */
  readonly guidsAreTexts: boolean;
  /** Whether the usual column of a timestamp has no time zone: its cells are in UTC. */
  readonly timestampsAreZoneless: boolean;
  /** How the database returns sorted values, unless the form says otherwise. */
  readonly mark: Mark;
  /** Returns the form of a type in functions and arithmetic. */
  readonly canonicalForm: (type: ScalarType) => SqlForm;
  /** Returns the format of a value of such a form, as if it were a column of a property. */
  readonly computedFormat: (property: StructuralProperty) => ColumnFormat;
  /** Returns the form of the texts of a foreign key that the database does not compare by code point. */
  readonly comparedText: (comparison: TextComparison) => SqlForm;
  /** Returns plans that compare strings directly where collations allow it. Absent unless the database is synchronous. */
  readonly withKnownCollations?: (plans: PlansByField, rows: ProbedRows, reader: SynchronousReader) => PlansByField;
  /**
   * Arithmetic; null if a term is null. Integers are Int64: overflows and divisions by zero are null.
   * @throws ODataError `UnsupportedQueryOption` if the result would differ from that of other databases
   */
  readonly compute: (expression: ArithmeticExpression, left: Term, right: Term) => RowOperand;
  /** `-x`; also null for the least Int64. */
  readonly negate: (expression: NegateExpression, term: Term) => RowOperand;
  /** Converts a value that depends on the row to a wider type. Columns stay unchanged if an index can serve them. */
  readonly convert: (expression: ConvertExpression, operand: RowOperand) => RowOperand;
  /** The offset of a timestamp from UTC in minutes; undefined for zero. Absent if the form of timestamps includes it. */
  readonly offsetOf?: (operand: RowOperand | ConstantOperand, type: ScalarType) => Sql | undefined;
}

/** An operand of arithmetic in its canonical form. */
export interface Term {
  readonly sql: Sql;
  readonly type: ScalarType;
  /** Whether it is a column or a constant, short enough to write twice. */
  readonly isShort: boolean;
  /** The constant that it is; absent if it depends on the row. */
  readonly constant?: SqlConstant | undefined;
  /** The offset of a timestamp from UTC in minutes; absent for UTC and for other types. */
  readonly offset?: Sql | undefined;
}

/** The rows whose columns are examined. */
export interface ProbedRows {
  readonly db: AnyKysely;
  readonly from: Sql;
  /** Supplies the values of the base query. Any values serve, since no row is read. */
  readonly execution: Execution;
}

/** A call with its arguments translated, none of them the literal null. */
export interface SqlCall {
  readonly expression: CallExpression;
  readonly operands: readonly (RowOperand | ConstantOperand)[];
  readonly roundingMode: RoundingMode;
  readonly values: DialectValues;
}

/** Translates a call. The result is null if an argument is null. */
export type TranslateCall = (call: SqlCall) => RowOperand | ConstantOperand;

/** The items of a JSON array as rows. */
interface DocumentItems {
  /** The table, for `from`. */
  readonly from: Sql;
  /** The condition for a row to be an item; null if all rows are items. */
  readonly where: Sql | null;
}

/**
 * The SQL of one kind of database for JSON. A document is a column, or an item of an array. A path of keys of the application
 * leads to a value within it. Absent values and JSON null are null.
 */
export interface DocumentSyntax {
  /**
   * A single value at the end of a path.
   * @param property the last property of the path
   * @param owner the property that stores the document, for messages
   * @throws ODataError `UnsupportedQueryOption` for a type that cannot be compared there
   */
  readonly member: (
    document: Sql,
    path: readonly StructuralProperty[],
    property: StructuralProperty,
    owner: string,
  ) => FormedSql;
  /** The item with the alias that `items` received. @throws as `member` */
  readonly item: (document: Sql, alias: string, collection: StructuralProperty) => FormedSql;
  /** The same item as a document. */
  readonly itemDocument: (alias: string) => Sql;
  /** Tests whether the value at the end of a path is null or absent. */
  readonly isNull: (document: Sql, path: readonly StructuralProperty[]) => Sql;
  /** The number of items of an array; null for other values. */
  readonly length: (document: Sql, path: readonly StructuralProperty[]) => Sql;
  /** The items of an array; none for other values. */
  readonly items: (document: Sql, path: readonly StructuralProperty[], alias: string) => DocumentItems;
  /** A condition that is always true, but fails the statement if nested lambda operators visit too many items; null: none. */
  readonly spendItem: (item: Sql) => Sql | null;
}
