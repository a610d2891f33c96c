import { keeper } from "../base/memo.ts";
import type { EntitySet, EntityType } from "../edm/model.ts";

/**
 * Makes a set for entities that have none. Queries are bound to it; clients cannot name it, and its entities have no URL
 * and no ETag.
 * @param name contains a slash, as no name of the model does, so the shapes of no other set have the same keys
 */
export function implicitSet(name: string, entityType: EntityType): EntitySet {
  const entitySet = keeper<EntitySet>({
    kind: "EntitySet",
    name,
    entityType,
    navigationProperties: new Map(),
    navigationPropertyBindings: new Map(),
    navigationJoins: new Map(),
    etag: [],
  });
  return Object.freeze(entitySet);
}
