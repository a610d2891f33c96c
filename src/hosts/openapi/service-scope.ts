import { assertNever } from "../../base/required.ts";
import type {
  EntitySetDefinition,
  ServiceDefinition,
  EntitySetRouteMethods,
  ServiceDescription,
} from "../../definition/model/service-definition.ts";
import type { AuthorizationRequirement, Category } from "../../definition/sets/authorization.ts";
import type { DocumentObject, PathItem } from "./open-api-document.ts";
import { errorReferences } from "./responses.ts";
import { SchemaRegistry, componentName } from "./value-schemas.ts";

/** The parts of a document that its services share. */
export interface DocumentParts {
  readonly paths: Map<string, PathItem>;
  readonly schemas: Map<string, DocumentObject>;
  /** The security schemes that operations use. */
  readonly securitySchemes: Map<string, DocumentObject>;
  readonly operationIds: Set<string>;
  /** Whether all services have the same servers; otherwise each operation states its servers. */
  readonly hasOneUrl: boolean;
}

/** One operation of a path, without the common parts of its service. */
export interface OperationDescription {
  /** The method, such as `GET`. */
  readonly method: string;
  /** The path below the prefix: empty, or with a leading slash. */
  readonly path: string;
  /** The name of the operation in generated clients. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** The description of the operation by the application. */
  readonly text?: string | undefined;
  readonly access: RequestRules;
  readonly parameters?: readonly DocumentObject[];
  readonly requestBody?: DocumentObject | undefined;
  /** Whether the body contains the query options of a read. */
  readonly sendsOptions?: boolean;
  /** The responses by status, except 401 and 403. */
  readonly responses: DocumentObject;
}

/** One service while its routes are added to a document. */
export class ServiceScope {
  readonly definition: ServiceDefinition;
  readonly schemas: SchemaRegistry;
  readonly #service: ServiceDescription;
  readonly #parts: DocumentParts;
  readonly #label: string;

  /** @param label the prefix of all names, with a trailing dot, if several services share the document */
  constructor(service: ServiceDescription, parts: DocumentParts, label: string) {
    this.#service = service;
    this.definition = service.definition;
    this.#parts = parts;
    this.#label = label;
    this.schemas = new SchemaRegistry(parts.schemas, label);
  }

  /** Returns the routes of a set. */
  routesOf({ entitySet }: EntitySetDefinition): EntitySetRouteMethods {
    const routes = this.#service.routes.get(entitySet.name);
    if (routes === undefined) throw new Error(`The entity set ${entitySet.name} has no routes.`);
    return routes;
  }

  /** Returns the tag for a name, unique in the document. */
  tag(name: string): string {
    return this.#label + name;
  }

  add(operation: OperationDescription): void {
    const { method, path, id, tag, summary, text, access, parameters = [], requestBody, responses } = operation;
    const { sendsOptions = false } = operation;
    const address = this.definition.prefix + path;
    const item = this.#parts.paths.get(address) ?? {};
    const asRead = { method: "GET", parameters: ["$filter"] };
    const sent = { method, parameters: parameters.map(({ name }) => name) };
    const refusals = refusalsOf(this.definition, access, sendsOptions ? asRead : sent);
    const refused = [
      ...(refusals.unauthorized ? [401 as const] : []),
      ...(refusals.forbidden ? [403 as const] : []),
      ...(this.definition.profile.unsupportedCode === null ? [] : [501 as const]),
    ];
    const rules = describeAccess(this.definition, access);
    const description: DocumentObject = {
      operationId: this.#uniqueId(id),
      tags: [this.tag(tag)],
      summary,
      description: [text, rules].filter((each) => each !== undefined).join("\n\n") || undefined,
      parameters: parameters.length === 0 ? undefined : parameters,
      requestBody,
      responses: { ...responses, ...errorReferences(refused) },
      security: this.#security(refusals.needsUser),
      servers: this.#parts.hasOneUrl ? undefined : [{ url: this.definition.publicUrl ?? "/" }],
    };
    this.#parts.paths.set(address, { ...item, [method.toLowerCase()]: description });
  }

