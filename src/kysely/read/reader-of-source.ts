import type { EntitySet } from "../../edm/model.ts";
import type { QueryableSource } from "../../query/source.ts";
import type { Rows, RowsUse } from "../translate/relation.ts";

/** What is known of a source of a database. */
export interface SourceReader {
  /** What runs its statements: sources of one are of one connection. */
  readonly rows: object;
  readonly statements: { readonly rowsFor: (entitySet: EntitySet | null, use?: RowsUse) => Rows };
  /** The values of its base query. */
  readonly parameters: readonly unknown[];
}

const readers = new WeakMap<QueryableSource, SourceReader>();

/** Notes what reads the rows of a source. */
export function noteReader(source: QueryableSource, reader: SourceReader): void {
  readers.set(source, reader);
}

/** What reads the rows of a source; undefined for one that is over no database. */
export function findReader(source: QueryableSource): SourceReader | undefined {
  return readers.get(source);
}

/** As `findReader`. @throws Error for a source that is over no database, which no query may mention */
export function readerOfSource(source: QueryableSource): SourceReader {
  const reader = readers.get(source);
  if (reader === undefined) throw new Error("The query mentions a set whose rows are in no database.");
  return reader;
}
