import { chain, type Maybe } from "../../base/maybe.ts";
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
  type ReferenceScope,
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
export function runCreate(entitySet: EntitySet, body: object, reader: Reader): Maybe<unknown> {
  const { set, handler } = writerOf(entitySet, "create", reader);
  const write = (given: object, inner: Reader): Maybe<unknown> => {
    const call = (): Maybe<unknown> => {
      const context = ServiceContext.ofSet(entitySet, inner.context);
      const { many } = handler;
      const { together } = inner;
      return together === undefined || many === undefined
        ? handler(given, context)
        : together.add(many, given, context);
    };
    const checked = isFree(handler, inner) ? undefined : checkCreated(set, given, inner);
    return chain(checked, () => explainingViolations(set, OF_BODY, call));
  };
  return runSupplied({ set, handler }, suppliesLater(set, body, reader), reader, (inner) =>
    chain(withCreatedValues(entitySet, body, inner), (entity) =>
      chain(validateNew(set, entity, inner), () => createHooked({ set, handler }, set, entity, inner, write)),
    ),
  );
}

/** Creates an entity along a navigation of another one. @throws as for runCreate */
export function runCreateRelated(
  step: PathStep,
  create: NonNullable<NavigationHandlers<Context>["create"]>,
  key: unknown,
  body: object,
  reader: Reader,
): Maybe<unknown> {
  const { entitySet, navigationProperty, target } = step;
  const write = (given: object, inner: Reader): Maybe<unknown> => {
    const checked = isFree(create, inner) ? undefined : checkCreatedRelated(step, key, given, inner);
    return chain(checked, () => create(key, given, ServiceContext.ofSet(entitySet, inner.context)));
  };
  if (target === null) return write(body, reader);
  const pairs = reversedPairs(keyPairsOf(entitySet, navigationProperty));
  const parent = { pairs, values: keyFields(entitySet.entityType, key) };
  const by = { set: definitionOf(entitySet, reader.context), handler: create };
  const set = definitionOf(target, reader.context);
  const explained = (given: object, inner: Reader): Maybe<unknown> =>
    explainingViolations(set, OF_BODY, () => write(given, inner));
  return runSupplied(by, suppliesLater(set, body, reader), reader, (inner) =>
    chain(withCreatedValues(target, body, inner, parent), (entity) =>
      chain(validateNew(set, entity, inner), () => createHooked(by, set, entity, inner, explained)),
    ),
  );
}

