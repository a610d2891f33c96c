import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySetDefinition } from "../../definition/service-definition.ts";
import {
  besideKey,
  type GuardedReference,
  hasValues,
  isNested,
  keepsReference,
  missingReference,
  referredKey,
  referredValues,
  statedPairs,
} from "../../definition/sets/guarded-reference.ts";
import type { JoinPair } from "../../edm/model.ts";
import { asEntity, isObject } from "../../memory/entity.ts";
import { Evaluation } from "../../memory/evaluation.ts";
import { givenFieldOf } from "../../memory/missing-value.ts";
import { canonicalEntity } from "../entities/canonical-entity.ts";
import { startAll } from "../entities/concurrency.ts";
import { definitionOf, type Reader } from "../entities/reader.ts";
import { loadReferred } from "../reads/load-relations.ts";
import { startLoads } from "../reads/load-run.ts";
import { findOrMissing } from "../reads/read-by-key.ts";
import { conditionFor } from "../rules/row-access.ts";

/** The entity that a change applies to. */
export interface ChangedEntity {
  /** Loads the entity as it is now, in canonical form; null for a set that cannot read by key. */
  readonly current: (() => Maybe<object | null>) | null;
  /** Whether the handler may create the entity where it is missing. */
  readonly mayCreate: boolean;
}

/** The position of a nested entity, and the properties that follow from its parent. */
export interface Nesting {
  /** The path in the body, with a trailing slash; empty for the body itself. */
  readonly place: string;
  /** The properties of the entity that repeat values of its parent. */
  readonly linked: readonly JoinPair[];
}

const ALONE: Nesting = Object.freeze({ place: "", linked: Object.freeze([]) });

/**
 * Refuses to write a foreign key to an entity that the user does not see: a hidden entity looks like a missing one.
 * @param entity the values to write, by the application's fields
 * @throws ODataError `Conflict`, target the property; an error of the target set's handlers
 * @see docs/guides/authorization.md
 */
export function checkReferences(
  set: EntitySetDefinition,
  entity: object,
  reader: Reader,
  { place, linked }: Nesting = ALONE,
): Maybe<undefined> {
  return eachReference(set, entity, reader, (reference, stated) => {
    // The client does not state a foreign key that follows from the parent as a whole.
    const own = stated.find(({ property }) => !linked.some(({ related }) => related === property));
    if (own === undefined || isNested(reference, entity)) return undefined;
    return chain(isSeen(reference, entity, reader), (seen): undefined => {
      if (!seen) throw missingReference(place + own.property.name);
    });
  });
}

/**
 * Checks the foreign keys of a change. Unchanged foreign keys are accepted. A missing entity is left to the handler,
 * unless the handler may create it.
 */
export function checkChangedReferences(
  set: EntitySetDefinition,
  changes: object,
  reader: Reader,
  { current, mayCreate }: ChangedEntity,
): Maybe<undefined> {
  return eachReference(set, changes, reader, (reference, stated, target) => {
    const isWhole = stated.length === reference.pairs.length;
    const load = (): Maybe<object | null> => current?.() ?? null;
    return chain(isWhole ? null : load(), (partial) => {
      const written = partial === null ? changes : { ...fieldsOf(reference, partial), ...changes };
      return chain(isSeen(reference, written, reader), (seen) => {
        if (seen) return undefined;
        return chain(partial ?? load(), (known): undefined => {
          if (known === null && current !== null && !mayCreate) return;
          if (known === null || !keepsReference(reference, changes, known)) throw missingReference(target);
        });
      });
    });
  });
}

function eachReference(
  { guardedReferences }: EntitySetDefinition,
  given: object,
  reader: Reader,
  check: (reference: GuardedReference, stated: readonly JoinPair[], target: string) => Maybe<undefined>,
): Maybe<undefined> {
  const checks = guardedReferences.flatMap((reference) => {
    const stated = statedPairs(reference, given);
    const [first] = stated;
    // A constraint reveals nothing to a user who sees all rows.
    if (first === undefined || conditionFor(reference.target, reader) === "all") return [];
    return [() => check(reference, stated, first.property.name)];
  });
  return checks.length === 0 ? undefined : chain(startAll(checks), (): undefined => undefined);
}

function fieldsOf({ pairs }: GuardedReference, entity: object): object {
  return Object.fromEntries(pairs.map(({ property: { field } }) => [field, givenFieldOf(entity, field)] as const));
}

/** Whether the user sees the entity that a foreign key refers to; true where that cannot be checked. */
function isSeen(reference: GuardedReference, entity: object, reader: Reader): Maybe<boolean> {
  const values = referredValues(reference, entity);
  if (values === null) return true;
  const { entitySet, target, navigationProperty } = reference;
  if (definitionOf(target, reader.context).handlers.getByKey !== undefined) {
    return chain(findOrMissing(target, referredKey(reference, values), reader), (found) => {
      if (!isObject(found)) return false;
      const { entityType } = target;
      const beside = besideKey(reference);
      if (beside.length === 0) return true;
      return hasValues(canonicalEntity(entityType, asEntity(found, entityType)), beside, values);
    });
  }
  const mention = { navigationProperty, entitySet, target, ignored: [], below: [] };
  const option = `The foreign key of ${entitySet.name}/${navigationProperty.name}`;
  const run = startLoads(new Evaluation([]), reader, option);
  return chain(loadReferred(mention, entity, run), (related) => related !== null);
}
