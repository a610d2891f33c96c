import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import { refusalOfUnseen } from "../definition/rules/refusal.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { EntitySetHandlers, GetByKeyHandler } from "../definition/sets/handlers.ts";
import { mergeDelta } from "../definition/sets/merge-delta.ts";
import type { EntityType, StructuralProperty } from "../edm/model.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { asEntity, isObject } from "../memory/entity.ts";
import { canonicalEntity } from "./canonical-entity.ts";
import { checkChangedReferences } from "./check-references.ts";
import { checkCreated, checkNested, checkWritten, isHidden, keyTaken, obeys } from "./check-written.ts";
import { orThrow } from "./handler-answer.ts";
import { serviceOf } from "./resolve-sources.ts";
import { wrapping } from "./restrict-source.ts";
import { conditionOf } from "./row-restriction.ts";
import { findEntity } from "./visible-entities.ts";

/** The handlers that write a set. */
type WriteHandlers = Pick<EntitySetHandlers<Context>, "create" | "replace" | "patch" | "delete">;

/** The definition of the set in the service that keeps rows back. */
type SetOf = (context: Context) => EntitySetDefinition;

/**
 * The handlers that write a set, as far as the user of a request sees what they are about: a hidden entity is not there,
 * and nobody writes what they could not see then. Handlers that obey the rules by themselves stay as they are.
 */
export function restrictWrites(declared: EntitySetDefinition): WriteHandlers {
  const { create, replace, patch, delete: remove } = declared.handlers;
  const { name } = declared.entitySet;
  const setOf: SetOf = (context) => serviceOf(context).entitySets.get(name) ?? declared;
  const isGuarded = declared.rows !== null;
  // Without a rule of its own a set may refer to one that has one.
  const refers = !isGuarded && (declared.guardedReferences ?? []).length > 0;
  return {
    ...(create === undefined || obeys(create) ? {} : { create: restrictCreate(setOf, create) }),
    ...(replace === undefined || obeys(replace) || !isGuarded ? {} : { replace: restrictReplace(setOf, replace) }),
    ...(patch === undefined || obeys(patch) || !isGuarded ? {} : { patch: restrictPatch(setOf, patch) }),
    ...(replace === undefined || obeys(replace) || !refers
      ? {}
      : { replace: restrictReferring(setOf, replace, declared.settings.allowUpsert) }),
    ...(patch === undefined || obeys(patch) || !refers ? {} : { patch: restrictReferring(setOf, patch, false) }),
    ...(remove === undefined || obeys(remove) || !isGuarded ? {} : { delete: restrictDelete(setOf, remove) }),
  };
}

/** Also of a set without a rule: what is nested may be of one that has. */
function restrictCreate(setOf: SetOf, create: NonNullable<WriteHandlers["create"]>): WriteHandlers["create"] {
  const restricted: NonNullable<WriteHandlers["create"]> = (entity, context) =>
    chain(isObject(entity) ? checkCreated(setOf(context), entity, context) : undefined, () => create(entity, context));
  return Object.assign(restricted, wrapping(create, undefined));
}

function restrictReplace(setOf: SetOf, replace: NonNullable<WriteHandlers["replace"]>): WriteHandlers["replace"] {
  const restricted: NonNullable<WriteHandlers["replace"]> = (key, entity, context) => {
    const set = setOf(context);
    return chain(findSeen(set, key, context), (seen) => {
      const refused = seen === null ? checkMissing(set, key, context) : false;
      return chain(refused, (isRefused) => {
        if (isRefused) return null;
        return chain(isObject(entity) ? checkReplacement(set, { entity, seen }, context) : undefined, () =>
          replace(key, entity, context),
        );
      });
    });
  };
  return Object.assign(restricted, wrapping(replace, undefined));
}

/**
 * Whether a replacement of what the user does not see is refused, as one of what is not there; a handler that creates
 * what it does not find is called where nothing is.
 * @throws ODataError `Forbidden`, `Unauthorized` for who sees nothing; `Conflict` where such a handler would write over what the user does not see
 */
