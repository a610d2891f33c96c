import type { ODataRequest } from "../http/odata-request.ts";
import { abandon, bodyLength, type ODataResponse } from "../http/odata-response.ts";

/** The header with the id of a request and its response. */
export const REQUEST_ID = "X-Request-Id";

/**
 * Adds the id of the request to a response, and removes the body of a response to HEAD.
 * @see RFC 9110, section 9.3.2; docs/guides/deployment.md, Request ids
 */
export function finishResponse(request: ODataRequest, id: string, response: ODataResponse): ODataResponse {
  const { status, headers, body } = response;
  return withoutBody(request, { status, headers: { ...headers, [REQUEST_ID]: id }, body });
}

/** Removes the body of a response to HEAD. @see RFC 9110, section 9.3.2 */
export function withoutBody(request: ODataRequest, response: ODataResponse): ODataResponse {
  if (request.method !== "HEAD") return response;
  const { status, headers, body } = response;
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  abandon(body);
  return { status, headers: isWhole ? { ...headers, "Content-Length": bodyLength(body) } : headers, body: null };
}
