import { chain, type Maybe } from "../../base/maybe.ts";
import { ODATA_VERSION } from "../../http/base-url.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import type { ODataResponse, ResponseBody } from "../../http/odata-response.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { cacheHeaders, emptyCacheHeaders } from "./cache-headers.ts";
import type { Execution } from "./execution.ts";
import { whileHeld } from "./held-response.ts";
import { executeSettled } from "./settled-write.ts";

/** Makes the response to a request that has passed the checks before negotiation. */
export type Endpoint = (request: AuthorizedRequest, execution: Execution) => Maybe<ODataResponse>;

/** The stages of an endpoint: each passes its result to the next. Only `execute` reads and writes data. */
interface Stages<Bound, Plan, Result> {
  /** Checks the parts of the request: format, key, headers, query options, body. */
  readonly bind: (request: AuthorizedRequest) => Maybe<Bound>;
  /** Decides how to read. Calls at most the `tokenScope` of the application. */
  readonly plan: (bound: Bound, request: AuthorizedRequest, execution: Execution) => Plan;
  /** Checks the rules and preconditions that depend on entities, and calls the handlers. */
  readonly execute: (plan: Plan, execution: Execution) => Maybe<Result>;
  /** Writes the response. */
  readonly write: (
    result: Result,
    plan: Plan,
    request: AuthorizedRequest,
    execution: Execution,
  ) => Maybe<ODataResponse>;
  /** Reads a result again, after later operations of its change set; absent: they cannot change it. */
  readonly refresh?: (result: Result, plan: Plan, execution: Execution) => Maybe<Result>;
  /** Reads what the response shows, where `execute` and `refresh` were to leave that for later; absent: they have read all. */
  readonly content?: (result: Result, plan: Plan, execution: Execution) => Maybe<Result>;
}

/** The stages of an endpoint whose bound request needs no plan. */
type PlainStages<Bound, Result> = Omit<Stages<Bound, Bound, Result>, "plan">;

/**
 * Makes an endpoint of its stages.
 * @see docs/explanations/how-a-request-runs.md, During a request
 */
export function inStages<Bound, Result>(stages: PlainStages<Bound, Result>): Endpoint {
  return (request, execution) =>
    chain(stages.bind(request), (bound) => executeAndWrite(stages, bound, request, execution));
}

/** Makes an endpoint of its stages, which include `plan`. */
export function inPlannedStages<Bound, Plan, Result>(stages: Stages<Bound, Plan, Result>): Endpoint {
  return (request, execution) =>
    chain(stages.bind(request), (bound) => {
      request.arrival.clock?.enter("plan");
      return executeAndWrite(stages, stages.plan(bound, request, execution), request, execution);
    });
}

function executeAndWrite<Plan, Result>(
  stages: Pick<Stages<unknown, Plan, Result>, "execute" | "write" | "refresh" | "content">,
  plan: Plan,
  request: AuthorizedRequest,
  execution: Execution,
): Maybe<ODataResponse> {
  const { write, refresh } = stages;
  const { clock } = request.arrival;
  clock?.enter("execute");
  return whileHeld(execution, () =>
    chain(executeOnce(stages, plan, request, execution), (result) => {
      execution.commit();
      clock?.enter("write");
      const respond = (read: Result): Maybe<ODataResponse> => write(read, plan, request, execution);
      if (refresh === undefined || !isInChangeSet(request)) return respond(result);
      const again = (): Maybe<ODataResponse> => chain(refresh(result, plan, execution), respond);
      return chain(respond(result), (response) => ({ ...response, again }));
    }),
  );
}

/** Executes a request, and outside of change sets as far as its own end. */
function executeOnce<Plan, Result>(
  { execute, refresh, content }: Pick<Stages<unknown, Plan, Result>, "execute" | "refresh" | "content">,
  plan: Plan,
  request: AuthorizedRequest,
  execution: Execution,
): Maybe<Result> {
  if (refresh === undefined || isInChangeSet(request)) return execute(plan, execution);
  return executeSettled(request, execution, {
    execute: (inner) => execute(plan, inner),
    refresh: (result, inner) => refresh(result, plan, inner),
    content: (result) => content?.(result, plan, execution) ?? result,
  });
}

function isInChangeSet({ arrival }: AuthorizedRequest): boolean {
  return (arrival.batch?.transactionPart ?? null) !== null;
}

/** Returns the handler of a route, or its form. @throws Error for a route without one: a fault of the route table */
export function routed<T>(handler: T | undefined, route: string): T {
  if (handler === undefined) throw new Error(`${route} has a route, but no handler.`);
  return handler;
}

/** Headers that a response adds to the headers of every response. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** Makes a 200 response. @param contentType the negotiated type */
export function okResponse(
  request: AuthorizedRequest,
  contentType: string,
  body: ResponseBody,
  extra?: ExtraHeaders,
): ODataResponse {
  const headers: Record<string, string> = {
    "OData-Version": ODATA_VERSION,
    "Content-Type": contentType,
    "X-Content-Type-Options": "nosniff",
    ...cacheHeaders(request),
  };
  if (extra !== undefined) Object.assign(headers, extra);
  return { status: 200, headers, body };
}

/** Makes a 200 response with JSON. */
export function jsonResponse(
  request: AuthorizedRequest,
  format: JsonFormat,
  body: ResponseBody,
  extra?: ExtraHeaders,
): ODataResponse {
  return okResponse(request, format.contentType, body, extra);
}

/** Makes a 204 response. @see RFC 9110, section 15.3.5 */
export function noContentResponse(request: AuthorizedRequest, extra?: ExtraHeaders): ODataResponse {
  const stated = emptyCacheHeaders(request);
  return { status: 204, headers: { "OData-Version": ODATA_VERSION, ...stated, ...extra }, body: null };
}

/**
 * Returns the header that confirms the preference for no content; nothing without that preference. A write without a
 * representation does not apply a preference for one.
 * @see RFC 7240, section 3
 */
export function minimalPreference({ preferences, arrival }: AuthorizedRequest): ExtraHeaders {
  const isMet = preferences.return === "minimal" && arrival.odata.method !== "DELETE";
  return isMet ? { "Preference-Applied": "return=minimal" } : {};
}

/** Makes a 304 response, with the headers that caches need, without a body. @see RFC 9110, section 15.4.5 */
export function notModifiedResponse(request: AuthorizedRequest, etag: string, extra?: ExtraHeaders): ODataResponse {
  const headers = { "OData-Version": ODATA_VERSION, ...cacheHeaders(request), ETag: etag, ...extra };
  return { status: 304, headers, body: null };
}
