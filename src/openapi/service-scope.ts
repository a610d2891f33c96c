import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySetRouteMethods, ServiceDescription } from "../definition/service-description.ts";
import { type Access, describeAccess, refusalsOf } from "./access.ts";
import type { DocumentObject, PathItem } from "./open-api-document.ts";
import { errorReferences } from "./responses.ts";
import { SchemaRegistry } from "./schema-registry.ts";
import { securitySchemesOf } from "./security.ts";

/** What the services of a document fill together. */
export interface DocumentParts {
  readonly paths: Map<string, PathItem>;
  readonly schemas: Map<string, DocumentObject>;
  /** Those by which some operation is called. */
  readonly securitySchemes: Map<string, DocumentObject>;
  readonly operationIds: Set<string>;
  /** Whether all services have the same address; if not, each operation states its own. */
  readonly hasOneUrl: boolean;
}

/** One operation of a path, without what every operation of its service has. */
export interface OperationDescription {
  /** `GET`, and so on. */
  readonly method: string;
  /** Below the prefix: empty, or begins with a slash. */
  readonly path: string;
  /** Names it in generated clients. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly access: Access;
  readonly parameters?: readonly DocumentObject[];
  readonly requestBody?: DocumentObject | undefined;
  /** By status, without those of who may not call it. */
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
    const { method, path, id, tag, summary, access, parameters = [], requestBody, responses } = operation;
    const address = this.definition.prefix + path;
    const item = this.#parts.paths.get(address) ?? {};
    const refusals = refusalsOf(this.definition, access, { method, parameters: parameters.map(({ name }) => name) });
    const refused = [
      ...(refusals.unauthorized ? [401 as const] : []),
      ...(refusals.forbidden ? [403 as const] : []),
      ...(this.definition.profile.unsupportedCode === null ? [] : [501 as const]),
    ];
    const description: DocumentObject = {
      operationId: this.#uniqueId(id),
      tags: [this.tag(tag)],
      summary,
      description: describeAccess(this.definition, access),
      parameters: parameters.length === 0 ? undefined : parameters,
      requestBody,
      responses: { ...responses, ...errorReferences(refused) },
      security: this.#security(refusals.needsUser),
      servers: this.#parts.hasOneUrl ? undefined : [{ url: this.definition.publicUrl ?? "/" }],
    };
    this.#parts.paths.set(address, { ...item, [method.toLowerCase()]: description });
  }

  /**
   * Each scheme is enough. Where no user is needed, none is: the list is empty where nothing looks at credentials, and
   * has the empty requirement where handlers may look at who calls.
   */
  #security(needsUser: boolean): readonly DocumentObject[] {
    const { authenticate, challenge } = this.definition;
    if (!needsUser && authenticate === undefined) return [];
    const schemes = Object.entries(securitySchemesOf(challenge));
    for (const [name, scheme] of schemes) this.#parts.securitySchemes.set(name, scheme);
    return [...schemes.map(([name]) => ({ [name]: [] })), ...(needsUser ? [] : [{}])];
  }

  #uniqueId(id: string): string {
    const { operationIds } = this.#parts;
    let unique = this.#label + id;
    for (let count = 2; operationIds.has(unique); count++) unique = `${this.#label}${id}.${String(count)}`;
    operationIds.add(unique);
    return unique;
  }
}
