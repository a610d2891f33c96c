import { isODataError, protocolError } from "../base/errors/odata-error.ts";
import { chain, type Maybe, recover } from "../base/maybe.ts";
import type { User } from "../definition/context.ts";
import { requestFields } from "../definition/model/request-fields.ts";
import type { AnsweringResource, ServiceDefinition } from "../definition/model/service-definition.ts";
import { answeredValue } from "../engine/entities/handler-answer.ts";
import {
  checkHost,
  isCrossSiteWrite,
  readBaseUrl,
  checkMaxVersion,
  checkRequestVersion,
  ODATA_VERSION,
  refuseIsolation,
} from "../http/base-url.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { type ODataResponse, abandon, bodyLength } from "../http/odata-response.ts";
import type { ResourcePath } from "../language/query/resource-path.ts";
import { splitTarget } from "../language/syntax/query-options-parser.ts";
import { isListedOrigin, isPreflight } from "./cors.ts";
import { answerAddressed } from "./endpoints/answer-addressed.ts";
import { type Arrival, toIncomingRequest } from "./endpoints/arrival.ts";
import { authorize, type CallerAccess, unrestricted } from "./endpoints/authorize.ts";
import { AuthorizedRequest } from "./endpoints/authorized-request.ts";
import { readSentOptions } from "./endpoints/bind-query.ts";
import { Execution } from "./endpoints/execution.ts";
import { toRouteRequest } from "./endpoints/read-document.ts";
import type { ServiceRuntime } from "./endpoints/service-runtime.ts";
import {
  type RoutePlace,
  placeOf,
  routeAt,
  type RoutedRequest,
  type RouteTables,
  type GuardedPlaces,
} from "./find-route.ts";
import { alsoFollow } from "./follow-statements.ts";
import type { PositionReports, RequestKind } from "./position-reports.ts";
import type { ResponseReport } from "./report-responses.ts";
import { ROUTE_METHODS, type RouteEndpoint } from "./route.ts";
import type { SchemaGate } from "./schema-gate.ts";

/** The routes of a service, and the state that requests for data wait for. */
export interface ServiceRoutes extends RouteTables {
  readonly guarded: GuardedPlaces;
  /** Returns who receives the statements of a request for data, besides the application. */
  readonly follow: AnsweringResource["follow"];
  /** The check that requests for data wait for. */
  readonly schemaGate: SchemaGate;
  /** The positions of databases; null if none tells one. */
  readonly positions: PositionReports | null;
}

/** A request before its URL is read. */
type ReceivedRequest = Pick<Arrival, "odata" | "requestId" | "reading" | "clock"> & {
  /** What `onResponse` gets; null unless the service has it. */
  readonly report: ResponseReport | null;
};

/** A request at a place of its service. */
interface PlacedRequest extends ReceivedRequest {
  readonly place: RoutePlace;
  readonly runtime: ServiceRuntime;
  readonly routes: ServiceRoutes;
}

/** Checks a request, identifies its user, and passes it to its endpoint. */
export function answerRequest(
  received: ReceivedRequest,
  runtime: ServiceRuntime,
  routes: ServiceRoutes,
): Maybe<ODataResponse> {
  const { odata } = received;
  const { definition } = runtime;
  checkHost(odata);
  checkMaxVersion(odata.header("odata-maxversion"));
  checkRequestVersion(odata.header("odata-version"), () => isJsonBatch(odata, definition));
  refuseIsolation(odata);
  if (isPreflight(definition.cors, odata)) return optionsResponse(methodsAt(odata, definition, routes));
  const place = placeOf(odata, definition, routes.further);
  const placed = { ...received, place, runtime, routes };
  const refusal = routes.guarded.refusalAt(place, null);
  if (refusal === null) return answerAtPlace(placed);
  const arrival = arrivalOf(placed);
  if (odata.method === "OPTIONS") {
    const describe = (user: User | null): Maybe<ODataResponse> =>
      user === null ? optionsResponse(null) : answerAtPlace(placed);
    return chain(
      recover(() => authenticate(arrival, definition), refusedUser),
      describe,
    );
  }
  return chain(authenticate(arrival, definition), (user) => {
    received.report?.noteUser(user);
    if (user === null) throw refusal;
    return answerAtPlace(placed, { arrival, user });
  });
}

