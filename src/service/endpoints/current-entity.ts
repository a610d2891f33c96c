import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { type AuthorizationRequirement, needsResource, refusal } from "../../definition/sets/authorization.ts";
import type { EntitySet } from "../../edm/model.ts";
import { canonicalEntity, rowReader, wholeEntity } from "../../engine/entities/canonical-entity.ts";
import { entityKeyReader } from "../../engine/entities/entity-key.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { fieldOf } from "../../engine/memory/compile-property.ts";
import { asEntity } from "../../engine/memory/evaluation.ts";
import { selectNothing, propertiesToRead, keyProperties } from "../../engine/plan/properties-to-read.ts";
import { getEntity, readByKey, type FoundEntity, findEntity } from "../../engine/reads/read-by-key.ts";
import { actionOf, judge, judgeEntity, judgeLoaded } from "../../engine/rules/judge-rules.ts";
import { lockEntity } from "../../engine/writes/judged-write.ts";
import { matchesState, namesEveryEntityTag } from "../../http/conditional.ts";
import { splitHeaderList } from "../../http/headers.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { Row } from "../../language/query/row-shape.ts";
import { etagOf, etagValuesReader, withoutOtherKeys } from "../../payload/etag.ts";
import { keyTextOf } from "../../payload/urls.ts";
import type { ExpectedValues } from "../sets/given-values.ts";
import type { Execution } from "./execution.ts";
import { type EntityOrigin, runtimeOf, type ServiceRuntime } from "./service-runtime.ts";

/** Whether the entity of a write exists; `unknown` where it was not loaded, or cannot be read. */
export type EntityState = "present" | "missing" | "unknown";

/** The entity that a write changes, or the parent of the entity that it changes. */
interface WriteTarget {
  readonly entitySet: EntitySet;
  /** In the application's form. */
  readonly key: unknown;
  /** Whether the write creates the entity where it is missing. */
  readonly mayCreate?: boolean;
  /** The effect of If-None-Match: `"every"` by default; `"star"`: only `*` counts; `"nothing"`: no effect. */
  readonly ifNoneMatch?: "every" | "star" | "nothing";
  /** Whether the write needs the whole entity, and not only the values of its ETag. */
  readonly isWholeNeeded?: boolean;
  /** Returns the properties of the whole entity that the write needs; absent: the properties that clients may see. */
  readonly wholeSelected?: (() => readonly SelectedProperty[]) | null;
  /** The entity where a rule has loaded it. */
  readonly addressed?: AddressedEntity;
}

/** The entity of a write as it was found. */
export interface CurrentEntity {
  readonly state: EntityState;
  /** The entity as its handler returned it; undefined where it was not needed, or is missing. */
  readonly entity?: unknown;
  /** The values that its ETag was made from, where a precondition named that ETag. */
  readonly expected?: ExpectedValues | undefined;
}

const UNKNOWN: CurrentEntity = Object.freeze({ state: "unknown" });

/**
 * Loads the entity of a write where its preconditions need it, and checks If-Match, then If-None-Match. Sets that
 * cannot read by key skip both. The write then expects the values of the ETag, so that a concurrent write is detected.
 * `*` names no version, so the write expects no values.
 *
 * An entity is compared as its handler returns it, without an await between. Callers pass the result to `chain`: up to the call of the
 * handler that writes, they await nothing that is no promise, so that no other write of synchronous handlers comes between.
 * @throws ODataError `PreconditionFailed`, target the header; the error of the handler
 * @see RFC 9110, section 13.2.2; docs/reference/etags.md
 */
export function checkPreconditions(execution: Execution, target: WriteTarget): Maybe<CurrentEntity> {
  const { entitySet, mayCreate = false, isWholeNeeded = false, ifNoneMatch: use = "every", addressed } = target;
  const { getByKey } = runtimeOf(execution.service, entitySet).handlers;
  const ifMatch = execution.arrival.odata.header("if-match");
  const ifNoneMatch = use === "nothing" ? undefined : execution.arrival.odata.header("if-none-match");
  const isConditional = ifMatch !== undefined || ifNoneMatch !== undefined;
  const isAsked = isConditional || mayCreate || isWholeNeeded || addressed !== undefined;
  if (getByKey === undefined || !isAsked) return UNKNOWN;
  return chain(load(execution, target), (found): CurrentEntity => {
    const matched = ifMatch === undefined ? undefined : checkIfMatch(target, found, ifMatch);
    if (found === null) return { state: "missing" };
    const unmatched =
      ifNoneMatch === undefined ? undefined : checkIfNoneMatch(entitySet, found, ifNoneMatch, use === "star");
    const expected = matched ?? unmatched;
    return isWholeNeeded ? { state: "present", entity: found.entity, expected } : { state: "present", expected };
  });
}

