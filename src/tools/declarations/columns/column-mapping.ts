import type { ObjectColumn } from "../../../databases/introspect/database-schema.ts";
import type { DescribedColumn, DescribedWarning } from "../described-service.ts";

/** How a service publishes a column: as a property of a type, or not at all. */
export type ColumnMapping = MappedColumn | OmittedColumn;

/** A column that becomes a property. */
interface MappedColumn {
  readonly column: DescribedColumn;
  readonly warnings: readonly ColumnWarning[];
}

/** A column that has no faithful text, so that no property can publish it. */
interface OmittedColumn {
  /** Completes the sentence `Shops.Area is omitted, because …`. */
  readonly omitted: string;
  /** Groups omissions with the same cause. */
  readonly code: string;
  /** The flag that publishes the column; null without such a flag. */
  readonly flag: string | null;
}

/** A warning whose place is the column. */
export type ColumnWarning = Omit<DescribedWarning, "place">;

/** Facts about a column that its type does not show, and settings of the service. */
export interface ColumnMappingContext {
  /** The set and property in the names of the service, such as `Products.Discontinued`, for flags. */
  readonly place: string;
  /** The name of the enumeration type for the column; null if the column cannot have one. */
  readonly enumType: string | null;
  /** Whether timestamps without a zone are UTC, or published as text. */
  readonly zoneless: "string" | "utc";
}

/** Chooses the type and storage of a column of one kind of database. */
export type MapColumn = (column: ObjectColumn, context: ColumnMappingContext) => ColumnMapping;

/** Returns the column as a property of the type in its default storage. @param given the parts that differ */
export function mapTo(
  type: DescribedColumn["type"],
  given: Partial<DescribedColumn> = {},
  ...warnings: readonly ColumnWarning[]
): MappedColumn {
  const plain = { isCollection: false, facets: {}, storage: null, sql: null, isReadOnly: false };
  return { column: { type, ...plain, ...given }, warnings };
}
