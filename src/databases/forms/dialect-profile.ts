import type { KyselyPlugin } from "kysely";
import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { Isolation } from "../../definition/context.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { RoundingMode } from "../../language/query/clauses.ts";
import type {
  ArithmeticExpression,
  CallExpression,
  ConvertExpression,
  NegateExpression,
  ScalarType,
} from "../../language/query/expression.ts";
import type { FunctionName } from "../../language/query/functions.ts";
import type { ColumnFormat, ColumnFormats } from "../columns/column-format.ts";
import type { JsonSyntax } from "../columns/json-syntax.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { StatementFacts } from "../connection/statement-facts.ts";
import type { SnapshotSyntax, AnyKysely, SynchronousReader } from "../connection/synchronous-reader.ts";
import type { CatalogueQuery } from "../introspect/catalogue-steps.ts";
import type { DatabaseCatalogue } from "../introspect/database-catalogue.ts";
import type { StoredTypes } from "../introspect/expected-table.ts";
import type { TextComparison } from "../introspect/schema.ts";
import type { Execution, SqlConstant } from "../statement/parameter-slot.ts";
import type { FormedSql, Mark, Sql, SqlForm, TextMemory } from "../statement/sql-form.ts";
import type { ConstantOperand, RowOperand } from "../statement/sql-operand.ts";
import type { AggregateSyntax } from "./aggregate-syntax.ts";
import type { DialectCapabilities } from "./dialect-capabilities.ts";
import type { DialectFaults } from "./dialect-faults.ts";

/** The capabilities and the SQL of one kind of database: one frozen object per kind, in its own folder. */
export interface DialectProfile {
  /** For messages. */
  readonly name: string;
  /** One SQL form per canonical function. */
  readonly functions: Readonly<Record<FunctionName, TranslateCall>>;
  readonly values: DialectValues;
  readonly syntax: DialectSyntax;
  readonly documents: DocumentSyntax;
  readonly aggregates: AggregateSyntax;
  /** How the database writes rows as JSON; absent if rows are cheaper. */
  readonly json?: JsonSyntax | undefined;
  readonly writes: WriteSyntax;
  readonly capabilities: DialectCapabilities;
  /** For the schema check. */
  readonly catalogue: DialectCatalogue;
  readonly faults: DialectFaults;
  /** The most values that one statement may bind. */
  readonly maxParameters: number;
  /**
   * The level of the database for each level of a transaction: a stronger one if its own of that name permits lost updates.
   * Absent if all transactions are serializable.
   */
  readonly isolations?: Readonly<Record<Isolation, Isolation>> | undefined;
  /** Absent for a database whose server bounds texts itself. */
  readonly textMemory?: TextMemory | undefined;
  /** Rejects a statement that the driver cannot run. @throws ODataError `UnsupportedQueryOption` */
  readonly checkStatement?: ((text: string) => void) | undefined;
  /** Whether a lost connection of a dialect that is not ours may end the process; absent: never. */
  readonly mayEndProcess?: ((adapter: object) => boolean) | undefined;
  /** Whether each server tells up to which position of writes it shows the database. */
  readonly positions?: true | undefined;
  /** How several statements of a server read one snapshot; absent: each may see another state. */
  readonly snapshots?: SnapshotSyntax | undefined;
  /**
   * For a database of this process, which cannot interrupt a statement: makes a condition that is always true, and ends the
   * statement after its time. It precedes the other conditions of each table. Absent: the database ends statements itself.
   */
  readonly alive?: Alive | undefined;
  /** For statements that would read all related rows once per row; absent for a database that always finds a good plan. */
  readonly whenScanning?: AlternativeForm | undefined;
  /** For a database that has functions for indexes, and cheaper ones for expressions that no index serves; absent: none. */
  readonly whenUnindexed?: AlternativeForm | undefined;
  /** The differences if the rows are on several machines. */
  readonly whenSpread?: Partial<Pick<DialectProfile, "functions" | "values" | "syntax" | "aggregates" | "catalogue">>;
}

/** Makes the condition that ends a statement after its time. @see docs/decisions/0026-reader-threads.md */
export interface Alive {
  /** Whether a table has row ids. @param table its quoted name */
  readonly hasRowIds: (table: string, reader: SynchronousReader) => boolean;
  /** For the rows of a table that has row ids: evaluated for few of them. */
  readonly ofRowIds: (alias: string) => Sql;
  /** For the items of a list within a row: evaluated for few of them. */
  readonly ofItems: (alias: string) => Sql;
  /** For other rows: evaluated for each. @param column any of their columns: otherwise a join evaluates it for the first table only */
  readonly ofRows: (column: Sql) => Sql;
  /** Writes it into each `select` of a Kysely query of the application, which may group rows before others see them. */
  readonly inSelects: KyselyPlugin;
}

