import { chain, type Maybe } from "../base/maybe.ts";
import { type AuthorizationRequirement, needsResource } from "../definition/rules/authorization.ts";
import { refusal } from "../definition/rules/refusal.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import type { ODataError } from "../errors/odata-error.ts";
import { entityKeyReader } from "../execution/entity-key.ts";
import { actionOf, judge, judgeEntity } from "../execution/judge-rules.ts";
import { findEntity, type FoundEntity } from "../execution/read-by-key.ts";
import type { EntityOrigin } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";

/** The entity that a request addresses. */
export interface EntityAddress {
  readonly entitySet: EntitySet;
  /** In the application's form. */
  readonly key: unknown;
  /** Whether what follows does not look for the entity itself, so that it would be reached though a rule hides it. */
  readonly mustBeSeen?: boolean;
}

/**
 * What was loaded of the entity that a request addresses, in canonical form: undefined where no rule asks for it, null
 * where there is none that the user sees.
 */
export type AddressedEntity = FoundEntity | null | undefined;

/**
 * Loads the entity that a request addresses where a rule asks for it, and judges what only the entity can tell.
 * @throws ODataError `Forbidden`; what the handler or the rule answered
 * @see specification, section Authentication, 1; decisions, Writing (order of checks)
 */
export function addressEntity(exchange: Exchange, address: EntityAddress): Maybe<AddressedEntity> {
  const { entitySet, key, mustBeSeen = false } = address;
  const { pending } = exchange;
  if (pending.length === 0 && !(mustBeSeen && definitionOf(exchange, entitySet).rows !== null)) return undefined;
  return chain(findEntity(entitySet, key, exchange.reader), (entity) => {
    if (entity === null) return null;
    return chain(judgeEntity(pending, exchange.context, entity), (passed): FoundEntity => {
      if (!passed) throw refusal(exchange.user, `do this with this entity of ${entitySet.name}`);
      return { entity, rowShape: undefined };
    });
  });
}

/** Does the same for an entity that must be there. @param missing makes the error for one that is not */
export function requireEntity(
  exchange: Exchange,
  address: EntityAddress,
  missing: () => ODataError,
): Maybe<FoundEntity | undefined> {
  return chain(addressEntity(exchange, address), (addressed) => {
    if (addressed === null) throw missing();
    return addressed;
  });
}

/**
 * Judges the rules for creating entities of a set on the entity that is about to be created.
 * @param entity what the create handler gets
 * @throws ODataError `Unauthorized`, `Forbidden`; what a rule answered
 */
export function authorizeCreation(exchange: Exchange, entitySet: EntitySet, entity: unknown): Maybe<undefined> {
  if (!exchange.service.hasRules) return undefined;
  const { create: rules } = definitionOf(exchange, entitySet).authorization;
  return chain(judgeEntity(rules, exchange.context, entity), (passed): undefined => {
    if (!passed) throw refusal(exchange.user, actionOf("create", entitySet.name));
  });
}

/**
 * Judges an entity that a navigation leads to by the rules of its own set for reading, where these judge entities.
 * @param missing makes the error for an entity that the user does not see
 * @throws ODataError `Unauthorized`, `Forbidden`; what the handler or a rule answered
 * @see specification, section Authentication, 1
 */
export function authorizeRelated(
  exchange: Exchange,
  origin: EntityOrigin,
  { entity, rowShape }: FoundEntity,
  missing: () => ODataError,
): Maybe<undefined> {
  const isAsked = exchange.service.hasRules && !exchange.isTargetSkipped;
  if (!isAsked || origin.kind !== "EntitySet") return undefined;
  const { read: rules } = definitionOf(exchange, origin).authorization;
  if (!rules.some(needsResource)) return undefined;
  const { user } = exchange;
  const verdict = judge(rules, user);
  if (verdict === "passed") return undefined;
  if (verdict === "failed") throw refusal(user, actionOf("read", origin.name));
  const { value: key } = entityKeyReader(origin.entityType, rowShape)(entity);
  return chain(findEntity(origin, key, exchange.reader), (whole) => {
    if (whole === null) throw missing();
    return chain(judgeEntity(rules, exchange.context, whole), (passed): undefined => {
      if (!passed) throw refusal(user, `read this entity of ${origin.name}`);
    });
  });
}

/**
 * Looks for the entity of a guarded set that a reference names: one that the user does not see is none.
 * @param missing makes the error for both
 * @throws ODataError that `missing` makes; what the handler answered
 */
export function requireReferenced(
  exchange: Exchange,
  { entitySet, key }: EntityAddress,
  missing: () => ODataError,
): Maybe<undefined> {
  return chain(findEntity(entitySet, key, exchange.reader), (entity): undefined => {
    if (entity === null) throw missing();
  });
}

/** What becomes of an entity that rules are asked about. */
export interface JudgedOutcome {
  /** Makes the error for an entity that is missing or hidden; null: it need not be there. */
  readonly missing: () => ODataError | null;
  /** Makes the error for an entity that a rule refuses. */
  readonly refuse: () => ODataError;
}

/** Loads an entity by its key where rules judge it, and judges it. @throws ODataError that `outcome` makes; what a handler or a rule answered */
export function judgeByKey(
  exchange: Exchange,
  { entitySet, key }: EntityAddress,
  rules: readonly AuthorizationRequirement[],
  { missing, refuse }: JudgedOutcome,
): Maybe<undefined> {
  if (rules.length === 0) return undefined;
  return chain(findEntity(entitySet, key, exchange.reader), (entity) => {
    if (entity !== null) {
      return chain(judgeEntity(rules, exchange.context, entity), (passed): undefined => {
        if (!passed) throw refuse();
      });
    }
    const error = missing();
    if (error !== null) throw error;
    return undefined;
  });
}

/** The entity of a key as the user sees it, for a rule that needs values of it; null where there is none. */
export function loadForRule(exchange: Exchange, { entitySet, key }: EntityAddress): Maybe<object | null> {
  return findEntity(entitySet, key, exchange.reader);
}

/** Whether a rule hides entities of a set. */
export function hidesRows(exchange: Exchange, entitySet: EntitySet): boolean {
  return definitionOf(exchange, entitySet).rows !== null;
}

function definitionOf({ service }: Exchange, { name }: EntitySet): EntitySetDefinition {
  const set = service.definition.entitySets.get(name);
  if (set === undefined) throw new Error(`The entity set ${name} has no definition.`);
  return set;
}
