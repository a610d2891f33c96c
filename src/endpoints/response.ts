import { ODATA_VERSION } from "../http/base-url.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse, ResponseBody } from "../http/odata-response.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";

/** The request headers that a response depends on, for caches. */
const VARY = "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization";

/** Headers that a response adds to the headers of every response. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/**
 * Makes a 200 response. Caches must not store the responses of signed-in users.
 * @param contentType the negotiated type
 */
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
    Vary: VARY,
  };
  if (request.access.user !== null) headers["Cache-Control"] = "no-store";
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

/** Makes a 201 response with JSON. */
export function createdResponse(
  request: AuthorizedRequest,
  format: JsonFormat,
  body: ResponseBody,
  extra: ExtraHeaders,
): ODataResponse {
  return { ...jsonResponse(request, format, body, extra), status: 201 };
}

/** Makes a 204 response. Caches must not store the responses of signed-in users. @see RFC 9110, section 15.3.5 */
export function noContentResponse({ access }: AuthorizedRequest, extra?: ExtraHeaders): ODataResponse {
  const personal = access.user === null ? undefined : { Vary: VARY, "Cache-Control": "no-store" };
  return { status: 204, headers: { "OData-Version": ODATA_VERSION, ...personal, ...extra }, body: null };
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
export function notModifiedResponse(request: AuthorizedRequest, etag: string): ODataResponse {
  const headers: Record<string, string> = { "OData-Version": ODATA_VERSION, Vary: VARY, ETag: etag };
  if (request.access.user !== null) headers["Cache-Control"] = "no-store";
  return { status: 304, headers, body: null };
}
