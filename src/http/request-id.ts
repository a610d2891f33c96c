import type { ODataRequest } from "./odata-request.ts";

/** Ids that are safe in a header and in a line of a log. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Returns the id of a request: the `X-Request-Id` that the client or a proxy sent, else a new UUID.
 * A value with other characters, or with more than 64, is replaced.
 * @see docs/guides/deployment.md, Request ids
 */
export function readRequestId(request: Pick<ODataRequest, "header">): string {
  const sent = request.header("x-request-id");
  return sent !== undefined && SAFE_ID.test(sent) ? sent : crypto.randomUUID();
}
