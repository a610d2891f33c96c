import type { StorageForm } from "../../databases/columns/storage-option.ts";
import type { DatabaseKind, ObjectName } from "../../databases/introspect/database-schema.ts";
import { toWireName } from "../../definition/names.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";

/** The declarations of a service over a database as plain data: the source of live declarations and of written code. */
export interface DescribedService {
  readonly kind: DatabaseKind;
  readonly enumTypes: readonly DescribedEnumType[];
  /** In the order of the names of the sets. */
  readonly sets: readonly DescribedSet[];
  readonly warnings: readonly DescribedWarning[];
}

/** An enumeration type. */
export interface DescribedEnumType {
  readonly name: string;
  readonly members: ReadonlyArray<{ readonly name: string; readonly value: number }>;
  readonly description: string | null;
}

/** An entity type and its set. */
export interface DescribedSet {
  readonly typeName: string;
  readonly setName: string;
  readonly table: ObjectName;
  /** Whether statements need the schema of the table. */
  readonly needsSchema: boolean;
  readonly kind: "table" | "view" | "materialized view";
  /** The source of the key. */
  readonly key: "primary key" | "unique index" | "rowid" | "proven" | "given" | "unique in the data";
  /** Whether the database rejects two rows with one key. */
  readonly isKeyGuaranteed: boolean;
  /** The fields of the properties of the key that may be null in rows, which the set excludes. */
  readonly excludesNulls: readonly string[];
  /** Conditions of SQL that rows must meet to have a key; empty if all rows do. */
  readonly excludes: readonly string[];
  /** The number of rows that the set leaves out, because they have no key; null if counting them takes too long. */
  readonly leftOutRows: number | null;
  /** The columns that need a value which no property can supply, so that the database rejects every new row. */
  readonly unsuppliedColumns: readonly string[];
  readonly description: string | null;
  /** In the order of the table. */
  readonly properties: readonly DescribedProperty[];
  readonly navigations: readonly DescribedNavigation[];
  readonly estimatedRows: number | null;
  /** How a distributed database stores the table, by the field of a property; absent in a database on one machine. */
  readonly distributed?: DescribedDistribution;
  /** Whether the set can only be read, because the database does not write its table as requests do; absent: no. */
  readonly isUnwritable?: true;
}

/** How a distributed database stores a table: see the option `distributed`. @see docs/scaling.md */
export type DescribedDistribution =
  | true
  | "reference"
  | {
      /** The field of a property; the column of a link table. */
      readonly by: string;
      /** A table that it is co-located with; null if it is the first one. */
      readonly partner: (ObjectName & { readonly needsSchema: boolean }) | null;
    };

/** The type and storage of a column. */
export interface DescribedColumn {
  readonly type: PrimitiveTypeName | { readonly enumType: string };
  readonly isCollection: boolean;
  readonly facets: { readonly maxLength?: number; readonly precision?: number; readonly scale?: number };
  readonly storage: StorageForm | null;
  /** An expression over the columns of the row, in place of the column itself. */
  readonly sql: string | null;
  /** Whether the database cannot be given values in the form of the property. */
  readonly isReadOnly: boolean;
}

/** A structural property. */
export interface DescribedProperty extends DescribedColumn {
  /** The name in `$metadata` and JSON. */
  readonly name: string;
  /** The key in code. */
  readonly field: string;
  readonly column: string;
  readonly isKey: boolean;
  readonly nullable: boolean;
  /** Whether the database supplies the value. */
  readonly computed: boolean;
  /** The default of the column, if it is a literal that the property can have. */
  readonly defaultValue: boolean | number | string | undefined;
  /** Whether the column has another default, which the database supplies where requests omit the property. */
  readonly databaseDefault: boolean;
  readonly description: string | null;
  /** Whether an index finds rows by the value of the property. */
  readonly isIndexed: boolean;
  /** Whether an index returns rows in the order of the property, in which null precedes values. */
  readonly hasOrderedIndex: boolean;
}