/**
 * Returns the methods of the path of a preflight. A path without a route has all of them: after the preflight, the browser sends
 * the request, and shows its error.
 */
function methodsAt(odata: ODataRequest, definition: ServiceDefinition, routes: ServiceRoutes): string {
  try {
    return routeAt(placeOf(odata, definition, routes.further), definition, routes).route.allow;
  } catch (error) {
    if (!isODataError(error)) throw error;
    return [...ROUTE_METHODS, "HEAD", "OPTIONS"].join(", ");
  }
}

/** Returns no user for a refusal of `authenticate`: OPTIONS has the same response for everybody without credentials. */
function refusedUser(error: unknown): null {
  if (!isODataError(error)) throw error;
  return null;
}

/** The user of a request who is known before its route. */
interface KnownUser {
  readonly arrival: Arrival;
  readonly user: User;
}

/** Finds the route of a request, and identifies its user unless it is known. */
function answerAtPlace(placed: PlacedRequest, known?: KnownUser): Maybe<ODataResponse> {
  const { odata, clock, place, report, runtime, routes } = placed;
  const { definition } = runtime;
  const routed = routeAt(place, definition, routes);
  report?.notePath(routed.path);
  if (odata.method === "OPTIONS") return optionsResponse(routed.route.allow);
  const endpoint = routed.route.endpoint(odata.method);
  const arrival = known?.arrival ?? arrivalOf(placed);
  const isWrite = routed.queried === undefined;
  if (isWrite && isRefusedWrite(odata, definition, arrival.baseUrl)) throw crossSiteWrite();
  if (routed.isPublic) {
    clock?.enter("bind");
    const access = unrestricted(null);
    const request = new AuthorizedRequest(runtime, arrival, access, routed.path);
    return endpoint.answer(request, new Execution(runtime, arrival, access));
  }
  const pass = (user: User | null): Maybe<ODataResponse> => {
    report?.noteUser(user);
    const access = accessOf(user, runtime, routed, endpoint);
    const run = (): Maybe<ODataResponse> => answerAs(access, { arrival, runtime, routes, routed, endpoint });
    const isFollowed = routes.follow !== undefined && (isOfData(routed.path) || routed.isBatch);
    const follower = isFollowed ? routes.follow(toRouteRequest(arrival, user)) : null;
    return follower === null ? run() : alsoFollow(follower, run);
  };
  return known === undefined ? chain(authenticate(arrival, definition), pass) : pass(known.user);
}

/** @throws ODataError for a malformed host */
function arrivalOf({ odata, requestId, reading, clock, place: { url }, runtime }: PlacedRequest): Arrival {
  const { definition } = runtime;
  const baseUrl = definition.publicUrl ?? readBaseUrl(odata, definition.trustProxy);
  return { odata, requestId, url, baseUrl, reading, clock };
}

/** An operation of a batch, which has passed the checks of the batch. */
interface BatchedRequest extends Omit<Arrival, "url"> {
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
  refuseIsolation(odata);
  const isOptions = odata.method === "OPTIONS";
  const place = placeOf(odata, runtime.definition, routes.further, arrival.baseUrl);
  const refusal = routes.guarded.refusalAt(place, user);
  if (refusal !== null && isOptions) return optionsResponse(null);
  if (refusal !== null) throw refusal;
  const routed = routeAt(place, runtime.definition, routes);
  if (isOptions) return optionsResponse(routed.route.allow);
  const endpoint = routed.route.endpoint(odata.method);
  arrival.clock?.enter("authorize");
  const access = accessOf(user, runtime, routed, endpoint);
  return answerAs(access, { arrival: { ...arrival, url: routed.url }, runtime, routes, routed, endpoint });
}

