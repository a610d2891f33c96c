import type { AnyProperty, ComplexTypeDeclaration, EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { ColumnConversion } from "./converted-plan.ts";
import type { StorageForm, StorageOf } from "./storage-option.ts";

/** The column of a property: its name, or its settings. */
export type ColumnOption<Columns = object, Conversion = ColumnConversion, Storage = StorageForm> =
  | string
  | ColumnSettings<Columns, Conversion, Storage>;

/** The settings of a column, or of the columns of a complex property, that differ from the default. */
export interface ColumnSettings<Columns = object, Conversion = ColumnConversion, Storage = StorageForm> {
  /** The name of the column; by default the property's key. */
  readonly name?: string | undefined;
  /**
   * An SQL expression over the columns of the row, in place of a column: `"amount::numeric"`. The property is read-only: in
   * a set with writes it must be `.computed()`.
   */
  readonly sql?: string | undefined;
  /**
   * How the column stores its values. By default the column has the matching type of the database; SQLite has few types.
   *
   * - A Decimal: `"text"` (the default in SQLite), `"scaled"` (an integer: the value times ten to the power of its scale),
   *   `"real"`.
   * - A DateTimeOffset: in SQLite by default fixed-width text in UTC; `"text"` for texts of any offset and width, `"utc"` for
   *   a timestamp without time zone that contains UTC. Also, as for a Date: `"epoch"` (milliseconds since 1970),
   *   `"epoch-seconds"`, `"julian"` (Julian days) and `"sqlite-datetime"` (`YYYY-MM-DD hh:mm:ss` in UTC).
   * - A Guid: lower case by default, `"text"` for any letter case.
   * - An enumeration: `{ values: { Draft: 0, Paid: 1 } }`. A Boolean: `{ true: "Y", false: "N" }`.
   * - A collection, or a complex value as a document: `"json"`. A collection in PostgreSQL: `"array"`.
   * - A String: `"hex"` for a column of bytes, whose hexadecimal digits in lower case are the value. Unlike Edm.Binary, it can
   *   be a key.
   * - A String, Decimal or Duration in PostgreSQL: `"text"` for other types, such as inet, money and interval. A String in
   *   MariaDB: `"text"` for JSON.
   * @see docs/reference/storage.md, Databases that already exist
   */
  readonly storage?: Storage | undefined;
  /**
   * Two functions that convert between cells and values, for columns that no storage form describes. The database cannot
   * compare such a column: filters, orders, searches, joins, keys and row rules cannot use it.
   */
  readonly convert?: Conversion | undefined;
  /** The columns of the members of a complex property; the default column of a member is `${property}_${member}`. */
  readonly columns?: Columns | undefined;
}

/** The columns of the members of a complex property; `never` for any other property. */
type MemberColumns<Value> = Value extends readonly unknown[] | Uint8Array
  ? never
  : Value extends object
    ? { readonly [member in keyof Value]?: ColumnOption | undefined }
    : never;

/** Columns by the application's keys. A set with derived types has the properties of each of them. */
export type ColumnOptions<E extends EntityTypeDeclaration | ComplexTypeDeclaration = EntityTypeDeclaration> = {
  readonly [field in FieldOf<E["properties"]>]?: OptionOf<PropertyIn<E["properties"], field>> | undefined;
};

type FieldOf<S> = S extends unknown ? keyof S : never;

type PropertyIn<S, Field extends PropertyKey> = S extends { readonly [field in Field]: infer P extends AnyProperty }
  ? P
  : never;

type OptionOf<P extends AnyProperty> = ColumnOption<
  MemberColumns<P["_types"]["value"]>,
  ColumnConversion<P["_types"]["value"], P["_types"]["input"] | null>,
  StorageOf<P["_types"]["value"]>
>;
