import type { Context } from "../../definition/context.ts";
import type { NavigationHandlers } from "../../definition/handlers.ts";
import type { EntitySetDefinition, NavigationRouteMethods } from "../../definition/model/service-definition.ts";
import { needsResource, type Category, type AuthorizationRequirement } from "../../definition/sets/authorization.ts";
import { keyHolderOf } from "../../edm/key-holder.ts";
import type { EntitySet, NavigationProperty } from "../../edm/model.ts";
import { linkedNames, withLinks } from "./bound-members.ts";
import { collectionSchema } from "./collection-schema.ts";
import {
  bodyLimit,
  countResponse,
  addMemberOperation,
  addWrites,
  type EntityPlace,
  type MemberScope,
  memberScopes,
} from "./entity-set-paths.ts";
import { createExample, referenceExample } from "./examples.ts";
import type { DocumentObject } from "./open-api-document.ts";
import {
  type NavigationQueryOptions,
  navigationOptions,
  conditionsOf,
  hasConditions,
  PREFER_PAGE_SIZE,
  PREFER_RETURN,
  keyParameterNames,
  keyTemplate,
  queryParameters,
  type QueryOption,
} from "./parameters.ts";
import { emptyResponse, errorResponses, jsonBody, jsonResponse, LOCATION_HEADER, QUERY_BODY } from "./responses.ts";
import { type RequestRules, accessAlong, type ServiceScope } from "./service-scope.ts";
import { createSchema, entitySchema, envelope, referenceSchema } from "./value-schemas.ts";

/** A navigation property of a set, with the common parts of its routes. */
interface NavigationScope extends MemberScope<NavigationProperty> {
  readonly routes: NavigationRouteMethods;
  readonly options: NavigationQueryOptions;
  /** The target set; undefined if the navigation names none. */
  readonly target: EntitySetDefinition | undefined;
}

/** Describes the routes along the navigation properties of a set. @see docs/reference/navigation.md */
export function addNavigationPaths(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace): void {
  const { navigations } = scope.routesOf(set);
  const options = navigationOptions(scope.definition.profile);
  for (const member of memberScopes(scope, set, place, set.entitySet.navigationProperties.values())) {
    const routes = navigations.get(member.member.name);
    if (routes === undefined) continue;
    const binding = set.entitySet.navigationPropertyBindings.get(member.member.name) ?? "";
    const target = scope.definition.entitySets.get(binding);
    const each: NavigationScope = { ...member, routes, options, target };
    addReads(each);
    if (routes.navigation.has("POST")) addCreate(each);
    addReferences(each);
  }
}

/** Returns the parameters for the query options of a route along a navigation that the target set allows. */
function optionsOf({ scope, member: navigation, target }: NavigationScope, options: readonly QueryOption[]) {
  const { defaultCapabilities } = scope.definition;
  return queryParameters(navigation.entityType, target?.capabilities ?? defaultCapabilities, options);
}

/** Returns the rules for reading several related entities. */
function readAccess({ set, member, target }: NavigationScope): RequestRules {
  return accessAlong(set, member.name, { category: "read", along: ["read"], target });
}

/** Returns the rules for reading one related entity, including `resource` rules of the target set. */
function readOneAccess(each: NavigationScope): RequestRules {
  return { ...readAccess(each), further: furtherAlong(each, "Reading the related entity", ["read"]) };
}

/** Returns the rules for creating a related entity. */
function createAccess(each: NavigationScope): RequestRules {
  const { scope, set, member, target } = each;
  const access = accessAlong(set, member.name, { category: "create", along: ["create"], target });
  const isSeen = access.hidesRows === true && scope.definition.handlersCheckingRows.has(handlersOf(each).create);
  return {
    ...access,
    further: furtherAlong(each, "Creating the entity", ["create"]),
    checksRows: isSeen || (target !== undefined && target.rows !== null),
  };
}

/** Returns the rules for writing links. Handlers of the framework also check the changed rows. */
function linkAccess(each: NavigationScope, category: Category, handler: object | undefined): RequestRules {
  const { scope, set, member, target } = each;
  const isChanged = keyHolderOf(set.entitySet, member) === "related";
  const along: readonly Category[] = isChanged ? ["read", "update"] : ["read"];
  const access = accessAlong(set, member.name, { category, along, target });
  return {
    ...access,
    further: furtherAlong(each, "Writing the link", along),
    checksRows: access.hidesRows === true && scope.definition.handlersCheckingRows.has(handler),
  };
}

