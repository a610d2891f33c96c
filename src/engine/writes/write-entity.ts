import type { Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetHandlers, NavigationHandlers } from "../../definition/handlers.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { refusalOfUnseen } from "../../definition/sets/authorization.ts";
import {
  ALONE,
  type EntityLink,
  isNew,
  linkEnds,
  type Nesting,
  positionsOf,
  statedReferences,
  type WrittenEntity,
} from "../../definition/sets/judge-references.ts";
import { mergeDelta } from "../../definition/sets/merge-delta.ts";
import { keyPairsOf, reversedPairs } from "../../edm/key-holder.ts";
import { keyFields } from "../../edm/literal.ts";
import type { EntitySet, EntityType, JoinPair, StructuralProperty } from "../../edm/model.ts";
import { canonicalEntity, wholeEntity } from "../entities/canonical-entity.ts";
import { definitionIn, definitionOf, type Reader, serviceOf } from "../entities/reader.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { asEntity, isObject } from "../memory/evaluation.ts";
import { givenFieldOf } from "../memory/missing-value.ts";
import type { PathStep } from "../plan/plan-related.ts";
import { findEntity, getEntity } from "../reads/read-by-key.ts";
import { isSame } from "../rules/judge-properties.ts";
import { conditionFor, ServiceContext } from "../rules/row-access.ts";
import { checkCreated, checkReferences, checkWritten, isHidden, keyTaken } from "./check-written.ts";
import { explainingViolations, OF_BODY, OF_DELETE } from "./explain-violation.ts";
import { changeHooked, createHooked } from "./run-hooks.ts";
import { suppliesLater, withChangedValues, withCreatedValues, withReplacedValues } from "./set-values.ts";
import { validateChange, validateNew } from "./validate.ts";
import { runSupplied } from "./whole-write.ts";

/** The names of the handlers that write a set. */
type WriteName = "create" | "replace" | "patch" | "delete";

/**
 * Creates an entity of a set. A handler that checks row rules in its own transaction is called at once. Before any other
 * handler is called, the rules of the set and of the sets of nested entities are checked.
 * @returns the result of the handler
 * @throws ODataError `Forbidden`, `Unauthorized` for an entity that the user could not see afterwards; `Conflict` for a
 *   key that is taken, and for a foreign key to a hidden entity; the error of the handler
 * @see docs/guides/authorization.md
 */
export function runCreate(entitySet: EntitySet, body: object, reader: Reader): Promise<unknown> {
  const { set, handler } = writerOf(entitySet, "create", reader);
  const write = async (given: object, inner: Reader): Promise<unknown> => {
    if (!isFree(handler, inner)) await checkCreated(set, given, inner);
    return explainingViolations<unknown>(set, OF_BODY, () => {
      const context = ServiceContext.ofSet(entitySet, inner.context);
      const { many } = handler;
      const { together } = inner;
      return together === undefined || many === undefined
        ? handler(given, context)
        : together.add(many, given, context);
    });
  };
  return runSupplied({ set, handler }, suppliesLater(set, body, reader), reader, async (inner) => {
    const entity = await withCreatedValues(entitySet, body, inner);
    await validateNew(set, entity, inner);
    return createHooked({ set, handler }, set, entity, inner, write);
  });
}

/** Creates an entity along a navigation of another one. @throws as for runCreate */
export function runCreateRelated(
  step: PathStep,
  create: NonNullable<NavigationHandlers<Context>["create"]>,
  key: unknown,
  body: object,
  reader: Reader,
): Promise<unknown> {
  const { entitySet, navigationProperty, target } = step;
  const write = async (given: object, inner: Reader): Promise<unknown> => {
    if (!isFree(create, inner)) await checkCreatedRelated(step, key, given, inner);
    return create(key, given, ServiceContext.ofSet(entitySet, inner.context));
  };
  if (target === null) return write(body, reader);
  const pairs = reversedPairs(keyPairsOf(entitySet, navigationProperty));
  const parent = { pairs, values: keyFields(entitySet.entityType, key) };
  const by = { set: definitionOf(entitySet, reader.context), handler: create };
  const set = definitionOf(target, reader.context);
  const explained = (given: object, inner: Reader): Maybe<unknown> =>
    explainingViolations(set, OF_BODY, () => write(given, inner));
  return runSupplied(by, suppliesLater(set, body, reader), reader, async (inner) => {
    const entity = await withCreatedValues(target, body, inner, parent);
    await validateNew(set, entity, inner);
    return createHooked(by, set, entity, inner, explained);
  });
}

