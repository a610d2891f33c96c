import { chain, type Maybe } from "../base/maybe.ts";
import { isStandardPath } from "../binder/is-standard-path.ts";
import { resolvePath } from "../binder/resolve-path.ts";
import type { User } from "../definition/context.ts";
import { requestFields } from "../definition/request-fields.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { Model } from "../edm/model.ts";
import { type Access, unrestricted } from "../endpoints/access.ts";
import { type Arrival, type RequestUrl, toIncomingRequest } from "../endpoints/arrival.ts";
import { authorize } from "../endpoints/authorize.ts";
import { Exchange, type ServiceRuntime } from "../endpoints/exchange.ts";
import { readSentOptions } from "../endpoints/sent-options.ts";
import { isODataError, protocolError } from "../errors/odata-error.ts";
import { answeredValue } from "../execution/handler-answer.ts";
import { checkHost, isCrossSiteWrite, readBaseUrl } from "../http/base-url.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { checkMaxVersion, checkRequestVersion, ODATA_VERSION } from "../http/odata-version.ts";
import { withoutQuerySegment } from "../http/query-body.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { parseResourcePath } from "../syntax/path-parser.ts";
import { splitTarget } from "../syntax/query-options-parser.ts";
import { quoteText } from "../syntax/syntax-error.ts";
import { isListedOrigin } from "./cors.ts";
import type { FurtherRoutes } from "./further-routes.ts";
import type { PositionReports, RequestKind } from "./position-reports.ts";
import type { RouteTable } from "./route-table.ts";
import type { Route, RouteEndpoint } from "./route.ts";
import type { SchemaGate } from "./schema-gate.ts";

/** The routes of a service, and what requests for data wait for. */
export interface ServiceRoutes {
  readonly routes: RouteTable;
  readonly further: FurtherRoutes;
  /** The check that requests for data wait for. */
  readonly schemaGate: SchemaGate;
  /** The positions of databases with replicas; null without any. */
  readonly positions: PositionReports | null;
}

/** A request whose URL leads to a route. */
interface RoutedRequest {
  readonly url: RequestUrl;
  readonly path: ResourcePath;
  readonly route: Route;
  /** Whether requests skip authentication and authorization. */
  readonly isPublic: boolean;
  /** The URL of the resource if POST is a read of it, with query options in its body. */
  readonly queried?: RequestUrl | undefined;
  /** Whether the route accepts batches. */
  readonly isBatch?: boolean | undefined;
}

/** Checks a request, identifies its user, and passes it to its endpoint. */
export function answerRequest(
  { odata: request, requestId: id, reading }: Pick<Arrival, "odata" | "requestId" | "reading">,
  runtime: ServiceRuntime,
  routes: ServiceRoutes,
): Maybe<ODataResponse> {
  const { definition } = runtime;
  checkHost(request);
  checkMaxVersion(request.header("odata-maxversion"));
  checkRequestVersion(request.header("odata-version"), () => acceptsJsonBatch(request, definition, routes));
  const routed = routeOf(request, definition, routes);
  if (request.method === "OPTIONS") return optionsResponse(routed.route.allow);
  const endpoint = routed.route.endpoint(request.method);
  const baseUrl = definition.publicUrl ?? readBaseUrl(request, definition.trustProxy);
  const arrival: Arrival = { odata: request, requestId: id, url: routed.url, baseUrl, reading };
  const isWrite = routed.queried === undefined;
  if (isWrite && isRefusedWrite(request, definition, baseUrl)) throw crossSiteWrite();
  if (routed.isPublic) {
    return endpoint.answer(new Exchange(runtime, arrival, unrestricted(null), routed.path), routed.path);
  }
  return chain(authenticate(arrival, definition), (user) =>
    answerAs(accessOf(user, runtime, routed, endpoint), { arrival, runtime, routes, routed, endpoint }),
  );
}

/** An operation of a batch, which has passed the checks of the batch. */
export interface BatchedRequest extends Omit<Arrival, "url"> {
  /** The user of the batch. */
  readonly user: User | null;
  /** Whether the batch is JSON, a format of OData 4.01. */
  readonly isJson: boolean;
}

/** Passes an operation of a batch to its endpoint, as the user of the batch. @throws ODataError as for a single request */
export function answerBatched(
  { user, isJson, ...arrival }: BatchedRequest,
  runtime: ServiceRuntime,
  routes: ServiceRoutes,
): Maybe<ODataResponse> {
  const { odata } = arrival;
  checkMaxVersion(odata.header("odata-maxversion"));
  checkRequestVersion(odata.header("odata-version"), () => isJson);
  const routed = routeOf(odata, runtime.definition, routes);
  if (odata.method === "OPTIONS") return optionsResponse(routed.route.allow);
  const endpoint = routed.route.endpoint(odata.method);
  const access = accessOf(user, runtime, routed, endpoint);
  return answerAs(access, { arrival: { ...arrival, url: routed.url }, runtime, routes, routed, endpoint });
}

