import type { IncomingMessage, ServerResponse } from "node:http";
import { composeServices } from "../../service/compose-services.ts";
import type { ODataService } from "../../service/odata-service.ts";
import { checkNodeVersion } from "./check-node-version.ts";
import { fromIncomingMessage, targetOf } from "./node-request.ts";
import { sendOrFail } from "./node-response.ts";

/** The part of an Express `Request` that the handler reads. */
export interface ExpressRequest extends IncomingMessage {
  /** The URL as the client sent it. */
  readonly originalUrl?: string;
  /** The path at which the handler is mounted. */
  readonly baseUrl?: string;
}

/** A handler of Express: assignable to its `RequestHandler`, and to the middleware of Connect and restana. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Creates a handler of Express over one service or several: `app.use(toExpressHandler(service))`. Below a path, such as
 * `app.use("/api", …)`, each service is served at the path and its prefix. Paths of no service are left to `next`.
 * @throws ConfigurationError if two services share a prefix or a name, and on Node.js below 22.18
 * @see docs/guides/hosts.md, Express
 */
export function toExpressHandler(services: ODataService | readonly ODataService[]): ExpressHandler {
  checkNodeVersion();
  const composed = composeServices(services);
  return (request, response, next) => {
    const hostPath = request.baseUrl ?? "";
    const url = urlOf(request, hostPath);
    const mounted = composed.find(url, hostPath);
    if (mounted === undefined) {
      next();
      return;
    }
    const { service, mountPath } = mounted;
    const target = url.slice(mountPath.length);
    const odata = fromIncomingMessage(request, response, { target, mountPath, hostRequest: request });
    const send = (answer: Awaited<ReturnType<typeof service.handle>>): void =>
      sendOrFail(answer, response, (error) => {
        composed.reportFailure(odata, answer, error);
        if (response.headersSent) response.destroy();
        else next(error);
      });
    const answer = service.handle(odata);
    if (answer instanceof Promise) void answer.then(send);
    else send(answer);
  };
}

/**
 * Returns the path and query that the client sent, or those to which the application has rewritten `request.url`. Express
 * adds a slash to the URL of a request for the mount path itself.
 */
function urlOf({ url = "/", originalUrl = url }: ExpressRequest, hostPath: string): string {
  const original = targetOf(originalUrl);
  const below = targetOf(url);
  const rest = original.startsWith(hostPath) ? original.slice(hostPath.length) : null;
  return rest === below || rest === below.slice(1) ? original : hostPath + below;
}
