import type { StructuralProperty } from "../../edm/model.ts";
import type { CatalogueReader } from "../../introspect/catalogue-steps.ts";
import type { StoredTypes } from "../../introspect/expected-table.ts";
import type { IndexSyntax } from "../../introspect/missing-indexes.ts";
import { storageName, type StorageForm } from "../columns/storage-option.ts";

/** What the schema check knows of one kind of database. */
export interface DialectCatalogue {
  readonly read: CatalogueReader;
  readonly storedTypes: StoredTypeTable;
  readonly indexes: IndexSyntax;
}

/**
 * The types of a database that each storage form reads and writes, by `storageKey`. A form without a row is not judged.
 */
export type StoredTypeTable = Readonly<Record<string, StoredTypeRow>>;

/** One storage form. */
export interface StoredTypeRow extends StoredTypes {
  /** What an index on the column itself serves; both when absent. */
  readonly served?: ReadonlyArray<"filter" | "sort"> | undefined;
  /** The collation that such an index needs. */
  readonly indexCollation?: string | undefined;
}

/**
 * The row of a property in the table of a database: its type and storage, such as `Edm.Decimal scaled`. Enumerations are
 * `enum` and `flags`, collections and complex values are `document`, and storage by default is `default`.
 */
export function storageKey({ type, isCollection }: StructuralProperty, storage: StorageForm | undefined): string {
  const stored = storageName(storage);
  if (isCollection || type.kind === "ComplexType") return `document ${stored === "" ? "json" : stored}`;
  const enumeration = type.kind === "EnumType" && type.isFlags ? "flags" : "enum";
  const name = type.kind === "PrimitiveType" ? type.name : enumeration;
  return `${name} ${stored === "" ? "default" : stored}${typeof storage === "object" ? cellKind(storage) : ""}`;
}

/** Whether mapped cells are texts or numbers. */
function cellKind(storage: Exclude<StorageForm, string>): string {
  const [cell] = "values" in storage ? Object.values(storage.values) : [storage.true];
  return ` ${typeof cell === "string" ? "text" : "number"}`;
}