/** A statement whose plan is checked. */
export interface PlannedStatement {
  readonly sql: string;
  /** Its placeholders. */
  readonly slots: readonly unknown[];
  readonly facts: StatementFacts;
}

/** An alternative form for statements that lack an index. */
interface AlternativeForm {
  readonly profile: DialectProfile;
  /** Checks the query plan of a `select`. */
  readonly isNeeded: (statement: PlannedStatement, reader: SynchronousReader) => boolean;
}

/** The SQL of one kind of database that all statements need. */
export interface DialectSyntax {
  /** One term of an order by value: null first ascending, last descending. A term that is not `nullable` may use any index. */
  readonly orderTerm: (term: Sql, descending: boolean, nullable: boolean) => Sql;
  readonly unexpectedNulls: UnexpectedNulls;
  /**
   * Returns the query that lists the columns of a table with an enumeration type, by the keys of their names, each with one of
   * its labels, or with null if texts cannot be compared with the column. Absent if the database has no such types, or compares them as texts.
   * @param table its quoted name
   */
  readonly listLabels?: (table: string) => CatalogueQuery;
  /**
   * Returns the query that lists the columns of a table whose equal cells are the same value, by the keys of their names, each with
   * null, or with a text if that holds for numbers alone: several machines send only distinct cells then. Absent if the database distinguishes values wherever the rows are.
   * @param table its quoted name
   */
  readonly listExact?: ((table: string) => CatalogueQuery) | undefined;
  /** The limit and the offset, with a blank before them; null for none. */
  readonly limit: (top: Sql | null, skip: Sql | null) => Sql;
  /** Skips rows of a query that sorts them all; absent if `limit` does so as fast. */
  readonly skipSorted?: (sorted: Sql, skip: Sql) => Sql;
  /** The end of a list that a database on several machines reads before the rest; absent if it does so without. */
  readonly readFirst?: Sql;
  /**
   * Replaces a null constant by a null that the database only finds at each row: several machines may refuse a condition
   * next to an outer join if it can compute the condition in advance. An index serves other constants as before.
   */
  readonly unfolded?: (constant: Sql, cells: Sql) => Sql;
  /** The columns that every table has, in lower case, but that `*` does not contain. */
  readonly hiddenColumns: readonly string[];
  /** Returns the same text for names of the same column, which may differ in letter case. */
  readonly columnKey: (name: string) => string;
  /** Tests whether two values are equal or both null. Never null itself. */
  readonly isSame: (left: Sql, right: Sql) => Sql;
  readonly isDifferent: (left: Sql, right: Sql) => Sql;
  readonly ifNull: (value: Sql, fallback: Sql) => Sql;
  readonly choose: (condition: Sql, whenTrue: Sql, otherwise: Sql) => Sql;
  /** `true` or `false` as the value of a condition, as a fallback for `ifNull`. */
  readonly booleanValue: (value: boolean) => Sql;
  /** A cell of the canonical form of Edm.Boolean as a condition. */
  readonly asCondition: (cell: Sql) => Sql;
  /** Whether derived tables mark their rows: for databases that merge them, and fail for rows that a condition excludes. */
  readonly marksRows: boolean;
  /** Selects a value that is needed twice but written once: `make` receives its name. */
  readonly once: (value: Sql, make: (name: Sql) => Sql) => Sql;
  /**
   * Selects a condition that uses values several times, computed once per row. Absent if that costs the database more.
   * @param values a list of values, each with a name
   */
  readonly computeOnce?: (condition: Sql, values: Sql, alias: Sql) => Sql;
  /**
   * A derived table, without alias, with one row per key: its number from 0 as `ordinal`, and its values as `k0`, `k1`, … in
   * the given forms.
   * @param list the place of the keys that `writeKeys` has written
   */
  readonly keyTable: (list: Sql, forms: readonly SqlForm[]) => Sql;
  /** Writes keys, each a list of cells as the forms encode them, for `keyTable`. */
  readonly writeKeys: (keys: readonly (readonly unknown[])[]) => unknown;
  /** How conditions list the cells of one column of keys as an array; absent: they do not. */
  readonly keyArrays?: {
    /** Writes the cells, as their form encodes them. */
    readonly write: (cells: readonly unknown[]) => unknown;
    /** Tests whether an array contains a value. */
    readonly contains: (array: Sql, value: Sql) => Sql;
    /** The position of a value in an array that contains it, from 0 on. */
    readonly positionOf: (array: Sql, value: Sql) => Sql;
  };
  /**
   * Patterns that match quoted strings, quoted names, comments, and places of values. Only places have a group: `?` is the
   * value after the greatest so far, `?3` or `$3` the third value. The first pattern that finds a place applies.
   */
  readonly valuePlaces: readonly RegExp[];
  /** Makes a statement run in the time zone UTC; absent if no column depends on the time zone of the session. */
  readonly inUtcSession?: (statement: string) => string;
  /** Makes a statement sort so many terms by all their bytes; absent if the database always does. */
  readonly sortingLong?: (terms: number, statement: string) => string;
  /** Makes the database end a statement after some milliseconds; absent if it has no such limit for one statement. */
  readonly within?: (timeout: number, statement: string) => string;
  /** How the database explains a statement, without running it. */
  readonly plan: {
    /** Returns the statement that reads the plan. */
    readonly statement: (statement: string) => string;
    /** Returns the plan in lines, as people read it. */
    readonly lines: (rows: readonly (readonly unknown[])[]) => readonly string[];
  };
}