function load(
  execution: Execution,
  { entitySet, key, isWholeNeeded = false, wholeSelected = null, addressed }: WriteTarget,
): Maybe<FoundEntity | null> {
  if (addressed !== undefined) return addressed;
  if (isWholeNeeded) {
    const { reader } = execution;
    const found =
      wholeSelected === null ? getEntity(entitySet, key, reader) : findEntity(entitySet, key, reader, wholeSelected);
    return chain(found, (entity) => (entity === null ? null : { entity, rowShape: undefined }));
  }
  return readByKey(entitySet, key, execution.reader, () =>
    propertiesToRead(entitySet, selectNothing(entitySet.entityType), { key: true, pushdown: true }),
  );
}

/** @returns the values of the ETag; undefined for `*` */
function checkIfMatch(
  { entitySet, key }: WriteTarget,
  found: FoundEntity | null,
  ifMatch: string,
): ExpectedValues | undefined {
  if (found === null) throw missingEntity();
  if (namesEveryEntityTag(ifMatch)) return undefined;
  const { entity, rowShape } = found;
  const etag = etagOf(entitySet, entity, rowShape);
  if (etag === undefined) {
    throw preconditionFailed("If-Match", `${entitySet.name} has no ETags: send the request without the header.`);
  }
  const ofKey = withoutOtherKeys(splitHeaderList(ifMatch), keyTextOf(entitySet.entityType, key));
  if (!matchesState(ofKey.join(", "), etag)) throw unmatched(ifMatch);
  return expectedValues(entitySet, { entity, rowShape });
}

/** @returns the values of the ETag; undefined where the entity has none, or it was not compared */
function checkIfNoneMatch(
  entitySet: EntitySet,
  { entity, rowShape }: FoundEntity,
  ifNoneMatch: string,
  countsStarAlone: boolean,
): ExpectedValues | undefined {
  if (namesEveryEntityTag(ifNoneMatch)) {
    throw preconditionFailed("If-None-Match", "There is an entity with this key already.");
  }
  if (countsStarAlone) return undefined;
  const etag = etagOf(entitySet, entity, rowShape);
  if (etag === undefined) return undefined;
  if (matchesState(ifNoneMatch, etag)) {
    throw preconditionFailed("If-None-Match", "The entity has one of these ETags.");
  }
  return expectedValues(entitySet, { entity, rowShape });
}

/** Returns the values that an ETag was made from, in canonical form, by field. */
export function expectedValues(entitySet: EntitySet, { entity, rowShape }: FoundEntity): ExpectedValues {
  const { digest, etag, entityType } = entitySet;
  if (digest === undefined) return etagValuesReader(entitySet, rowShape)(entity);
  const values =
    rowShape === undefined
      ? canonicalEntity(entityType, asEntity(entity, entityType))
      : rowReader(rowShape)(entity as Row);
  return Object.freeze(Object.fromEntries(etag.map(({ field }) => [field, fieldOf(values, field) ?? null])));
}

/**
 * Makes the error for an entity that a write did not find: 412 where the client sent If-Match, or where the entity
 * existed when If-None-Match was checked, or when the values were loaded that a replacement keeps.
 * @param notFound makes the error without a precondition
 * @param expected the values that the write expected
 * @see docs/reference/etags.md
 */
export function missingEntityError(
  execution: Execution,
  notFound: () => ODataError,
  expected?: ExpectedValues,
): ODataError {
  if (execution.arrival.odata.header("if-match") !== undefined) return missingEntity();
  if (expected === undefined) return notFound();
  const reason = "The entity changed during the request: send the request again.";
  // A replacement that keeps values expects them without a condition of the client.
  if (execution.arrival.odata.header("if-none-match") === undefined) return protocolError("PreconditionFailed", reason);
  return preconditionFailed("If-None-Match", reason);
}

/**
 * Checks If-Match of a read that finds no entity. A set without ETags checks only `*`.
 * @throws ODataError `PreconditionFailed`
 * @see RFC 9110, section 13.1.1; docs/reference/etags.md
 */
export function checkMissingMatch(execution: Execution, origin: EntityOrigin): void {
  const ifMatch = execution.arrival.odata.header("if-match");
  if (ifMatch === undefined) return;
  const hasETags = origin.kind === "EntitySet" && origin.etag.length > 0;
  if (hasETags || namesEveryEntityTag(ifMatch)) throw missingEntity();
}

/**
 * Checks If-Match of a read of an entity that exists.
 * @param etag undefined if the set has no ETags: the check is skipped
 * @throws ODataError `PreconditionFailed`
 * @see RFC 9110, section 13.1.1; docs/reference/etags.md
 */
export function checkReadMatch(execution: Execution, etag: string | undefined): void {
  const ifMatch = execution.arrival.odata.header("if-match");
  if (ifMatch === undefined || etag === undefined || matchesState(ifMatch, etag)) return;
  throw unmatched(ifMatch);
}

function missingEntity(): ODataError {
  return preconditionFailed("If-Match", "No entity has this key, or the entity has changed.");
}