async function checkCreatedRelated(
  { entitySet, navigationProperty, target }: PathStep,
  key: unknown,
  entity: object,
  reader: Reader,
): Promise<void> {
  if (target === null) return;
  const set = definitionOf(target, reader.context);
  const pairs = reversedPairs(keyPairsOf(entitySet, navigationProperty));
  const values = set.guardedReferences.length === 0 ? {} : await linkedPart({ entitySet, key }, pairs, reader);
  await checkCreated(set, entity, reader, { ...ALONE, parent: { target: entitySet, pairs, values } });
}

/** The entities of a link between two sets. */
export interface LinkedEntities {
  readonly navigation: Pick<PathStep, "entitySet" | "navigationProperty">;
  readonly target: EntitySet;
  readonly key: unknown;
  readonly related: unknown;
}

/** Whether a link writes a property that a foreign key to a set with a row rule shares. */
export function sharesReferences(
  definition: ServiceDefinition,
  { navigation, target }: Omit<LinkedEntities, "key" | "related">,
): boolean {
  const { written, link } = linkOf({ navigation, target, key: undefined, related: undefined });
  const entity = { ...ALONE, set: definitionIn(definition, written.entitySet), entity: {} };
  return statedReferences({ ...entity, links: [{ ...link, values: {} }] }).length > 0;
}

/**
 * Refuses a link that would change another foreign key to an entity that the user does not see.
 * @param handler the handler that adds the link
 * @throws ODataError `Conflict`, target the property; an error of a handler
 */
export async function checkLinked(entities: LinkedEntities, handler: object, reader: Reader): Promise<void> {
  if (isFree(handler, reader) || !sharesReferences(serviceOf(reader.context), entities)) return;
  const { written, from, link } = linkOf(entities);
  const set = definitionOf(written.entitySet, reader.context);
  const links = [{ ...link, values: await linkedPart(from, link.pairs, reader) }];
  await checkReferring(set, written.key, { entity: {}, ...ALONE, links }, false, reader);
}

export interface KeyedEntity {
  readonly entitySet: EntitySet;
  readonly key: unknown;
}

/** Returns the entity with the foreign key of a link, the other entity, and the link as the first one has it. */
export function linkOf({ navigation, target, key, related }: LinkedEntities): {
  readonly written: KeyedEntity;
  readonly from: KeyedEntity;
  readonly link: Omit<EntityLink, "values">;
} {
  const { entitySet, navigationProperty } = navigation;
  const ends = [
    { entitySet, key },
    { entitySet: target, key: related },
  ] as const;
  const { written, from, pairs } = linkEnds<KeyedEntity>(entitySet, navigationProperty, ...ends);
  return { written, from, link: { target: from.entitySet, pairs } };
}

/** Returns the part of an entity that a link repeats, loaded if it is more than the key. */
export async function linkedPart(
  { entitySet, key }: KeyedEntity,
  pairs: readonly JoinPair[],
  reader: Reader,
): Promise<object> {
  const { entityType } = entitySet;
  const { getByKey } = definitionOf(entitySet, reader.context).handlers;
  if (getByKey === undefined || pairs.every(({ related }) => related.isKey)) return keyFields(entityType, key);
  const entity = await findEntity(entitySet, key, reader, () => wholeEntity(entitySet));
  return entity === null ? {} : canonicalEntity(entityType, asEntity(entity, entityType));
}

/**
 * Replaces an entity of a set: a hidden entity is missing.
 * @returns the result of the handler; null for a missing entity
 * @throws as for runCreate
 */
export function runReplace(
  entitySet: EntitySet,
  key: unknown,
  body: object,
  reader: Reader,
  cause: "create" | "update" = "update",
): Promise<unknown> {
  const { set, handler } = writerOf(entitySet, "replace", reader);
  const replace = async (given: object, entity: object, inner: Reader): Promise<unknown> => {
    const isTable = inner.kept !== undefined && serviceOf(inner.context).handlersCheckingRows.has(handler);
    const written = isTable ? withoutKept(set, { given, kept: entity }, inner) : given;
    if (!isFree(handler, inner) && !(await checkReplaced(set, { key, entity: given }, inner))) return null;
    return explainingViolations(set, OF_BODY, () =>
      handler(key, written, ServiceContext.ofSet(entitySet, inner.context)),
    );
  };
  const sent = { write: "replace", key, values: body } as const;
  const isLater = set.setValues?.isAsync[cause] === true;
  return runSupplied({ set, handler, key }, isLater, reader, async (within) => {
    const entity = await withReplacedValues(set, cause, sent, within);
    await validateNew(set, entity, within);
    return changeHooked({ set, handler }, { ...sent, values: entity }, within, (given = entity, inner) =>
      replace(given, entity, inner),
    );
  });
}

