import type { StructuralProperty } from "../../edm/model.ts";
import type { CatalogueReader } from "../../introspect/catalogue-steps.ts";
import type { StoredTypes } from "../../introspect/expected-table.ts";
import type { IndexSyntax } from "../../introspect/missing-indexes.ts";
import type { RoundingMode } from "../../query/clauses.ts";
import type {
  ArithmeticExpression,
  CallExpression,
  ConvertExpression,
  NegateExpression,
  ScalarType,
} from "../../query/expression.ts";
import type { FunctionName } from "../../query/functions.ts";
import type { ColumnFormats } from "../columns/column-format.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { AnyKysely, SynchronousReader } from "../connection/synchronous-reader.ts";
import type { Execution } from "../statement/parameter-slot.ts";
import type { FormedSql, Sql, SqlForm } from "../statement/sql-form.ts";
import type { ConstantOperand, RowOperand } from "../statement/sql-operand.ts";

/** What one kind of database can do, and how it says it: one frozen object per kind, in a folder of its own. */
export interface DialectProfile {
  /** For messages. */
  readonly name: string;
  /** Whether the adapter of a Kysely instance is of this kind. */
  readonly isSpokenBy: (adapter: object) => boolean;
  /** One SQL form per canonical function. */
  readonly functions: Readonly<Record<FunctionName, TranslateCall>>;
  readonly values: DialectValues;
  readonly syntax: DialectSyntax;
  readonly documents: DocumentSyntax;
  readonly writes: WriteSyntax;
  readonly capabilities: DialectCapabilities;
  /** What the schema check knows of it. */
  readonly catalogue: DialectCatalogue;
  readonly faults: DialectFaults;
  /** Most values that one statement may bind. */
  readonly maxParameters: number;
  /**
   * The isolation of transactions that handlers open: the weakest in which nobody overwrites what another transaction has
   * changed since it was read. Absent: every transaction of the database is isolated so.
   */
  readonly transactionIsolation?: "repeatable read" | "serializable" | undefined;
  /** Refuses a statement that the driver cannot run. @throws ODataError `UnsupportedQueryOption` */
  readonly checkStatement?: ((text: string) => void) | undefined;
  /**
   * Keeps lost connections from ending the process, where the driver of the database does not do so itself.
   * @returns false where the connections cannot be reached
   */
  readonly guardConnections?: ((db: AnyKysely) => Promise<boolean>) | undefined;
  /** Absent for a database that finds the best way by itself. */
  readonly whenScanning?: ScanningForm | undefined;
}

/** What is written instead where no index serves a subquery or a join, so that all related rows would be read for each row. */
export interface ScanningForm {
  readonly profile: DialectProfile;
  /** Asks the database how it would run a `select` with so many bound values. */
  readonly isNeeded: (text: string, parameters: number, reader: SynchronousReader) => boolean;
}

/** Which forms of a statement a database takes. A distributed one takes few. */
export interface DialectCapabilities {
  /**
   * How the first rows of each of many parents are found: `correlated`: by a subquery per parent with a limit of its
   * own, `key in (select … limit n)`; `lateral`: `cross join lateral (… limit n)`; `window`: by `row_number()`.
   */
  readonly topPerParent: "correlated" | "lateral" | "window";
  /** Whether a subquery may look at the row around it (`exists`, counts). Otherwise: `key in (select …)`. */
  readonly correlatedSubqueries: boolean;
  /** Whether `key in (select …)` may read the whole list, also where few keys are asked for, which `exists` does not. */
  readonly listsWhole: boolean;
  /** Whether single-valued navigations may be joined, in expansions and in orders. Otherwise: by keys, one by one. */
  readonly joins: boolean;
}

/** What is taken by databases that are spread over machines, such as Citus: each part of a statement asks them all. */
export const DISTRIBUTED_CAPABILITIES: DialectCapabilities = Object.freeze<DialectCapabilities>({
  topPerParent: "window",
  correlatedSubqueries: false,
  listsWhole: false,
  joins: false,
});

