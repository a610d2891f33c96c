import { BoundedCache } from "../base/bounded-cache.ts";
import { chain, isPromiseLike, type Maybe } from "../base/maybe.ts";
import { isStandardPath } from "../binder/is-standard-path.ts";
import { resolvePath } from "../binder/resolve-path.ts";
import { writeCsdlXml } from "../csdl/write-csdl-xml.ts";
import { buildServiceDefinition } from "../definition/build-service-definition.ts";
import type { User } from "../definition/context.ts";
import { type Logger, defaultLogger } from "../definition/logger.ts";
import { requestFields } from "../definition/request-fields.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import {
  describeService,
  type RouteResource,
  type ServiceDescription,
  type ServiceRoute,
} from "../definition/service-description.ts";
import type { ServiceOptions } from "../definition/service-options.ts";
import type { Model } from "../edm/model.ts";
import { authorize, hasRules } from "../endpoints/authorize.ts";
import {
  type Arrival,
  Exchange,
  toIncomingRequest,
  type ServiceRuntime,
  unrestricted,
  type Endpoint,
} from "../endpoints/exchange.ts";
import { readResource } from "../endpoints/read-document.ts";
import { isODataError, protocolError } from "../errors/odata-error.ts";
import { ROW_RULES } from "../execution/gate.ts";
import { answeredValue } from "../execution/handler-answer.ts";
import { checkHost, readBaseUrl, isCrossSiteWrite } from "../http/base-url.ts";
import { fromFetchRequest } from "../http/fetch-request.ts";
import { toFetchResponse } from "../http/fetch-response.ts";
import { readRequestId } from "../http/headers.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { checkMaxVersion, checkRequestVersion, ODATA_VERSION } from "../http/odata-version.ts";
import { sha256Base64 } from "../payload/sha256.ts";
import { tokenSeal } from "../payload/token-seal.ts";
import { hasNavigationRoute } from "../plan/table-navigation.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { EntitySets } from "../sets/entity-sets.ts";
import { parseResourcePath } from "../syntax/path-parser.ts";
import { splitTarget } from "../syntax/query-options-parser.ts";
import { quoteText } from "../syntax/syntax-error.ts";
import { csdlCapabilitiesOf } from "./csdl-capabilities.ts";
import { toEntitySetRuntime } from "./entity-set-runtime.ts";
import { finishResponse } from "./finish-response.ts";
import { handleError, logBrokenResponse } from "./handle-error.ts";
import { describedRoutes, RouteTable, Route } from "./route-table.ts";
import { SchemaGate } from "./schema-gate.ts";

/** The number of query shapes that a service caches: more than the clients of an application usually need. */
const SHAPES_KEPT = 500;
/** The total length of their keys: each character costs about fifty bytes of cache. */
const SHAPE_CHARACTERS = 250_000;

/** A service: the result of `odataService`. */
export interface ODataService {
  readonly name: string | undefined;
  /** Starts with a slash and does not end with one; empty for the root. */
  readonly prefix: string;
  readonly group: string | undefined;
  readonly model: Model;
  readonly logger: Logger;
  /**
   * Compares the declarations with the tables of their databases, once. `serve` awaits it before it listens; otherwise the
   * first request does. With `schemaCheck: false` or without a database, it does nothing.
   * @throws ConfigurationError with every difference; Error if a database cannot be reached
   * @see docs/reference/sql.md
   */
  ready(): Promise<void>;
  /** Handles a Fetch request, for every runtime with the Fetch API. */
  fetch(request: Request): Promise<Response>;
  /** Handles a request of an adapter. Returns a promise only if a handler does. Never throws. */
  handle(request: ODataRequest): ODataResponse | Promise<ODataResponse>;
}

/**
 * Publishes entity sets as one OData service. Later changes of the declarations have no effect.
 * @param options the entity sets of the service, its names, limits and defaults
 * @throws ConfigurationError with all faults of the declarations
 * @see docs/reference/services.md
 */
