import { ConfigurationError } from "../../base/errors/configuration-error.ts";
import {
  type ServiceDefinition,
  descriptionOf,
  type ServiceDescription,
  type BatchDefinition,
  type EntitySetDefinition,
  type SingletonDefinition,
} from "../../definition/model/service-definition.ts";
import { checkOptions, describe as describeValue, isObject, type OptionTable } from "../../definition/option-table.ts";
import { fullDescription } from "../../edm/annotation.ts";
import { isPublished } from "../../edm/model.ts";
import { checkInfo, INFO_OPTIONS, type OpenApiInfo, type OpenApiServer, serversOf } from "./document-info.ts";
import {
  addEntityPaths,
  addEntitySetPaths,
  type EntityPlace,
  placeInSet,
  placeOfSingleton,
} from "./entity-set-paths.ts";
import { addNavigationPaths } from "./navigation-paths.ts";
import type { DocumentObject, OpenApiDocument, PathItem } from "./open-api-document.ts";
import { addBoundOperations, addUnboundOperations, UNBOUND_TAG } from "./operation-paths.ts";
import { addPropertyPaths } from "./property-paths.ts";
import { addEntityById, addEntityReference, addSetReferences } from "./reference-paths.ts";
import {
  ERROR_SCHEMA,
  ERROR_SCHEMA_NAME,
  errorComponents,
  errorResponses,
  jsonResponse,
  rawResponse,
  errorReferences,
} from "./responses.ts";
import { type RequestRules, type DocumentParts, ServiceScope } from "./service-scope.ts";
import { addStreamPaths } from "./stream-paths.ts";
import { componentName, objectSchema } from "./value-schemas.ts";

/** A service that `openApiDocument` describes: the result of `odataService`. */
export interface DescribedService {
  readonly name: string | undefined;
  readonly prefix: string;
  readonly group: string | undefined;
}

/** The options of `openApiDocument`. */
export interface OpenApiOptions extends OpenApiInfo {
  /** Describes only the services of this group. */
  readonly group?: string | undefined;
}

const OPTIONS: OptionTable<keyof OpenApiOptions> = Object.freeze({ ...INFO_OPTIONS, group: { kind: "text" } });

/** The name of a service without a name, and the tag of its routes without a set. */
const UNNAMED = "Default";
const SERVICE_TAG = "Service";

/**
 * Describes services in OpenAPI 3.1: their routes with parameters, request bodies and responses.
 * @param services one or several results of `odataService`
 * @param options the group of services, and the title, version and servers of the document
 * @throws ConfigurationError for a value that is not a service, services with the same prefix or name, a group without
 *   services, and unknown options
 * @see docs/reference/openapi.md
 */
export function openApiDocument(
  services: DescribedService | readonly DescribedService[],
  options: OpenApiOptions = {},
): OpenApiDocument {
  checkDocumentOptions(options);
  const { group } = options;
  const listed = isSeveral(services) ? services : [services];
  const described = listed.map(describe).filter(({ definition }) => group === undefined || definition.group === group);
  if (described.length === 0) throw nothingOf(group, listed);
  checkDistinct(described.map(({ definition }) => definition));
  return describeServices(described, options);
}