/** Checks the rules of a route for a user. @throws ODataError as for authorize */
function accessOf(
  user: User | null,
  { definition, hasRules }: ServiceRuntime,
  { path, isPublic }: RoutedRequest,
  endpoint: RouteEndpoint,
): CallerAccess {
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
function answerAs(
  access: CallerAccess,
  { arrival, runtime, routes, routed, endpoint }: EndpointCall,
): Maybe<ODataResponse> {
  const { path, queried } = routed;
  const pass = (request: AuthorizedRequest): Maybe<ODataResponse> => {
    const execution = new Execution(runtime, request.arrival, access);
    const run = (): Maybe<ODataResponse> => enter(request, execution, endpoint, routes);
    const { positions } = routes;
    if (positions === null || !(isOfData(path) || routed.isBatch)) return run();
    return positions.around(execution, kindOf(arrival.odata, routed), run);
  };
  if (queried === undefined) return pass(new AuthorizedRequest(runtime, arrival, access, path));
  return chain(readSentOptions(arrival.odata, runtime.definition, path, queried), (sent) =>
    pass(new AuthorizedRequest(runtime, { ...arrival, sent }, access, path)),
  );
}

function kindOf({ method }: ODataRequest, { queried, isBatch }: RoutedRequest): RequestKind {
  if (isBatch) return "batch";
  return method === "GET" || method === "HEAD" || queried !== undefined ? "read" : "write";
}

/** Calls the endpoint when the database is known to fit. */
function enter(
  request: AuthorizedRequest,
  execution: Execution,
  { answer }: RouteEndpoint,
  { schemaGate }: ServiceRoutes,
): Maybe<ODataResponse> {
  const { requestId: id, odata, url, clock } = request.arrival;
  const run = (): Maybe<ODataResponse> => {
    clock?.enter("bind");
    return answerAddressed(answer, request, execution);
  };
  if (schemaGate.isOpen || !isOfData(request.path)) return run();
  clock?.enter("schema");
  const fields = requestFields(request.service.definition, { id, method: odata.method, path: url.path });
  return chain(schemaGate.enter(fields), run);
}

/** Returns whether a path leads to data. The service document, `$metadata` and API descriptions need no database. */
function isOfData(path: ResourcePath): boolean {
  return "entitySet" in path || path.kind === "operationImport";
}

/**
 * Returns whether a request is a batch in JSON, a format of OData 4.01: its clients send that version. A service without that
 * format refuses the format, not the version. Any first segment of the path may be a set, because the response must not
 * reveal which sets exist.
 */
function isJsonBatch(request: ODataRequest, { batch, prefix }: ServiceDefinition): boolean {
  const { path } = splitTarget(request.target);
  return batch !== null && BATCH_PATH.test(path.slice(prefix.length)) && isJsonBody(request);
}

const BATCH_PATH = /^(?:\/[^/]*)?\/(?:\$|%24)batch\/?$/;

/** Returns whether the body of a batch is JSON. */
export function isJsonBody(request: ODataRequest): boolean {
  return /^application\/json(?:$|[\s;])/i.test(request.header("content-type") ?? "");
}

/** Calls `authenticate` of the application. @throws ODataError that it returned or threw */
function authenticate(arrival: Arrival, { authenticate: findUser }: ServiceDefinition): Maybe<User | null> {
  arrival.clock?.enter("authorize");
  if (findUser === undefined) return null;
  return chain(findUser(toIncomingRequest(arrival)), (result) => knownUser(answeredValue(result)));
}

/** Returns null, the anonymous user, in place of a falsy value: JavaScript callers may give `undefined`, `0`, `NaN` or `""` instead of `null`. */
export function knownUser(user: User | null): User | null {
  const given: unknown = user;
  return given ? user : null;
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

/** @param allow the methods; null for an anonymous user who must not learn them */
function optionsResponse(allow: string | null): ODataResponse {
  const headers = { "OData-Version": ODATA_VERSION, ...(allow === null ? {} : { Allow: allow }) };
  return { status: 204, headers, body: null };
}

/** The header with the id of a request and its response. */
export const REQUEST_ID = "X-Request-Id";

/**
 * Adds the id of the request to a response, and removes the body of a response to HEAD.
 * @see RFC 9110, section 9.3.2; docs/guides/deployment.md, Request ids
 */
export function finishResponse(request: ODataRequest, id: string, response: ODataResponse): ODataResponse {
  const { status, headers, body, isStored } = response;
  return withoutBody(request, { status, headers: { ...headers, [REQUEST_ID]: id }, body, isStored });
}

/** Removes the body of a response to HEAD. @see RFC 9110, section 9.3.2 */
export function withoutBody(request: ODataRequest, response: ODataResponse): ODataResponse {
  if (request.method !== "HEAD") return response;
  const { status, headers, body } = response;
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  abandon(body);
  return { status, headers: isWhole ? { ...headers, "Content-Length": bodyLength(body) } : headers, body: null };
}
