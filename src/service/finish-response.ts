import type { ODataRequest } from "../http/odata-request.ts";
import {
  abandon,
  bodyLength,
  encodePieces,
  LONG_TEXT,
  type ODataResponse,
  type ResponseBody,
} from "../http/odata-response.ts";

/** The header with the id of a request and its response. */
export const REQUEST_ID = "X-Request-Id";

/**
 * Adds the id of the request to a response, removes the body of a response to HEAD, and divides a long text.
 * @see RFC 9110, section 9.3.2; docs/guides/deployment.md, Request ids
 */
export function finishResponse(request: ODataRequest, id: string, response: ODataResponse): ODataResponse {
  const { status, headers } = response;
  const body = divided(response.body);
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

function divided(body: ResponseBody): ResponseBody {
  return typeof body === "string" && body.length > LONG_TEXT ? encodePieces(body) : body;
}
