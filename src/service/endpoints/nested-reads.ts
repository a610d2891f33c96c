import { keptPerPair } from "../../base/memo.ts";
import { keyPairsOf } from "../../edm/key-holder.ts";
import { keyFields, keyIn } from "../../edm/literal.ts";
import type { EntitySet, JoinPair, NavigationProperty } from "../../edm/model.ts";
import { canonicalEntity } from "../../engine/entities/canonical-entity.ts";
import { identityOfKey } from "../../engine/entities/entity-key.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { fieldOf } from "../../engine/memory/compile-property.ts";
import { Evaluation } from "../../engine/memory/evaluation.ts";
import { type EntitiesByKey, findByKeys } from "../../engine/reads/find-by-keys.ts";
import { loadNavigation } from "../../engine/reads/load-relations.ts";
import { startLoads } from "../../engine/reads/load-run.ts";
import { isSame } from "../../engine/rules/judge-properties.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import { MAX_NAMED_ENTITIES, tooManyNamed } from "../../payload/read-links.ts";
import { requireAlong } from "./authorize-link.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { addressEntity, checkPreconditions, entityNotFound, loadStored } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { unsupported } from "./link-reading.ts";
import type { NestedNavigation } from "./nested-entities.ts";
import { entityPathOf } from "./read-entity.ts";
import { runtimeOf } from "./service-runtime.ts";

/** The execution that reads what nested entities are compared with. */
interface NestedReads {
  readonly execution: Execution;
}

/** The saved entity around nested ones. */
interface NestingEntity {
  readonly entitySet: EntitySet;
  readonly key: unknown;
  readonly entity: object;
}

/** Whether a stored entity refers to another one already. */
export async function refersTo(
  { execution }: NestedReads,
  { source, navigation }: NestedNavigation,
  { path }: AuthorizedRequest,
  related: object,
): Promise<boolean> {
  const { getByKey } = runtimeOf(execution.service, source).handlers;
  if (path.kind !== "entity" || getByKey === undefined) return false;
  const key = bindEntityKey(path.key, source.entityType, NO_ALIASES, source.name);
  const stored = await loadStored(execution, { entitySet: source, key });
  return stored !== null && hasValues(stored, keyPairsOf(source, navigation), related);
}

const NO_ALIASES: ReadonlyMap<string, string> = new Map();

/** Whether an entity has the values of another one by which it is related to it. */
export function hasValues(entity: object, pairs: readonly JoinPair[], other: object): boolean {
  return pairs.every(({ property, related }) => {
    const value = fieldOf(other, related.field);
    return value !== null && value !== undefined && isSame(property, value, fieldOf(entity, property.field));
  });
}

/** Looks up the existing entities that are nested along a navigation, together. */
export async function lookUp({ execution }: NestedReads, nested: NestedNavigation): Promise<EntitiesByKey> {
  const { target, entities, fail } = nested;
  const keys = entities.flatMap(({ named }) => (named === null ? [] : [named.key]));
  if (keys.length === 0) return { of: () => null };
  if (runtimeOf(execution.service, target).handlers.getByKey === undefined) {
    throw unsupported(`${target.name} cannot be read by key, so no body can name its entities.`, fail);
  }
  return findByKeys(target, keys, execution.reader, selectedOf(nested.source, nested.navigation)(target));
}

/** Returns the key and the properties by which entities are related. */
const selectedOf = keptPerPair((source: EntitySet, navigation: NavigationProperty) => {
  let known: readonly SelectedProperty[] | undefined;
  return ({ entityType: { key } }: EntitySet): readonly SelectedProperty[] => {
    const pairs = keyPairsOf(source, navigation).map(({ related }) => related);
    return (known ??= Object.freeze(Array.from(new Set([...key, ...pairs]), (property) => ({ property }))));
  };
});

/** Returns the values of an entity by which others are related to it. They may be ignored properties, such as a tenant. */
export async function ownValues(
  { execution }: NestedReads,
  { entitySet, key }: Pick<NestingEntity, "entitySet" | "key">,
  { source, navigation }: NestedNavigation,
): Promise<object> {
  const { getByKey } = runtimeOf(execution.service, entitySet).handlers;
  const isKey = keyPairsOf(source, navigation).every(({ property }) => property.isKey);
  const stored = isKey || getByKey === undefined ? null : await loadStored(execution, { entitySet, key });
  return stored ?? keyFields(entitySet.entityType, key);
}

/** Returns the keys of the related entities that the user sees, by their identities. @throws ODataError above the limit */
export async function currentOf(
  { execution }: NestedReads,
  owner: NestingEntity,
  nested: NestedNavigation,
): Promise<ReadonlyMap<string, unknown>> {
  const { source: entitySet, navigation: navigationProperty, target, fail } = nested;
  const { service, reader, access } = execution;
  const set = definitionIn(service.definition, entitySet);
  const { name } = navigationProperty;
  requireAlong(access.user, set, navigationProperty, { categories: ["read"], target: name });
  const { getByKey } = runtimeOf(service, entitySet).handlers;
  const parent = getByKey === undefined ? null : await loadStored(execution, { entitySet, key: owner.key });
  const run = { ...startLoads(new Evaluation([]), reader, name), maxEntities: MAX_NAMED_ENTITIES };
  const mention = { entitySet, navigationProperty, target, ignored: [], below: [] };
  try {
    const [related] = await loadNavigation(mention, [parent ?? owner.entity], run);
    if (related === undefined) {
      throw unsupported(`Nothing reads the entities of '${name}': send its changes only.`, fail);
    }
    const { entityType } = target;
    const keys = (related === null ? [] : [related].flat()).map((each) =>
      keyIn(entityType, canonicalEntity(entityType, each)),
    );
    return new Map(keys.map((key) => [identityOfKey(entityType, key), key]));
  } catch (error) {
    throw run.counted.total > run.maxEntities ? tooManyNamed(fail) : error;
  }
}

/** Checks the entity of the URL before handlers without a transaction write others. @throws ODataError as its own write */
export async function checkAddressed(execution: Execution, { path }: AuthorizedRequest, key: unknown): Promise<void> {
  const { entitySet, key: keyText } = entityPathOf(path);
  const { settings, handlers } = runtimeOf(execution.service, entitySet);
  if (handlers.getByKey === undefined) return;
  const addressed = await addressEntity(execution, { entitySet, key });
  const { state } = await checkPreconditions(execution, { entitySet, key, mayCreate: true, addressed });
  if (state === "missing" && !settings.allowUpsert) throw entityNotFound(entitySet, keyText);
}
