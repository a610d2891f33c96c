import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySetRouteMethods, ServiceDescription } from "../definition/service-description.ts";
import type { DocumentObject, PathItem } from "./open-api-document.ts";
import { SchemaRegistry } from "./schema-registry.ts";
import { securitySchemeNames } from "./security.ts";

/** What the services of a document fill together. */
export interface DocumentParts {
  readonly paths: Map<string, PathItem>;
  readonly schemas: Map<string, DocumentObject>;
  readonly operationIds: Set<string>;
  /** Whether all services have the same address; if not, each operation states its own. */
  readonly hasOneUrl: boolean;
}

/** One operation of a path, without what every operation of its service has. */
export interface OperationDescription {
  /** `GET`, and so on. */
  readonly method: string;
  /** Below the prefix; begins with a slash. */
  readonly path: string;
  /** Names it in generated clients. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly parameters?: readonly DocumentObject[];
  readonly requestBody?: DocumentObject | undefined;
  /** By status. */
  readonly responses: DocumentObject;
}

/** One service while its routes are put into a document. */
export class ServiceScope {
  readonly definition: ServiceDefinition;
  readonly schemas: SchemaRegistry;
  readonly #service: ServiceDescription;
  readonly #parts: DocumentParts;
  readonly #label: string;

  /** @param label begins all names, where several services share the document; it ends with a dot */
  constructor(service: ServiceDescription, parts: DocumentParts, label: string) {
    this.#service = service;
    this.definition = service.definition;
    this.#parts = parts;
    this.#label = label;
    this.schemas = new SchemaRegistry(parts.schemas, label);
  }

  /** The routes of a set. */
  routesOf({ entitySet }: EntitySetDefinition): EntitySetRouteMethods {
    const routes = this.#service.routes.get(entitySet.name);
    if (routes === undefined) throw new Error(`The entity set ${entitySet.name} has no routes.`);
    return routes;
  }

  /** The tag of a name, which no other service of the document has. */
  tag(name: string): string {
    return this.#label + name;
  }

  /** Adds an operation. */
  add(operation: OperationDescription): void {
    const { method, path, id, tag, summary, parameters = [], requestBody, responses } = operation;
    const address = this.definition.prefix + path;
    const item = this.#parts.paths.get(address) ?? {};
    const description: DocumentObject = {
      operationId: this.#uniqueId(id),
      tags: [this.tag(tag)],
      summary,
      parameters: parameters.length === 0 ? undefined : parameters,
      requestBody,
      responses,
      security: this.#security(),
      servers: this.#parts.hasOneUrl ? undefined : [{ url: this.definition.publicUrl ?? "/" }],
    };
    this.#parts.paths.set(address, { ...item, [method.toLowerCase()]: description });
  }

  /** Signing in is possible, not required, as far as the service itself knows: its handlers decide. */
  #security(): readonly DocumentObject[] | undefined {
    const names = securitySchemeNames(this.definition);
    return names.length === 0 ? undefined : [...names.map((name) => ({ [name]: [] })), {}];
  }

  #uniqueId(id: string): string {
    const { operationIds } = this.#parts;
    let unique = this.#label + id;
    for (let count = 2; operationIds.has(unique); count++) unique = `${this.#label}${id}.${String(count)}`;
    operationIds.add(unique);
    return unique;
  }
}
