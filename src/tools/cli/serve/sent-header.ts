import type { IncomingMessage } from "node:http";
import type { IncomingRequest } from "odatakit";

/**
 * Returns the value of a header; null if the client has not sent it. It reads the message of Node.js, because the class
 * `Headers` loads the fetch client of Node.js: 14 MB, and 55 ms of the first response.
 * @param name in lower case
 * @see docs/decisions/0037-fast-start.md
 */
export function sentHeader(request: Pick<IncomingRequest, "headers" | "host">, name: string): string | null {
  const { rawHeaders } = request.host as Partial<IncomingMessage>;
  if (rawHeaders === undefined) return request.headers.get(name);
  const values = rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  return values.length === 0 ? null : values.join(", ");
}