/** A navigation property. */
export interface DescribedNavigation {
  readonly name: string;
  readonly field: string;
  readonly cardinality: "many" | "optional" | "required";
  /** The name of the entity type. */
  readonly target: string;
  readonly targetSet: string;
  /** The field of the navigation of the target that leads back; null without one. */
  readonly partner: string | null;
  /** Pairs of a field of this type and a field of the target; empty for a navigation through a link table. */
  readonly on: ReadonlyArray<readonly [field: string, targetField: string]>;
  readonly through: DescribedLink | null;
  readonly description: string | null;
  /** The table whose foreign key a view shows, if the navigation follows it; absent otherwise. */
  readonly base?: ObjectName | undefined;
}

/** The link table of a many-to-many navigation. */
export interface DescribedLink {
  readonly table: ObjectName;
  readonly needsSchema: boolean;
  readonly from: ReadonlyArray<readonly [field: string, column: string]>;
  readonly to: ReadonlyArray<readonly [column: string, field: string]>;
  /** The storage of columns that differs from the default of their types. */
  readonly columns: Readonly<Record<string, StorageForm>>;
  /** How a distributed database stores the link table; absent in a database on one machine. */
  readonly distributed?: DescribedDistribution;
}

/** Something that is not published, or not as a reader of the schema would expect. */
export interface DescribedWarning {
  /** Warnings with the same code have the same cause, and are shown as one line. */
  readonly code: string;
  /** The object, such as `Products.Discontinued`, in the names of the service, or of the database if it is omitted. */
  readonly place: string;
  /** The facts about the database and the behaviour of the service, such as `holds "0" in 77 of 77 rows, published as String`. */
  readonly message: string;
  /** The flag that changes this behaviour, ready to paste; null without such a flag. */
  readonly flag: string | null;
}

/**
 * Returns the key of a navigation in declarations. A navigation has no `.json()`, so its key must become its name by the
 * naming policy `PascalCase`: `GPSDevices` stays, because `gpsDevices` would become `GpsDevices`.
 */
export function navigationField({ name, field }: { readonly name: string; readonly field: string }): string {
  return toWireName(field, "PascalCase") === name ? field : name;
}

/** Whether keys must be guaranteed by the database, or may also be columns that are unique in the data now. */
export type KeyChoice = "proven" | "unique";

/** A relation that the database does not declare, such as that of a view. */
export interface GivenRelation {
  /** A column as `table.column` or `schema.table.column`, in the names of the database. */
  readonly from: string;
  readonly to: string;
}

/** Which tables, columns and names a service over a database has. All keys are optional. */
export interface DescribeOptions {
  /** Globs over `schema.name` and `name`: only matching tables and views are published. */
  readonly include?: readonly string[] | undefined;
  /** Globs over `schema.name` and `name`: matching tables and views are not published. */
  readonly exclude?: readonly string[] | undefined;
  /** Columns as `table.column` that are published although a rule omits them: secrets, invisible columns. */
  readonly includeColumns?: readonly string[] | undefined;
  /** Whether columns that are named like secrets are omitted; `hide` without a value. */
  readonly secrets?: "hide" | "show" | undefined;
  /**
   * The columns of the key of each view without one, by its name in the database. With `unique`, also as the entry `*`,
   * `introspectDatabase` searches the data for keys of the others; `proven`, the default, leaves them out.
   */
  readonly keys?: KeyChoice | Readonly<Record<string, KeyChoice | readonly string[]>> | undefined;
  /** Relations that become navigations like foreign keys. The column of one end must be unique. */
  readonly relations?: readonly GivenRelation[] | undefined;
  /** Names of the service by names of the database. @see docs/decisions/0047-names-over-databases.md */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** `idiomatic` without a value. */
  readonly style?: "as-is" | "idiomatic" | undefined;
  /** Types by property of the service, such as `{ "Products.Discontinued": "boolean(0,1)" }`. */
  readonly map?: Readonly<Record<string, string>> | undefined;
  /** Whether timestamps without a zone are UTC, which is the default, or text. */
  readonly zoneless?: "string" | "utc" | undefined;
}
