import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { QueryableSource, RelationalSource, RowRestriction } from "../../query/source.ts";
import type { RowStatements } from "../translate/relation.ts";

/** What is known of a source of a database. */
export interface SourceReader {
  /** What runs its statements: sources of one are of one connection. */
  readonly rows: object;
  readonly statements: RowStatements;
  /** The values of its base query. */
  readonly parameters: readonly unknown[];
}

/** What a source of a database does. */
interface SourceMembers {
  readonly read: QueryableSource["read"];
  readonly relational: RelationalSource;
  readonly restrict: (restriction: RowRestriction) => QueryableSource;
}

/** A source over a database, with what reads its rows. */
export class RowSource<E extends EntityTypeDeclaration> implements QueryableSource {
  readonly kind = "EntitySource";
  readonly entityType: E;
  readonly reader: SourceReader;
  readonly read: SourceMembers["read"];
  readonly relational: SourceMembers["relational"];
  readonly restrict: SourceMembers["restrict"];

  constructor(entityType: E, reader: SourceReader, { read, relational, restrict }: SourceMembers) {
    this.entityType = entityType;
    this.reader = reader;
    this.read = read;
    this.relational = relational;
    this.restrict = restrict;
  }
}

/** What reads the rows of a source; undefined for one that is over no database. */
export function findReader(source: QueryableSource): SourceReader | undefined {
  return source instanceof RowSource ? source.reader : undefined;
}

/** As `findReader`. @throws Error for a source that is over no database, which no query may mention */
export function readerOfSource(source: QueryableSource): SourceReader {
  const reader = findReader(source);
  if (reader === undefined) throw new Error("The query mentions a set whose rows are in no database.");
  return reader;
}
