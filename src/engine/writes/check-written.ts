import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
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
export async function checkWritten(
  set: EntitySetDefinition,
  entity: object,
  reader: Reader,
  written: Omit<WrittenEntity, "entity"> = { isKnown: (property) => isStated(entity, property) },
): Promise<void> {
  const isSeen = await mayBeSeen(set.entitySet, { ...written, entity }, reader);
  if (!isSeen) throw refusalOfUnseen(reader.context.user, set.entitySet);
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

/** Whether the user may see an entity, as far as its known properties decide that. */
async function mayBeSeen(entitySet: EntitySet, written: WrittenEntity, reader: Reader): Promise<boolean> {
  const condition = conditionFor(entitySet, reader);
  if (typeof condition === "string") return condition === "all";
  const { filter, values } = condition;
  const evaluation = new Evaluation(values);
  const navigations = mentionsOf(clausesOf(filter))?.navigations ?? [];
  const run = startRuleLoads(evaluation, entitySet, reader.context);
  const loaded = new Set<NavigationProperty>();
  const isKnown: PartialEntity["isKnown"] = (step) => {
    if (step.kind === "property") return written.isKnown(step.property);
    return step.kind === "navigation" && loaded.has(step.navigationProperty);
  };
  await Promise.all(navigations.map((mention) => loadKnown(mention, written, run, loaded)));
  if (run.unfollowed.size > 0) return written.isSaved !== true;
  return canBeTrue(filter, { entity: written.entity, evaluation, isKnown });
}

/**
 * Loads the entities that a navigation will lead to, where the foreign key is known. Before the entity is saved,
 * handlers return the entities that it was related to before.
 */
async function loadKnown(
  mention: NavigationMention,
  { entity, isKnown, isSaved, findCreated }: WrittenEntity,
  run: LoadRun,
  loaded: Set<NavigationProperty>,
): Promise<void> {
  const { entitySet, navigationProperty } = mention;
  const { navigationHandlers } = definitionOf(entitySet, run.context);
  const { get, getBatch } = navigationHandlers.get(navigationProperty.name) ?? {};
  if (isSaved === true && (get ?? getBatch) !== undefined && entitySet.entityType.key.every(isKnown)) {
    await loadBelow([mention], [entity], run);
    loaded.add(navigationProperty);
    return;
  }
  const join = entitySet.navigationJoins.get(navigationProperty.name);
  if (join?.kind !== "direct" || !parentProperties(join).every(isKnown)) return;
  const { target, below } = mention;
  const values = target === null ? null : referredValues(join, entity);
  const own = target === null || values === null ? undefined : findCreated?.(target, values);
  // No handler returns an entity before it is saved.
  if (own !== undefined && (below.length > 0 || !isWhollyStated(own))) return;
  const single = own?.entity ?? (await loadReferred(mention, entity, run));
  if (single === undefined) return;
  relatedTable(run.evaluation.relations, mention).set(entity, single);
  loaded.add(navigationProperty);
  if (single !== null) await loadBelow(mention.below, [single], run);
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
export async function checkCreated(
  set: EntitySetDefinition,
  entity: object,
  reader: Reader,
  nesting: Nesting = ALONE,
): Promise<void> {
  const { context } = reader;
  const all = entitiesWithin({ set, entity, ...nesting }, (from, name) =>
    targetDefinition(from.entitySet, name, context),
  );
  const hidden = all.find((written) => conditionFor(written.set.entitySet, reader) === "none");
  if (hidden !== undefined) throw refusalOfUnseen(context.user, hidden.set.entitySet);
  const positionOf = positionsOf(all);
  const findCreated = (target: EntitySet, values: Values): BodyEntity | undefined => all[positionOf(target, values)];
  // References come first: otherwise the row rule, which may follow them, would distinguish hidden from missing entities.
  const references = all.map((written, index) => {
    const isCreated = (target: EntitySet, values: Values): boolean => {
      const position = positionOf(target, values);
      // Without `getByKey`, the service does not check whether the stated key belongs to a hidden entity.
      const isChecked = all[position]?.set.handlers.getByKey !== undefined;
      return isChecked && position <= index;
    };
    return checkReferences(written, reader, { current: isNew, isCreated });
  });
  await Promise.all(references);
  await Promise.all(
    all.map((written) => checkWritten(written.set, written.entity, reader, { ...knownPart(written), findCreated })),
  );
  await Promise.all(all.map((written) => checkKey(written.set, written.entity, reader)));
}

/** Null properties of an entity with a parent are unknown, because the handler may fill them in from the parent. */
function knownPart({ entity, parent }: BodyEntity): Pick<WrittenEntity, "isKnown"> {
  const isKnown = (property: StructuralProperty): boolean =>
    isStated(entity, property) && (parent === null || fieldOf(entity, property.field) !== null);
  return { isKnown };
}

/**
 * Refuses to write a foreign key to an entity that the user does not see.
 * @throws ODataError `Conflict`, target the property; an error of the target set's handlers
 * @see docs/guides/authorization.md
 */
export async function checkReferences(written: BodyEntity, reader: Reader, scope: ReferenceScope): Promise<void> {
  // A constraint reveals nothing to a user who sees all rows.
  const stated = statedReferences(written).filter(({ reference }) => conditionFor(reference.target, reader) !== "all");
  const checks = stated.map(async (each) => {
    const refused = await judgeReference(each, scope, (values) => seesReferred(each.reference, values, reader));
    if (refused !== null) throw refused;
  });
  await Promise.all(checks);
}

/** Prevents a handler from overwriting a hidden entity. */
async function checkKey(set: EntitySetDefinition, entity: object, reader: Reader): Promise<void> {
  const { entityType } = set.entitySet;
  if (set.rows === null || !entityType.key.every((property) => isStated(entity, property))) return;
  if (await isHidden(set, keyIn(entityType, entity), reader)) throw keyTaken(set.entitySet);
}

/**
 * Whether a key belongs to an entity that the user does not see; false for a set that cannot read by key.
 * @throws the error of the handler
 */
export async function isHidden(
  { entitySet, handlers }: EntitySetDefinition,
  key: unknown,
  reader: Reader,
): Promise<boolean> {
  if (handlers.getByKey === undefined || (await findOrMissing(entitySet, key, reader)) !== null) return false;
  return (await findOrMissing(entitySet, key, { ...reader, gate: null })) !== null;
}

/** Makes the error for a key that is taken, by a visible or a hidden entity. */
export function keyTaken({ name }: EntitySet): ODataError {
  return protocolError("Conflict", `An entity of ${name} has this key already.`);
}
