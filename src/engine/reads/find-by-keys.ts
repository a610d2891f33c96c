import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { keyValues } from "../../edm/literal.ts";
import type { DirectJoin, EntitySet, EntityType } from "../../edm/model.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { RelatedShape } from "../../language/query/source.ts";
import { rowReader } from "../entities/canonical-entity.ts";
import { identityOfKey } from "../entities/entity-key.ts";
import { definitionOf, readScope, type Reader, timeoutOf } from "../entities/reader.ts";
import { totalOrder } from "../plan/total-order.ts";
import { findEntity, keyedSource } from "./read-by-key.ts";
import { readJoined } from "./read-joined.ts";

/** The entities of keys, as far as the reader sees them. */
export interface EntitiesByKey {
  /** Returns the entity of a key in canonical form; null where the reader sees none. @param key in the application's form */
  readonly of: (key: unknown) => Maybe<object | null>;
}

/**
 * Finds entities of a set by their keys: in one statement if they are rows of a database, otherwise one by one when they are
 * asked for.
 * @param keys in the application's form
 * @param selected the properties to read, the same array each time; those of the key among them
 * @throws as for findEntity
 */
export function findByKeys(
  entitySet: EntitySet,
  keys: readonly unknown[],
  reader: Reader,
  selected: readonly SelectedProperty[],
): Maybe<EntitiesByKey> {
  const { entityType } = entitySet;
  const one = (key: unknown): Maybe<object | null> => findEntity(entitySet, key, reader, () => selected);
  const distinct = new Map(keys.map((key) => [identityOfKey(entityType, key), key]));
  const { getByKey } = definitionOf(entitySet, reader.context).handlers;
  if (distinct.size < 2 || getByKey?.readRow === undefined) return { of: one };
  return chain(keyedSource(entitySet, getByKey, reader), ({ relational }) => {
    if (relational === undefined) return { of: one };
    const wanted = Array.from(distinct.values(), (key) => keyValues(entityType.key, key));
    const query = { shape: shapesOf(entityType)(selected), keys: wanted, timeout: timeoutOf(reader.context) };
    return chain(readJoined(relational, query, readScope(reader)), ({ related, rowShape }): EntitiesByKey => {
      const toEntity = rowReader(rowShape);
      const found = new Map<string, object>();
      for (const [index, identity] of [...distinct.keys()].entries()) {
        const [row, second] = related[index] ?? [];
        // Rows that share a key, and keys that the database compares otherwise, are left to a read by key.
        if (row !== undefined && second === undefined) found.set(identity, toEntity(row));
      }
      return { of: (key) => found.get(identityOfKey(entityType, key)) ?? one(key) };
    });
  });
}

/** The join of the entities of a type with themselves by their key, as a read of related entities has it. */
const keyJoin = keptPer(({ key }: EntityType): DirectJoin =>
  Object.freeze({ kind: "direct", pairs: key.map((property) => ({ property, related: property })) }),
);

const shapesOf = keptPer((entityType: EntityType) => {
  const orderBy = totalOrder([], entityType);
  return keptPer((selected: readonly SelectedProperty[]): RelatedShape =>
    Object.freeze({
      join: keyJoin(entityType),
      entityType,
      filter: null,
      orderBy,
      selected,
      joined: [],
      roundingMode: "spec-compliant",
    }),
  );
});