function checkCreatedRelated(
  { entitySet, navigationProperty, target }: PathStep,
  key: unknown,
  entity: object,
  reader: Reader,
): Maybe<void> {
  if (target === null) return;
  const set = definitionOf(target, reader.context);
  const pairs = reversedPairs(keyPairsOf(entitySet, navigationProperty));
  const part = set.guardedReferences.length === 0 ? {} : linkedPart({ entitySet, key }, pairs, reader);
  return chain(part, (values) =>
    checkCreated(set, entity, reader, { ...ALONE, parent: { target: entitySet, pairs, values } }),
  );
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
export function checkLinked(entities: LinkedEntities, handler: object, reader: Reader): Maybe<void> {
  if (isFree(handler, reader) || !sharesReferences(serviceOf(reader.context), entities)) return;
  const { written, from, link } = linkOf(entities);
  const set = definitionOf(written.entitySet, reader.context);
  return chain(linkedPart(from, link.pairs, reader), (values) => {
    const links = [{ ...link, values }];
    return checkReferring(set, written.key, { entity: {}, ...ALONE, links }, false, reader);
  });
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
export function linkedPart({ entitySet, key }: KeyedEntity, pairs: readonly JoinPair[], reader: Reader): Maybe<object> {
  const { entityType } = entitySet;
  const { getByKey } = definitionOf(entitySet, reader.context).handlers;
  if (getByKey === undefined || pairs.every(({ related }) => related.isKey)) return keyFields(entityType, key);
  return chain(
    findEntity(entitySet, key, reader, () => wholeEntity(entitySet)),
    (entity) => (entity === null ? {} : canonicalEntity(entityType, asEntity(entity, entityType))),
  );
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
): Maybe<unknown> {
  const { set, handler } = writerOf(entitySet, "replace", reader);
  const replace = (given: object, entity: object, inner: Reader): Maybe<unknown> => {
    const isTable = inner.kept !== undefined && serviceOf(inner.context).handlersCheckingRows.has(handler);
    const written = isTable ? withoutKept(set, { given, kept: entity }, inner) : given;
    const call = (): Maybe<unknown> =>
      explainingViolations(set, OF_BODY, () => handler(key, written, ServiceContext.ofSet(entitySet, inner.context)));
    const checked = isFreeToChange(set, handler, inner) || checkReplaced(set, { key, entity: given }, inner);
    return chain(checked, (isFound) => (isFound ? call() : null));
  };
  const sent = { write: "replace", key, values: body } as const;
  const isLater = set.setValues?.isAsync[cause] === true;
  return runSupplied({ set, handler, key }, isLater, reader, (within) =>
    chain(withReplacedValues(set, cause, sent, within), (entity) =>
      chain(validateNew(set, entity, within), () =>
        changeHooked({ set, handler }, { ...sent, values: entity }, within, (given = entity, inner) =>
          replace(given, entity, inner),
        ),
      ),
    ),
  );
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
function checkReplaced(
  set: EntitySetDefinition,
  { key, entity }: { readonly key: unknown; readonly entity: object },
  reader: Reader,
): Maybe<boolean> {
  if (set.rows === null) {
    return chain(checkReferring(set, key, { entity }, set.settings.allowUpsert, reader), () => true);
  }
  return chain(findSeen(set.entitySet, key, reader), (seen) =>
    chain(seen === null && checkMissing(set, key, reader), (isRefused) =>
      isRefused ? false : chain(checkReplacement(set, { entity, seen }, reader), () => true),
    ),
  );
}

/**
 * Changes an entity of a set: a hidden entity is missing.
 * @returns the result of the handler; null for a missing entity
 * @throws as for runCreate
 */
export function runPatch(entitySet: EntitySet, key: unknown, body: object, reader: Reader): Maybe<unknown> {
  const { set, handler } = writerOf(entitySet, "patch", reader);
  const sent = { write: "patch", key, values: body } as const;
  const isLater = set.setValues?.isAsync.update === true && Object.keys(body).length > 0;
  return runSupplied({ set, handler, key }, isLater, reader, (within) =>
    chain(withChangedValues(set, sent, within), (delta) =>
      chain(validateChange(set, key, delta, within), () =>
        changeHooked({ set, handler }, { ...sent, values: delta }, within, (given = delta, inner) => {
          // A hook may have filled an empty delta, which has no values of the server yet.
          const whole = given === delta ? delta : withChangedValues(set, { ...sent, values: given }, inner);
          return chain(whole, (each) => patchUnhooked(set, key, each, inner));
        }),
      ),
    ),
  );
}

/** Changes an entity without hooks. */
export function patchUnhooked(set: EntitySetDefinition, key: unknown, delta: object, reader: Reader): Maybe<unknown> {
  const { entitySet } = set;
  const { handler } = writerOf(entitySet, "patch", reader);
  const save = (): Maybe<unknown> =>
    explainingViolations(set, OF_BODY, () => handler(key, delta, ServiceContext.ofSet(entitySet, reader.context)));
  if (isFreeToChange(set, handler, reader)) return save();
  return chain(checkChanged(set, key, delta, reader), (isFound) => (isFound ? save() : null));
}

/** Checks a change. @returns false for a missing entity */
function checkChanged(set: EntitySetDefinition, key: unknown, delta: object, reader: Reader): Maybe<boolean> {
  const { entitySet } = set;
  if (set.rows === null) return chain(checkReferring(set, key, { entity: delta }, false, reader), () => true);
  return chain(findSeen(entitySet, key, reader), (seen) => {
    if (seen === null) return false;
    const { entityType } = entitySet;
    const current = (): object => canonicalEntity(entityType, asEntity(seen, entityType));
    const changed = mergeDelta(entityType, membersOf(entityType, seen), delta);
    return chain(checkReferences({ set, entity: delta, ...ALONE }, reader, { current }), () =>
      chain(checkWritten(set, changed, reader), () => true),
    );
  });
}

/**
 * Removes an entity of a set: a hidden entity is missing.
 * @returns the result of the handler; false for a missing entity
 */
export function runDelete(entitySet: EntitySet, key: unknown, reader: Reader): Maybe<unknown> {
  const { set, handler } = writerOf(entitySet, "delete", reader);
  const change = { write: "delete", key, values: undefined } as const;
  return changeHooked({ set, handler }, change, reader, (_none, inner) => {
    const call = (): Maybe<unknown> =>
      explainingViolations(set, OF_DELETE, () => handler(key, ServiceContext.ofSet(entitySet, inner.context)));
    if (isFreeToChange(set, handler, inner) || set.rows === null) return call();
    return chain(findSeen(entitySet, key, inner), (seen) => (seen === null ? false : call()));
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

/** As `isFree`, for a write of an existing entity: no handler of a table knows which type a cast shows. */
function isFreeToChange({ entitySet }: EntitySetDefinition, handler: object, reader: Reader): boolean {
  return entitySet.castFrom === undefined && isFree(handler, reader);
}

/**
 * Whether to refuse the replacement of an unseen entity as that of a missing one. A handler that creates missing
 * entities is called for a key that is free.
 * @throws ODataError `Forbidden`, `Unauthorized` for a user who sees nothing; `Conflict` where such a handler would
 *   overwrite a hidden entity
 */
function checkMissing(set: EntitySetDefinition, key: unknown, reader: Reader): Maybe<boolean> {
  const { entitySet, handlers, settings } = set;
  const mayCreate = settings.allowUpsert && handlers.create === undefined;
  if (!mayCreate || entitySet.entityType.key.some(({ computed }) => computed)) return true;
  // A conflict would reveal to a user who sees nothing that the key is taken.
  if (conditionFor(entitySet, reader) === "none") throw refusalOfUnseen(reader.context.user, entitySet);
  return chain(isHidden(set, key, reader), (hidden) => {
    if (hidden) throw keyTaken(entitySet);
    return false;
  });
}

/** An entity, and the visible entity that it replaces; null: none. */
interface Replaced {
  readonly entity: object;
  readonly seen: object | null;
}

function checkReplacement(set: EntitySetDefinition, { entity, seen }: Replaced, reader: Reader): Maybe<void> {
  const { entityType } = set.entitySet;
  const written = { set, entity, ...ALONE };
  const current = seen === null ? isNew : () => canonicalEntity(entityType, asEntity(seen, entityType));
  const positionOf = positionsOf(seen === null ? [written] : []);
  const scope: ReferenceScope = { current, isCreated: (...named) => positionOf(...named) === 0 };
  return chain(checkReferences(written, reader, scope), () => checkWritten(set, entity, reader));
}

/** Checks the foreign keys in a change to a set without a row rule. */
function checkReferring(
  set: EntitySetDefinition,
  key: unknown,
  changes: Pick<WrittenEntity, "entity"> & Partial<Nesting>,
  mayCreate: boolean,
  reader: Reader,
): Maybe<void> {
  const { entitySet } = set;
  const find = (): Maybe<object | null> => {
    const found = findEntity(entitySet, key, reader, () => wholeEntity(entitySet));
    return chain(found, (entity) => entity ?? (mayCreate ? {} : null));
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
function findSeen(entitySet: EntitySet, key: unknown, reader: Reader): Maybe<object | null> {
  return chain(getEntity(entitySet, key, reader), (entity) => (isObject(entity) ? entity : null));
}
