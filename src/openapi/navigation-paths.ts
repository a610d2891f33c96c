import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { NavigationRouteMethods } from "../definition/service-description.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import { bodyLimit, countResponse, pathOf } from "./entity-set-paths.ts";
import type { DocumentObject } from "./open-api-document.ts";
import {
  CONDITIONS,
  PREFER_PAGE_SIZE,
  PREFER_RETURN,
  keyParameterNames,
  keyTemplate,
  queryParameters,
  type QueryOption,
} from "./parameters.ts";
import { emptyResponse, errorResponses, jsonBody, jsonResponse, LOCATION_HEADER } from "./responses.ts";
import type { OperationDescription, ServiceScope } from "./service-scope.ts";
import { collectionSchema, createSchema, entitySchema, envelope, referenceSchema } from "./structured-schemas.ts";

/** What navigation routes take of the query options, which is less than the sets themselves do. */
const RELATED_OPTIONS: readonly QueryOption[] = ["$top", "$skip", "$orderby", "$select", "$count"];

/** One navigation property of a set, and what its routes have in common. */
interface NavigationScope {
  readonly scope: ServiceScope;
  readonly set: EntitySetDefinition;
  readonly navigation: NavigationProperty;
  readonly routes: NavigationRouteMethods;
  /** Below the prefix. */
  readonly path: string;
  /** The parameters of the key of the parent. */
  readonly key: readonly DocumentObject[];
}

/** Describes the routes along the navigation properties of a set. @see specification, Navigation routes */
export function addNavigationPaths(scope: ServiceScope, set: EntitySetDefinition): void {
  const { navigations } = scope.routesOf(set);
  const { entityType, navigationProperties } = set.entitySet;
  const { predicate, parameters } = keyTemplate(entityType, scope.schemas);
  for (const navigation of navigationProperties.values()) {
    const routes = navigations.get(navigation.name);
    if (routes === undefined) continue;
    const path = `${pathOf(set)}${predicate}/${encodeURIComponent(navigation.name)}`;
    const each: NavigationScope = { scope, set, navigation, routes, path, key: parameters };
    addReads(each);
    if (routes.navigation.has("POST")) addCreate(each);
    addReferences(each);
  }
}

/** Adds an operation with what all along one navigation have. */
function add(
  { scope, set, navigation, path, key }: NavigationScope,
  { method, id, summary, parameters = [], requestBody, responses }: Omit<OperationDescription, "path" | "tag">,
  below = "",
): void {
  scope.add({
    method,
    path: path + below,
    id: `${set.entitySet.name}.${navigation.name}.${id}`,
    tag: set.entitySet.name,
    summary,
    parameters: [...key, ...parameters],
    requestBody,
    responses,
  });
}

/** The parameters of the query options that a route along a navigation takes: those that the target allows. */
function optionsOf({ scope, set, navigation }: NavigationScope, options: readonly QueryOption[]) {
  const { entitySets, defaultCapabilities } = scope.definition;
  const target = set.entitySet.navigationPropertyBindings.get(navigation.name) ?? "";
  return queryParameters(navigation.entityType, entitySets.get(target)?.capabilities ?? defaultCapabilities, options);
}

function addReads(each: NavigationScope): void {
  const { scope, set, navigation, routes } = each;
  const { name, isCollection, entityType } = navigation;
  const refusals = errorResponses(scope.definition, { isAddressed: true });
  const one = entitySchema(entityType, scope.schemas);
  if (routes.navigation.has("GET") && isCollection) {
    const page = jsonResponse("A page of related entities.", collectionSchema(entityType, scope.schemas));
    const parameters = [...optionsOf(each, RELATED_OPTIONS), PREFER_PAGE_SIZE];
    add(each, {
      method: "GET",
      id: "list",
      summary: `Read ${name}`,
      parameters,
      responses: { 200: page, ...refusals },
    });
  } else if (routes.navigation.has("GET")) {
    const responses = {
      200: jsonResponse("The related entity.", one),
      ...(navigation.nullable ? { 204: emptyResponse("There is none.") } : {}),
      ...refusals,
    };
    add(each, {
      method: "GET",
      id: "read",
      summary: `Read ${name}`,
      parameters: optionsOf(each, ["$select"]),
      responses,
    });
  }
  if (routes.navigationCount.has("GET")) {
    const responses = { 200: countResponse(), ...refusals };
    add(each, { method: "GET", id: "count", summary: `Count ${name}`, responses }, "/$count");
  }
  if (routes.relatedEntity.has("GET")) {
    const related = keyTemplate(entityType, scope.schemas, keyParameterNames(set.entitySet.entityType));
    const parameters = [...related.parameters, ...optionsOf(each, ["$select"])];
    const responses = { 200: jsonResponse("The related entity.", one), ...refusals };
    add(
      each,
      { method: "GET", id: "readOne", summary: `Read one of ${name}`, parameters, responses },
      related.predicate,
    );
  }
}