  /**
   * Returns the alternative security requirements. The list is empty if the service has no authentication. It contains the
   * empty requirement if requests may be anonymous.
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

/** The schemes of the IANA HTTP Authentication Scheme Registry, for the OpenAPI type `http`. */
const REGISTERED: ReadonlySet<string> = new Set([
  "basic",
  "bearer",
  "concealed",
  "digest",
  "dpop",
  "gnap",
  "hoba",
  "mutual",
  "negotiate",
  "oauth",
  "privatetoken",
  "scram-sha-1",
  "scram-sha-256",
  "vapid",
]);

/** A name, optionally with a quoted or unquoted value; or a comma. */
const PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+)))?|,|"(?:[^"\\]|\\.)*"/g;

/** One challenge of a WWW-Authenticate header. */
interface Challenge {
  readonly scheme: string;
  /** By lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Returns the authentication schemes of a service by their names in the document. An unknown scheme becomes a key in the
 * header or cookie that its parameter `header` or `cookie` names, or in the Authorization header.
 * @param challenge the WWW-Authenticate header of the service
 * @see RFC 9110, section 11.6.1; OpenAPI Specification 3.1, Security Scheme Object
 */
function securitySchemesOf(challenge: string): Readonly<Record<string, DocumentObject>> {
  const challenges = challengesOf(challenge);
  // A challenge without a known scheme still means that credentials are used.
  const listed =
    challenges.length === 0 ? [{ scheme: "authorization", parameters: new Map<string, string>() }] : challenges;
  return Object.fromEntries(listed.map(schemeOf));
}

function schemeOf({ scheme, parameters }: Challenge): readonly [string, DocumentObject] {
  if (REGISTERED.has(scheme)) return [componentName(scheme), { type: "http", scheme }];
  const header = parameters.get("header");
  const cookie = parameters.get("cookie");
  const place = header === undefined && cookie !== undefined ? "cookie" : "header";
  const name = header ?? cookie ?? "Authorization";
  // Services of one document may expect keys in different places.
  return [componentName(`${scheme}.${name}`), { type: "apiKey", in: place, name }];
}

function challengesOf(text: string): readonly Challenge[] {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  let isFirst = true;
  for (const [part, name, quoted, plain] of text.matchAll(PART)) {
    const value = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
    if (name !== undefined && value !== undefined) challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
    // Parameters follow their scheme; a comma separates schemes.
    else if (name !== undefined && isFirst) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    isFirst = part === ",";
  }
  return challenges;
}

/** The rules for a request, in addition to the rules of the registration. */
export interface RequestRules {
  /** The rules for every request. */
  readonly rules: readonly AuthorizationRequirement[];
  /** The rules for some requests. */
  readonly further?: FurtherRules | undefined;
  /** Whether rows may be hidden from the user. */
  readonly hidesRows?: boolean;
  /** Whether a write is refused if the user cannot see the written entity; anonymous users never can. */
  readonly checksRows?: boolean;
}

/** Rules for some of the requests to a route. */
interface FurtherRules {
  /** The action of these requests, such as `Creating nested entities`. */
  readonly action: string;
  readonly rules: readonly AuthorizationRequirement[];
}

/** The refusals of a route that depend on the user. */
interface Refusals {
  /** Whether every request needs a user. */
  readonly needsUser: boolean;
  /** Whether a request may receive 401. */
  readonly unauthorized: boolean;
  /** Whether a request may receive 403. */
  readonly forbidden: boolean;
}

/** Parameters with expressions, which may name other sets. */
const EXPRESSIONS: ReadonlySet<unknown> = new Set(["$filter", "$orderby", "$expand"]);

/** Returns the rules for requests of a category. @param target the target set of a navigation */
export function accessOf(set: EntitySetDefinition, category: Category, target?: EntitySetDefinition): RequestRules {
  return {
    rules: set.authorization[category],
    hidesRows: set.rows !== null || (target !== undefined && target.rows !== null),
  };
}

/** Returns the rules for reading a collection: row rules apply instead of `resource` rules. */
export function collectionAccessOf(set: EntitySetDefinition): RequestRules {
  const { rules, ...access } = accessOf(set, "read");
  return { ...access, rules: rules.map(withoutEntity) };
}

/**
 * Returns the rules for requests along a navigation: the rules of the set that declares it, and of its target set.
 * @param category the category for the set that declares the navigation
 * @param along the category for the target set
 */
export function accessAlong(
  set: EntitySetDefinition,
  navigation: string,
  { category, along, target }: AccessAlong,
): RequestRules {
  const { rules, ...access } = accessOf(set, category, target);
  const asked = set.navigationAuthorization.get(navigation)?.target;
  const related = asked === undefined ? [] : along.flatMap((each) => asked[each]);
  return { ...access, rules: [...rules, ...related.map(withoutEntity)] };
}

/** Requests along a navigation. */
interface AccessAlong {
  readonly category: Category;
  readonly along: readonly Category[];
  /** The target set; undefined if the navigation names none. */
  readonly target: EntitySetDefinition | undefined;
}

/** Replaces rules that need an entity for requests that address none: such a rule then only needs a user. */
function withoutEntity(rule: AuthorizationRequirement): AuthorizationRequirement {
  if (rule.kind === "anyOf") return { kind: "anyOf", rules: rule.rules.map(withoutEntity) };
  return rule.kind === "resource" ? { kind: "authenticated" } : rule;
}

/**
 * Returns how a route may refuse requests.
 * @param method the method of the route
 * @param parameters the names of its parameters
 * @see docs/guides/authorization.md
 */
function refusalsOf(
  definition: ServiceDefinition,
  { rules, further, checksRows = false }: RequestRules,
  { method, parameters }: { readonly method: string; readonly parameters: readonly unknown[] },
): Refusals {
  const always = [...definition.authorization, ...rules];
  const named = parameters.some((name) => EXPRESSIONS.has(name))
    ? [...definition.entitySets.values()].flatMap(({ authorization }) => authorization.read.map(withoutEntity))
    : [];
  const any = [...always, ...(further?.rules ?? []), ...named];
  const isCrossSite = definition.refusesCrossSiteWrites && method !== "GET";
  return {
    needsUser: always.length > 0,
    // `authenticate` may reject credentials, and handlers may require a user.
    unauthorized: any.length > 0 || checksRows || definition.authenticate !== undefined,
    forbidden: any.some(mayRefuseUser) || checksRows || isCrossSite,
  };
}

function mayRefuseUser(rule: AuthorizationRequirement): boolean {
  return rule.kind === "anyOf" ? rule.rules.every(mayRefuseUser) : rule.kind !== "authenticated";
}

/** Describes the rules for a request; undefined without rules. */
function describeAccess(
  { authorization }: ServiceDefinition,
  { rules, further, hidesRows = false, checksRows = false }: RequestRules,
): string | undefined {
  const required = requirementsOf([...authorization, ...rules]);
  const more = requirementsOf(further?.rules ?? []).filter((each) => !required.includes(each) && each !== USER);
  const sentences = [
    ...(required.length === 0 ? [] : [`Requires ${required.join(", and ")}.`]),
    ...(further === undefined || more.length === 0 ? [] : [`${further.action} requires ${more.join(", and ")}.`]),
    ...(hidesRows ? ["The result excludes rows that the user may not see."] : []),
    ...(checksRows ? ["The user must be able to see the written entity."] : []),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

const USER = "a user";

/** Describes the requirements of rules. `a user` is omitted if another requirement implies it. */
function requirementsOf(rules: readonly AuthorizationRequirement[]): readonly string[] {
  if (rules.length === 0) return [];
  const demanding = [...new Set(rules.filter(mayRefuseUser).map(wordsOf))];
  return demanding.length === 0 ? [USER] : demanding;
}

function wordsOf(rule: AuthorizationRequirement): string {
  switch (rule.kind) {
    case "authenticated":
      return USER;
    case "role":
      return `the role ${codeOf(rule.name)}`;
    case "resource":
      return "a check of the entity";
    case "anyOf":
      return [...new Set(rule.rules.map(wordsOf))].join(" or ");
    default:
      return assertNever(rule);
  }
}

/** Formats a string as a code span of Markdown. @see CommonMark, Code spans */
function codeOf(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
