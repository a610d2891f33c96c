import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler } from "../../src/hosts/adapters/node.ts";
import type { ODataService } from "../../src/index.ts";

/** One request of a client, and the status of its response. */
export interface SeenRequest {
  readonly line: string;
  readonly status: number;
}

/** Returns a handler of requests to a service, which appends each request to the list once it has its response. */
export function recordRequests(
  service: ODataService,
  requests: SeenRequest[],
): (request: IncomingMessage, response: ServerResponse) => void {
  const answer = toNodeHandler(service);
  return (request, response) => {
    response.on("close", () => {
      requests.push({ line: `${String(request.method)} ${String(request.url)}`, status: response.statusCode });
    });
    answer(request, response);
  };
}

/** The requests as lines, such as `GET /odata/Products 200`. */
export function linesOf({ requests }: { readonly requests: readonly SeenRequest[] }): readonly string[] {
  return requests.map(({ line, status }) => `${line} ${String(status)}`);
}
