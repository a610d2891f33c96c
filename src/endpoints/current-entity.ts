import { chain, type Maybe } from "../base/maybe.ts";
import type { EntitySet } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { getEntity, readByKey, type FoundEntity } from "../execution/read-by-key.ts";
import { matchesEntityTag, namesEveryEntityTag } from "../http/conditional.ts";
import { etagValuesReader } from "../payload/etag-values.ts";
import { etagWriter } from "../payload/etag.ts";
import { selectNothing } from "../plan/plain-clauses.ts";
import { propertiesToRead } from "../plan/properties-to-read.ts";
import type { AddressedEntity } from "./addressed-entity.ts";
import type { Exchange, ExpectedValues } from "./exchange.ts";

/** What is known of the entity that a write is about; `unknown` where nothing asked for it, or nothing can read it. */
export type EntityState = "present" | "missing" | "unknown";

/** The entity that a write is about, or stands below. */
export interface WriteTarget {
  readonly entitySet: EntitySet;
  /** In the application's form. */
  readonly key: unknown;
  /** Whether the write creates the entity where it is missing. */
  readonly mayCreate?: boolean;
  /** What If-None-Match does: `"every"` by default; `"star"`: `*` alone counts; `"nothing"`. */
  readonly ifNoneMatch?: "every" | "star" | "nothing";
  /** Whether the write needs the entity itself, and not only what its ETag is made from. */
  readonly isWholeNeeded?: boolean;
  /** The entity where a rule has asked for it already. */
  readonly addressed?: AddressedEntity;
}

/** What was found of the entity that a write is about. */
export interface CurrentEntity {
  readonly state: EntityState;
  /** The entity as its handler returned it; undefined where it was not needed, or is not there. */
  readonly entity?: unknown;
  /** The values that its ETag was made from, where a precondition named that ETag. */
  readonly expected?: ExpectedValues | undefined;
}

const UNKNOWN: CurrentEntity = Object.freeze({ state: "unknown" });

/**
 * Loads the entity that a write is about, where its preconditions need it, and checks them: If-Match, then If-None-Match.
 * Sets that do not read by key skip both.
 * The write then expects the values that the ETag was made from, so that a write in between is noticed. `*` names no
 * version, so the write expects none.
 * @throws ODataError `PreconditionFailed`, target the header; what the handler answered
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
  return chain(load(exchange, target), (found) => {
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

/** @returns the values that the ETag was made from; undefined for `*` */
function checkIfMatch(entitySet: EntitySet, found: FoundEntity | null, ifMatch: string): ExpectedValues | undefined {
  if (found === null) throw missingEntity();
  if (namesEveryEntityTag(ifMatch)) return undefined;
  const { entity, rowShape } = found;
  const etag = etagWriter(entitySet, rowShape)?.(entity);
  if (etag === undefined) {
    throw preconditionFailed("If-Match", `${entitySet.name} has no ETags: send the request without the header.`);
  }
  if (!matchesEntityTag(ifMatch, etag)) {
    // Shells take quotes away, and what is left matches nothing.
    throw preconditionFailed("If-Match", ifMatch.includes('"') ? CHANGED : UNQUOTED);
  }
  return etagValuesReader(entitySet, rowShape)(entity);
}

/** @returns the values that the ETag was made from; undefined where the entity has none, or it was not compared */
function checkIfNoneMatch(
  entitySet: EntitySet,
  { entity, rowShape }: FoundEntity,
  ifNoneMatch: string,
  countsStarAlone: boolean,
): ExpectedValues | undefined {
  if (namesEveryEntityTag(ifNoneMatch)) {
    throw preconditionFailed("If-None-Match", "There is an entity with this key already.");
  }
  const etag = countsStarAlone ? undefined : etagWriter(entitySet, rowShape)?.(entity);
  if (etag === undefined) return undefined;
  if (matchesEntityTag(ifNoneMatch, etag)) {
    throw preconditionFailed("If-None-Match", "The entity has one of these ETags.");
  }
  return etagValuesReader(entitySet, rowShape)(entity);
}

/**
 * Makes the error for an entity that a write did not find: 412 where the client said which one it means, or where the
 * entity was there when If-None-Match was checked.
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
  return preconditionFailed("If-None-Match", "The entity has changed while the request ran: send it again.");
}

function missingEntity(): ODataError {
  return preconditionFailed("If-Match", "There is no entity with this key, or it has changed meanwhile.");
}

function preconditionFailed(header: string, reason: string): ODataError {
  return protocolError("PreconditionFailed", `${header} does not hold. ${reason}`, { target: header });
}

const CHANGED = "The entity has changed: read it again, and repeat what is still wanted.";
const UNQUOTED = "An ETag stands in double quotes, which are part of it: send it as it was received, or *.";
