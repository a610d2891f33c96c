import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json/write-json.ts";
import { isPromiseLike } from "../../base/maybe.ts";
import type { Category } from "../../definition/sets/authorization.ts";
import { BIND, keyHolderOf, keyPairsOf, reversedPairs } from "../../edm/key-holder.ts";
import { keyOf, keyValues } from "../../edm/literal.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { identityOfKey } from "../../engine/entities/entity-key.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { navigationRules } from "../../engine/rules/judge-rules.ts";
import { PartRequest } from "../../http/part-request.ts";
import type { ResourcePath } from "../../language/query/resource-path.ts";
import type { BodyObject } from "../../payload/body-members.ts";
import type { BoundLink, NamedEntity } from "../../payload/link-reading.ts";
import { MAX_NAMED_ENTITIES, tooManyNamed } from "../../payload/read-links.ts";
import { entityUrlOf, keyTextOf } from "../../payload/urls.ts";
import { requireAlong } from "./authorize-link.ts";
import { AuthorizedRequest, type OwnBody } from "./authorized-request.ts";
import { creating } from "./create-entity.ts";
import { creatingRelated, creationAlong } from "./create-related.ts";
import type { EntityWrite, SavedEntity } from "./entity-result.ts";
import type { Execution } from "./execution.ts";
import { relatedSet, resolveNamed, unsupported } from "./link-reading.ts";
import { ofNested } from "./nested-errors.ts";
import { patching } from "./patch-entity.ts";
import { replacing } from "./replace-entity.ts";
import { checkPrecondition } from "./require-match.ts";
import { type NavigationRuntime, runtimeOf } from "./service-runtime.ts";
import { annotationOf, determinedBy, type NestedMember, removalOf, type SplitBody, splitBody } from "./split-body.ts";

/** The related entities that a body nests under one navigation property. */
export interface NestedNavigation extends Omit<NestedMember, "entities"> {
  /** The set of the entity around them. */
  readonly source: EntitySet;
  readonly runtime: NavigationRuntime;
  readonly target: EntitySet;
  readonly entities: readonly NestedEntity[];
}

/** An entity that is nested in a body. */
export interface NestedEntity {
  /** The path of the entity in the body around it. */
  readonly place: string;
  /** Its key, if the body names an existing entity; null for a new one. */
  readonly named: NamedEntity | null;
  readonly etag: string | undefined;
  /** Why it is removed from the collection; null: it stays, or becomes a part of it. */
  readonly removed: "changed" | "deleted" | null;
  readonly nested: readonly NestedNavigation[];
  /** Its change; null if the body only names it. */
  readonly change: BoundWrite | null;
  /** Binds the request that creates it. @param parentKey the key of the entity around it */
  readonly creation: (parentKey: unknown) => BoundWrite;
}

/** A bound write of one entity. */
export interface BoundWrite {
  readonly request: AuthorizedRequest;
  readonly links: readonly BoundLink[];
  /**
   * Executes the write.
   * @param more further links of the entity
   * @param adjust changes a copy of its body
   */
  readonly save: (
    execution: Execution,
    more: readonly Omit<BoundLink, "entity">[],
    adjust?: (body: BodyObject) => void,
  ) => Promise<SavedEntity>;
}

/** Binds a write of which the body is known. @throws ODataError as the endpoint of the write */
export function boundWrite<Bound extends { readonly links: readonly BoundLink[] }>(
  write: EntityWrite<Bound>,
  request: AuthorizedRequest,
): BoundWrite {
  const bound = write.bind(request);
  if (isPromiseLike(bound)) throw new Error("The body of a nested entity is read.");
  return asWrite(write, bound, request);
}

/** Returns a bound request as the write of one entity. */
export function asWrite<Bound extends { readonly links: readonly BoundLink[] }>(
  { save, linked, bodyOf }: EntityWrite<Bound>,
  bound: Bound,
  request: AuthorizedRequest,
): BoundWrite {
  return {
    request,
    links: bound.links,
    save: (execution, more, adjust) => {
      const copy = linked(bound, more);
      adjust?.(bodyOf(copy));
      return save(copy, execution);
    },
  };
}

/** The part of a request that its nested entities share. */
interface Nesting {
  readonly ieee754Compatible: boolean;
  readonly method: "PATCH" | "PUT";
  /** Counts the entities that the bodies name besides their own. */
  readonly count: { total: number };
}

/** The entity around nested ones. */
interface Around {
  readonly request: AuthorizedRequest;
  readonly source: EntitySet;
  /** Its key in the application's form; undefined if it is new. */
  readonly key: unknown;
}

/**
 * Binds the nested entities of a body as requests of their own: each is authorized and read as the body of a PATCH, PUT or POST.
 * @throws ODataError as these requests; `NotImplemented` for entities that no handler writes
 */