function furtherAlong({ set, member }: NavigationScope, action: string, categories: readonly Category[]) {
  const rules = judgedAlong(set, member.name, categories);
  return rules.length === 0 ? undefined : { action, rules };
}

function addReads(each: NavigationScope): void {
  const { scope, set, member: navigation, routes, options } = each;
  const { name, isCollection, entityType } = navigation;
  const refusals = errorResponses({ isAddressed: true });
  const one = entitySchema(entityType, scope.schemas);
  if (routes.navigation.has("GET") && isCollection) {
    addPage(each);
  } else if (routes.navigation.has("GET")) {
    const responses = {
      200: jsonResponse("The related entity.", one),
      ...nothingRelated(each),
      ...refusals,
    };
    addMemberOperation(each, {
      method: "GET",
      id: "read",
      summary: `Read ${name}`,
      access: readOneAccess(each),
      parameters: optionsOf(each, options.entity),
      responses,
    });
  }
  if (routes.navigationCount.has("GET")) {
    const responses = { 200: countResponse(), ...refusals };
    const parameters = optionsOf(each, options.count);
    addMemberOperation(
      each,
      { method: "GET", id: "count", summary: `Count ${name}`, access: readAccess(each), parameters, responses },
      "/$count",
    );
  }
  if (routes.relatedEntity.has("GET")) {
    const taken = each.key.length === 0 ? [] : keyParameterNames(set.entitySet.entityType);
    const related = keyTemplate(entityType, scope.schemas, taken);
    const parameters = [...related.parameters, ...optionsOf(each, options.entity)];
    const responses = { 200: jsonResponse("The related entity.", one), ...refusals };
    addMemberOperation(
      each,
      {
        method: "GET",
        id: "readOne",
        summary: `Read one of ${name}`,
        access: readOneAccess(each),
        parameters,
        responses,
      },
      related.predicate,
    );
    if (each.target !== undefined && scope.definition.profile.pathReach === "further") {
      addWrites(scope, each.target, {
        name: `${each.name}.${name}`,
        path: each.path + related.predicate,
        key: [...each.key, ...related.parameters],
        singleton: null,
        along: { tag: each.name, rules: readAccess(each).rules },
      });
    }
  }
}

/** Describes the read of a page. */
function addPage(each: NavigationScope): void {
  const { scope, member } = each;
  const options = optionsOf(each, each.options.collection);
  const applyEnabled = options.some((option) => option["name"] === "$apply");
  const schema = collectionSchema(member.entityType, scope.schemas, { applyEnabled });
  const page = jsonResponse("A page of related entities.", schema);
  addMemberOperation(each, {
    method: "GET",
    id: "list",
    summary: `Read ${member.name}`,
    access: readAccess(each),
    parameters: [...options, PREFER_PAGE_SIZE],
    responses: { 200: page, ...errorResponses({ isAddressed: true }) },
  });
  addQuery(each, page);
}

/** Describes the read of a page with query options in the body. */
function addQuery(each: NavigationScope, page: DocumentObject): void {
  const summary = `Read ${each.member.name}, with the query options in the body`;
  const refusals = errorResponses({ isAddressed: true, body: bodyLimit(each.set.settings) });
  const sent = { parameters: [PREFER_PAGE_SIZE], requestBody: QUERY_BODY, sendsOptions: true };
  const responses = { 200: page, ...refusals };
  addMemberOperation(
    each,
    { method: "POST", id: "query", summary, access: readAccess(each), ...sent, responses },
    "/$query",
  );
}

/** Returns the response of a single-valued navigation without a related entity, if the profile has one. */
function nothingRelated({ scope, member: { isCollection, nullable } }: NavigationScope): DocumentObject {
  const isAnswered = !isCollection && nullable && scope.definition.profile.nullEntityIsEmpty;
  return isAnswered ? { 204: emptyResponse("The navigation has no related entity.") } : {};
}

function addCreate(each: NavigationScope): void {
  const { scope, set, member: navigation, options, target } = each;
  const { name, entityType } = navigation;
  const { settings, entitySet } = set;
  const shaping = options.entity.filter((option) => option !== "$compute");
  const given = givenAlong(entitySet, navigation);
  const linked = target === undefined ? [] : linkedNames(target);
  const own = createSchema(entityType, new Set([...given, ...linked]), scope.schemas);
  const created = target === undefined ? own : withLinks(target, own, scope.schemas);
  const example = createExample({ entityType, entitySet: target?.entitySet ?? null }, given);
  addMemberOperation(each, {
    method: "POST",
    id: "create",
    summary: `Create one of ${name}`,
    access: createAccess(each),
    parameters: [...optionsOf(each, shaping), ...conditionsOf(set), PREFER_RETURN],
    requestBody: jsonBody(created, example),
    responses: {
      201: jsonResponse("The new entity.", entitySchema(entityType, scope.schemas), LOCATION_HEADER),
      204: emptyResponse("The entity is created; the client prefers no content.", LOCATION_HEADER),
      ...errorResponses({ ...refusalsOfWrite(set), isEntity: true, body: bodyLimit(settings) }),
    },
  });
}

