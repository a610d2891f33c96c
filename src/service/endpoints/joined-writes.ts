import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { keyHolderOf, keyPairsOf } from "../../edm/key-holder.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import type { WritingHandler } from "../../engine/writes/judged-write.ts";
import { creationAlong } from "./create-related.ts";
import { unsupported } from "./link-reading.ts";
import type { NestedEntity, NestedNavigation } from "./nested-entities.ts";
import { runtimeOf, type ServiceRuntime } from "./service-runtime.ts";

/** Whether a handler writes in the transaction of a request. */
export function isJoined({ definition }: ServiceRuntime, { set, handler }: WritingHandler): boolean {
  return definition.handlersCheckingRows.has(handler) || set.transactional;
}

/** Returns the number of entities that are nested at any depth. */
export function countNested(nested: readonly NestedNavigation[]): number {
  return nested.reduce(
    (count, { entities }) => entities.reduce((sum, each) => sum + 1 + countNested(each.nested), count),
    0,
  );
}

/**
 * Checks that the writes of nested entities are kept or undone with the write of the entity around them.
 * @returns a handler of the application among them; undefined: only tables are written
 * @throws ODataError `NotImplemented` otherwise
 */
export function checkNestedWrites(
  service: ServiceRuntime,
  root: WritingHandler,
  nested: readonly NestedNavigation[],
  method: "PATCH" | "PUT",
): object | undefined {
  let own: object | undefined;
  for (const navigation of nested) {
    // Nothing undoes what a handler without a transaction has written.
    if (!isJoined(service, root)) checkRemoval(service, navigation);
    for (const entity of navigation.entities) {
      for (const by of handlersOf(service, navigation, entity, method)) {
        checkJoined(service, root, by, navigation);
        if (!service.definition.handlersCheckingRows.has(by.handler)) own ??= by.handler;
      }
      own ??= checkNestedWrites(service, root, entity.nested, method);
    }
  }
  return own;
}

function handlersOf(
  service: ServiceRuntime,
  { source: entitySet, navigation: navigationProperty, runtime, target }: NestedNavigation,
  { named, change, removed }: NestedEntity,
  method: "PATCH" | "PUT",
): readonly WritingHandler[] {
  const set = definitionIn(service.definition, target);
  const { create, patch, replace, delete: remove } = set.handlers;
  const by = (handler: object | undefined): readonly WritingHandler[] =>
    handler === undefined ? [] : [{ set, handler }];
  if (removed !== null) return removed === "deleted" ? by(remove) : [];
  if (named !== null) return change === null ? [] : by(method === "PATCH" ? patch : replace);
  const along = creationAlong(service, { entitySet, navigationProperty, runtime });
  return along === undefined ? by(create) : [along.by];
}

/** @throws ODataError `NotImplemented` if nothing removes the entities that a body may leave out */
function checkRemoval(service: ServiceRuntime, nested: NestedNavigation): void {
  const { navigation, runtime, target, form, fail } = nested;
  if (form === "delta" || keyHolderOf(nested.source, navigation) === "parent") return;
  const { handlers } = runtimeOf(service, target);
  const isRemovable = isRequired(nested)
    ? handlers.delete !== undefined
    : runtime.source.handlers.removeRef !== undefined || isLinkedByPatch(service, nested, false);
  if (isRemovable) return;
  throw unsupported(`Nothing removes entities from '${navigation.name}': send its changes only.`, fail);
}

/** Whether an entity cannot exist without the link: a value of it is never null. */
export function isRequired({ source, navigation }: Pick<NestedNavigation, "source" | "navigation">): boolean {
  if (keyHolderOf(source, navigation) !== "related") return false;
  const pairs = keyPairsOf(source, navigation).map(({ related }) => related);
  const ofClients = pairs.filter(({ serverSet }) => serverSet !== true);
  return (ofClients.length === 0 ? pairs : ofClients).some(({ nullable, isKey }) => !nullable || isKey);
}

/** Whether a link without a handler of its own is the foreign key of the related entity, which PATCH changes. */
export function isLinkedByPatch(
  service: ServiceRuntime,
  { source, navigation, runtime, target }: NestedNavigation,
  isAdded: boolean,
): boolean {
  const { addRef, setRef, removeRef } = runtime.source.handlers;
  const adds = navigation.isCollection ? addRef : setRef;
  const handler = isAdded ? adds : removeRef;
  if (handler !== undefined || keyHolderOf(source, navigation) !== "related") return false;
  const { properties } = target.entityType;
  const pairs = keyPairsOf(source, navigation).map(({ related }) => related);
  const isPatched = pairs.every(
    (each) =>
      each.serverSet === true ||
      properties.some(({ field, isKey, immutable }) => field === each.field && !isKey && !immutable),
  );
  return isPatched && runtimeOf(service, target).handlers.patch !== undefined;
}

function checkJoined(
  service: ServiceRuntime,
  root: WritingHandler,
  by: WritingHandler,
  { navigation, fail }: NestedNavigation,
): void {
  const isOne = isJoined(service, root) === isJoined(service, by) && sharesDatabase(root.set, by.set);
  if (isOne) return;
  const names = `${root.set.entitySet.name} and ${by.set.entitySet.name}`;
  throw unsupported(
    `The entities of ${names} are not written as one, so '${navigation.name}' takes no nested ones.`,
    fail,
  );
}

function sharesDatabase({ database: one }: EntitySetDefinition, { database: other }: EntitySetDefinition): boolean {
  return one === undefined || other === undefined || one.instance === other.instance;
}