/** How one kind of database writes what every statement needs. */
export interface DialectSyntax {
  /**
   * One term of an order by value: null first ascending, last descending.
   * @param nullable whether the term may be null; false lets an index without null serve it
   */
  readonly orderTerm: (term: Sql, descending: boolean, nullable: boolean) => Sql;
  /** What follows the order, with a blank before it: most rows, and rows to leave out; null for none of it. */
  readonly limit: (top: Sql | null, skip: Sql | null) => Sql;
  /** Whether two values are equal, or both null; never null itself. */
  readonly isSame: (left: Sql, right: Sql) => Sql;
  /** The negation of `isSame`. */
  readonly isDifferent: (left: Sql, right: Sql) => Sql;
  /** The value, or another where it is null. */
  readonly ifNull: (value: Sql, fallback: Sql) => Sql;
  /** One of two values. */
  readonly choose: (condition: Sql, whenTrue: Sql, otherwise: Sql) => Sql;
  /** `true` or `false` as the value of a condition: what `ifNull` of a condition falls back to. */
  readonly booleanValue: (value: boolean) => Sql;
  /** A cell of the canonical form of Edm.Boolean as a condition. */
  readonly asCondition: (cell: Sql) => Sql;
  /**
   * Whether derived tables are to tell of each row whether it is one of theirs: where databases take them apart, compute
   * with rows that a condition leaves out, and fail for those.
   */
  readonly marksRows: boolean;
  /** Whether a derived table, or a union, may look at the row around it. */
  readonly derivesFromRows: boolean;
  /** A select of one value that is written once though it is needed twice: `make` gets its name. */
  readonly once: (value: Sql, make: (name: Sql) => Sql) => Sql;
  /**
   * A derived table, without alias, of what `writeKeys` wrote: one row per key, with its number from 0 as `ordinal` and
   * its values as `k0`, `k1`, … in the given forms.
   * @param list the place of what `writeKeys` wrote
   */
  readonly keyTable: (list: Sql, forms: readonly SqlForm[]) => Sql;
  /** Writes keys, each a list of cells as the forms encode them, for `keyTable`. */
  readonly writeKeys: (keys: readonly (readonly unknown[])[]) => unknown;
  /**
   * Patterns of quoted texts, quoted names and comments, and of the places of values, which alone have a group: `?` is the
   * value behind the greatest so far, `?3` or `$3` the third one. The first pattern that finds a place holds.
   */
  readonly valuePlaces: readonly RegExp[];
  /** Makes a statement run with a session time zone of UTC; absent where no column depends on that of the session. */
  readonly inUtcSession?: (statement: string) => string;
}

/** How one kind of database holds values, and computes with them. */
export interface DialectValues extends ColumnFormats {
  /** Whether Guids are texts by default, whose letter case a foreign key repeats. */
  readonly guidsAreTexts: boolean;
  /** The form in which functions and arithmetic take and give the values of a type. */
  readonly canonicalForm: (type: ScalarType) => SqlForm;
  /**
   * The plans, with columns of text compared as they stand where their collation allows it: for a database that tells
   * at once.
   */
  readonly withKnownCollations?: (plans: PlansByField, rows: ProbedRows, reader: SynchronousReader) => PlansByField;
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

/** The rows that columns belong to. */
export interface ProbedRows {
  readonly db: AnyKysely;
  readonly from: Sql;
  /** Tells the values of the base query; no row is read, so any will do. */
  readonly execution: Execution;
}

/** A call with its arguments translated, none of them the literal null. */
export interface SqlCall {
  readonly expression: CallExpression;
  readonly operands: readonly (RowOperand | ConstantOperand)[];
  readonly roundingMode: RoundingMode;
  readonly values: DialectValues;
}

/** Makes the SQL of a call; null is the answer when an argument is null. */
export type TranslateCall = (call: SqlCall) => RowOperand | ConstantOperand;

/** The items of a JSON array as rows. */
export interface DocumentItems {
  /** What stands behind `from`. */
  readonly from: Sql;
  /** What must hold for a row to be an item; null when each is one. */
  readonly where: Sql | null;
}

/**
 * How one kind of database looks into JSON. A document is a piece of SQL: a column, or an item of an array; a path leads
 * to a value within it, by the keys of the application. What is absent is null, and so is the null of JSON.
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
  /** The item of an array that `items` calls `alias`, of the type of the collection's items. @throws as `member` */
  readonly item: (document: Sql, alias: string, collection: StructuralProperty) => FormedSql;
  /** That item as a document in its turn. */
  readonly itemDocument: (alias: string) => Sql;
  /** Whether there is nothing but null at the end of a path. */
  readonly isNull: (document: Sql, path: readonly StructuralProperty[]) => Sql;
  /** The number of items of an array; null when there is none. */
  readonly length: (document: Sql, path: readonly StructuralProperty[]) => Sql;
  /** The items of an array; none when there is no array. */
  readonly items: (document: Sql, path: readonly StructuralProperty[], alias: string) => DocumentItems;
  /** A condition, always true, that fails the statement when nested lambda operators look at too many items; null: none. */
  readonly spendItem: (item: Sql) => Sql | null;
}