/** Returns the properties of a new related entity that the parent determines. */
function givenAlong(entitySet: EntitySet, { name, partner, entityType }: NavigationProperty): ReadonlySet<string> {
  const join = entitySet.navigationJoins.get(name);
  const joined = join?.kind === "direct" ? join.pairs.map(({ related }) => related.name) : [];
  const back = entityType.navigationProperties.find((each) => each.name === partner)?.referentialConstraints ?? [];
  const names = new Set([...joined, ...back.map(({ property }) => property.name)]);
  // Clients do not send ignored properties.
  return new Set(entityType.properties.map((each) => each.name).filter((each) => names.has(each)));
}

function addReferences(each: NavigationScope): void {
  const { scope, member: navigation, routes, set, options } = each;
  const { name, isCollection } = navigation;
  const { reference } = routes;
  if (reference.size === 0) return;
  const one = referenceSchema(scope.schemas);
  if (reference.has("GET")) {
    const many = envelope({ value: { type: "array", items: one } });
    const responses = {
      200: jsonResponse(
        isCollection ? "References to the related entities." : "The reference.",
        isCollection ? many : one,
      ),
      ...nothingRelated(each),
      ...errorResponses({ isAddressed: true }),
    };
    const parameters = isCollection ? optionsOf(each, options.references) : [];
    addMemberOperation(
      each,
      {
        method: "GET",
        id: "readRef",
        summary: `Read references of ${name}`,
        access: isCollection ? readAccess(each) : readOneAccess(each),
        parameters,
        responses,
      },
      "/$ref",
    );
  }
  const conditions = conditionsOf(set);
  const done = { 204: emptyResponse("It is done.") };
  for (const method of ["POST", "PUT"] as const) {
    if (!reference.has(method)) continue;
    const summary = method === "POST" ? `Add a link to ${name}` : `Set the link ${name}`;
    const reasons = { ...refusalsOfWrite(set), body: bodyLimit(set.settings) };
    const responses = { ...done, ...errorResponses(reasons) };
    const id = method === "POST" ? "addRef" : "setRef";
    const access = linkAccess(each, method === "POST" ? "create" : "update", handlersOf(each)[id]);
    addMemberOperation(
      each,
      { method, id, summary, access, parameters: conditions, requestBody: jsonBody(one, linkExample(each)), responses },
      "/$ref",
    );
  }
  if (!reference.has("DELETE")) return;
  const parameters = [...(isCollection ? [idOption(each)] : []), ...conditions];
  const responses = { ...done, ...errorResponses(refusalsOfWrite(set)) };
  const access = linkAccess(each, "update", handlersOf(each).removeRef);
  addMemberOperation(
    each,
    { method: "DELETE", id: "removeRef", summary: `Remove a link of ${name}`, access, parameters, responses },
    "/$ref",
  );
}

/** Returns an example reference; undefined without a target set, because handlers then define references. */
function linkExample({ target }: NavigationScope): DocumentObject | undefined {
  return target === undefined ? undefined : { "@odata.id": referenceExample(target.entitySet) };
}

function idOption({ target }: NavigationScope): DocumentObject {
  return {
    name: "$id",
    in: "query",
    required: true,
    description: "The @odata.id of the entity to unlink.",
    schema: { type: "string", examples: target === undefined ? undefined : [referenceExample(target.entitySet)] },
  };
}

function handlersOf({ set, member }: NavigationScope): NavigationHandlers<Context> {
  return set.navigationHandlers.get(member.name) ?? {};
}

/** Links belong to the parent entity, so its ETag applies. */
function refusalsOfWrite(set: EntitySetDefinition) {
  return { isAddressed: true, isWrite: true, isConditional: hasConditions(set) };
}

/** Returns the rules along a navigation for one category that need a loaded entity. */
function judgedAlong(
  set: EntitySetDefinition,
  navigation: string,
  categories: readonly Category[],
): readonly AuthorizationRequirement[] {
  const asked = set.navigationAuthorization.get(navigation)?.target;
  const rules = asked === undefined ? [] : categories.flatMap((each) => asked[each]);
  return rules.some(needsResource) ? rules : [];
}
