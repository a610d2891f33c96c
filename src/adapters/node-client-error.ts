import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** How a request that could not be read is answered. */
interface ClientFault {
  readonly status: string;
  readonly code: string;
  readonly message: string;
}

/** How long a client may take to close its side behind the answer, in milliseconds. */
const LINGER = 2000;

const TIMEOUT: ClientFault = {
  status: "408 Request Timeout",
  code: "RequestTimeout",
  message: "The request did not arrive in time: send it again.",
};

/** By what `node:http` calls it. */
const FAULTS: ReadonlyMap<string | undefined, ClientFault> = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    {
      status: "431 Request Header Fields Too Large",
      code: "HeadersTooLarge",
      message: "The URL and the headers are too large together: ask for less at once.",
    },
  ],
  ["ERR_HTTP_REQUEST_TIMEOUT", TIMEOUT],
]);

const MALFORMED: ClientFault = {
  status: "400 Bad Request",
  code: "InvalidUrl",
  message: "The request is not HTTP: percent-encode every character of the URL that is not plain ASCII.",
};

/**
 * Answers what `node:http` cannot read as a request, with the envelope that every error has. No handler is reached.
 * @param last the last response on that connection; undefined when there was none
 * @see RFC 9112, section 9.6
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  last: ServerResponse | undefined,
): void {
  // A connection that was reset, or that is in the middle of an answer, takes no other.
  if (error.code === "ECONNRESET" || !socket.writable || !mayAnswer(last)) socket.destroy();
  else sendFault(socket, FAULTS.get(error.code) ?? MALFORMED);
}

/**
 * Answers a request whose body does not arrive, and ends the connection.
 * @param last the response to that request
 */
export function answerTimeout(socket: Duplex, last: ServerResponse): void {
  if (socket.writable && mayAnswer(last)) sendFault(socket, TIMEOUT);
  else socket.destroy();
}

/** Whether the next bytes on the connection can be a response: the last one has ended, or its request is incomplete. */
function mayAnswer(last: ServerResponse | undefined): boolean {
  if (last === undefined || last.writableFinished) return true;
  // Without a socket, the response waits behind that to an earlier request.
  return !last.headersSent && !last.req.complete && last.socket !== null;
}

function sendFault(socket: Duplex, { status, code, message }: ClientFault): void {
  const body = JSON.stringify({ error: { code, message } });
  const head = [
    `HTTP/1.1 ${status}`,
    "OData-Version: 4.0",
    "Content-Type: application/json;odata.metadata=minimal",
    "Content-Language: en",
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    // The headers cannot be read, so neither can the id that the client may have sent.
    `X-Request-Id: ${crypto.randomUUID()}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  // A client that does not close its side keeps nothing open.
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once("close", () => clearTimeout(timer)).resume();
}