function checkMissing(set: EntitySetDefinition, key: unknown, context: Context): Maybe<boolean> {
  const { entitySet, handlers, settings } = set;
  const mayCreate = settings.allowUpsert && handlers.create === undefined;
  if (!mayCreate || entitySet.entityType.key.some(({ computed }) => computed)) return true;
  // Whoever sees nothing is told by no key that is taken that there is something.
  if (conditionOf(set, context) === "none") throw refusalOfUnseen(context.user, entitySet);
  return chain(isHidden(set, key, context), (hidden) => {
    if (hidden) throw keyTaken(entitySet);
    return false;
  });
}

/** An entity that takes the place of one that the user sees, or (null) of none. */
interface Replaced {
  readonly entity: object;
  readonly seen: object | null;
}

function checkReplacement(set: EntitySetDefinition, { entity, seen }: Replaced, context: Context): Maybe<undefined> {
  const current = seen === null ? null : () => toCanonical(set, seen);
  return chain(checkChangedReferences(set, entity, context, { current, mayCreate: false }), () =>
    chain(checkWritten(set, entity, context), () => checkNested(set.entitySet, entity, context)),
  );
}

function toCanonical({ entitySet: { entityType } }: EntitySetDefinition, entity: object): object {
  return canonicalEntity(entityType, asEntity(entity, entityType));
}

/** A handler that changes an entity of a set without a rule: only the foreign keys that it gets are checked. */
function restrictReferring(
  setOf: SetOf,
  write: NonNullable<WriteHandlers["patch"]>,
  mayCreate: boolean,
): NonNullable<WriteHandlers["patch"]> {
  const restricted: NonNullable<WriteHandlers["patch"]> = (key, changes, context) => {
    const set = setOf(context);
    const current = set.handlers.getByKey === undefined ? null : () => findEntity(set.entitySet, key, context);
    return chain(
      isObject(changes) ? checkChangedReferences(set, changes, context, { current, mayCreate }) : undefined,
      () => write(key, changes, context),
    );
  };
  return Object.assign(restricted, wrapping(write, undefined));
}

function restrictPatch(setOf: SetOf, patch: NonNullable<WriteHandlers["patch"]>): WriteHandlers["patch"] {
  const restricted: NonNullable<WriteHandlers["patch"]> = (key, delta, context) => {
    const set = setOf(context);
    return chain(findSeen(set, key, context), (seen) => {
      if (seen === null) return null;
      const { entityType } = set.entitySet;
      const changed = mergeDelta(entityType, membersOf(entityType, seen), isObject(delta) ? delta : {});
      const references = isObject(delta)
        ? checkChangedReferences(set, delta, context, { current: () => toCanonical(set, seen), mayCreate: false })
        : undefined;
      return chain(references, () => chain(checkWritten(set, changed, context), () => patch(key, delta, context)));
    });
  };
  return Object.assign(restricted, wrapping(patch, undefined));
}

function restrictDelete(setOf: SetOf, remove: NonNullable<WriteHandlers["delete"]>): WriteHandlers["delete"] {
  const restricted: NonNullable<WriteHandlers["delete"]> = (key, context) =>
    chain(findSeen(setOf(context), key, context), (seen) => (seen === null ? false : remove(key, context)));
  return Object.assign(restricted, wrapping(remove, undefined));
}

/** What a handler gave of an entity, which may be of a class: nullable members that are absent are null. */
function membersOf({ properties, ignoredProperties }: EntityType, entity: object): object {
  const read = ({ field }: StructuralProperty): unknown => declaredFieldOf(entity, field);
  const declared = properties.map((property) => [property.field, read(property) ?? null] as const);
  const ignored = ignoredProperties.map((property) => [property.field, read(property)] as const);
  return Object.fromEntries([...declared, ...ignored]);
}

/** The entity as its set shows it to the user; null where there is none, or it is hidden. */
function findSeen({ handlers }: EntitySetDefinition, key: unknown, context: Context): Maybe<object | null> {
  const getByKey: GetByKeyHandler<Context> | undefined = handlers.getByKey;
  if (getByKey === undefined) throw new Error("What is hidden is found by its key: the set reads none.");
  return chain(getByKey(key, context), (answer) => {
    const entity = orThrow(answer);
    return isObject(entity) ? entity : null;
  });
}
