import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** How a request that could not be read is answered. */
interface ClientFault {
  readonly status: string;
  readonly code: string;
  readonly message: string;
}

/** By what `node:http` calls it. */
const FAULTS: ReadonlyMap<string, ClientFault> = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    {
      status: "431 Request Header Fields Too Large",
      code: "HeadersTooLarge",
      message: "The URL and the headers are too large together: ask for less at once.",
    },
  ],
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    {
      status: "408 Request Timeout",
      code: "RequestTimeout",
      message: "The request did not arrive in time: send it again.",
    },
  ],
]);

const MALFORMED: ClientFault = {
  status: "400 Bad Request",
  code: "InvalidUrl",
  message: "The request is not HTTP: percent-encode every character of the URL that is not plain ASCII.",
};

/**
 * Answers what `node:http` cannot read as a request, with the envelope that every error has. No handler is reached.
 * @param last the last response on that connection; undefined when there was none
 * @see decisions, Responses that match no handler
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  last: ServerResponse | undefined,
): void {
  const isAnswering = last !== undefined && !last.writableFinished;
  // A connection that was reset, or that is in the middle of an answer, takes no other.
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const { status, code, message } = FAULTS.get(error.code ?? "") ?? MALFORMED;
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
}
