import type { IncomingMessage, ServerResponse } from "node:http";
import { mergeVary } from "../http/headers.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { sendChunks } from "./send-chunks.ts";

/**
 * How long a rejected client may continue to send, in milliseconds. Closing a connection while bytes arrive resets it, and
 * the client may lose the response. @see RFC 9112, section 9.6
 */
const LINGER = 2000;

/**
 * Sends a response.
 * @param fail called once if the response cannot be sent to its end
 */
export function sendOrFail(
  response: ODataResponse,
  target: ServerResponse,
  fail: (error: unknown, response: ODataResponse) => void,
): void {
  try {
    const sent = sendResponse(response, target);
    if (sent !== undefined) sent.catch((error: unknown) => fail(error, response));
  } catch (error) {
    fail(error, response);
  }
}

/** Sends a response. Returns a promise only for chunks. */
export function sendResponse(response: ODataResponse, target: ServerResponse): void | Promise<void> {
  const { status, body } = response;
  const headers = withVaryOf(target, response.headers);
  if (body === null) {
    target.writeHead(status, headers);
    target.end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    const sized = { ...headers, "Content-Length": String(Buffer.byteLength(body)) };
    if (status === 413 && isArriving(target.req)) return sendAndClose(sized, body, target);
    target.writeHead(status, sized);
    target.end(body);
  } else {
    return sendChunks(() => target.writeHead(status, headers), body, target);
  }
}

/** Adds the names that the host application has already set in Vary. */
function withVaryOf(target: ServerResponse, headers: ODataResponse["headers"]): ODataResponse["headers"] {
  const before = target.getHeader("Vary");
  if (before === undefined) return headers;
  return { ...headers, Vary: mergeVary(Array.isArray(before) ? before.join(", ") : String(before), headers["Vary"]) };
}

/**
 * Sends the response to a request whose body is too large to read, and closes the connection when the client has had time to
 * read it.
 * @see docs/reference/limits.md
 */
function sendAndClose(headers: ODataResponse["headers"], body: string | Uint8Array, target: ServerResponse): void {
  target.writeHead(413, { ...headers, Connection: "close" });
  target.write(body);
  void discardRest(target.req).then(() => target.end());
}

/** Discards bytes that a rejected client still sends. Resolves when it stops, and after a short while at the latest. */
export function discardRest(request: IncomingMessage): Promise<void> {
  // A hook of the host may have connected a stream that nobody reads any more.
  request.unpipe();
  if (request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, LINGER);
    request.once("end", end).once("close", end).resume();
  });
}

/** Returns whether a request is still arriving. Simulated requests do not tell. */
export function isArriving(request: IncomingMessage): boolean {
  // oxlint-disable-next-line typescript/no-unnecessary-boolean-literal-compare -- the property may be absent
  return request.complete === false;
}