export function odataService(options: ServiceOptions): ODataService {
  const definition = buildServiceDefinition(options, defaultLogger, ROW_RULES);
  const schemaGate = new SchemaGate(definition, options.schemaCheck ?? "error");
  const runtime = toRuntime(definition, options.secret);
  const routes = new RouteTable(definition);
  const description = Object.freeze({ definition, routes: describedRoutes(routes) });
  const further = openFurtherRoutes(options.routes ?? [], description);
  const handle = (request: ODataRequest): ODataResponse | Promise<ODataResponse> => {
    const id = readRequestId(request);
    const finish = (response: ODataResponse): ODataResponse => finishResponse(request, id, response);
    const fail = (error: unknown): ODataResponse => finish(handleError(definition, request, id, error));
    try {
      const answer = answerRequest(request, id, runtime, { routes, further, schemaGate });
      return isPromiseLike(answer) ? Promise.resolve(answer).then(finish, fail) : finish(answer);
    } catch (error) {
      return fail(error);
    }
  };
  const { name, prefix, group, model, logger } = definition;
  const service: ODataService = {
    name,
    prefix,
    group,
    model,
    logger,
    ready: () => schemaGate.ready(),
    handle,
    fetch: async (request: Request) => {
      const odata = fromFetchRequest(request);
      const response = await handle(odata);
      return toFetchResponse(response, (error) => logBrokenResponse(definition, odata, response, error));
    },
  };
  describeService(service, description);
  return Object.freeze(service);
}

interface ServiceRoutes {
  readonly routes: RouteTable;
  readonly further: FurtherRoutes;
  /** The check that requests for data wait for. */
  readonly schemaGate: SchemaGate;
}

/** Checks a request and passes it to its endpoint. */
function answerRequest(
  request: ODataRequest,
  id: string,
  runtime: ServiceRuntime,
  { routes, further, schemaGate }: ServiceRoutes,
): ODataResponse | PromiseLike<ODataResponse> {
  const { definition } = runtime;
  checkHost(request);
  checkMaxVersion(request.header("odata-maxversion"));
  checkRequestVersion(request.header("odata-version"));
  checkUrlLength(request.target, definition.limits.maxUrlLength);
  const url = splitTarget(request.target);
  if (!isBelowPrefix(url.path, definition.prefix)) throw outsideOfPrefix(url.path, definition.prefix);
  const below = url.path.slice(definition.prefix.length);
  const stated = further.get(below);
  const path = stated?.path ?? pathOf(below, definition.model);
  const route = stated?.route ?? routes.find(path);
  if (request.method === "OPTIONS") return optionsResponse(route.allow);
  const endpoint = route.endpoint(request.method);
  const baseUrl = definition.publicUrl ?? readBaseUrl(request, definition.trustProxy);
  const arrival: Arrival = { odata: request, requestId: id, url, baseUrl };
  if (definition.refusesCrossSiteWrites && isCrossSiteWrite(request, baseUrl)) throw crossSiteWrite();
  if (stated?.isPublic === true) return endpoint.answer(new Exchange(runtime, arrival, unrestricted(null)), path);
  return chain(authenticate(arrival, definition), (user) => {
    const access = runtime.hasRules ? authorize(user, definition, path, endpoint) : unrestricted(user);
    const exchange = new Exchange(runtime, arrival, access);
    if (schemaGate.isOpen || !isOfData(path)) return endpoint.answer(exchange, path);
    const { method } = request;
    return chain(schemaGate.enter(requestFields(definition, { id, method, path: url.path })), () =>
      endpoint.answer(exchange, path),
    );
  });
}

/** Returns whether a path leads to data. The service document, `$metadata` and API descriptions need no database. */
function isOfData(path: ResourcePath): boolean {
  return "entitySet" in path || path.kind === "operationImport";
}

/** Resolves a path. @throws ODataError `NotFound`, marked as unsupported if the standard defines a resource there */
function pathOf(below: string, model: Model): ResourcePath {
  const segments = parseResourcePath(below);
  try {
    return resolvePath(segments, model);
  } catch (error) {
    if (!isODataError(error) || !isStandardPath(segments, model)) throw error;
    throw protocolError("NotFound", error.message, { isUnsupported: true });
  }
}