/** How one kind of database writes what only statements that write need. */
export interface WriteSyntax {
  /** Whether statements that write answer the rows that they wrote. */
  readonly returnsRows: boolean;
  /** What follows the name of the table where a row is added that states no column. */
  readonly defaultRow: Sql;
  /** What ends a select of rows that nobody else may write before the transaction ends. */
  readonly rowLock: Sql;
  /** What ends a select that sees a row as it is now, also where the transaction began before others changed it. */
  readonly currentRow: Sql;
  /** What ends an insert that does nothing where there is such a row. @param column any of the table */
  readonly unlessThere: (column: Sql) => Sql;
}

/** What kind of refusal or failure a database told. */
export type FaultKind =
  | "unique"
  | "foreignKey"
  | "notNull"
  | "check"
  | "value"
  | "rounded"
  /** Another transaction was in the way: the same again may succeed. */
  | "contention"
  | "unavailable";

/** What an error of a driver may carry. */
export interface DriverError extends Error {
  readonly constraint?: unknown;
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly errcode?: unknown;
}

/** How one kind of database tells what is wrong. Its errors are known by their codes, whichever driver throws them. */
export interface DialectFaults {
  /** The kind of an error; null for one that is of another database, or that neither a client nor a retry can do about. */
  readonly kindOf: (error: DriverError) => FaultKind | null;
  /** How messages name the index of a unique constraint where they name no column: as the first group. */
  readonly namedIndex?: RegExp;
  /** How messages name check constraints: as the first group. */
  readonly namedConstraints: readonly RegExp[];
  /** Whether a statement is more than the database takes. */
  readonly isTooLarge: (error: DriverError) => boolean;
  /** Why an expression cannot be evaluated for a row, by the codes of errors. */
  readonly unevaluable: ReadonlyMap<unknown, string>;
  /** The codes for a statement that has run for as long as the settings of the database allow. */
  readonly timeouts: ReadonlySet<unknown>;
}

/** What the schema check knows of one kind of database. */
export interface DialectCatalogue {
  readonly read: CatalogueReader;
  /** The types that each storage form reads and writes, by `storageKey`. A form without a row is not judged. */
  readonly storedTypes: StoredTypeTable;
  readonly indexes: IndexSyntax;
}

/** The types of a database that storage forms read and write, by `storageKey`. */
export type StoredTypeTable = Readonly<Record<string, StoredTypeRow>>;

/** One storage form. */
export interface StoredTypeRow extends StoredTypes {
  /** What an index on the column itself serves; both when absent. */
  readonly served?: ReadonlyArray<"filter" | "sort"> | undefined;
  /** The collation that such an index needs. */
  readonly indexCollation?: string | undefined;
}