/** Returns an entity without members that keep their stored values. A hook may have given such a member another value. */
function withoutKept(
  { entitySet: { entityType } }: EntitySetDefinition,
  { given, kept }: { readonly given: object; readonly kept: object },
  { kept: fields }: Reader,
): object {
  const { properties, ignoredProperties } = entityType;
  const kepts = [...properties, ...ignoredProperties].filter(({ field, computed, immutable, serverSet }) => {
    return fields?.has(field) === true && (serverSet === true || (!computed && !immutable));
  });
  const dropped = kepts.filter((property) => {
    const [one, other] = [fieldOf(given, property.field), fieldOf(kept, property.field)];
    // Both ways: a complex value with fewer members is another value here.
    return isSame(property, one, other) && isSame(property, other, one);
  });
  const names = new Set(dropped.map(({ field }) => field));
  return Object.fromEntries(Object.entries(given).filter(([field]) => !names.has(field)));
}

/** Checks a replacement. @returns false for a missing entity */
async function checkReplaced(
  set: EntitySetDefinition,
  { key, entity }: { readonly key: unknown; readonly entity: object },
  reader: Reader,
): Promise<boolean> {
  if (set.rows === null) {
    await checkReferring(set, key, { entity }, set.settings.allowUpsert, reader);
    return true;
  }
  const seen = await findSeen(set.entitySet, key, reader);
  if (seen === null && (await checkMissing(set, key, reader))) return false;
  await checkReplacement(set, { entity, seen }, reader);
  return true;
}

/**
 * Changes an entity of a set: a hidden entity is missing.
 * @returns the result of the handler; null for a missing entity
 * @throws as for runCreate
 */
export function runPatch(entitySet: EntitySet, key: unknown, body: object, reader: Reader): Promise<unknown> {
  const { set, handler } = writerOf(entitySet, "patch", reader);
  const sent = { write: "patch", key, values: body } as const;
  const isLater = set.setValues?.isAsync.update === true && Object.keys(body).length > 0;
  return runSupplied({ set, handler, key }, isLater, reader, async (within) => {
    const delta = await withChangedValues(set, sent, within);
    await validateChange(set, key, delta, within);
    return changeHooked({ set, handler }, { ...sent, values: delta }, within, async (given = delta, inner) => {
      // A hook may have filled an empty delta, which has no values of the server yet.
      const whole = given === delta ? delta : await withChangedValues(set, { ...sent, values: given }, inner);
      return patchUnhooked(set, key, whole, inner);
    });
  });
}

/** Changes an entity without hooks. */
export function patchUnhooked(set: EntitySetDefinition, key: unknown, delta: object, reader: Reader): Maybe<unknown> {
  const { entitySet } = set;
  const { handler } = writerOf(entitySet, "patch", reader);
  const save = (): Maybe<unknown> =>
    explainingViolations(set, OF_BODY, () => handler(key, delta, ServiceContext.ofSet(entitySet, reader.context)));
  if (isFree(handler, reader)) return save();
  return checkChanged(set, key, delta, reader).then((isFound) => (isFound ? save() : null));
}

/** Checks a change. @returns false for a missing entity */
async function checkChanged(set: EntitySetDefinition, key: unknown, delta: object, reader: Reader): Promise<boolean> {
  const { entitySet } = set;
  if (set.rows === null) {
    await checkReferring(set, key, { entity: delta }, false, reader);
    return true;
  }
  const seen = await findSeen(entitySet, key, reader);
  if (seen === null) return false;
  const { entityType } = entitySet;
  const current = (): object => canonicalEntity(entityType, asEntity(seen, entityType));
  await checkReferences({ set, entity: delta, ...ALONE }, reader, { current });
  await checkWritten(set, mergeDelta(entityType, membersOf(entityType, seen), delta), reader);
  return true;
}

/**
 * Removes an entity of a set: a hidden entity is missing.
 * @returns the result of the handler; false for a missing entity
 */
