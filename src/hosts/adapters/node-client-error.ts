import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { makeRequestId } from "../../http/headers.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { destroyLater, REJECTED_LINGER } from "./destroy-later.ts";

/** The fault of a request that could not be read. */
interface ClientFault {
  readonly status: 400 | 408 | 431;
  readonly code: string;
  readonly message: string;
}

/** The reasons of status lines. */
const REASONS = { 400: "Bad Request", 408: "Request Timeout", 431: "Request Header Fields Too Large" } as const;

/** The fault of a request whose headers or body do not arrive. */
export const TIMEOUT: ClientFault = {
  status: 408,
  code: "RequestTimeout",
  message: "The request did not arrive in time. Send it again.",
};

/** The fault of a request with too large headers. */
export const HEADERS_TOO_LARGE: ClientFault = {
  status: 431,
  code: "HeadersTooLarge",
  message: "The URL and the headers are too large. Request less at once.",
};

/** Makes the fault of a request that is not valid HTTP. @param reason the part at fault and its correction */
function malformed(reason: string, code: "InvalidBody" | "InvalidUrl" = "InvalidUrl"): ClientFault {
  return { status: 400, code, message: `The request is not valid HTTP. ${reason}` };
}

/** The fault of a request whose target is not valid HTTP. */
export const MALFORMED_URL: ClientFault = malformed(
  "Begin the URL with a slash, and percent-encode all its characters that are not ASCII.",
);
const MALFORMED_LINE = malformed(
  "Send a request line such as GET /Orders HTTP/1.1, and percent-encode blanks of the URL.",
);
const MALFORMED_HEADER = malformed("Send each header as Name: value, without control characters.");
const MALFORMED_LENGTH = malformed(
  "Send either a Content-Length with the number of bytes, or Transfer-Encoding: chunked.",
  "InvalidBody",
);
const MALFORMED_CHUNK = malformed("Send each chunk of the body with its length in hexadecimal digits.", "InvalidBody");
const MALFORMED = malformed("See RFC 9112 for its form.");

/** By the code of `node:http`. @see https://nodejs.org/api/http.html#event-clienterror */
const FAULTS: ReadonlyMap<string | undefined, ClientFault> = new Map([
  ["HPE_HEADER_OVERFLOW", HEADERS_TOO_LARGE],
  ["ERR_HTTP_REQUEST_TIMEOUT", TIMEOUT],
  ["HPE_INVALID_URL", MALFORMED_URL],
  ["HPE_INVALID_METHOD", MALFORMED_LINE],
  ["HPE_INVALID_VERSION", MALFORMED_LINE],
  ["HPE_INVALID_CONSTANT", MALFORMED_LINE],
  ["HPE_INVALID_HEADER_TOKEN", MALFORMED_HEADER],
  ["HPE_CR_EXPECTED", MALFORMED_HEADER],
  ["HPE_LF_EXPECTED", MALFORMED_HEADER],
  ["HPE_INVALID_CONTENT_LENGTH", MALFORMED_LENGTH],
  ["HPE_UNEXPECTED_CONTENT_LENGTH", MALFORMED_LENGTH],
  ["HPE_INVALID_TRANSFER_ENCODING", MALFORMED_LENGTH],
  ["HPE_INVALID_CHUNK_SIZE", MALFORMED_CHUNK],
]);

/**
 * Responds with the error envelope where `node:http` cannot read a request. No handler is called.
 * @param last the last response on the connection, if any
 * @see RFC 9112, section 9.6
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  last: ServerResponse | undefined,
): void {
  // No response can be sent after a reset, or in the middle of another response.
  if (error.code === "ECONNRESET" || !socket.writable || !mayAnswer(last)) socket.destroy();
  else sendFault(socket, FAULTS.get(error.code) ?? MALFORMED);
}

/** Returns the response to a request with a fault, for a connection of HTTP/2, which stays open. */
export function faultResponse({ status, code, message }: ClientFault): ODataResponse & { readonly body: string } {
  return { status, headers: headersOf(), body: JSON.stringify({ error: { code, message } }) };
}

/** The headers cannot be read, so an id from the client is unknown. */
function headersOf(): Readonly<Record<string, string>> {
  return {
    "OData-Version": "4.0",
    "Content-Type": "application/json;odata.metadata=minimal",
    "Content-Language": "en",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": makeRequestId(),
  };
}

/** Returns whether a response may follow: the last one is complete, or its request is not. */
function mayAnswer(last: ServerResponse | undefined): boolean {
  if (last === undefined || last.writableFinished) return true;
  // A response without a socket waits for an earlier one.
  return !last.headersSent && !last.req.complete && last.socket !== null;
}

function sendFault(socket: Duplex, fault: ClientFault): void {
  const { status, headers, body } = faultResponse(fault);
  const head = [
    `HTTP/1.1 ${String(status)} ${REASONS[fault.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  destroyLater(socket, REJECTED_LINGER);
  socket.resume();
}
