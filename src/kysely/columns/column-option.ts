import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { ColumnConversion } from "./converted-plan.ts";
import type { StorageForm, StorageOf } from "./storage-option.ts";

/** Where the values of a property stand: the name of a column, or more than that. */
export type ColumnOption<Columns = object, Conversion = ColumnConversion, Storage = StorageForm> =
  | string
  | ColumnSettings<Columns, Conversion, Storage>;

/** A column (or the columns of a complex property) that is not the default. */
export interface ColumnSettings<Columns = object, Conversion = ColumnConversion, Storage = StorageForm> {
  /** The name of the column; the property's key as it stands when absent. */
  readonly name?: string | undefined;
  /**
   * The defaults are the types of the database; SQLite has few.
   *
   * - A Decimal: `"text"` (default there), `"scaled"` (an integer, the value times ten to the power of its scale),
   *   `"real"`.
   * - A DateTimeOffset: text in UTC of one width by default there, `"text"` for texts of any offset and width, `"utc"` for
   *   a timestamp without time zone that holds UTC; and, as for a Date: `"epoch"` (milliseconds since 1970),
   *   `"epoch-seconds"`, `"julian"` (Julian days) and `"sqlite-datetime"` (`YYYY-MM-DD hh:mm:ss` in UTC).
   * - A Guid: lower case by default, `"text"` for any letter case.
   * - An enumeration: `{ values: { Draft: 0, Paid: 1 } }`. A Boolean: `{ true: "Y", false: "N" }`.
   * - A collection, or a complex value as a document: `"json"`. A collection in PostgreSQL: `"array"`.
   * - A String, Decimal or Duration in PostgreSQL: `"text"` for other types, such as inet, money and interval.
   * @see docs/reference/sql.md, Databases that already exist
   */
  readonly storage?: Storage | undefined;
  /**
   * Two functions between the cells and the values, for columns that no form of storage describes. The database does
   * not compare such a column: no filter, order, search, join, key or row rule uses it.
   */
  readonly convert?: Conversion | undefined;
  /** The columns of the members of a complex property; the default of a member is `${property}_${member}`. */
  readonly columns?: Columns | undefined;
}

/** The members of a complex property, each with its column; never for any other property. */
type MemberColumns<Value> = Value extends readonly unknown[] | Uint8Array
  ? never
  : Value extends object
    ? { readonly [member in keyof Value]?: ColumnOption | undefined }
    : never;

/** Columns by the application's keys. */
export type ColumnOptions<E extends EntityTypeDeclaration = EntityTypeDeclaration> = {
  readonly [field in keyof E["properties"]]?:
    | ColumnOption<
        MemberColumns<E["properties"][field]["_types"]["value"]>,
        ColumnConversion<E["properties"][field]["_types"]["value"], E["properties"][field]["_types"]["input"] | null>,
        StorageOf<E["properties"][field]["_types"]["value"]>
      >
    | undefined;
};