export function bindNested(
  around: Around,
  members: readonly NestedMember[],
  nesting: Nesting,
): readonly NestedNavigation[] {
  return members.map((member) => {
    const { request, source } = around;
    const { navigation, fail } = member;
    const { runtime, related: target } = relatedSet(request.service, { entitySet: source, navigation }, fail);
    const own = { ...member, source, runtime, target };
    nesting.count.total += member.entities.length;
    if (nesting.count.total > MAX_NAMED_ENTITIES) throw tooManyNamed(fail);
    const seen = new Set<string>();
    const entities = member.entities.map((json, index) => {
      const place = navigation.isCollection ? `${navigation.name}/${String(index)}` : navigation.name;
      return ofNested(place, () => {
        const entity = bindEntity(around, { ...own, fail: ofEntity }, json, place, nesting);
        if (entity.named === null) return entity;
        const { size } = seen;
        if (seen.add(identityOfKey(target.entityType, entity.named.key)).size > size) return entity;
        throw ofEntity("The body has this entity twice: name it once.");
      });
    });
    return { ...own, entities };
  });
}

/** Makes the error of a nested entity, whose target is added later. */
export function ofEntity(problem: string): ODataError {
  return protocolError("InvalidBody", problem);
}

type Along = Omit<NestedNavigation, "entities">;

function bindEntity(around: Around, along: Along, json: JsonObject, place: string, nesting: Nesting): NestedEntity {
  const { request } = around;
  const { target, fail } = along;
  const removed = removalOf(json, fail);
  const named = namedIn(around, along, json, nesting);
  const etag = annotationOf(json, "etag", fail);
  if (removed !== null) {
    if (named === null) throw fail("A removed entity needs its key, or its @odata.id.");
    return { place, named, etag, removed, nested: [], change: null, creation: neverCreated };
  }
  const split = isDeep(request, target) ? splitBody(target, json) : { own: json, members: [] };
  nesting.count.total += boundIn(split.own);
  if (nesting.count.total > MAX_NAMED_ENTITIES) throw tooManyNamed(fail);
  const own = ownBody(target, split, nesting);
  const nested = bindNested({ request, source: target, key: named?.key }, split.members, nesting);
  const creation = (parentKey: unknown): BoundWrite => bindCreation(request, along, { parentKey, own });
  const entity = { place, named, etag, removed, nested, creation };
  if (named === null) {
    // Its faults are found before anything is written, if its parent exists.
    if (around.key === undefined) return { ...entity, change: null };
    const bound = creation(around.key);
    return { ...entity, change: null, creation: () => bound };
  }
  const names = Object.keys(split.own as JsonObject).filter((name) => !name.startsWith("@"));
  const isNamedOnly = names.every((name) => target.entityType.key.some((property) => property.name === name));
  const isReference = nested.length === 0 && isNamedOnly && (nesting.method === "PATCH" || names.length === 0);
  return { ...entity, change: isReference ? null : bindChange(request, along, { named, etag, own }, nesting) };
}

/** Returns the number of entities to which a body links. */
function boundIn(body: JsonValue): number {
  const members = isJsonObject(body) ? Object.entries(body).filter(([name]) => name.endsWith(BIND)) : [];
  return members.reduce((count, [, value]) => count + (Array.isArray(value) ? value.length : 1), 0);
}

function neverCreated(): never {
  throw new Error("A removed entity is not created.");
}

function isDeep({ service }: AuthorizedRequest, entitySet: EntitySet): boolean {
  return runtimeOf(service, entitySet).settings.deepUpdateEnabled;
}

/** Returns the body of a nested entity, without the entities that are nested in it. */
function ownBody(entitySet: EntitySet, split: SplitBody, { ieee754Compatible }: Nesting): OwnBody {
  const nested = determinedBy(entitySet, split);
  return { open: () => ({ read: (bind) => bind(split.own, ieee754Compatible) }), nested: () => nested };
}

/** Returns the existing entity that a nested one names: by its URL, or by its key, of which the entity around it may have a part. */
function namedIn(around: Around, along: Along, json: JsonObject, nesting: Nesting): NamedEntity | null {
  const { request } = around;
  const { source, navigation, target, fail } = along;
  const { entityType } = target;
  const id = annotationOf(json, "id", fail);
  const byUrl = id === undefined ? null : resolveNamed(request, id, { entitySet: source, navigation }, fail);
  if (byUrl?.singleton !== undefined) throw fail("It is a singleton: name the entity by its key.");
  const sent = runtimeOf(request.service, target).bodies.readKey(json, nesting.ieee754Compatible);
  const values = sent.map((value, index) => value ?? inheritedPart(around, along, index));
  const isStated = values.every((value) => value !== undefined);
  if (byUrl === null) {
    if (!isStated) return null;
    const key = keyOf(entityType, values);
    return { id: entityUrlOf(request.serviceRoot, target, key), key };
  }
  const isSame =
    !isStated || identityOfKey(entityType, keyOf(entityType, values)) === identityOfKey(entityType, byUrl.key);
  if (isSame) return byUrl;
  throw fail("The entity has another key than its @odata.id: leave one of them out.");
}

