import { ERROR_CODES } from "../../base/errors/error-codes.ts";
import { isODataError, type ODataError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import { type AuthorizationRequirement, refusal } from "../../definition/sets/authorization.ts";
import { keyHolderOf, keyPairsOf, unknownHolder } from "../../edm/key-holder.ts";
import { keyIn } from "../../edm/literal.ts";
import type { EntitySet } from "../../edm/model.ts";
import { identityOfKey } from "../../engine/entities/entity-key.ts";
import { definitionIn, definitionOf, type Reader } from "../../engine/entities/reader.ts";
import { keyProperties } from "../../engine/plan/properties-to-read.ts";
import { type EntitiesByKey, findByKeys } from "../../engine/reads/find-by-keys.ts";
import { requireLinkable } from "../../engine/rules/authorize-body.ts";
import { runAtomically, type WritingHandler } from "../../engine/writes/judged-write.ts";
import { readLeft } from "../../engine/writes/run-hooks.ts";
import type { BoundLink, NamedEntity } from "../../payload/link-reading.ts";
import { countOf } from "../../payload/read-links.ts";
import { entityUrlOf } from "../../payload/urls.ts";
import { linkCategories, requireAlong } from "./authorize-link.ts";
import { queryReaderOf } from "./bind-query.ts";
import {
  checkKept,
  checkStored,
  foreignKeyOf,
  type KeptValue,
  type LinkedEntity,
  SavedEntities,
} from "./bound-values.ts";
import { judgeByKey } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { type LinkTarget, relatedSet, unsupported } from "./link-reading.ts";
import type { NavigationRuntime } from "./service-runtime.ts";
import { keyOfSingleton } from "./singleton-key.ts";
import { writeBetween } from "./write-reference.ts";

/** A write of an entity whose body states links. */
export interface LinkedWrite extends WritingHandler, LinkedEntity {
  readonly links: readonly BoundLink[];
}

/** A saved entity. */
interface Saved {
  readonly entity: unknown;
}

/**
 * Executes a write with the links of its body, in one transaction: it finds the entities that they name, adds the foreign keys to
 * the body, saves the entity, and writes the other links.
 * @throws ODataError `InvalidBody` for an entity that is missing or hidden; `NotImplemented` for a link that nothing writes; the
 *   errors of `save`, of rules and handlers
 */
export async function withBoundLinks<Result extends Saved>(
  execution: Execution,
  write: LinkedWrite,
  save: (inner: Execution) => Maybe<Result>,
): Promise<Result> {
  if (write.links.length === 0) return save(execution);
  noteNamed(execution, countOf(write.links));
  const planned: PlannedLink[] = [];
  for (const link of write.links) planned.push(planLink(execution, write, await withKeys(execution, link)));
  // A handler of links may have effects that no second attempt repeats.
  const own = planned.find(({ handler }) => handler !== null && !isTable(execution, handler))?.handler;
  return runAtomically({ ...write, handler: own ?? write.handler }, write.key, execution.reader, {}, async (reader) => {
    const inner = execution.within(reader);
    const kept: KeptValue[] = [];
    const found = await lookUp(inner, planned);
    for (const link of planned) kept.push(...(await findNamed(inner, write, link, found)));
    const { transactional } = definitionIn(execution.service.definition, write.entitySet);
    if (!transactional && !isTable(execution, write.handler)) await checkStored(write, kept, inner, unsupported);
    const saved = await save(inner);
    const entities = new SavedEntities(write, saved.entity, reader);
    for (const value of kept) await checkKept(value, entities, inner);
    const written = planned.filter(({ handler }) => handler !== null);
    for (const link of written) await writeLink(inner, link, entities);
    return written.length === 0 ? saved : { ...saved, entity: await readAgain(write, saved.entity, reader) };
  });
}

/**
 * Adds or removes links between existing entities, as `withBoundLinks` does it for a body.
 * @param owner the entity from which the links start, as far as it has a key
 * @throws as for withBoundLinks
 */
export async function writeNamed(
  execution: Execution,
  write: LinkedWrite,
  link: BoundLink,
  owner: object,
  isAdded: boolean,
): Promise<void> {
  const planned = planLink(execution, write, link, isAdded);
  const found = await lookUp(execution, [planned]);
  if (isAdded) await findNamed(execution, write, planned, found);
  await writeLink(execution, planned, { at: () => ({ entity: owner }) });
}

/** Returns a link with the keys of the singletons that it names. @throws ODataError `InvalidBody` for one without an entity */
async function withKeys(execution: Execution, link: BoundLink): Promise<BoundLink> {
  if (link.named?.some(({ singleton }) => singleton !== undefined) !== true) return link;
  const { service, arrival } = execution;
  const named: NamedEntity[] = [];
  for (const each of link.named) {
    const { singleton } = each;
    const key = singleton === undefined ? each.key : await keyOfSingleton(execution, singleton);
    if (key === null || key === undefined) throw link.fail("The singleton has no entity.");
    const url = (set: EntitySet): string => entityUrlOf(arrival.baseUrl + service.definition.prefix, set, key);
    named.push({ id: singleton === undefined ? each.id : url(singleton.entitySet), key });
  }
  return { ...link, named };
}

/** Counts the entities that a body names, for later operations of its batch. */
export function noteNamed({ arrival: { batch } }: Execution, count: number): void {
  if (batch !== undefined) batch.named.total += count;
}

/** The named entities of each set that the user sees. */
type NamedBySet = ReadonlyMap<EntitySet, EntitiesByKey>;

/** Looks up the entities that links name, those of a set together, unless a rule loads each of them. */
async function lookUp(execution: Execution, links: readonly PlannedLink[]): Promise<NamedBySet> {
  const keys = new Map<EntitySet, unknown[]>();
  for (const { related, rules, named } of links) {
    if (rules.length > 0) continue;
    const known = keys.get(related) ?? [];
    keys.set(related, known);
    for (const { key } of named ?? []) known.push(key);
  }
  const found = new Map<EntitySet, EntitiesByKey>();
  for (const [entitySet, wanted] of keys) {
    const selected = keyProperties(entitySet.entityType);
    found.set(entitySet, await findByKeys(entitySet, wanted, execution.reader, selected));
  }
  return found;
}

/** Returns the saved entity as hooks and triggers of the links leave it. */
function readAgain({ entitySet, handler, write }: LinkedWrite, saved: unknown, reader: Reader): Promise<object> {
  const set = definitionOf(entitySet, reader.context);
  const isDeep = write === "create" && set.settings.allowDeepInsert;
  return readLeft({ set, handler }, saved, isDeep, reader);
}

type LinkHandlers = NavigationRuntime["source"]["handlers"];

interface PlannedLink extends BoundLink, LinkTarget {
  /** The rules that only the named entity can decide. */
  readonly rules: readonly AuthorizationRequirement[];
  /** Whether the link to the named entities is added, and not removed. */
  readonly isAdded: boolean;
  /** Writes the link after the entity is saved; null: its foreign key is part of the entity, or there is nothing to write. */
  readonly handler: NonNullable<LinkHandlers["addRef" | "setRef" | "removeRef"]> | null;
}

function isTable({ service }: Execution, handler: object): boolean {
  return service.definition.handlersCheckingRows.has(handler);
}

/** Checks what no entity decides: rules of the user, and whether the service can write the link. */
function planLink(execution: Execution, write: LinkedWrite, link: BoundLink, isAdded: boolean = true): PlannedLink {
  const { service, access } = execution;
  const { entitySet, navigation, named, fail, target } = link;
  const found = relatedSet(service, link, fail);
  const set = definitionIn(service.definition, entitySet);
  if (write.write !== "create") requireLinkable(queryReaderOf(execution), entitySet, navigation, target);
  const categories = linkCategories(keyHolderOf(entitySet, navigation));
  const rules = requireAlong(access.user, set, navigation, { categories, target });
  const { getByKey } = definitionIn(service.definition, found.related).handlers;
  if (getByKey === undefined && named !== null && named.length > 0) {
    throw unsupported(`${found.related.name} cannot be read by key, so no link can name its entities.`, fail);
  }
  const distinct = named && [
    ...new Map(named.map((each) => [identityOfKey(found.related.entityType, each.key), each])).values(),
  ];
  const handler = handlerOf(execution, write, { ...link, ...found }, isAdded);
  return { ...link, ...found, named: distinct, rules, handler, isAdded };
}

function handlerOf(
  execution: Execution,
  write: LinkedWrite,
  link: BoundLink & LinkTarget,
  isAdded: boolean,
): PlannedLink["handler"] {
  const { entitySet, navigation, named, fail, place, runtime } = link;
  const isNothing = named?.length === 0 || (named === null && write.write === "create");
  if (isPartOfEntity(execution, write, link) || isNothing) return null;
  const { addRef, setRef, removeRef } = runtime.source.handlers;
  const adds = navigation.isCollection ? addRef : setRef;
  const handler = named === null || !isAdded ? removeRef : adds;
  if (handler === undefined) {
    throw unsupported(`The service writes no links along '${navigation.name}' of ${entitySet.name}.`, fail);
  }
  if (keyHolderOf(entitySet, navigation) === "unknown" && isTable(execution, handler)) {
    throw unsupported(unknownHolder(entitySet, navigation), fail);
  }
  const { transactional } = definitionIn(execution.service.definition, entitySet);
  const joins = (each: object): boolean => isTable(execution, each) || transactional;
  if (joins(handler) !== joins(write.handler)) {
    throw unsupported(
      `An entity and its links along '${navigation.name}' of ${entitySet.name} are not written as one.`,
      fail,
    );
  }
  if (place !== "" && !isTable(execution, write.handler)) {
    throw unsupported(`Handlers write no links along '${navigation.name}' of nested entities.`, fail);
  }
  return handler;
}

/**
 * Requires that the user sees the entities of a link, and adds its foreign key to the body.
 * @returns the values of the foreign key that the entity must have without the link
 */
async function findNamed(
  execution: Execution,
  write: LinkedWrite,
  link: PlannedLink,
  known: NamedBySet,
): Promise<readonly KeptValue[]> {
  const missing = (): ODataError => link.fail(`${link.related.name} has no entity with this key.`);
  let found: object | null = null;
  for (const each of link.named ?? []) {
    found = await requireNamed(execution, link, each, known, missing);
    if (execution.turn.isOver) await execution.turn.next();
  }
  if (!isPartOfEntity(execution, write, link)) return [];
  return foreignKeyOf(write, link, missing, execution.reader, found);
}

/** Whether a write of the entity writes the foreign key of a link. Bodies of tables contain no ignored properties. */
function isPartOfEntity(execution: Execution, { handler }: LinkedWrite, link: BoundLink): boolean {
  const { entitySet, navigation } = link;
  if (keyHolderOf(entitySet, navigation) !== "parent") return false;
  if (!isTable(execution, handler)) return true;
  const { properties } = entitySet.entityType;
  return keyPairsOf(entitySet, navigation).every(
    ({ property }) => property.serverSet === true || properties.includes(property),
  );
}

/**
 * @returns the key of the entity as it is stored; null if rules have loaded it
 * @throws ODataError of `missing` for an entity that is missing or hidden; `Unauthorized`, `Forbidden`
 */
async function requireNamed(
  execution: Execution,
  { related: entitySet, rules, target }: PlannedLink,
  { key }: NamedEntity,
  known: NamedBySet,
  missing: () => ODataError,
): Promise<object | null> {
  const refuse = (): ODataError => refusal(execution.access.user, `link this entity of ${entitySet.name}`, target);
  try {
    if (rules.length === 0) {
      const found = await known.get(entitySet)?.of(key);
      if (found === null || found === undefined) throw missing();
      return found;
    }
    await judgeByKey(execution, { entitySet, key }, rules, { missing, refuse });
    return null;
  } catch (error) {
    throw isNotFound(error) ? missing() : error;
  }
}

function isNotFound(error: unknown): error is ODataError {
  return isODataError(error) && error.status === ERROR_CODES.NotFound;
}

/** Writes the links of a saved entity. */
async function writeLink(execution: Execution, link: PlannedLink, entities: Pick<SavedEntities, "at">): Promise<void> {
  const { entitySet, navigation: navigationProperty, runtime, related, handler, isAdded, place, fail, target } = link;
  if (handler === null) return;
  const { entity } = entities.at(place);
  const parentKey = keyIn(entitySet.entityType, entity);
  const navigation = { entitySet, navigationProperty, key: "", runtime, parentKey };
  const missing = (): ODataError => fail(`${related.name} has no entity with this key.`);
  for (const named of link.named ?? [null]) {
    const referenced = named === null ? null : { entitySet: related, key: named.key, hidden: null, target };
    const write = (context: Context) => callHandler(handler, parentKey, named, context);
    const added = named === null || !isAdded ? null : handler;
    try {
      const absent = await writeBetween(
        { navigation, referenced, added, handler, write, refused: target },
        execution,
        missing,
      );
      if (absent !== null) throw missing();
    } catch (error) {
      // Nobody has to remove a link that does not exist.
      if (!isAdded && isNotFound(error)) continue;
      // A table has not found the entity, which is deleted by now.
      throw isNotFound(error) && error.target === "@odata.id" ? missing() : error;
    }
    if (execution.turn.isOver) await execution.turn.next();
  }
}

function callHandler(
  handler: NonNullable<PlannedLink["handler"]>,
  key: unknown,
  named: NamedEntity | null,
  context: Context,
): ReturnType<NonNullable<LinkHandlers["setRef"]>> {
  if (named === null) return (handler as NonNullable<LinkHandlers["removeRef"]>)(key, context);
  const call = handler as NonNullable<LinkHandlers["setRef"]>;
  return call.byKey === undefined ? call(key, named.id, context) : call.byKey(key, named.key, context);
}
