import type {
  EntitySetDefinition,
  ServiceDefinition,
  SingletonDefinition,
} from "../../definition/model/service-definition.ts";
import { linkedNames, withLinks } from "./bound-members.ts";
import { collectionSchema } from "./collection-schema.ts";
import { createExample, patchExample, replaceExample } from "./examples.ts";
import { withNestedChanges } from "./nested-members.ts";
import type { DocumentObject } from "./open-api-document.ts";
import {
  COLLECTION_OPTIONS,
  writeConditionsOf,
  COUNT_OPTIONS,
  ENTITY_OPTIONS,
  hasConditions,
  replaceConditionsOf,
  PREFER_PAGE_SIZE,
  PREFER_RETURN,
  keyTemplate,
  queryParameters,
  hasNotModified,
  readConditionsOf,
} from "./parameters.ts";
import {
  ETAG_HEADER,
  LOCATION_HEADER,
  QUERY_BODY,
  emptyResponse,
  errorResponses,
  jsonBody,
  jsonResponse,
  rawResponse,
} from "./responses.ts";
import {
  type RequestRules,
  accessOf,
  collectionAccessOf,
  type ServiceScope,
  type OperationDescription,
} from "./service-scope.ts";
import { contentOf } from "./stream-content.ts";
import { createSchema, deepCreateSchema, entitySchema, patchSchema, replaceSchema } from "./value-schemas.ts";

/** Describes the routes of a set and of its entities. @see docs/reference/routes.md */
export function addEntitySetPaths(scope: ServiceScope, set: EntitySetDefinition): void {
  const { entitySet, entitySetCount } = scope.routesOf(set);
  if (entitySet.has("GET")) addList(scope, set);
  if (entitySet.has("POST")) addCreate(scope, set);
  if (entitySetCount.has("GET")) addCount(scope, set);
  addEntityPaths(scope, set, placeInSet(scope, set));
}

/** The place of an entity in URLs: a key in its set, or a singleton. */
export interface EntityPlace {
  /** The name of the set or of the singleton: the tag of the operations, and the beginning of their ids. */
  readonly name: string;
  /** The path of the entity below the prefix. */
  readonly path: string;
  readonly key: readonly DocumentObject[];
  readonly singleton: SingletonDefinition | null;
  /** The navigation that leads to the entity; absent without one. */
  readonly along?: { readonly tag: string; readonly rules: RequestRules["rules"] } | undefined;
}

/** Returns the place of the entities of a set. */
export function placeInSet({ schemas }: ServiceScope, set: EntitySetDefinition): EntityPlace {
  const { predicate, parameters } = keyTemplate(set.entitySet.entityType, schemas);
  return { name: set.entitySet.name, path: pathOf(set) + predicate, key: parameters, singleton: null };
}

/** Returns the place of a singleton. */
export function placeOfSingleton(definition: SingletonDefinition): EntityPlace {
  const { name } = definition.singleton;
  return { name, path: `/${encodeURIComponent(name)}`, key: [], singleton: definition };
}

/** Returns whether the size of request bodies is limited. */
export function bodyLimit({ maxRequestBodyBytes }: EntitySetDefinition["settings"]): "limited" | "unlimited" {
  return maxRequestBodyBytes === null ? "unlimited" : "limited";
}

/** Returns the path of a set below the prefix. */
export function pathOf({ entitySet }: EntitySetDefinition): string {
  return `/${encodeURIComponent(entitySet.name)}`;
}

/** Returns the response of `$count`. */
export function countResponse(): DocumentObject {
  return rawResponse("The number of entities.", "text/plain", { type: "integer" });
}

function addList(scope: ServiceScope, set: EntitySetDefinition): void {
  const { entitySet, capabilities, settings } = set;
  const { name, entityType } = entitySet;
  const access = collectionAccessOf(set);
  const page = jsonResponse("A page of entities.", collectionSchema(entityType, scope.schemas, capabilities));
  scope.add({
    method: "GET",
    path: pathOf(set),
    id: `${name}.list`,
    tag: name,
    summary: `Read ${name}`,
    access,
    parameters: [...queryParameters(entityType, capabilities, COLLECTION_OPTIONS), PREFER_PAGE_SIZE],
    responses: { 200: page, ...errorResponses({}) },
  });
  scope.add({
    method: "POST",
    path: `${pathOf(set)}/$query`,
    id: `${name}.query`,
    tag: name,
    summary: `Read ${name}, with the query options in the body`,
    access,
    parameters: [PREFER_PAGE_SIZE],
    requestBody: QUERY_BODY,
    sendsOptions: true,
    responses: { 200: page, ...errorResponses({ body: bodyLimit(settings) }) },
  });
}

