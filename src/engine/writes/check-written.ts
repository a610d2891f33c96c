import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { refusalOfUnseen } from "../../definition/sets/authorization.ts";
import {
  ALONE,
  entitiesWithin,
  isNew,
  judgeReference,
  type Nesting,
  positionsOf,
  type ReferenceScope,
  referredValues,
  statedReferences,
  type WrittenEntity as BodyEntityOf,
} from "../../definition/sets/judge-references.ts";
import { keyIn } from "../../edm/literal.ts";
import type { EntitySet, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import { mentionsOf, type NavigationMention } from "../../language/query/mentions.ts";
import { startAll } from "../entities/concurrency.ts";
import { definitionOf, type Reader, serviceOf, targetDefinition } from "../entities/reader.ts";
import { canBeTrue, type PartialEntity } from "../memory/can-be-true.ts";
import { declaredFieldOf, fieldOf } from "../memory/compile-property.ts";
import { isObject, Evaluation, relatedTable } from "../memory/evaluation.ts";
import { givenFieldOf } from "../memory/missing-value.ts";
import { parentProperties } from "../plan/properties-to-read.ts";
import { clausesOf } from "../plan/row-rules.ts";
import { seesReferred } from "../reads/gate.ts";
import { loadBelow, loadReferred } from "../reads/load-relations.ts";
import { type LoadRun, startRuleLoads } from "../reads/load-run.ts";
import { findOrMissing } from "../reads/read-by-key.ts";
import { conditionFor } from "../rules/row-access.ts";

type Values = Readonly<Record<string, unknown>>;
type BodyEntity = BodyEntityOf<EntitySetDefinition>;

/** The known part of an entity after a write. */
interface WrittenEntity {
  readonly entity: object;
  /** Whether a property is known. Computed properties are unknown until they are saved, unless `set` supplies them. */
  readonly isKnown: (property: StructuralProperty) => boolean;
  /** Finds an entity that the same write creates. */
  readonly findCreated?: (target: EntitySet, values: Values) => BodyEntity | undefined;
  /** Whether the entity is already saved, so that handlers along its navigations return its new related entities. */
  readonly isSaved?: boolean;
}

/**
 * Refuses to write an entity that the user could not see afterwards, as far as its known properties decide that. The
 * handler is responsible for properties that it fills in and for related entities that cannot be loaded.
 * @param entity as it will be, by the application's fields; an undefined member is unknown
 * @throws ODataError `Forbidden`, `Unauthorized` without a user; the error of the rule or of
 *   a handler that it depends on
 * @see docs/guides/authorization.md
 */
export function checkWritten(set: EntitySetDefinition, entity: object, reader: Reader): Maybe<undefined> {
  return checkEntity(set, { entity, isKnown: (property) => isStated(entity, property) }, reader);
}

/**
 * Whether the user may see an entity that a handler saved, as far as the returned properties decide that. Handlers that
 * apply row rules in their own statements have already checked it.
 * @param handler the handler that returned the entity
 * @throws as for checkWritten
 */
export function isSavedSeen(entitySet: EntitySet, entity: unknown, handler: object, reader: Reader): Maybe<boolean> {
  if (serviceOf(reader.context).handlersCheckingRows.has(handler) || !isObject(entity)) return true;
  const isKnown = ({ field }: StructuralProperty): boolean => givenFieldOf(entity, field) !== undefined;
  return mayBeSeen(entitySet, { entity, isKnown, isSaved: true }, reader);
}

function checkEntity(set: EntitySetDefinition, written: WrittenEntity, reader: Reader): Maybe<undefined> {
  return chain(mayBeSeen(set.entitySet, written, reader), (isSeen): undefined => {
    if (!isSeen) throw refusalOfUnseen(reader.context.user, set.entitySet);
  });
}

/** Whether the user may see an entity, as far as its known properties decide that. */
function mayBeSeen(entitySet: EntitySet, written: WrittenEntity, reader: Reader): Maybe<boolean> {
  const condition = conditionFor(entitySet, reader);
  if (typeof condition === "string") return condition === "all";
  const { filter, values } = condition;
  const evaluation = new Evaluation(values);
  const navigations = mentionsOf(clausesOf(filter))?.navigations ?? [];
  const run = startRuleLoads(evaluation, entitySet, reader.context);
  const loaded = new Set<NavigationProperty>();
  const loads = navigations.map((mention) => () => loadKnown(mention, written, run, loaded));
  const isKnown: PartialEntity["isKnown"] = (step) => {
    if (step.kind === "property") return written.isKnown(step.property);
    return step.kind === "navigation" && loaded.has(step.navigationProperty);
  };
  return chain(startAll(loads), () => {
    if (run.unfollowed.size > 0) return written.isSaved !== true;
    return canBeTrue(filter, { entity: written.entity, evaluation, isKnown });
  });
}

/**
 * Loads the entities that a navigation will lead to, where the foreign key is known. Before the entity is saved,
 * handlers return the entities that it was related to before.
 */
function loadKnown(
  mention: NavigationMention,
  { entity, isKnown, isSaved, findCreated }: WrittenEntity,
  run: LoadRun,
  loaded: Set<NavigationProperty>,
): Maybe<undefined> {
  const { entitySet, navigationProperty } = mention;
  const { navigationHandlers } = definitionOf(entitySet, run.context);
  const { get, getBatch } = navigationHandlers.get(navigationProperty.name) ?? {};
  if (isSaved === true && (get ?? getBatch) !== undefined && entitySet.entityType.key.every(isKnown)) {
    return chain(loadBelow([mention], [entity], run), (): undefined => {
      loaded.add(navigationProperty);
    });
  }
  const join = entitySet.navigationJoins.get(navigationProperty.name);
  if (join?.kind !== "direct" || !parentProperties(join).every(isKnown)) return undefined;
  const { target, below } = mention;
  const values = target === null ? null : referredValues(join, entity);
  const own = target === null || values === null ? undefined : findCreated?.(target, values);
  // No handler returns an entity before it is saved.
  if (own !== undefined && (below.length > 0 || !isWhollyStated(own))) return undefined;
  return chain(own?.entity ?? loadReferred(mention, entity, run), (single) => {
    if (single === undefined) return undefined;
    relatedTable(run.evaluation.relations, mention).set(entity, single);
    loaded.add(navigationProperty);
    return single === null ? undefined : loadBelow(mention.below, [single], run);
  });
}

/** Whether an entity that is created has a value of each property, so that no handler has to fill one in. */
function isWhollyStated({ set, entity }: BodyEntity): boolean {
  const { properties, ignoredProperties } = set.entitySet.entityType;
  return [...properties, ...ignoredProperties].every((property) => isStated(entity, property));
}

function isStated(entity: object, { field, computed, serverSet }: StructuralProperty): boolean {
  return (!computed || serverSet === true) && declaredFieldOf(entity, field) !== undefined;
}

/**
 * Refuses to create an entity, with its nested entities, that refers to hidden entities, that the user could not see
 * afterwards, or whose key, chosen by the client, belongs to a hidden entity.
 * @param entity the argument of the handler
 * @throws ODataError `Conflict`; as for checkWritten
 */
export function checkCreated(
  set: EntitySetDefinition,
  entity: object,
  reader: Reader,
  nesting: Nesting = ALONE,
): Maybe<undefined> {
  const { context } = reader;
  const all = entitiesWithin({ set, entity, ...nesting }, (from, name) =>
    targetDefinition(from.entitySet, name, context),
  );
  const hidden = all.find((written) => conditionFor(written.set.entitySet, reader) === "none");
  if (hidden !== undefined) throw refusalOfUnseen(context.user, hidden.set.entitySet);
  const positionOf = positionsOf(all);
  const findCreated = (target: EntitySet, values: Values): BodyEntity | undefined => all[positionOf(target, values)];
  // References come first: otherwise the row rule, which may follow them, would distinguish hidden from missing entities.
  const references = each(all, (written, index) => {
    const isCreated = (target: EntitySet, values: Values): boolean => {
      const position = positionOf(target, values);
      // Without `getByKey`, the service does not check whether the stated key belongs to a hidden entity.
      const isChecked = all[position]?.set.handlers.getByKey !== undefined;
      return isChecked && position <= index;
    };
    return checkReferences(written, reader, { current: isNew, isCreated });
  });
  return chain(references, () =>
    chain(
      each(all, (written) => checkEntity(written.set, { ...knownPart(written), findCreated }, reader)),
      () => each(all, (written) => checkKey(written.set, written.entity, reader)),
    ),
  );
}

/** Null properties of an entity with a parent are unknown, because the handler may fill them in from the parent. */
function knownPart({ entity, parent }: BodyEntity): WrittenEntity {
  const isKnown = (property: StructuralProperty): boolean =>
    isStated(entity, property) && (parent === null || fieldOf(entity, property.field) !== null);
  return { entity, isKnown };
}

function each(
  all: readonly BodyEntity[],
  check: (written: BodyEntity, index: number) => Maybe<undefined>,
): Maybe<undefined> {
  const [only] = all;
  if (only !== undefined && all.length === 1) return check(only, 0);
  return chain(startAll(all.map((written, index) => () => check(written, index))), nothing);
}

/**
 * Refuses to write a foreign key to an entity that the user does not see.
 * @throws ODataError `Conflict`, target the property; an error of the target set's handlers
 * @see docs/guides/authorization.md
 */
export function checkReferences(written: BodyEntity, reader: Reader, scope: ReferenceScope): Maybe<undefined> {
  const checks = statedReferences(written)
    // A constraint reveals nothing to a user who sees all rows.
    .filter(({ reference }) => conditionFor(reference.target, reader) !== "all")
    .map((stated) => () => {
      const judged = judgeReference(stated, scope, (values) => seesReferred(stated.reference, values, reader));
      return chain(judged, (refused): undefined => {
        if (refused !== null) throw refused;
      });
    });
  return checks.length === 0 ? undefined : chain(startAll(checks), nothing);
}

/** Prevents a handler from overwriting a hidden entity. */
function checkKey(set: EntitySetDefinition, entity: object, reader: Reader): Maybe<undefined> {
  const { entityType } = set.entitySet;
  if (set.rows === null || !entityType.key.every((property) => isStated(entity, property))) return undefined;
  return chain(isHidden(set, keyIn(entityType, entity), reader), (hidden): undefined => {
    if (hidden) throw keyTaken(set.entitySet);
  });
}

/**
 * Whether a key belongs to an entity that the user does not see; false for a set that cannot read by key.
 * @throws the error of the handler
 */
export function isHidden({ entitySet, handlers }: EntitySetDefinition, key: unknown, reader: Reader): Maybe<boolean> {
  if (handlers.getByKey === undefined) return false;
  return chain(findOrMissing(entitySet, key, reader), (seen) => {
    if (seen !== null) return false;
    return chain(findOrMissing(entitySet, key, { ...reader, gate: null }), (entity) => entity !== null);
  });
}

/** Makes the error for a key that is taken, by a visible or a hidden entity. */
export function keyTaken({ name }: EntitySet): ODataError {
  return protocolError("Conflict", `An entity of ${name} has this key already.`);
}

function nothing(): undefined {
  return undefined;
}