/** Calls `authenticate` of the application. @throws ODataError that it returned or threw */
function authenticate(arrival: Arrival, { authenticate: findUser }: ServiceDefinition): Maybe<User | null> {
  if (findUser === undefined) return null;
  return chain(findUser(toIncomingRequest(arrival)), (result) => {
    const user = answeredValue(result);
    // JavaScript callers may return `0`, `NaN` or `""` instead of `null`.
    const given: unknown = user;
    return given ? user : null;
  });
}

function crossSiteWrite(): Error {
  return protocolError(
    "Forbidden",
    "The service rejects writes from pages of other sites. Send the request from a page of the same site.",
  );
}

/** The same for all users. */
function optionsResponse(allow: string): ODataResponse {
  return { status: 204, headers: { "OData-Version": ODATA_VERSION, Allow: allow }, body: null };
}

/** Passes the secret only to the seal, because handlers and logs see the definition. */
function toRuntime(definition: ServiceDefinition, secret: ServiceOptions["secret"]): ServiceRuntime {
  const { model, profile } = definition;
  const csdl = writeCsdlXml(model, csdlCapabilitiesOf(definition), profile.listsEveryImport);
  const xml = new TextEncoder().encode(csdl);
  const sets = Array.from(definition.entitySets.values(), (set) => ({
    set,
    runtime: toEntitySetRuntime(definition, set),
  }));
  return {
    definition,
    entitySets: new Map(sets.map(({ set, runtime }) => [set.entitySet, runtime])),
    metadata: { xml, etag: `"${sha256Base64(xml)}"` },
    shapes: new BoundedCache(SHAPES_KEPT, { most: SHAPE_CHARACTERS, weightOf: (key) => key.length }),
    linksOf: (entitySet, name) => {
      const navigation = hasNavigationRoute(definition, entitySet, name);
      return { navigation, association: navigation };
    },
    seal: secret === undefined ? null : tokenSeal(secret),
    hasRules: hasRules(definition),
    sets: new EntitySets(
      definition,
      sets.map(({ set, runtime: { bodies } }) => ({ set, bodies })),
    ),
    warned: new Set(),
  };
}

function checkUrlLength(target: string, maxUrlLength: number | null): void {
  if (maxUrlLength === null || target.length <= maxUrlLength) return;
  throw protocolError(
    "InvalidQueryOption",
    `The URL has ${String(target.length)} characters, but the limit is ${String(maxUrlLength)}. Split the request.`,
  );
}

/** Returns whether a path or a request target is the prefix or below it. */
export function isBelowPrefix(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  const next = path[prefix.length];
  return next === undefined || next === "/" || next === "?" || next === "#";
}

/** @param path the path that the service received, without a mount path that the host removed */
function outsideOfPrefix(path: string, prefix: string): Error {
  return protocolError(
    "NotFound",
    `No resource has the path ${quoteText(path)}. The service is mounted at ${prefix}/.`,
  );
}

/** A route outside the protocol, such as `openapi.json`. */
interface FurtherRoute {
  /** The resource of the protocol for its rules: the root of the service. */
  readonly path: ResourcePath;
  readonly route: Route;
  /** Whether requests skip authentication and authorization. */
  readonly isPublic: boolean;
}

/** The further routes by their raw path below the prefix, with a leading slash. */
type FurtherRoutes = ReadonlyMap<string, FurtherRoute>;

const ROOT: ResourcePath = Object.freeze({ kind: "serviceRoot" });

/**
 * Makes the resources of further routes, once, at startup.
 * @param routes checked routes of the registration
 */
function openFurtherRoutes(routes: readonly ServiceRoute[], service: ServiceDescription): FurtherRoutes {
  const resources = routes.flatMap((route) => route.open(service));
  return new Map(resources.map((resource) => [`/${resource.path}`, toRoute(resource)]));
}

function toRoute(resource: RouteResource): FurtherRoute {
  const etag = `"${sha256Base64(resource.body)}"`;
  const answer: Endpoint = (exchange) => readResource(exchange, resource, etag);
  const route = new Route({ GET: { answer, category: null } });
  return { path: ROOT, route, isPublic: resource.isPublic === true };
}