/** How one kind of database stores values and computes with them. */
export interface DialectValues extends ColumnFormats {
  /** Whether Guids are strings by default: foreign keys then match in one letter case only. */
  readonly guidsAreTexts: boolean;
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

/** How the schema check reads one kind of database. */
export interface DialectCatalogue extends DatabaseCatalogue {
  /** Finds settings of the sessions with which statements or values have another meaning. */
  readonly sessions?: SessionCheck | undefined;
  /** The types that each storage form reads and writes, by `storageKey`. A form without a row is not checked. */
  readonly storedTypes: StoredTypeTable;
}

/** The settings of sessions that the service refuses. */
export interface SessionCheck {
  /** Returns the row of `proof`, unless the driver gives values another form; and a row for each refused setting: name, value. */
  readonly query: CatalogueQuery;
  readonly proof?: Pick<SchemaFinding, "message" | "fix"> & { readonly row: readonly string[] };
  /** By the name of a setting: the finding to report, and the types that it concerns; absent: all. */
  readonly refused: Readonly<Record<string, (value: string) => Pick<SchemaFinding, "message" | "fix">>>;
  readonly types?: Readonly<Record<string, ReadonlySet<string>>>;
}

/** The types of a database that storage forms read and write, by `storageKey`. */
export type StoredTypeTable = Readonly<Record<string, StoredTypeRow>>;

/** One storage form. */
export interface StoredTypeRow extends StoredTypes {
  /** The uses that an index on the column serves; absent: all. */
  readonly served?: ReadonlyArray<"filter" | "sort"> | undefined;
  /** The collation that the index needs. */
  readonly indexCollation?: string | undefined;
}

/**
 * How a kind of database treats NULL in the columns of properties that are not nullable. Views, queries and expressions may
 * have it.
 */
export interface UnexpectedNulls {
  /** Whether it comes last in an order that does not place it. */
  readonly areLast: (descending: boolean) => boolean;
  /**
   * Returns the query that lists the columns of a table that are `not null`, by the keys of their names. Only other columns are
   * tested for NULL, because the test costs the index of a column. Null if it costs nothing: then all columns are tested.
   * @param table its quoted name
   */
  readonly listNotNull: ((table: string) => CatalogueQuery) | null;
}

/** The SQL of one kind of database that only writes need. */
export interface WriteSyntax {
  /**
   * Returns the columns of the foreign key whose written cells refer to no row; empty if that is uncertain. Absent if errors
   * of the database name it.
   * @param table its quoted name
   * @param cells the written cells, by the lower-case names of their columns
   */
  readonly findMissingReference?: (
    table: string,
    cells: ReadonlyMap<string, unknown>,
    reader: SynchronousReader,
  ) => readonly string[];
  /**
   * Returns the names of the unique indexes on exactly these columns. Absent if errors of the database have the name.
   * @param table its quoted name
   */
  readonly findUniqueIndexes?: (
    table: string,
    columns: readonly string[],
    reader: SynchronousReader,
  ) => readonly string[];
  /** Whether writes return the rows that they wrote, or as much as `returnsAnything` allows. */
  readonly returnsRows: boolean;
  /** Whether inserts return the rows that they added, although other writes return none; absent: as `returnsRows`. */
  readonly returnsInserted?: boolean;
  /** Follows the table in an insert without columns. */
  readonly defaultRow: Sql;
  /** Ends a select that locks its rows until the transaction ends; null: a transaction locks the whole database. */
  readonly rowLock: Sql | null;
  /** The same before rows are deleted: inserts that refer to them wait, too. */
  readonly deletionLock: Sql | null;
  /** Ends a select that reads the current state of a row, even if other transactions changed it since this one began. */
  readonly currentRow: Sql;
  /** Ends an insert that does nothing if the row exists. @param column any column of the table */
  readonly unlessThere: (column: Sql) => Sql;
}
