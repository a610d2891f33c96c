import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { fromFetchRequest, toFetchResponse } from "../../http/fetch-request.ts";
import { mergeVary } from "../../http/headers.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { composeServices, matchedPath } from "../../service/compose-services.ts";
import type { ODataService } from "../../service/odata-service.ts";

/**
 * Creates a handler of Hono over one service or several: `app.use(toHonoHandler(service))`, or for a path
 * `app.all("/api/*", toHonoHandler(service))`, where each service is served at the path and its prefix. Paths of no service
 * are left to `next`.
 * @throws ConfigurationError if two services share a prefix or a name
 * @see docs/guides/hosts.md, Hono
 */
export function toHonoHandler(services: ODataService | readonly ODataService[]): MiddlewareHandler {
  const composed = composeServices(services);
  return async (context, next) => {
    const request = context.req.raw;
    const url = fromFetchRequest(request).target;
    const hostPath = matchedPath(url, patternOf(context));
    const mounted = composed.find(url, hostPath);
    if (mounted === undefined) return next();
    const { service, mountPath } = mounted;
    const odata = fromFetchRequest(request, {
      mountPath,
      hostRequest: context,
      readBytes: async () => new Uint8Array(await context.req.arrayBuffer()),
    });
    const answer = await service.handle(odata);
    const response = toFetchResponse(withHeadersOf(context, answer), (error) =>
      composed.reportFailure(odata, answer, error),
    );
    return response;
  };
}

/** Returns the path of the matched route without its wildcard. */
function patternOf(context: Context): string {
  return routePath(context).replace(/\/?\*$/, "");
}

/**
 * Prepares the headers that the application has set for a response. Hono writes them over the headers of the response, so
 * those of the service are removed here; Vary names the headers of both.
 */
function withHeadersOf({ res: { headers: before } }: Context, answer: ODataResponse): ODataResponse {
  const vary = before.get("Vary");
  for (const name of [...Object.keys(answer.headers), "Content-Length", "Vary"]) {
    if (before.has(name)) before.delete(name);
  }
  if (vary === null) return answer;
  return { ...answer, headers: { ...answer.headers, Vary: mergeVary(vary, answer.headers["Vary"]) } };
}
