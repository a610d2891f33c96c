import type { EntitySetDefinition, EntitySetSettings } from "../../definition/model/service-definition.ts";
import { fullDescription } from "../../edm/annotation.ts";
import {
  type EntityType,
  isPublished,
  type Operation,
  type OperationParameter,
  type ReturnType,
} from "../../edm/model.ts";
import type { Capabilities } from "../../language/query/capabilities.ts";
import { collectionSchema } from "./collection-schema.ts";
import { bodyLimit, type EntityPlace, pathOf } from "./entity-set-paths.ts";
import { exampleOf } from "./examples.ts";
import type { DocumentObject } from "./open-api-document.ts";
import { conditionsOf, PREFER_PAGE_SIZE, PREFER_RETURN, queryParameters, type QueryOption } from "./parameters.ts";
import { emptyResponse, errorResponses, jsonBody, jsonResponse } from "./responses.ts";
import type { RequestRules, ServiceScope } from "./service-scope.ts";
import {
  entitySchema,
  envelope,
  withContext,
  defaultOf,
  objectSchema,
  valueSchema,
  type Valued,
} from "./value-schemas.ts";

/** The query options of a composable function. */
const COMPOSED_OPTIONS: readonly QueryOption[] = [
  "$top",
  "$skip",
  "$filter",
  "$orderby",
  "$select",
  "$expand",
  "$count",
  "$apply",
  "$compute",
];

/** The query options of the result of any other operation, in a profile that shapes it. */
const SHAPING_OPTIONS: readonly QueryOption[] = ["$select", "$expand"];

/** The options that need an envelope. */
const ENVELOPED: ReadonlySet<QueryOption> = new Set(["$count", "$apply", "$compute"]);

/** The tag of unbound operations. */
export const UNBOUND_TAG = "Operations";

/** The route of an operation. */
interface OperationPlace {
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly key: readonly DocumentObject[];
  /** The set of a bound operation; null for an unbound operation. */
  readonly set: EntitySetDefinition | null;
  readonly settings: EntitySetSettings;
  readonly access: RequestRules;
}

/** Describes the operations of a set. The startup check rejects operations with the path of a property. */
export function addBoundOperations(scope: ServiceScope, set: EntitySetDefinition, entity: EntityPlace): void {
  const { settings } = set;
  for (const { operation } of set.operations.values()) {
    const isBoundToEntity = operation.binding?.isCollection === false;
    if (!isBoundToEntity && entity.singleton !== null) continue;
    const owner = isBoundToEntity ? entity.path : pathOf(set);
    const hidesOwn = isBoundToEntity && set.rows !== null;
    const access = { rules: set.authorization.invoke, hidesRows: hidesOwn || returnsGuarded(scope, operation) };
    const place = { tag: entity.name, key: isBoundToEntity ? entity.key : [], set, settings, access };
    const name = encodeURIComponent(operation.name);
    addOperation(scope, operation, { ...place, path: `${owner}/${name}`, id: `${entity.name}.${operation.name}` });
  }
}

/** Describes the unbound operations. */
export function addUnboundOperations(scope: ServiceScope): void {
  const { operations, defaultSettings: settings } = scope.definition;
  for (const { operation, authorization: rules } of operations.values()) {
    const access = { rules, hidesRows: returnsGuarded(scope, operation) };
    const path = `/${encodeURIComponent(operation.name)}`;
    addOperation(scope, operation, {
      path,
      id: operation.name,
      tag: UNBOUND_TAG,
      key: [],
      set: null,
      settings,
      access,
    });
  }
}

/** Returns whether the result contains entities that may be hidden. */
function returnsGuarded({ definition }: ServiceScope, { returnType }: Operation): boolean {
  return [...definition.entitySets.values()].some(
    ({ entitySet, rows }) => rows !== null && entitySet.entityType === returnType?.type,
  );
}

function addOperation(scope: ServiceScope, operation: Operation, place: OperationPlace): void {
  const { path, id, tag, key, set, settings, access } = place;
  const isFunction = operation.kind === "Function";
  const hasBody = !isFunction && operation.parameters.length > 0;
  const isBoundToEntity = operation.binding?.isCollection === false;
  const conditions = !isFunction && isBoundToEntity && set !== null && set !== undefined ? conditionsOf(set) : [];
  const options = resultOptions(scope, operation, set);
  const parameters = isFunction
    ? [...operation.parameters.map((each) => queryParameter(each, scope)), ...options]
    : [...conditions, PREFER_RETURN, ...options];
  const isAddressed = isBoundToEntity;
  const body = hasBody ? bodyLimit(settings) : undefined;
  scope.add({
    method: isFunction ? "GET" : "POST",
    path,
    id,
    tag,
    summary: `${isFunction ? "Call the function" : "Invoke the action"} ${operation.name}`,
    text: fullDescription(operation),
    access,
    parameters: [...key, ...parameters],
    requestBody: hasBody ? jsonBody(bodySchema(operation, scope), argumentsExample(operation.parameters)) : undefined,
    responses: {
      ...resultResponses(scope, operation, set),
      ...errorResponses({ isAddressed, isWrite: !isFunction, isConditional: conditions.length > 0, body }),
    },
  });
}

