import type { QueryableSource } from "../../query/source.ts";
import type { ResultOf } from "../types/infer.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** Rows of one entity type that can be queried: what `queryable` returns, made by `arraySource` or `sqlSource`. */
export interface EntitySource<E extends EntityTypeDeclaration = EntityTypeDeclaration> extends QueryableSource {
  readonly entityType: E;
}

/** Entities, at once or one after another: what `getAll` returns. */
export type Entities<E extends EntityTypeDeclaration> = Iterable<ResultOf<E>> | AsyncIterable<ResultOf<E>>;