function unmatched(ifMatch: string): ODataError {
  // Shells remove quotes, and an unquoted tag matches nothing.
  return preconditionFailed("If-Match", ifMatch.includes('"') ? CHANGED : UNQUOTED);
}

function preconditionFailed(header: string, reason: string): ODataError {
  return protocolError("PreconditionFailed", `${header} does not hold. ${reason}`);
}

const CHANGED = "The entity has changed: read it again before you repeat the request.";
const UNQUOTED = "An ETag includes its double quotes: send it as you received it, or send *.";

/** The entity that a request addresses. */
interface EntityAddress {
  readonly entitySet: EntitySet;
  /** In the application's form. */
  readonly key: unknown;
  /** Whether a hidden entity must count as missing, because the caller does not load the entity itself. */
  readonly mustBeSeen?: boolean;
  /** Whether the response is a single value, whose bytes have no limit. */
  readonly isUnbound?: boolean;
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
  const { entitySet, key, mustBeSeen = false, isUnbound } = address;
  const { pending } = execution.access;
  if (pending.length === 0 && !(mustBeSeen && hidesRows(execution.service, entitySet))) return undefined;
  // Without a rule that receives it, nothing reads its ignored properties, which may lack columns.
  const selected = pending.length === 0 ? () => wholeEntity(entitySet) : undefined;
  const reader = readerFor(execution, isUnbound);
  return chain(findEntity(entitySet, key, reader, selected), (entity) => {
    if (entity === null) return null;
    return chain(judgeLoaded(pending, execution.context, entity, entitySet), (passed): FoundEntity => {
      if (!passed) throw refusal(execution.access.user, `do this with this entity of ${entitySet.name}`);
      return { entity, rowShape: undefined };
    });
  });
}

/** Returns the reader of an entity. @param isUnbound as in `EntityAddress` */
export function readerFor({ reader }: Execution, isUnbound: boolean = false): Execution["reader"] {
  return isUnbound ? { ...reader, bytes: undefined } : reader;
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
export function authorizeCreation(execution: Execution, entitySet: EntitySet, entity: unknown): Maybe<void> {
  if (!execution.service.hasRules) return;
  const { create: rules } = definitionIn(execution.service.definition, entitySet).authorization;
  return chain(judgeEntity(rules, execution.context, entity), (passed) => {
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
 * @returns its key as it is stored
 * @throws ODataError that `missing` makes; the error of the handler
 */
export function requireReferenced(
  execution: Execution,
  { entitySet, key }: EntityAddress,
  missing: () => ODataError,
): Maybe<object> {
  const selected = (): readonly SelectedProperty[] => keyProperties(entitySet.entityType);
  return chain(findEntity(entitySet, key, execution.reader, selected), (found) => {
    if (found === null) throw missing();
    return found;
  });
}

/** The errors for an entity that rules are checked for. */
interface JudgedOutcome {
  /** Makes the error for an entity that is missing or hidden; null where the entity is optional. */
  readonly missing: () => ODataError | null;
  readonly refuse: () => ODataError;
}

/** Loads an entity by its key and checks rules for it. @throws ODataError that `outcome` makes, a handler or a rule */
export async function judgeByKey(
  execution: Execution,
  { entitySet, key }: EntityAddress,
  rules: readonly AuthorizationRequirement[],
  { missing, refuse }: JudgedOutcome,
): Promise<void> {
  if (rules.length === 0) return;
  await lockEntity(definitionIn(execution.service.definition, entitySet), key, execution.context);
  const entity = await findEntity(entitySet, key, execution.reader);
  const isAllowed = entity === null || (await judgeLoaded(rules, execution.context, entity, entitySet));
  const error = entity === null ? missing() : null;
  if (error !== null) throw error;
  if (!isAllowed) throw refuse();
}

/** Returns the parent of a new entity as the user sees it, for the values that links take; null where it is missing. */
export function loadParent(execution: Execution, { entitySet, key }: EntityAddress): Maybe<object | null> {
  return findEntity(entitySet, key, execution.reader, () => wholeEntity(entitySet));
}

/** Returns an entity as it is stored, also where the user does not see it; null where it is missing. */
export function loadStored({ reader }: Execution, { entitySet, key }: EntityAddress): Maybe<object | null> {
  return findEntity(entitySet, key, { ...reader, gate: null });
}

/** Returns the key of an entity as it is stored: a URL may spell it otherwise; null where the user sees no such entity. */
export function loadKey(
  { reader }: Pick<Execution, "reader">,
  { entitySet, key }: EntityAddress,
): Maybe<object | null> {
  return findEntity(entitySet, key, reader, () => keyProperties(entitySet.entityType));
}

/** Whether a rule hides entities of a set. */
export function hidesRows({ definition }: ServiceRuntime, entitySet: EntitySet): boolean {
  return definitionIn(definition, entitySet).rows !== null;
}

/** Makes the error for a missing entity. */
export function entityNotFound(entitySet: EntitySet, key: string): ODataError {
  return protocolError("NotFound", `${entitySet.name} has no entity with the key (${key}).`);
}
