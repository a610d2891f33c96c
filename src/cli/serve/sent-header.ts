import type { IncomingMessage } from "node:http";
import type { IncomingRequest } from "odatakit";

/**
 * Returns the value of a header; null if the client has not sent it. It reads the message of Node.js, because the class
 * `Headers` loads the fetch client of Node.js: 14 MB, and 55 ms of the first response.
 * @param name in lower case
 * @see docs/decisions/0037-fast-start.md
 */
export function sentHeader(request: Pick<IncomingRequest, "headers" | "host">, name: string): string | null {
  const { headersDistinct } = request.host as Partial<IncomingMessage>;
  return headersDistinct === undefined ? request.headers.get(name) : (headersDistinct[name]?.join(", ") ?? null);
}