function addCount(scope: ServiceScope, set: EntitySetDefinition): void {
  const { entitySet, capabilities } = set;
  scope.add({
    method: "GET",
    path: `${pathOf(set)}/$count`,
    id: `${entitySet.name}.count`,
    tag: entitySet.name,
    summary: `Count ${entitySet.name}`,
    access: collectionAccessOf(set),
    parameters: queryParameters(entitySet.entityType, capabilities, COUNT_OPTIONS),
    responses: { 200: countResponse(), ...errorResponses({}) },
  });
}

function addCreate(scope: ServiceScope, set: EntitySetDefinition): void {
  const { entitySet, capabilities, settings } = set;
  const { name, entityType, etag } = entitySet;
  const own = settings.allowDeepInsert
    ? deepCreateSchema(entitySet, scope.schemas)
    : createSchema(entityType, linkedNames(set), scope.schemas);
  const body = withLinks(set, own, scope.schemas);
  const headers = { ...LOCATION_HEADER, ...(etag.length > 0 ? ETAG_HEADER : {}) };
  scope.add({
    method: "POST",
    path: pathOf(set),
    id: `${name}.create`,
    tag: name,
    summary: `Create an entity of ${name}`,
    access: {
      ...creationAccessOf(set),
      further: nestedAccess(scope.definition, set),
      checksRows: createsGuarded(scope.definition, set),
    },
    parameters: [...queryParameters(entityType, capabilities, ["$select", "$expand"]), PREFER_RETURN],
    requestBody:
      entityType.media?.stream === undefined
        ? jsonBody(body, createExample({ entityType, entitySet }, new Set()))
        : { required: true, content: contentOf(entityType.media.stream) },
    responses: {
      201: jsonResponse("The new entity.", entitySchema(entityType, scope.schemas), headers),
      204: emptyResponse("The entity is created; the client prefers no content.", headers),
      ...errorResponses({ isWrite: true, isEntity: true, body: bodyLimit(settings) }),
    },
  });
}

/** Returns the rules for creating nested entities. */
function nestedAccess(definition: ServiceDefinition, set: EntitySetDefinition): RequestRules["further"] {
  if (!set.settings.allowDeepInsert) return undefined;
  const rules = [...nestableSets(definition, set)].flatMap(({ navigationAuthorization }) =>
    [...navigationAuthorization.values()].flatMap(({ target }) => target.create),
  );
  return rules.length === 0 ? undefined : { action: "Creating nested entities", rules };
}

/** Returns whether the set, or a set of nested entities, hides rows. */
function createsGuarded(definition: ServiceDefinition, set: EntitySetDefinition): boolean {
  if (!set.settings.allowDeepInsert) return set.rows !== null;
  return [...nestableSets(definition, set)].some(({ rows }) => rows !== null);
}

function nestableSets({ entitySets }: ServiceDefinition, set: EntitySetDefinition): ReadonlySet<EntitySetDefinition> {
  const created = new Set([set]);
  for (const { entitySet } of created) {
    for (const name of entitySet.navigationPropertyBindings.values()) {
      const nested = entitySets.get(name);
      if (nested !== undefined) created.add(nested);
    }
  }
  return created;
}

/** Describes the routes of an entity. */
export function addEntityPaths(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace): void {
  if (scope.routesOf(set).entity.has("GET")) addRead(scope, set, place);
  addWrites(scope, set, place);
}

/** Describes the writes of an entity. */
export function addWrites(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace): void {
  const { entity } = scope.routesOf(set);
  if (entity.has("PUT")) addChange(scope, set, place, "PUT");
  if (entity.has("PATCH")) addChange(scope, set, place, "PATCH");
  if (entity.has("DELETE") && place.singleton === null) addDelete(scope, set, place);
}

/** Returns the rules of a write at a place, with those of the navigation that leads there. */
function accessAt(set: EntitySetDefinition, category: "update" | "delete", { along }: EntityPlace): RequestRules {
  const access = accessOf(set, category);
  return along === undefined ? access : { ...access, rules: [...along.rules, ...access.rules] };
}

/** Returns an entity of a place, for summaries. */
function entityAt({ name, singleton }: EntityPlace): string {
  return singleton === null ? `an entity of ${name}` : name;
}

function addRead(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace): void {
  const { entitySet, capabilities } = set;
  const { entityType, etag } = entitySet;
  const { name, path, key: parameters } = place;
  const hasETag = etag.length > 0;
  const options = queryParameters(entityType, capabilities, ENTITY_OPTIONS);
  const headers = hasETag ? ETAG_HEADER : undefined;
  scope.add({
    method: "GET",
    path,
    id: `${name}.read`,
    tag: name,
    summary: `Read ${entityAt(place)}`,
    access: accessOf(set, "read"),
    parameters: [...parameters, ...options, ...readConditionsOf(set)],
    responses: {
      200: jsonResponse("The entity.", entitySchema(entityType, scope.schemas), headers),
      ...(place.singleton?.isNullable === true ? { 204: emptyResponse("It has no entity.") } : {}),
      ...(hasNotModified(set) ? { 304: emptyResponse("The client has it.", headers) } : {}),
      ...errorResponses({ isAddressed: true, isConditional: hasETag }),
    },
  });
}

