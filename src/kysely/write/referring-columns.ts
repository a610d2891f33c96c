import type { StoredColumn } from "./stored-columns.ts";
import type { StoredReference, StoredReferences } from "./stored-references.ts";

/** A column to write. */
export interface WrittenColumn extends StoredColumn {
  /** The referenced columns, if the column repeats their stored text. */
  readonly referred?: readonly StoredReference[];
}

/** Returns texts that differ for different columns and references, for the key of a statement. */
export function namesOfColumns(columns: readonly StoredColumn[], references: StoredReferences): readonly string[] {
  return columns.map((each) => nameWith(each.column, referredBy(each, references)));
}

function nameWith(name: string, referred: readonly StoredReference[] = []): string {
  return [name, ...referred.map(({ table, field }) => `${table.name} ${field}`)].join(" > ");
}

/** Adds to columns of foreign keys the columns that they refer to. */
export function referring(columns: readonly StoredColumn[], references: StoredReferences): readonly WrittenColumn[] {
  return columns.map((column) => {
    const referred = referredBy(column, references);
    return referred === undefined ? column : { ...column, referred };
  });
}

/** Returns the columns that a foreign key refers to. Members of complex values are never foreign keys. */
export function referredBy(
  { path }: StoredColumn,
  references: StoredReferences,
): readonly StoredReference[] | undefined {
  const [property, ...members] = path;
  return property === undefined || members.length > 0 ? undefined : references.get(property.field);
}
