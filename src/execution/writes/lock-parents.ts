import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { keyHolderOf, keyPairsOf } from "../../edm/key-holder.ts";
import { keyIn } from "../../edm/literal.ts";
import type { JoinPair } from "../../edm/model.ts";
import { declaredFieldOf } from "../../memory/compile-property.ts";
import { identityOfKey } from "../entities/entity-key.ts";
import { type Reader, targetDefinition } from "../entities/reader.ts";
import { lockEntity } from "./judged-write.ts";

/** A new entity of a set. */
interface NewEntity {
  readonly set: EntitySetDefinition;
  readonly entity: object;
}

/** An entity that new ones refer to. */
interface Parent {
  readonly set: EntitySetDefinition;
  readonly key: unknown;
  /** By which parents are ordered: the name of the set, and the key. */
  readonly name: string;
}

/**
 * Locks the entities to which the foreign keys of new entities refer, in the order of their sets and keys. Hooks of several inserts may
 * change the same entity, after foreign keys of the database have locked it for all of them: none could then go on. It locks only
 * entities that the service changes, and none by a foreign key of `set`, such as the tenant.
 * @see docs/reference/handlers.md, Rows that many write
 */
export async function lockParents(entities: readonly NewEntity[], { context }: Reader): Promise<void> {
  if (context.transaction === undefined) return;
  const parents = new Map(
    entities.flatMap((each) => parentsOf(each, context)).map((parent) => [parent.name, parent] as const),
  );
  const ordered = [...parents.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  for (const { set, key } of ordered) await lockEntity(set, key, context);
}

function parentsOf({ set, entity }: NewEntity, context: Context): readonly Parent[] {
  return [...set.entitySet.navigationProperties.values()].flatMap((navigation) => {
    const target = targetDefinition(set.entitySet, navigation.name, context);
    if (target === undefined || !isChanged(target) || set.database === undefined) return [];
    if (target.database?.instance !== set.database.instance) return [];
    if (keyHolderOf(set.entitySet, navigation) !== "parent") return [];
    const key = keyOf(target, keyPairsOf(set.entitySet, navigation), entity);
    if (key === undefined) return [];
    const { entityType, name } = target.entitySet;
    return [{ set: target, key, name: `${name} ${identityOfKey(entityType, key)}` }];
  });
}

function isChanged({ handlers, lock }: EntitySetDefinition): boolean {
  return lock !== undefined && (handlers.patch ?? handlers.replace) !== undefined;
}

/** Returns the key to which a foreign key refers; undefined if it refers to none, or is that of the server. */
function keyOf(
  { entitySet: { entityType } }: EntitySetDefinition,
  pairs: readonly JoinPair[],
  entity: object,
): unknown {
  if (pairs.every(({ property }) => property.serverSet === true)) return undefined;
  const values = pairs.map(
    ({ property, related }) => [related.field, declaredFieldOf(entity, property.field)] as const,
  );
  const known: object = Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
  return entityType.key.every(({ field }) => Object.hasOwn(known, field)) ? keyIn(entityType, known) : undefined;
}
