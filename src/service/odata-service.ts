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
import { describeService } from "../definition/service-description.ts";
import type { ServiceOptions } from "../definition/service-options.ts";
import type { Model } from "../edm/model.ts";
import { authorize, hasRules } from "../endpoints/authorize.ts";
import { type Arrival, Exchange, toIncomingRequest, type ServiceRuntime, unrestricted } from "../endpoints/exchange.ts";
import { isODataError, protocolError } from "../errors/odata-error.ts";
import { withRowRules } from "../execution/gate.ts";
import { answeredValue } from "../execution/handler-answer.ts";
import { checkHost, readBaseUrl } from "../http/base-url.ts";
import { isCrossSiteWrite } from "../http/cross-site.ts";
import { fromFetchRequest } from "../http/fetch-request.ts";
import { toFetchResponse } from "../http/fetch-response.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { checkMaxVersion, checkRequestVersion, ODATA_VERSION } from "../http/odata-version.ts";
import { readRequestId } from "../http/request-id.ts";
import { sha256Base64 } from "../payload/sha256.ts";
import { tokenSeal } from "../payload/token-seal.ts";
import { hasNavigationRoute } from "../plan/table-navigation.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { EntitySets } from "../sets/entity-sets.ts";
import { parseResourcePath } from "../syntax/path-parser.ts";
import { splitTarget } from "../syntax/query-options-parser.ts";
import { quoteText } from "../syntax/syntax-error.ts";
import { csdlCapabilitiesOf } from "./csdl-capabilities.ts";
import { describedRoutes } from "./described-routes.ts";
import { toEntitySetRuntime } from "./entity-set-runtime.ts";
import { finishResponse } from "./finish-response.ts";
import { openFurtherRoutes, type FurtherRoutes } from "./further-routes.ts";
import { handleError } from "./handle-error.ts";
import { logBrokenResponse } from "./log-failure.ts";
import { RouteTable } from "./route-table.ts";
import { SchemaGate } from "./schema-gate.ts";

/** Query shapes that one service keeps: more than an application's clients commonly use. */
const SHAPES_KEPT = 500;
/** Characters of their keys together: what is kept for a shape grows with its text, at about fifty bytes for each. */
const SHAPE_CHARACTERS = 250_000;

/** One registration, ready to answer. */
export interface ODataService {
  readonly name: string | undefined;
  /** Begins with a slash and does not end with one; empty for the root. */
  readonly prefix: string;
  readonly group: string | undefined;
  readonly model: Model;
  readonly logger: Logger;
  /**
   * Compares the declarations with the tables of their databases, once: `serve` awaits it before it listens, and elsewhere
   * the first request does. It does nothing with `schemaCheck: false` and for a service without a database.
   * @throws ConfigurationError with every difference; Error when a database cannot be reached
   * @see docs/reference/sql.md
   */
  ready(): Promise<void>;
  /** Answers a Fetch request: the door for any runtime that speaks Fetch. */
  fetch(request: Request): Promise<Response>;
  /** Answers a request as an adapter makes it: without a promise where no handler needs one. Never throws. */
  handle(request: ODataRequest): ODataResponse | Promise<ODataResponse>;
}

/**
 * Publishes entity sets as one OData service. All declarations are checked at once; what the service then works on is
 * frozen.
 * @param options the registration: its sets, names, limits and defaults
 * @throws ConfigurationError with every fault of the declarations
 * @see specification, What the service does
 */