export function runDelete(entitySet: EntitySet, key: unknown, reader: Reader): Promise<unknown> {
  const { set, handler } = writerOf(entitySet, "delete", reader);
  const change = { write: "delete", key, values: undefined } as const;
  return changeHooked({ set, handler }, change, reader, async (_none, inner) => {
    const isSeen = isFree(handler, inner) || set.rows === null || (await findSeen(entitySet, key, inner)) !== null;
    if (!isSeen) return false;
    return explainingViolations(set, OF_DELETE, () => handler(key, ServiceContext.ofSet(entitySet, inner.context)));
  });
}

/** Returns the handler of a set that writes. @throws Error for a set without it */
export function writerOf<Name extends WriteName>(
  entitySet: EntitySet,
  name: Name,
  { context }: Reader,
): { readonly set: EntitySetDefinition; readonly handler: NonNullable<EntitySetHandlers<Context>[Name]> } {
  const set = definitionOf(entitySet, context);
  const handler: EntitySetHandlers<Context>[Name] = set.handlers[name];
  if (handler === undefined) throw new Error(`${entitySet.name} has no \`${name}\` handler.`);
  return { set, handler };
}

/** Whether a handler is called without checks: because it checks the rules itself, or the reader sees all rows. */
export function isFree(handler: object, { context, gate }: Reader): boolean {
  return gate === null || serviceOf(context).handlersCheckingRows.has(handler);
}

/**
 * Whether to refuse the replacement of an unseen entity as that of a missing one. A handler that creates missing
 * entities is called for a key that is free.
 * @throws ODataError `Forbidden`, `Unauthorized` for a user who sees nothing; `Conflict` where such a handler would
 *   overwrite a hidden entity
 */
async function checkMissing(set: EntitySetDefinition, key: unknown, reader: Reader): Promise<boolean> {
  const { entitySet, handlers, settings } = set;
  const mayCreate = settings.allowUpsert && handlers.create === undefined;
  if (!mayCreate || entitySet.entityType.key.some(({ computed }) => computed)) return true;
  // A conflict would reveal to a user who sees nothing that the key is taken.
  if (conditionFor(entitySet, reader) === "none") throw refusalOfUnseen(reader.context.user, entitySet);
  if (await isHidden(set, key, reader)) throw keyTaken(entitySet);
  return false;
}

/** An entity, and the visible entity that it replaces; null: none. */
interface Replaced {
  readonly entity: object;
  readonly seen: object | null;
}

async function checkReplacement(set: EntitySetDefinition, { entity, seen }: Replaced, reader: Reader): Promise<void> {
  const { entityType } = set.entitySet;
  const written = { set, entity, ...ALONE };
  const current = seen === null ? isNew : () => canonicalEntity(entityType, asEntity(seen, entityType));
  const positionOf = positionsOf(seen === null ? [written] : []);
  await checkReferences(written, reader, { current, isCreated: (...named) => positionOf(...named) === 0 });
  await checkWritten(set, entity, reader);
}

/** Checks the foreign keys in a change to a set without a row rule. */
function checkReferring(
  set: EntitySetDefinition,
  key: unknown,
  changes: Pick<WrittenEntity, "entity"> & Partial<Nesting>,
  mayCreate: boolean,
  reader: Reader,
): Promise<void> {
  const { entitySet } = set;
  const find = async (): Promise<object | null> => {
    const found = await findEntity(entitySet, key, reader, () => wholeEntity(entitySet));
    return found ?? (mayCreate ? {} : null);
  };
  const current = set.handlers.getByKey === undefined ? isNew : find;
  return checkReferences({ set, ...ALONE, ...changes }, reader, { current });
}

/** Returns the members of an entity, which may be an instance of a class: absent nullable members are null. */
function membersOf({ properties, ignoredProperties }: EntityType, entity: object): object {
  const read = ({ field }: StructuralProperty): unknown => givenFieldOf(entity, field);
  const declared = properties.map((property) => [property.field, read(property) ?? null] as const);
  const ignored = ignoredProperties.map((property) => [property.field, read(property)] as const);
  return Object.fromEntries([...declared, ...ignored]);
}

/** Returns the entity as the user sees it in its set; null where it is missing or hidden. */
async function findSeen(entitySet: EntitySet, key: unknown, reader: Reader): Promise<object | null> {
  const entity = await getEntity(entitySet, key, reader);
  return isObject(entity) ? entity : null;
}