/** Describes services whose descriptions are known. */
export function describeServices(services: readonly ServiceDescription[], stated: OpenApiInfo): OpenApiDocument {
  const { title, servers, hasOneUrl } = headOf(services, stated);
  const parts: DocumentParts = {
    paths: new Map(),
    schemas: new Map(),
    securitySchemes: new Map(),
    operationIds: new Set(),
    hasOneUrl,
  };
  const tags = services.flatMap((service) => addService(service, parts, services.length > 1));
  const document: OpenApiDocument = {
    openapi: "3.1.0",
    info: {
      title,
      version: stated.version ?? "1.0.0",
      description: stated.description ?? "An OData 4.0 service.",
      contact: stated.contact,
      license: stated.license,
    },
    servers,
    tags,
    paths: Object.fromEntries(parts.paths),
    components: {
      schemas: { ...Object.fromEntries(parts.schemas), [ERROR_SCHEMA_NAME]: ERROR_SCHEMA },
      responses: usedResponses(parts.paths),
      securitySchemes: parts.securitySchemes.size === 0 ? undefined : Object.fromEntries(parts.securitySchemes),
    },
  };
  // The document becomes plain JSON without undefined members, which the caller may change.
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

/** The parts of a document that need no description of the services. */
interface DocumentHead {
  readonly title: string;
  readonly servers: readonly OpenApiServer[];
  /** Whether all services have one URL, below which all paths are. */
  readonly hasOneUrl: boolean;
}

/** Returns the head of the document of services. */
export function headOf(services: readonly ServiceDescription[], stated: OpenApiInfo): DocumentHead {
  const urls = new Set(services.map(({ definition }) => definition.publicUrl));
  const hasOneUrl = urls.size === 1 || stated.servers !== undefined;
  const [url = "/"] = hasOneUrl ? urls : [];
  const names = services.map(({ definition: { name, model } }) => name ?? model.namespace);
  return { title: stated.title ?? names.join(", "), servers: serversOf(stated.servers ?? [{ url }]), hasOneUrl };
}

function addService(
  service: ServiceDescription,
  parts: DocumentParts,
  isOneOfSeveral: boolean,
): OpenApiDocument["tags"] {
  const { definition } = service;
  const label = isOneOfSeveral ? `${componentName(definition.name ?? UNNAMED)}.` : "";
  const scope = new ServiceScope(service, parts, label);
  addRoot(scope);
  const sets = [...definition.entitySets.values()].filter(({ entitySet }) => isPublished(entitySet));
  for (const set of sets) {
    addEntitySetPaths(scope, set);
    addSetReferences(scope, set);
    addPathsBelow(scope, set, placeInSet(scope, set));
  }
  const singletons = [...definition.singletons.values()];
  for (const each of singletons) addSingletonPaths(scope, each);
  addUnboundOperations(scope);
  addEntityById(scope, SERVICE_TAG);
  addBatchPath(scope, SERVICE_TAG);
  const own = sets.map(({ entitySet }) => {
    const { name, entityType } = entitySet;
    const text = fullDescription(entitySet) ?? fullDescription(entityType);
    return { name: scope.tag(name), description: text ?? `Entities of ${name}.` };
  });
  const single = singletons.map(({ singleton: { name, entitySet } }) => {
    const text =
      (entitySet.name === name ? fullDescription(entitySet) : undefined) ?? fullDescription(entitySet.entityType);
    return { name: scope.tag(name), description: text ?? `The singleton ${name}.` };
  });
  const listed = [...own, ...single];
  const root = { name: scope.tag(SERVICE_TAG), description: "The service document and the model." };
  const unbound = { name: scope.tag(UNBOUND_TAG), description: "Functions and actions of the service." };
  const shared = definition.operations.size === 0 ? [root] : [root, unbound];
  // A set of that name shares its tag.
  return [...shared.filter(({ name }) => !listed.some((each) => each.name === name)), ...listed];
}

function addSingletonPaths(scope: ServiceScope, definition: SingletonDefinition): void {
  const { name } = definition.singleton.entitySet;
  const set = scope.definition.entitySets.get(name);
  if (set === undefined) throw new Error(`The entity set ${name} has no definition.`);
  const place = placeOfSingleton(definition);
  addEntityPaths(scope, set, place);
  addPathsBelow(scope, set, place);
}

/** Describes the routes below an entity, and the operations of its set. */
function addPathsBelow(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace): void {
  addEntityReference(scope, set, place);
  addNavigationPaths(scope, set, place);
  addPropertyPaths(scope, set, place);
  addStreamPaths(scope, set, place);
  addBoundOperations(scope, set, place);
}

/** Routes without a set have only the rules of the registration. */
const OF_SERVICE: RequestRules = { rules: [] };

function addRoot(scope: ServiceScope): void {
  const refusals = errorResponses({});
  const item = objectSchema(
    undefined,
    { name: { type: "string" }, kind: { type: "string" }, url: { type: "string" } },
    ["name", "url"],
  );
  const listed = { "@odata.context": { type: "string" }, value: { type: "array", items: item } };
  scope.add({
    method: "GET",
    // Both forms are supported; without a prefix, only the form with the slash exists.
    path: scope.definition.prefix === "" ? "/" : "",
    id: "service.read",
    tag: SERVICE_TAG,
    summary: "Read the list of entity sets and operations",
    access: OF_SERVICE,
    responses: { 200: jsonResponse("The service document.", objectSchema(undefined, listed, ["value"])), ...refusals },
  });
  scope.add({
    method: "GET",
    path: "/$metadata",
    id: "service.metadata",
    tag: SERVICE_TAG,
    summary: "Read the model of the service",
    access: OF_SERVICE,
    responses: { 200: rawResponse("The model as CSDL.", "application/xml", { type: "string" }), ...refusals },
  });
}

function usedResponses(paths: ReadonlyMap<string, PathItem>): Readonly<Record<string, DocumentObject>> {
  const text = JSON.stringify([...paths.values()]);
  const used = Object.entries(errorComponents()).filter(([name]) => text.includes(`"#/components/responses/${name}"`));
  return Object.fromEntries(used);
}

function isSeveral(services: DescribedService | readonly DescribedService[]): services is readonly DescribedService[] {
  return Array.isArray(services);
}

function describe(service: unknown): ServiceDescription {
  const description = typeof service === "object" && service !== null ? descriptionOf(service) : undefined;
  if (description !== undefined) return description;
  const fix = "Pass the result of `odataService(…)` itself, not a copy.";
  throw new ConfigurationError([{ message: "`openApiDocument` received a value that is not a service.", fix }]);
}

/** Rejects unknown options: a misspelt `group` would publish the descriptions of all services. */
function checkDocumentOptions(options: unknown): void {
  const faults = isObject(options)
    ? [...checkOptions(OPTIONS, options, "openApiDocument", {}), ...checkInfo(options, "openApiDocument")]
    : [
        {
          message: `The options of openApiDocument cannot be ${describeValue(options)}.`,
          fix: 'Pass an object, such as { group: "…" }, or omit them.',
        },
      ];
  if (faults.length > 0) throw new ConfigurationError(faults);
}

function nothingOf(group: string | undefined, services: readonly DescribedService[]): ConfigurationError {
  const groups = [...new Set(services.flatMap((each) => (each.group === undefined ? [] : [`"${each.group}"`])))];
  const message =
    group === undefined ? "`openApiDocument` needs at least one service." : `No service has the group "${group}".`;
  const known = groups.length === 0 ? "Give a service a `group`." : `The groups are ${groups.join(", ")}.`;
  const fix = group === undefined ? "Pass the result of `odataService(…)`." : known;
  return new ConfigurationError([{ message, fix }]);
}

/** Checks that the services of a document have different prefixes and names. */
function checkDistinct(definitions: readonly ServiceDefinition[]): void {
  const faults = definitions.flatMap((definition, index) =>
    definitions.slice(0, index).flatMap(({ name, prefix }) => [
      ...(prefix === definition.prefix
        ? [
            {
              route: prefix === "" ? "/" : prefix,
              message: "Two services have the same prefix.",
              fix: "Describe each service in its own document.",
            },
          ]
        : []),
      ...(name === definition.name
        ? [{ message: "Two services have the same name, or no name.", fix: "Give each service its own `name`." }]
        : []),
    ]),
  );
  if (faults.length > 0) throw new ConfigurationError(faults);
}

/**
 * Describes `POST /$batch`. The schemas of the formats do not repeat the schemas of the operations in a batch.
 * @param tag the tag of routes without a set
 */
function addBatchPath(scope: ServiceScope, tag: string): void {
  const { batch, defaultSettings } = scope.definition;
  if (batch === null) return;
  const limited = defaultSettings.maxRequestBodyBytes === null && batch.maxParts === null ? [] : ([413] as const);
  scope.add({
    method: "POST",
    path: "/$batch",
    id: "Batch",
    tag,
    summary: "Send several requests in one",
    access: { rules: [] },
    parameters: [PREFER_CONTINUE],
    requestBody: { required: true, content: contentOf(batch, MULTIPART_REQUEST, JSON_REQUEST) },
    responses: {
      200: {
        description: "The responses of the operations, in their order.",
        content: contentOf(batch, MULTIPART_RESPONSE, JSON_RESPONSE),
      },
      ...errorReferences([400, ...limited, 415, 500, 503]),
    },
  });
}

function contentOf(
  { multipart, json }: BatchDefinition,
  asMultipart: DocumentObject,
  asJson: DocumentObject,
): DocumentObject {
  return {
    ...(multipart ? { "multipart/mixed": asMultipart } : {}),
    ...(json ? { "application/json": asJson } : {}),
  };
}

const PREFER_CONTINUE: DocumentObject = {
  name: "Prefer",
  in: "header",
  description: "Whether operations after a failed one are executed.",
  schema: { type: "string", examples: ["continue-on-error"] },
};

const MULTIPART_REQUEST: DocumentObject = {
  schema: { type: "string", description: "Parts of the type application/http, or change sets of such parts." },
  example: [
    "--batch_1",
    "Content-Type: application/http",
    "Content-Transfer-Encoding: binary",
    "",
    "GET $metadata HTTP/1.1",
    "",
    "",
    "--batch_1--",
    "",
  ].join("\r\n"),
};

const MULTIPART_RESPONSE: DocumentObject = {
  schema: { type: "string", description: "Parts of the type application/http, or change sets of such parts." },
};

const TEXT: DocumentObject = { type: "string" };
const HEADERS: DocumentObject = { type: "object", additionalProperties: TEXT };

const JSON_REQUEST: DocumentObject = {
  schema: {
    type: "object",
    properties: {
      requests: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: TEXT,
            method: TEXT,
            url: TEXT,
            atomicityGroup: TEXT,
            dependsOn: { type: "array", items: TEXT },
            headers: HEADERS,
            body: {},
          },
          required: ["id", "method", "url"],
        },
      },
    },
    required: ["requests"],
  },
  example: { requests: [{ id: "1", method: "get", url: "$metadata" }] },
};

const JSON_RESPONSE: DocumentObject = {
  schema: {
    type: "object",
    properties: {
      responses: {
        type: "array",
        items: {
          type: "object",
          properties: { id: TEXT, atomicityGroup: TEXT, status: { type: "integer" }, headers: HEADERS, body: {} },
          required: ["id", "status"],
        },
      },
    },
    required: ["responses"],
  },
};
