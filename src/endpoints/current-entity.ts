import { chain, type Maybe } from "../base/maybe.ts";
import type { EntitySet } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { getEntity, readByKey, type FoundEntity } from "../execution/reads/read-by-key.ts";
import { matchesEntityTag, namesEveryEntityTag } from "../http/conditional.ts";
import { etagOf, etagValuesReader } from "../payload/etag.ts";
import { selectNothing, propertiesToRead } from "../plan/properties-to-read.ts";
import type { ExpectedValues } from "../sets/given-values.ts";
import type { AddressedEntity } from "./addressed-entity.ts";
import type { EntityOrigin } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";

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
 * @throws ODataError `PreconditionFailed`, target the header; the error of the handler
 * @see RFC 9110, section 13.2.2; docs/reference/etags.md
 */
export function checkPreconditions(exchange: Exchange, target: WriteTarget): Maybe<CurrentEntity> {
  const { entitySet, mayCreate = false, isWholeNeeded = false, ifNoneMatch: use = "every", addressed } = target;
  const { getByKey } = exchange.entitySet(entitySet).handlers;
  const ifMatch = exchange.odata.header("if-match");
  const ifNoneMatch = use === "nothing" ? undefined : exchange.odata.header("if-none-match");
  const isConditional = ifMatch !== undefined || ifNoneMatch !== undefined;
  const isAsked = isConditional || mayCreate || isWholeNeeded || addressed !== undefined;
  if (getByKey === undefined || !isAsked) return UNKNOWN;
  return chain(load(exchange, target), (found): CurrentEntity => {
    const matched = ifMatch === undefined ? undefined : checkIfMatch(entitySet, found, ifMatch);
    if (found === null) return { state: "missing" };
    const unmatched =
      ifNoneMatch === undefined ? undefined : checkIfNoneMatch(entitySet, found, ifNoneMatch, use === "star");
    const expected = matched ?? unmatched;
    return isWholeNeeded ? { state: "present", entity: found.entity, expected } : { state: "present", expected };
  });
}

function load(
  exchange: Exchange,
  { entitySet, key, isWholeNeeded = false, addressed }: WriteTarget,
): Maybe<FoundEntity | null> {
  if (addressed !== undefined) return addressed;
  if (isWholeNeeded) {
    return chain(getEntity(entitySet, key, exchange.reader), (entity) =>
      entity === null ? null : { entity, rowShape: undefined },
    );
  }
  return readByKey(entitySet, key, exchange.reader, () =>
    // The same list for a set each time, so that a source compiles one statement for it.
    propertiesToRead(entitySet, selectNothing(entitySet.entityType), { key: true, pushdown: true }),
  );
}

/** @returns the values of the ETag; undefined for `*` */
function checkIfMatch(entitySet: EntitySet, found: FoundEntity | null, ifMatch: string): ExpectedValues | undefined {
  if (found === null) throw missingEntity();
  if (namesEveryEntityTag(ifMatch)) return undefined;
  const { entity, rowShape } = found;
  const etag = etagOf(entitySet, entity, rowShape);
  if (etag === undefined) {
    throw preconditionFailed("If-Match", `${entitySet.name} has no ETags: send the request without the header.`);
  }
  if (!matchesEntityTag(ifMatch, etag)) throw unmatched(ifMatch);
  return etagValuesReader(entitySet, rowShape)(entity);
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
  if (matchesEntityTag(ifNoneMatch, etag)) {
    throw preconditionFailed("If-None-Match", "The entity has one of these ETags.");
  }
  return etagValuesReader(entitySet, rowShape)(entity);
}

/**
 * Makes the error for an entity that a write did not find: 412 where the client sent If-Match, or where the entity
 * existed when If-None-Match was checked.
 * @param notFound makes the error without a precondition
 * @param expected the values that the write expected
 * @see docs/reference/etags.md
 */
export function missingEntityError(
  exchange: Exchange,
  notFound: () => ODataError,
  expected?: ExpectedValues,
): ODataError {
  if (exchange.odata.header("if-match") !== undefined) return missingEntity();
  if (expected === undefined) return notFound();
  return preconditionFailed("If-None-Match", "The entity changed during the request: send the request again.");
}

/**
 * Checks If-Match of a read that finds no entity. A set without ETags checks only `*`.
 * @throws ODataError `PreconditionFailed`
 * @see RFC 9110, section 13.1.1; docs/reference/etags.md
 */
export function checkMissingMatch(exchange: Exchange, origin: EntityOrigin): void {
  const ifMatch = exchange.odata.header("if-match");
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
export function checkReadMatch(exchange: Exchange, etag: string | undefined): void {
  const ifMatch = exchange.odata.header("if-match");
  if (ifMatch === undefined || etag === undefined || matchesEntityTag(ifMatch, etag)) return;
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
