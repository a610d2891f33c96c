import { required } from "../../base/required.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { QueryableSource, RelationalSource, RowRestriction, SourcesBySet } from "../../language/query/source.ts";
import type { RowStatements } from "../translate/relation.ts";
import type { MentionedStatements } from "../translate/translate-query.ts";

/** The reader of a source over a database. */
export interface SourceReader {
  /** Runs its statements: sources with the same object use the same database. */
  readonly rows: object;
  readonly statements: RowStatements;
  /** The parameters of its base query. */
  readonly parameters: readonly unknown[];
}

/** The methods of a source over a database. */
interface SourceMembers {
  readonly read: QueryableSource["read"];
  readonly relational: RelationalSource;
  readonly restrict: (restriction: RowRestriction) => QueryableSource;
}

/** A source over a database, with its reader. */
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

/** Returns the reader of a source; undefined for a source without a database. */
export function findReader(source: QueryableSource): SourceReader | undefined {
  return source instanceof RowSource ? source.reader : undefined;
}

/** As `findReader`. @throws Error for a source without a database, which a query must not mention */
export function readerOfSource(source: QueryableSource): SourceReader {
  return required(findReader(source), "The query mentions a set whose rows are not in a database.");
}

/** Returns the statements of sources, without the values of a request. */
export function statementsOf(sources: SourcesBySet | undefined): MentionedStatements {
  return new Map(
    Array.from(sources ?? [], ([entitySet, source]) => [entitySet, readerOfSource(source).statements] as const),
  );
}