function addChange(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace, method: "PUT" | "PATCH"): void {
  const { entitySet, capabilities, settings } = set;
  const { entityType, etag } = entitySet;
  const { name, path, key: parameters, singleton, along } = place;
  const isReplacement = method === "PUT";
  const own = isReplacement
    ? replaceSchema(entityType, scope.schemas, linkedNames(set))
    : patchSchema(entityType, scope.schemas);
  const schema = withNestedChanges(scope.definition, set, withLinks(set, own, scope.schemas), scope.schemas);
  const target = { entityType, entitySet };
  const example = isReplacement ? replaceExample(target) : patchExample(target);
  const isConditional = hasConditions(set);
  const headers = etag.length > 0 ? ETAG_HEADER : undefined;
  const mayUpsert = settings.allowUpsert && singleton === null && along === undefined;
  const mayCreate = isReplacement && mayUpsert && !entityType.key.some(({ computed }) => computed);
  const { profile } = scope.definition;
  const conditions = isReplacement ? replaceConditionsOf(set, profile, mayCreate) : writeConditionsOf(set);
  const creation = { action: "Creating the entity", rules: set.authorization.create };
  const changed = entitySchema(entityType, scope.schemas);
  const options = queryParameters(entityType, capabilities, ["$select", "$expand"]);
  const needsCondition = settings.requireIfMatch;
  const reasons = { isAddressed: true, isWrite: true, isConditional, needsCondition, isEntity: true };
  scope.add({
    method,
    path,
    id: `${name}.${isReplacement ? "replace" : "patch"}`,
    tag: along?.tag ?? name,
    summary: `${isReplacement ? "Replace" : "Change"} ${entityAt(place)}`,
    access: {
      ...accessAt(set, "update", place),
      further: mayCreate ? creation : undefined,
      checksRows: set.rows !== null,
    },
    parameters: [...parameters, ...options, ...conditions, PREFER_RETURN],
    requestBody: jsonBody(schema, example),
    responses: {
      200: jsonResponse("The changed entity.", changed, headers),
      ...(mayCreate ? { 201: jsonResponse("The new entity.", changed, { ...LOCATION_HEADER, ...headers }) } : {}),
      204: emptyResponse("The entity is changed; the client prefers no content.", headers),
      ...errorResponses({ ...reasons, body: bodyLimit(settings) }),
    },
  });
}

function addDelete(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace): void {
  const { name, path, key: parameters } = place;
  const isConditional = hasConditions(set);
  scope.add({
    method: "DELETE",
    path,
    id: `${name}.delete`,
    tag: place.along?.tag ?? name,
    summary: `Delete an entity of ${name}`,
    access: accessAt(set, "delete", place),
    parameters: [...parameters, ...writeConditionsOf(set)],
    responses: {
      204: emptyResponse("The entity is deleted."),
      ...errorResponses({
        isAddressed: true,
        isWrite: true,
        isConditional,
        needsCondition: set.settings.requireIfMatch,
      }),
    },
  });
}

/** A property of the entities of a set, with the common parts of its routes. */
export interface MemberScope<Member extends { readonly name: string }> {
  readonly scope: ServiceScope;
  readonly set: EntitySetDefinition;
  readonly member: Member;
  /** The name of the set or of the singleton. */
  readonly name: string;
  /** The path below the prefix. */
  readonly path: string;
  readonly key: readonly DocumentObject[];
}

/** The path of an entity, with the path of its properties below it. */
export function memberScopes<Member extends { readonly name: string }>(
  scope: ServiceScope,
  set: EntitySetDefinition,
  { name, path: owner, key }: EntityPlace,
  members: Iterable<Member>,
): ReadonlyArray<MemberScope<Member>> {
  return Array.from(members, (member) => {
    return { scope, set, member, name, path: `${owner}/${encodeURIComponent(member.name)}`, key };
  });
}

/**
 * Adds an operation with the common parts of a property.
 * @param below the rest of the path after the name of the property
 */
export function addMemberOperation(
  { scope, member, name, path, key }: MemberScope<{ readonly name: string }>,
  operation: Omit<OperationDescription, "path" | "tag">,
  below = "",
): void {
  scope.add({
    ...operation,
    path: path + below,
    id: `${name}.${member.name}.${operation.id}`,
    tag: name,
    parameters: [...key, ...(operation.parameters ?? [])],
  });
}

/** Returns the rules for creating entities. With a row rule, only an authenticated user can see the new entity. */
function creationAccessOf(set: EntitySetDefinition): RequestRules {
  const access = accessOf(set, "create");
  return set.rows === null ? access : { ...access, rules: [...access.rules, { kind: "authenticated" }] };
}
