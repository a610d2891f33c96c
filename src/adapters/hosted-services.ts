import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { type ComposedServices, composeServices } from "../service/compose-services.ts";
import type { ODataService } from "../service/odata-service.ts";
import { Probes } from "../service/probes.ts";
import { Compression } from "./compression.ts";
import type { ServeSettings } from "./serve-options.ts";

/** Handles the requests of a listener. */
export type RequestHandler = Pick<ComposedServices, "handle" | "reportFailure">;

/** Services with everything that `serve` adds to them, for any version of HTTP. */
export interface HostedServices extends RequestHandler {
  /** Reports from now on that the process accepts no new requests. */
  drain(): void;
}

/**
 * Adds compression and health checks to services.
 * @throws ConfigurationError as for `composeServices`, and for the path of a health check that belongs to a service
 * @see docs/guides/production.md
 */
export function hostServices(
  services: ODataService | readonly ODataService[],
  { compression: settings, health, ready }: ServeSettings,
): HostedServices {
  const composed = composeServices(services);
  const listed: readonly ODataService[] = "handle" in services ? [services] : services;
  const probes = health === undefined && ready === undefined ? null : new Probes({ health, ready }, listed);
  const compression = settings === null ? null : new Compression(settings);
  return {
    handle: (request) =>
      probes?.answer(request) ??
      (compression === null ? composed.handle(request) : compressed(composed, compression, request)),
    reportFailure: (request, response, error) => composed.reportFailure(request, response, error),
    drain: () => probes?.drain(),
  };
}

function compressed(
  composed: ComposedServices,
  compression: Compression,
  request: ODataRequest,
): ODataResponse | Promise<ODataResponse> {
  const refuse = (error: unknown): ODataResponse => composed.refuse(request, error);
  try {
    // A response that the client refuses must not be the result of a write.
    const chosen = compression.choose(request);
    const answer = composed.handle(request);
    const apply = (response: ODataResponse): ODataResponse | Promise<ODataResponse> =>
      compression.apply(chosen, response);
    return answer instanceof Promise ? answer.then(apply).catch(refuse) : apply(answer);
  } catch (error) {
    return refuse(error);
  }
}
