import { checkOptions, describe as describeValue, isObject, type OptionTable } from "../definition/option-table.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import { descriptionOf, type ServiceDescription } from "../definition/service-description.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import type { Access } from "./access.ts";
import { checkInfo, INFO_OPTIONS, type OpenApiInfo, serversOf } from "./document-info.ts";
import { addEntitySetPaths } from "./entity-set-paths.ts";
import { addNavigationPaths } from "./navigation-paths.ts";
import type { DocumentObject, OpenApiDocument, PathItem } from "./open-api-document.ts";
import { addBoundOperations, addUnboundOperations, UNBOUND_TAG } from "./operation-paths.ts";
import { addPropertyPaths } from "./property-paths.ts";
import {
  ERROR_SCHEMA,
  ERROR_SCHEMA_NAME,
  errorComponents,
  errorResponses,
  jsonResponse,
  rawResponse,
} from "./responses.ts";
import { componentName } from "./schema-registry.ts";
import { type DocumentParts, ServiceScope } from "./service-scope.ts";
import { objectSchema } from "./value-schemas.ts";

/** What `openApiDocument` describes: what `odataService` returns. */
export interface DescribedService {
  readonly name: string | undefined;
  readonly prefix: string;
  readonly group: string | undefined;
}

/** What of several services a document tells, and what it says of itself. */
export interface OpenApiOptions extends OpenApiInfo {
  /** Only services of this group. */
  readonly group?: string | undefined;
}

const OPTIONS: OptionTable<keyof OpenApiOptions> = Object.freeze({ ...INFO_OPTIONS, group: { kind: "text" } });

/** Stands in for the name of a service that has none, and begins the tag of what belongs to no set. */
const UNNAMED = "Default";
const SERVICE_TAG = "Service";

/**
 * Describes services as OpenAPI 3.1: the routes that they have, with parameters, bodies and answers.
 * @param services what `odataService` returned, one or several
 * @param options which of them, and title, version, servers and the like
 * @throws ConfigurationError for what is no service, for services of one prefix or name, for a group of none, and for
 *   options that there are not
 * @see specification, Generated API descriptions; Versioning, 6
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

/** Describes services that are known to be such. */
export function describeServices(services: readonly ServiceDescription[], stated: OpenApiInfo): OpenApiDocument {
  const urls = new Set(services.map(({ definition }) => definition.publicUrl));
  const hasOneUrl = urls.size === 1 || stated.servers !== undefined;
  const [url = "/"] = hasOneUrl ? urls : [];
  const parts: DocumentParts = {
    paths: new Map(),
    schemas: new Map(),
    securitySchemes: new Map(),
    operationIds: new Set(),
    hasOneUrl,
  };
  const tags = services.flatMap((service) => addService(service, parts, services.length > 1));
  const definitions = services.map(({ definition }) => definition);
  const document: OpenApiDocument = {
    openapi: "3.1.0",
    info: {
      title: stated.title ?? definitions.map(({ name, model }) => name ?? model.namespace).join(", "),
      version: stated.version ?? "1.0.0",
      description: stated.description ?? "An OData 4.0 service.",
      contact: stated.contact,
      license: stated.license,
    },
    servers: serversOf(stated.servers ?? [{ url }]),
    tags,
    paths: Object.fromEntries(parts.paths),
    components: {
      schemas: { ...Object.fromEntries(parts.schemas), [ERROR_SCHEMA_NAME]: ERROR_SCHEMA },
      responses: usedResponses(parts.paths),
      securitySchemes: parts.securitySchemes.size === 0 ? undefined : Object.fromEntries(parts.securitySchemes),
    },
  };
  // What is undefined is not there: who gets the document finds JSON, which is nobody else's.
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
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
  const sets = [...definition.entitySets.values()];
  for (const set of sets) {
    addEntitySetPaths(scope, set);
    addNavigationPaths(scope, set);
    addPropertyPaths(scope, set);
    addBoundOperations(scope, set);
  }
  addUnboundOperations(scope);
  const own = sets.map(({ entitySet: { name, entityType } }) => {
    return { name: scope.tag(name), description: entityType.description ?? `Entities of ${name}.` };
  });
  const root = { name: scope.tag(SERVICE_TAG), description: "The service document and the model." };
  const unbound = { name: scope.tag(UNBOUND_TAG), description: "Functions and actions of the service." };
  const shared = definition.operations.size === 0 ? [root] : [root, unbound];
  // A set of that name shares its tag.
  return [...shared.filter(({ name }) => !own.some((each) => each.name === name)), ...own];
}

/** The rules of the registration are all that hold for what belongs to no set. */
const OF_SERVICE: Access = { rules: [] };

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
    // Both forms are answered; without a prefix there is only the one with the slash.
    path: scope.definition.prefix === "" ? "/" : "",
    id: "service.read",
    tag: SERVICE_TAG,
    summary: "Read which entity sets and operations there are",
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

/** The responses that some path refers to. */
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
  const fix = "Give what `odataService(…)` returns, itself and no copy.";
  throw new ConfigurationError([{ message: "`openApiDocument` got what is no service.", fix }]);
}

/** Untyped code may mistype a group, and would tell everything of every service. */
function checkDocumentOptions(options: unknown): void {
  const faults = isObject(options)
    ? [...checkOptions(OPTIONS, options, "openApiDocument", {}), ...checkInfo(options, "openApiDocument")]
    : [
        {
          message: `openApiDocument got ${describeValue(options)} as options.`,
          fix: 'Give { group: "…" }, or nothing.',
        },
      ];
  if (faults.length > 0) throw new ConfigurationError(faults);
}

function nothingOf(group: string | undefined, services: readonly DescribedService[]): ConfigurationError {
  const groups = [...new Set(services.flatMap((each) => (each.group === undefined ? [] : [`"${each.group}"`])))];
  const message = group === undefined ? "`openApiDocument` got no service." : `No service is of the group "${group}".`;
  const known = groups.length === 0 ? "Give some service a `group`." : `The groups are ${groups.join(", ")}.`;
  const fix = group === undefined ? "Give what `odataService(…)` returns." : known;
  return new ConfigurationError([{ message, fix }]);
}

/** What stands in one document has paths and names of its own. */
function checkDistinct(definitions: readonly ServiceDefinition[]): void {
  const faults = definitions.flatMap((definition, index) =>
    definitions.slice(0, index).flatMap(({ name, prefix }) => [
      ...(prefix === definition.prefix
        ? [
            {
              route: prefix === "" ? "/" : prefix,
              message: "Two services have the same prefix.",
              fix: "Describe each alone.",
            },
          ]
        : []),
      ...(name === definition.name
        ? [{ message: "Two services have the same name, or none.", fix: "Give each registration a name of its own." }]
        : []),
    ]),
  );
  if (faults.length > 0) throw new ConfigurationError(faults);
}