export function odataService(options: ServiceOptions): ODataService {
  const declared = buildServiceDefinition(options, defaultLogger);
  const gate = new SchemaGate(declared, options.schemaCheck ?? "error");
  const definition = withRowRules(declared);
  const runtime = toRuntime(definition, options.secret);
  const routes = new RouteTable(definition);
  const description = Object.freeze({ definition, routes: describedRoutes(routes) });
  const further = openFurtherRoutes(options.routes ?? [], description);
  const handle = (request: ODataRequest): ODataResponse | Promise<ODataResponse> => {
    const id = readRequestId(request);
    const finish = (response: ODataResponse): ODataResponse => finishResponse(request, id, response);
    const fail = (error: unknown): ODataResponse => finish(handleError(definition, request, id, error));
    try {
      const answer = answerRequest(request, id, runtime, { routes, further, gate });
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
    ready: () => gate.ready(),
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

/** Where the requests of a service go. */
interface ServiceRoutes {
  readonly routes: RouteTable;
  readonly further: FurtherRoutes;
  /** What requests of data wait for. */
  readonly gate: SchemaGate;
}

/** The way of a request up to its endpoint. @see decisions, Writing (order of checks) */
function answerRequest(
  request: ODataRequest,
  id: string,
  runtime: ServiceRuntime,
  { routes, further, gate }: ServiceRoutes,
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
    if (gate.isOpen || !isOfData(path)) return endpoint.answer(exchange, path);
    const { method } = request;
    return chain(gate.enter(requestFields(definition, { id, method, path: url.path })), () =>
      endpoint.answer(exchange, path),
    );
  });
}

/** Whether a path leads to data: the service document, `$metadata` and descriptions of the API need no database. */
function isOfData(path: ResourcePath): boolean {
  return "entitySet" in path || path.kind === "operationImport";
}

/** The resource of a path. @throws ODataError that tells whether the standard has a resource there */
function pathOf(below: string, model: Model): ResourcePath {
  const segments = parseResourcePath(below);
  try {
    return resolvePath(segments, model);
  } catch (error) {
    if (!isODataError(error) || !isStandardPath(segments, model)) throw error;
    throw protocolError("NotFound", error.message, { isUnsupported: true });
  }
}

/** Asks the application who calls. @throws ODataError that it returned or threw */
function authenticate(arrival: Arrival, { authenticate: ask }: ServiceDefinition): Maybe<User | null> {
  if (ask === undefined) return null;
  return chain(ask(toIncomingRequest(arrival)), (answer) => {
    const user = answeredValue(answer);
    // Untyped code may say in other words that it knows nobody: `Number` of a header that is not there is 0, or NaN.
    const said: unknown = user;
    return said ? user : null;
  });
}

function crossSiteWrite(): Error {
  return protocolError(
    "Forbidden",
    "Writes are not taken from pages of other sites: send this one from the service's own.",
  );
}

/** What a path takes is the same for everybody. */
function optionsResponse(allow: string): ODataResponse {
  return { status: 204, headers: { "OData-Version": ODATA_VERSION, Allow: allow }, body: null };
}

/** The secret goes no further than into the seal: handlers and logs see the definition. */
function toRuntime(definition: ServiceDefinition, secret: ServiceOptions["secret"]): ServiceRuntime {
  const { model, profile } = definition;
  const csdl = writeCsdlXml(model, csdlCapabilitiesOf(definition), profile.listsEveryImport);
  const xml = new TextEncoder().encode(csdl);
  const entitySets = new Map(
    [...definition.entitySets.values()].map((set) => [set.entitySet, toEntitySetRuntime(definition, set)]),
  );
  return {
    definition,
    entitySets,
    metadata: { xml, etag: `"${sha256Base64(xml)}"` },
    shapes: new BoundedCache(SHAPES_KEPT, { most: SHAPE_CHARACTERS, weightOf: (key) => key.length }),
    linksOf: (entitySet, name) => {
      const navigation = hasNavigationRoute(definition, entitySet, name);
      return { navigation, association: navigation };
    },
    seal: secret === undefined ? null : tokenSeal(secret),
    hasRules: hasRules(definition),
    sets: new EntitySets(definition, (entitySet) => entitySets.get(entitySet)?.bodies),
  };
}

function checkUrlLength(target: string, maxUrlLength: number | null): void {
  if (maxUrlLength === null || target.length <= maxUrlLength) return;
  throw protocolError(
    "InvalidQueryOption",
    `The URL has ${String(target.length)} characters, more than the ${String(maxUrlLength)} that are read: ask for less at once.`,
  );
}

/** Whether a path (or a request target) is the prefix or lies below it. */
export function isBelowPrefix(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  const next = path[prefix.length];
  return next === undefined || next === "/" || next === "?" || next === "#";
}

/** @param path as the service saw it: a host that mounts the service below a path may have cut that off */
function outsideOfPrefix(path: string, prefix: string): Error {
  return protocolError(
    "NotFound",
    `There is no resource at the path ${quoteText(path)}. The service is mounted at ${prefix}/.`,
  );
}