/** Returns a part of the key of a nested entity that repeats a part of the key around it. */
function inheritedPart(
  { source, key }: Around,
  { navigation, target }: Along,
  index: number,
): PrimitiveValue | undefined {
  const property = target.entityType.key[index];
  if (key === undefined || keyHolderOf(source, navigation) !== "related") return undefined;
  const pair = reversedPairs(keyPairsOf(source, navigation)).find((each) => each.property === property);
  const position = source.entityType.key.findIndex((each) => each === pair?.related);
  if (position < 0) return undefined;
  return keyValues(source.entityType.key, key)[position];
}

/** Binds the PATCH or PUT of an existing entity. */
function bindChange(
  request: AuthorizedRequest,
  along: Along,
  { named, etag, own }: { readonly named: NamedEntity; readonly etag: string | undefined; readonly own: OwnBody },
  { method }: Nesting,
): BoundWrite {
  const { target } = along;
  const { handlers, settings } = runtimeOf(request.service, target);
  const isPatch = method === "PATCH";
  if ((isPatch ? handlers.patch : handlers.replace) === undefined) {
    throw unsupported(`${target.name} has no ${method}, so a ${method} changes no entities of it.`, ofEntity);
  }
  const path = { kind: "entity", entitySet: target, key: keyTextOf(target.entityType, named.key) } as const;
  const inner = nestedRequest(request, along, { path, method, category: "update", etag, own });
  if (settings.requireIfMatch) checkPrecondition(inner);
  return isPatch ? boundWrite(patching, inner) : boundWrite(replacing, inner);
}

/** Binds the POST of a new entity: along the navigation, or to the target set, if the link is written by itself. */
function bindCreation(
  request: AuthorizedRequest,
  along: Along,
  { parentKey, own }: { readonly parentKey: unknown; readonly own: OwnBody },
): BoundWrite {
  const { source: entitySet, navigation: navigationProperty, runtime, target } = along;
  const { service } = request;
  if (target.entityType.media !== undefined) {
    throw unsupported(`${target.name} consists of media: create its entities by POST of their bytes.`, ofEntity);
  }
  const part = { method: "POST", category: "create", etag: undefined, own } as const;
  if (creationAlong(service, { entitySet, navigationProperty, runtime }) !== undefined) {
    const key = keyTextOf(entitySet.entityType, parentKey);
    const path = { kind: "navigation", entitySet, key, navigationProperty, operations: [] } as const;
    return boundWrite(creatingRelated, nestedRequest(request, along, { ...part, path }));
  }
  if (runtimeOf(service, target).handlers.create === undefined) {
    throw unsupported(`${target.name} has no POST, so it gets no new entities here.`, ofEntity);
  }
  return boundWrite(
    creating,
    nestedRequest(request, along, { ...part, path: { kind: "entitySet", entitySet: target } }),
  );
}

/** A request for one nested entity. */
interface NestedPart {
  readonly path: ResourcePath;
  readonly method: "PATCH" | "PUT" | "POST" | "DELETE";
  /** What the request does with the target set. */
  readonly category: Category;
  readonly etag: string | undefined;
  readonly own: OwnBody | null;
}

/**
 * Makes the request of a nested entity, which belongs to the client of the whole request. Its ETag in the body is its precondition.
 * @throws ODataError `Unauthorized`, `Forbidden` for a user who may not do that with the target set
 */
export function nestedRequest(
  outer: AuthorizedRequest,
  { source, navigation }: Pick<Along, "source" | "navigation">,
  { path, method, category, etag, own }: NestedPart,
): AuthorizedRequest {
  const { service, arrival, access } = outer;
  const set = definitionIn(service.definition, source);
  const { asksTarget } = navigationRules(set, navigation);
  const pending = requireAlong(access.user, set, navigation, { categories: [category], target: "" });
  const headers = new Map(etag === undefined ? [] : [["if-match", etag] as const]);
  const odata = new PartRequest(arrival.odata, { method, headers, body: NO_BYTES }, arrival.odata.target);
  const { path: url } = arrival.url;
  const inner = { ...arrival, odata, url: { path: url, query: "" }, sent: undefined };
  return new AuthorizedRequest(service, inner, { ...access, pending, isTargetSkipped: !asksTarget }, path, own);
}

const NO_BYTES: Uint8Array = new Uint8Array(0);
