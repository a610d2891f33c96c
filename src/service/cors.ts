import type { CorsDefinition } from "../definition/model/service-definition.ts";
import { mergeVary, splitHeaderList } from "../http/headers.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";

/** The response headers that a page may read, in addition to the headers that the browser always shows. */
const EXPOSED = [
  "ETag",
  "Location",
  "Content-Location",
  "OData-EntityId",
  "OData-Version",
  "OData-MaxVersion",
  "Preference-Applied",
  "WWW-Authenticate",
  "Retry-After",
  "X-Request-Id",
].join(", ");

/** The header with the positions of databases. */
const POSITION = "X-OData-Position";

/**
 * The request headers of OData clients, in lower case: headers of the protocol, of preconditions, and headers that client
 * libraries add to every request.
 */
const KNOWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "authorization",
  "baggage",
  "cache-control",
  "content-language",
  "content-type",
  "dataserviceversion",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "isolation",
  "maxdataserviceversion",
  "mime-version",
  "odata-isolation",
  "odata-maxversion",
  "odata-version",
  "pragma",
  "prefer",
  "sap-cancel-on-close",
  "sap-contextid",
  "sap-contextid-accept",
  "traceparent",
  "tracestate",
  "x-csrf-token",
  "x-request-id",
  "x-requested-with",
  "x-sap-security-session",
]);

/** The headers that decide about the response to a preflight. */
const PREFLIGHT_VARY = "Access-Control-Request-Method, Access-Control-Request-Headers";

/**
 * Adds the headers that let pages of other origins read a response. A successful response to a preflight lists the methods
 * of its path, which are in `Allow`.
 * @param cors null for a service without this option, whose responses stay as they are
 * @see WHATWG Fetch, HTTP-CORS protocol; docs/guides/browsers.md
 */
export function withCors(cors: CorsDefinition | null, request: ODataRequest, response: ODataResponse): ODataResponse {
  if (cors === null) return response;
  const headers: Record<string, string> = { ...response.headers };
  const isOptions = request.method === "OPTIONS";
  const vary = [...(cors.origins === "*" ? [] : ["Origin"]), ...(isOptions ? [PREFLIGHT_VARY] : [])].join(", ");
  if (vary !== "") headers["Vary"] = mergeVary(headers["Vary"] ?? "", vary);
  const origin = allowedOrigin(cors, request);
  if (origin !== undefined) {
    headers["Access-Control-Allow-Origin"] = origin;
    if (cors.credentials) headers["Access-Control-Allow-Credentials"] = "true";
    const further = isPreflight(cors, request)
      ? preflightHeaders(cors, request, response)
      : { [EXPOSE]: exposedBy(cors) };
    Object.assign(headers, further);
  }
  return { ...response, headers };
}

/** Returns whether a browser asks whether a page of an origin that the service allows may send a request. */
export function isPreflight(cors: CorsDefinition | null, request: ODataRequest): boolean {
  if (cors === null || request.method !== "OPTIONS") return false;
  return request.header("access-control-request-method") !== undefined && allowedOrigin(cors, request) !== undefined;
}

const EXPOSE = "Access-Control-Expose-Headers";

function exposedBy({ takesPositions, showsTiming }: CorsDefinition): string {
  return `${EXPOSED}${takesPositions ? `, ${POSITION}` : ""}${showsTiming ? ", Server-Timing" : ""}`;
}

/** Returns whether the service lists the origin of a request. */
export function isListedOrigin(cors: CorsDefinition | null, request: Pick<ODataRequest, "header">): boolean {
  const origin = request.header("origin");
  return cors !== null && cors.origins !== "*" && origin !== undefined && cors.origins.has(origin);
}

/** Returns the value of Access-Control-Allow-Origin: the same for every request, or the origin of this one. */
function allowedOrigin(cors: CorsDefinition, request: ODataRequest): string | undefined {
  if (cors.origins === "*") return "*";
  return isListedOrigin(cors, request) ? request.header("origin") : undefined;
}

function preflightHeaders(
  cors: CorsDefinition,
  request: ODataRequest,
  { status, headers: { Allow: methods } }: ODataResponse,
): Readonly<Record<string, string>> {
  // A preflight with a malformed Host is an error.
  if (status !== 204 || methods === undefined) return {};
  const asked = splitHeaderList(request.header("access-control-request-headers") ?? "");
  const allowed = asked.filter((name) => {
    const key = name.toLowerCase();
    if (cors.takesPositions && key === POSITION.toLowerCase()) return true;
    return KNOWN_HEADERS.has(key) || cors.headers.has(key);
  });
  return {
    "Access-Control-Allow-Methods": methods,
    ...(allowed.length === 0 ? {} : { "Access-Control-Allow-Headers": allowed.join(", ") }),
    ...(cors.maxAge === undefined ? {} : { "Access-Control-Max-Age": String(cors.maxAge) }),
  };
}
