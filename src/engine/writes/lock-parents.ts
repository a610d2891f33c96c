import { keptPerPair } from "../../base/memo.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { inverseReferences } from "../../definition/sets/guarded-reference.ts";
import { keyHolderOf, keyPairsOf } from "../../edm/key-holder.ts";
import { keyIn } from "../../edm/literal.ts";
import type { JoinPair } from "../../edm/model.ts";
import { compareStrings } from "../../edm/text-codecs.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { identityOf } from "../entities/entity-key.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { lockIfPossible } from "./judged-write.ts";

/** A new entity of a set. */
interface NewEntity {
  readonly set: EntitySetDefinition;
  readonly entity: object;
}

/** A foreign key of a set. */
interface Reference {
  readonly target: EntitySetDefinition;
  readonly pairs: readonly JoinPair[];
}

/** An entity that new ones refer to. */
interface Parent {
  readonly set: EntitySetDefinition;
  readonly key: unknown;
  /** The values of the key, in the order of its properties. */
  readonly values: readonly PrimitiveValue[];
  /** The same string for the same entity. */
  readonly identity: string;
}

/**
 * Locks the entities to which the foreign keys of new entities refer: sets in the order of their names, entities of a set in the
 * order of their keys. Hooks of several inserts may change the same entity, after foreign keys of the database have locked it for all
 * of them: none could then go on. It locks only entities that tables of the service change, and none by a foreign key of `set`, such
 * as the tenant. An entity that the database cannot lock stays unlocked.
 * @see docs/reference/handlers.md, Rows that many write
 */
export async function lockParents(entities: readonly NewEntity[], { context }: Reader): Promise<void> {
  if (entities.length === 0 || context.transaction === undefined) return;
  const parents = new Map(
    entities.flatMap((each) => parentsOf(each, context)).map((parent) => [parent.identity, parent] as const),
  );
  for (const { set, key } of [...parents.values()].toSorted(compareParents)) await lockIfPossible(set, key, context);
}

function parentsOf({ set, entity }: NewEntity, context: Context): readonly Parent[] {
  return referencesOf(serviceOf(context), set).flatMap(({ target, pairs }) => {
    const { name, entityType } = target.entitySet;
    const referred = new Map(
      pairs.map(({ property, related }) => [related.field, declaredFieldOf(entity, property.field)] as const),
    );
    const given = entityType.key.map((property) => [property, referred.get(property.field)] as const);
    if (given.some(([, value]) => value === undefined || value === null)) return [];
    const parts = given.map(([property, value]) => [property, codecOf(property).fromHandler(value)] as const);
    const key = keyIn(entityType, Object.fromEntries(referred));
    return [{ set: target, key, values: parts.map(([, value]) => value), identity: `${name} ${identityOf(parts)}` }];
  });
}

/** Returns the foreign keys of a set, other than of the server, to entities that tables change. Either side declares them. */
const referencesOf = keptPerPair((service: ServiceDefinition, set: EntitySetDefinition): readonly Reference[] => {
  const { entitySet, database } = set;
  if (database === undefined) return [];
  const targets = [...service.entitySets.values()].filter(
    (target) => target.database?.instance === database.instance && isChanged(target, service),
  );
  const own = [...entitySet.navigationProperties.values()].flatMap((navigation) => {
    const name = entitySet.navigationPropertyBindings.get(navigation.name);
    const target = targets.find((each) => each.entitySet.name === name);
    if (target === undefined || keyHolderOf(entitySet, navigation) !== "parent") return [];
    return [{ target, pairs: keyPairsOf(entitySet, navigation) }];
  });
  const inverse = targets.flatMap((target) =>
    inverseReferences(entitySet, target.entitySet).map(({ pairs }) => ({ target, pairs })),
  );
  return [...own, ...inverse].filter(({ pairs }) => pairs.some(({ property }) => property.serverSet !== true));
});

/** Whether a table of the service changes the entities of a set. */
function isChanged({ handlers, lock }: EntitySetDefinition, { handlersCheckingRows }: ServiceDefinition): boolean {
  return lock !== undefined && [handlers.patch, handlers.replace].some((each) => handlersCheckingRows.has(each));
}

function compareParents(left: Parent, right: Parent): number {
  const byName = compareStrings(left.set.entitySet.name, right.set.entitySet.name);
  if (byName !== 0) return byName;
  for (const [index, property] of left.set.entitySet.entityType.key.entries()) {
    const [one, other] = [left.values[index], right.values[index]];
    const order = one === undefined || other === undefined ? 0 : codecOf(property).compare(one, other);
    if (order !== 0) return order;
  }
  return 0;
}