function addCreate(each: NavigationScope): void {
  const { scope, set, navigation } = each;
  const { name, entityType } = navigation;
  const { settings, entitySet } = set;
  const created = createSchema(entityType, givenAlong(entitySet, navigation), scope.schemas);
  add(each, {
    method: "POST",
    id: "create",
    summary: `Create one of ${name}`,
    parameters: [...(entitySet.etag.length > 0 ? CONDITIONS : []), PREFER_RETURN],
    requestBody: jsonBody(created),
    responses: {
      201: jsonResponse("The new entity.", entitySchema(entityType, scope.schemas), LOCATION_HEADER),
      204: emptyResponse("It is created; the client prefers no content.", LOCATION_HEADER),
      ...errorResponses(scope.definition, { ...refusalsOfWrite(set), isEntity: true, body: bodyLimit(settings) }),
    },
  });
}

/** What the parent gives of a related entity that is created along a navigation. */
function givenAlong(entitySet: EntitySet, { name, partner, entityType }: NavigationProperty): ReadonlySet<string> {
  const join = entitySet.navigationJoins.get(name);
  const joined = join?.kind === "direct" ? join.pairs.map(({ related }) => related.name) : [];
  const back = entityType.navigationProperties.find((each) => each.name === partner)?.referentialConstraints ?? [];
  const names = new Set([...joined, ...back.map(({ property }) => property.name)]);
  // What is no property of the wire is asked of nobody.
  return new Set(entityType.properties.map((each) => each.name).filter((each) => names.has(each)));
}

function addReferences(each: NavigationScope): void {
  const { scope, navigation, routes, set } = each;
  const { name, isCollection } = navigation;
  const { reference } = routes;
  const one = referenceSchema(scope.schemas);
  if (reference.has("GET")) {
    const many = envelope({ value: { type: "array", items: one } });
    const responses = {
      200: jsonResponse(
        isCollection ? "References to the related entities." : "The reference.",
        isCollection ? many : one,
      ),
      ...(isCollection ? {} : { 204: emptyResponse("There is none.") }),
      ...errorResponses(scope.definition, { isAddressed: true }),
    };
    const parameters = isCollection ? optionsOf(each, ["$top", "$skip", "$orderby", "$count"]) : [];
    add(each, { method: "GET", id: "readRef", summary: `Read references of ${name}`, parameters, responses }, "/$ref");
  }
  const conditions = set.entitySet.etag.length > 0 ? CONDITIONS : [];
  const done = { 204: emptyResponse("It is done.") };
  for (const method of ["POST", "PUT"] as const) {
    if (!reference.has(method)) continue;
    const summary = method === "POST" ? `Add a link to ${name}` : `Set the link ${name}`;
    const reasons = { ...refusalsOfWrite(set), body: bodyLimit(set.settings) };
    const responses = { ...done, ...errorResponses(scope.definition, reasons) };
    const id = method === "POST" ? "addRef" : "setRef";
    add(each, { method, id, summary, parameters: conditions, requestBody: jsonBody(one), responses }, "/$ref");
  }
  if (!reference.has("DELETE")) return;
  const parameters = [...(isCollection ? [ID_OPTION] : []), ...conditions];
  const responses = { ...done, ...errorResponses(scope.definition, refusalsOfWrite(set)) };
  add(each, { method: "DELETE", id: "removeRef", summary: `Remove a link of ${name}`, parameters, responses }, "/$ref");
}

const ID_OPTION: DocumentObject = {
  name: "$id",
  in: "query",
  required: true,
  description: "The @odata.id of the entity whose link goes.",
  schema: { type: "string" },
};

/** Links are part of the parent, so its ETag guards them. */
function refusalsOfWrite({ entitySet }: EntitySetDefinition) {
  return { isAddressed: true, isWrite: true, isConditional: entitySet.etag.length > 0 };
}