/**
 * Finds the route of a request.
 * @throws ODataError for a URL that is too long or malformed, or that leads nowhere
 */
export function routeOf(
  { target }: Pick<ODataRequest, "target">,
  { prefix, limits, model }: ServiceDefinition,
  { routes, further }: ServiceRoutes,
): RoutedRequest {
  checkUrlLength(target, limits.maxUrlLength);
  const url = splitTarget(target);
  if (!isBelowPrefix(url.path, prefix)) throw outsideOfPrefix(url.path, prefix);
  const below = url.path.slice(prefix.length);
  const stated = further.get(below);
  if (stated !== undefined) return { url, ...stated };
  const resource = withoutQuerySegment(below);
  const path = pathOf(resource ?? below, model);
  if (resource === null) return { url, path, route: routes.find(path), isPublic: false };
  const queried = { path: prefix + resource, query: url.query };
  return { url, path, route: routes.findQuery(path), isPublic: false, queried };
}

/** Checks the rules of a route for a user. @throws ODataError as for authorize */
function accessOf(
  user: User | null,
  { definition, hasRules }: ServiceRuntime,
  { path, isPublic }: RoutedRequest,
  endpoint: RouteEndpoint,
): Access {
  return hasRules && !isPublic ? authorize(user, definition, path, endpoint) : unrestricted(user);
}

/** A request at its endpoint. */
interface EndpointCall {
  readonly arrival: Arrival;
  readonly runtime: ServiceRuntime;
  readonly routes: ServiceRoutes;
  readonly routed: RoutedRequest;
  readonly endpoint: RouteEndpoint;
}

/** Calls the endpoint for a user who passed the rules of the route. Reads query options that are in the body before. */
function answerAs(access: Access, { arrival, runtime, routes, routed, endpoint }: EndpointCall): Maybe<ODataResponse> {
  const { path, queried } = routed;
  const pass = (exchange: Exchange): Maybe<ODataResponse> => {
    const run = (): Maybe<ODataResponse> => enter(exchange, path, endpoint, routes);
    const { positions } = routes;
    if (positions === null || !(isOfData(path) || routed.isBatch === true)) return run();
    return positions.around(exchange, kindOf(arrival.odata, routed), run);
  };
  if (queried === undefined) return pass(new Exchange(runtime, arrival, access, path));
  return chain(readSentOptions(arrival.odata, runtime.definition, path, queried), (sent) =>
    pass(new Exchange(runtime, { ...arrival, sent }, access, path)),
  );
}

function kindOf({ method }: ODataRequest, { queried, isBatch }: RoutedRequest): RequestKind {
  if (isBatch === true) return "batch";
  return method === "GET" || method === "HEAD" || queried !== undefined ? "read" : "write";
}

/** Calls the endpoint when the database is known to fit. */
function enter(
  exchange: Exchange,
  path: ResourcePath,
  { answer }: RouteEndpoint,
  { schemaGate }: ServiceRoutes,
): Maybe<ODataResponse> {
  if (schemaGate.isOpen || !isOfData(path)) return answer(exchange, path);
  const { requestId: id, odata, url, service } = exchange;
  const fields = requestFields(service.definition, { id, method: odata.method, path: url.path });
  return chain(schemaGate.enter(fields), () => answer(exchange, path));
}

/** Returns whether a path leads to data. The service document, `$metadata` and API descriptions need no database. */
function isOfData(path: ResourcePath): boolean {
  return "entitySet" in path || path.kind === "operationImport";
}

/** Returns whether a request is a batch in JSON, a format of OData 4.01: its clients send that version. */
function acceptsJsonBatch(
  request: ODataRequest,
  { batch, prefix }: ServiceDefinition,
  { further }: ServiceRoutes,
): boolean {
  const { path } = splitTarget(request.target);
  return batch?.json === true && further.get(path.slice(prefix.length))?.isBatch === true && isJsonBody(request);
}

/** Returns whether the body of a batch is JSON. */
export function isJsonBody(request: ODataRequest): boolean {
  return /^application\/json(?:$|[\s;])/i.test(request.header("content-type") ?? "");
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

/** Returns whether a write comes from a page that the service refuses. Origins that `cors` lists may write. */
function isRefusedWrite(
  request: ODataRequest,
  { refusesCrossSiteWrites, cors }: ServiceDefinition,
  baseUrl: string,
): boolean {
  return refusesCrossSiteWrites && isCrossSiteWrite(request, baseUrl) && !isListedOrigin(cors, request);
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
