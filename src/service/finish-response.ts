import type { ODataRequest } from "../http/odata-request.ts";
import { bodyLength, type ODataResponse } from "../http/odata-response.ts";

/** The header that carries the id of a request, and of its response. */
export const REQUEST_ID = "X-Request-Id";

/**
 * Completes a response: it carries the id of its request, and a response to HEAD has no body, but the headers of GET.
 * @see RFC 9110, section 9.3.2; docs/guides/deployment.md, Request ids
 */
export function finishResponse(request: ODataRequest, id: string, response: ODataResponse): ODataResponse {
  const { status, headers: own, body } = response;
  const headers = { ...own, [REQUEST_ID]: id };
  if (request.method !== "HEAD") return { status, headers, body };
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  return { status, headers: isWhole ? { ...headers, "Content-Length": bodyLength(body) } : headers, body: null };
}
