import { chain, type Maybe } from "../base/maybe.ts";
import { type AuthorizationRequirement, needsResource, refusal } from "../definition/sets/authorization.ts";
import type { EntitySet } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { wholeEntity } from "../execution/entities/canonical-entity.ts";
import { entityKeyReader } from "../execution/entities/entity-key.ts";
import { definitionIn } from "../execution/entities/reader.ts";
import { findEntity, type FoundEntity } from "../execution/reads/read-by-key.ts";
import { actionOf, judge, judgeEntity, judgeLoaded } from "../execution/rules/judge-rules.ts";
import { keyProperties } from "../plan/properties-to-read.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import type { EntityOrigin } from "./entity-writer-for.ts";
import type { Execution } from "./execution.ts";
import type { ServiceRuntime } from "./service-runtime.ts";

/** The entity that a request addresses. */
interface EntityAddress {
  readonly entitySet: EntitySet;
  /** In the application's form. */
  readonly key: unknown;
  /** Whether a hidden entity must count as missing, because the caller does not load the entity itself. */
  readonly mustBeSeen?: boolean;
}

/**
 * The loaded entity that a request addresses, in canonical form: undefined where no rule needs it, null where the user
 * sees none.
 */
export type AddressedEntity = FoundEntity | null | undefined;

/**
 * Loads the entity that a request addresses where a rule needs it, and checks the rules that depend on the entity.
 * @throws ODataError `Forbidden`; the error of a handler or rule
 * @see docs/guides/authorization.md
 */
export function addressEntity(execution: Execution, address: EntityAddress): Maybe<AddressedEntity> {
  const { entitySet, key, mustBeSeen = false } = address;
  const { pending } = execution.access;
  if (pending.length === 0 && !(mustBeSeen && hidesRows(execution.service, entitySet))) return undefined;
  // Without a rule that receives it, nothing reads its ignored properties, which may lack columns.
  const selected = pending.length === 0 ? () => wholeEntity(entitySet) : undefined;
  return chain(findEntity(entitySet, key, execution.reader, selected), (entity) => {
    if (entity === null) return null;
    return chain(judgeLoaded(pending, execution.context, entity, entitySet), (passed): FoundEntity => {
      if (!passed) throw refusal(execution.access.user, `do this with this entity of ${entitySet.name}`);
      return { entity, rowShape: undefined };
    });
  });
}

/** Does the same for an entity that must exist. @param missing makes the error for a missing entity */
export function requireEntity(
  execution: Execution,
  address: EntityAddress,
  missing: () => ODataError,
): Maybe<FoundEntity | undefined> {
  return chain(addressEntity(execution, address), (addressed) => {
    if (addressed === null) throw missing();
    return addressed;
  });
}

/**
 * Checks the `create` rules of a set for a new entity.
 * @param entity the argument of the create handler
 * @throws ODataError `Unauthorized`, `Forbidden`; the error of a rule
 */
export function authorizeCreation(execution: Execution, entitySet: EntitySet, entity: unknown): Maybe<undefined> {
  if (!execution.service.hasRules) return undefined;
  const { create: rules } = definitionIn(execution.service.definition, entitySet).authorization;
  return chain(judgeEntity(rules, execution.context, entity), (passed): undefined => {
    if (!passed) throw refusal(execution.access.user, actionOf("create", entitySet.name));
  });
}

/**
 * Checks a related entity by the `read` rules of its set, where these depend on the entity.
 * @param missing makes the error for an entity that the user does not see
 * @throws ODataError `Unauthorized`, `Forbidden`; the error of a handler or rule
 * @see docs/guides/authorization.md
 */
export function authorizeRelated(
  execution: Execution,
  origin: EntityOrigin,
  { entity, rowShape }: FoundEntity,
  missing: () => ODataError,
): Maybe<undefined> {
  const isAsked = execution.service.hasRules && !execution.access.isTargetSkipped;
  if (!isAsked || origin.kind !== "EntitySet") return undefined;
  const { read: rules } = definitionIn(execution.service.definition, origin).authorization;
  if (!rules.some(needsResource)) return undefined;
  const { user } = execution.access;
  const verdict = judge(rules, user);
  if (verdict === "passed") return undefined;
  if (verdict === "failed") throw refusal(user, actionOf("read", origin.name));
  const { value: key } = entityKeyReader(origin.entityType, rowShape)(entity);
  return chain(findEntity(origin, key, execution.reader), (whole) => {
    if (whole === null) throw missing();
    return chain(judgeLoaded(rules, execution.context, whole, origin), (passed): undefined => {
      if (!passed) throw refusal(user, `read this entity of ${origin.name}`);
    });
  });
}

/**
 * Requires that the user sees the entity that a reference names.
 * @param missing makes the error for a hidden or missing entity
 * @throws ODataError that `missing` makes; the error of the handler
 */
export function requireReferenced(
  execution: Execution,
  { entitySet, key }: EntityAddress,
  missing: () => ODataError,
): Maybe<undefined> {
  const selected = (): readonly SelectedProperty[] => keyProperties(entitySet.entityType);
  return chain(findEntity(entitySet, key, execution.reader, selected), (entity): undefined => {
    if (entity === null) throw missing();
  });
}

/** The errors for an entity that rules are checked for. */
interface JudgedOutcome {
  /** Makes the error for an entity that is missing or hidden; null where the entity is optional. */
  readonly missing: () => ODataError | null;
  readonly refuse: () => ODataError;
}

/** Loads an entity by its key and checks rules for it. @throws ODataError that `outcome` makes, a handler or a rule */
export function judgeByKey(
  execution: Execution,
  { entitySet, key }: EntityAddress,
  rules: readonly AuthorizationRequirement[],
  { missing, refuse }: JudgedOutcome,
): Maybe<undefined> {
  if (rules.length === 0) return undefined;
  return chain(findEntity(entitySet, key, execution.reader), (entity) => {
    if (entity !== null) {
      return chain(judgeLoaded(rules, execution.context, entity, entitySet), (passed): undefined => {
        if (!passed) throw refuse();
      });
    }
    const error = missing();
    if (error !== null) throw error;
    return undefined;
  });
}

/** Returns the parent of a new entity as the user sees it, for the values that links take; null where it is missing. */
export function loadParent(execution: Execution, { entitySet, key }: EntityAddress): Maybe<object | null> {
  return findEntity(entitySet, key, execution.reader, () => wholeEntity(entitySet));
}

/** Whether a rule hides entities of a set. */
export function hidesRows({ definition }: ServiceRuntime, entitySet: EntitySet): boolean {
  return definitionIn(definition, entitySet).rows !== null;
}

/** Makes the error for a missing entity. */
export function entityNotFound(entitySet: EntitySet, key: string): ODataError {
  return protocolError("NotFound", `${entitySet.name} has no entity with the key (${key}).`);
}