/** Returns the query options that apply to the entities of a result. */
function resultOptions(
  scope: ServiceScope,
  { isComposable, returnType }: Operation,
  set: EntitySetDefinition | null,
): readonly DocumentObject[] {
  if (returnType === undefined || returnType.type.kind !== "EntityType") return [];
  const type = returnType.type;
  const capabilities = composedCapabilities(scope, type, set);
  if (!isComposable) {
    return scope.definition.profile.resultsTakeSelectExpand ? queryParameters(type, capabilities, SHAPING_OPTIONS) : [];
  }
  if (isEnveloped(scope, type, set)) {
    return [...queryParameters(type, capabilities, COMPOSED_OPTIONS), PREFER_PAGE_SIZE];
  }
  const options = COMPOSED_OPTIONS.filter((option) => !ENVELOPED.has(option));
  return queryParameters(type, { ...capabilities, maxTop: null }, options);
}

/** Returns whether entities of a function have an envelope. Entities of the function's set always have one. */
function isEnveloped({ definition }: ServiceScope, type: EntityType, set: EntitySetDefinition | null): boolean {
  const isOwn = set?.entitySet.entityType === type && set.entitySet.isOfSingleton !== true;
  return definition.profile.resultsEnveloped || isOwn;
}

/** Returns the settings for the entities of a function: the settings of its set, else of the only set of their type. */
function composedCapabilities(
  { definition: { entitySets, defaultCapabilities } }: ServiceScope,
  type: EntityType,
  set: EntitySetDefinition | null,
): Capabilities {
  const published = [...entitySets.values()].filter(({ entitySet }) => isPublished(entitySet));
  if (set?.entitySet.entityType === type && published.includes(set)) return set.capabilities;
  const [home, ...others] = published.filter(({ entitySet }) => entitySet.entityType === type);
  return others.length === 0 ? (home?.capabilities ?? defaultCapabilities) : defaultCapabilities;
}

/** Describes a parameter of a function: JSON for a collection or a complex value. */
function queryParameter(parameter: OperationParameter, scope: ServiceScope): DocumentObject {
  const { name, type, isCollection, nullable } = parameter;
  const schema = { ...valueSchema({ ...parameter, nullable: nullable && isCollection }, "body", scope.schemas) };
  const required = isRequired(parameter);
  const shown = { ...schema, default: defaultOf(parameter) };
  const text = fullDescription(parameter);
  if (!isCollection && type.kind !== "ComplexType") {
    return { name, in: "query", required, ...(text === undefined ? {} : { description: text }), schema: shown };
  }
  const description = text === undefined ? "As JSON." : `${text}\n\nAs JSON.`;
  return { name, in: "query", required, description, content: { "application/json": { schema } } };
}

function isRequired({ nullable, isCollection, defaultValue }: OperationParameter): boolean {
  return defaultValue === undefined && (isCollection || !nullable);
}

function bodySchema({ parameters }: Operation, { schemas }: ServiceScope): DocumentObject {
  const members = parameters.map((each) => {
    const text = fullDescription(each);
    const described = text === undefined ? {} : { description: text };
    return [each.name, { ...valueSchema(each, "body", schemas), ...described, default: defaultOf(each) }] as const;
  });
  return objectSchema(
    undefined,
    Object.fromEntries(members),
    parameters.filter(isRequired).map(({ name }) => name),
  );
}

function resultResponses(scope: ServiceScope, operation: Operation, set: EntitySetDefinition | null): DocumentObject {
  const { returnType } = operation;
  const nothing = emptyResponse(returnType === undefined ? "The operation succeeded." : "The result is null.");
  if (returnType === undefined) return { 204: nothing };
  return { 200: jsonResponse("The result.", resultSchema(scope, operation, returnType, set)), 204: nothing };
}

/**
 * Returns the schema of a result. Entities of the set and primitive values of bound operations always have an envelope;
 * other results have an envelope if the profile requires it.
 */
function resultSchema(
  scope: ServiceScope,
  { binding, isComposable }: Operation,
  returns: ReturnType,
  set: EntitySetDefinition | null,
): DocumentObject {
  const { type, isCollection } = returns;
  const { schemas, definition } = scope;
  const { resultsEnveloped } = definition.profile;
  if (isValued(returns)) {
    // Null is returned without content.
    const value = valueSchema({ ...returns, nullable: returns.nullable && isCollection }, "answer", schemas);
    const isSingle = !isCollection && type.kind === "PrimitiveType";
    if (resultsEnveloped && !isCollection && type.kind === "ComplexType") return withContext(value);
    return resultsEnveloped || (binding !== undefined && isSingle) ? envelope({ value }) : value;
  }
  if (type.kind !== "EntityType") throw new Error("A result without a value type must be an entity.");
  if (!isCollection) return entitySchema(type, schemas);
  if (!isEnveloped(scope, type, set)) return { type: "array", items: entitySchema(type, schemas) };
  return collectionSchema(type, schemas, isComposable ? composedCapabilities(scope, type, set) : {});
}

/** Returns the arguments of an action. */
function argumentsExample(parameters: readonly OperationParameter[]): DocumentObject {
  return Object.fromEntries(parameters.map((each) => [each.name, exampleOf(each)]));
}

/** A result other than entities. */
function isValued(returns: ReturnType): returns is ReturnType & Valued {
  return returns.type.kind !== "EntityType";
}
