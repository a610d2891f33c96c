import { fromFetchRequest } from "../http/fetch-request.ts";
import { toFetchResponse } from "../http/fetch-response.ts";
import { composeServices } from "./compose-services.ts";
import type { ODataService } from "./odata-service.ts";

/** Handles a Fetch request. @param host the value of `ctx.host`; the `Request` if undefined */
export type ServicesFetch = (request: Request, host?: unknown) => Promise<Response>;

/**
 * Returns one function for several services, for every runtime with the Fetch API. Each service is served at its prefix, as
 * by `serve`; any other path is 404.
 * @throws ConfigurationError if two services share a prefix or a name
 * @see docs/guides/hosts.md, Several services
 */
export function servicesFetch(services: ODataService | readonly ODataService[]): ServicesFetch {
  const composed = composeServices(services);
  return async (request, host) => {
    const odata = fromFetchRequest(request, { hostRequest: host });
    const response = await composed.handle(odata);
    return toFetchResponse(response, (error) => composed.reportFailure(odata, response, error));
  };
}
