import { ConfigurationError, type ConfigurationFault } from "../base/errors/configuration-error.ts";
import { protocolError } from "../base/errors/odata-error.ts";
import { ODATA_VERSION } from "../http/base-url.ts";
import { readRequestId } from "../http/headers.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { splitTarget } from "../language/syntax/query-options-parser.ts";
import { finishResponse } from "./answer-request.ts";
import { NOWHERE } from "./compose-services.ts";
import { isBelowPrefix } from "./find-route.ts";
import { handleError } from "./handle-error.ts";
import type { ODataService } from "./odata-service.ts";

/** The paths of the checks of process managers; undefined for none. */
interface ProbePaths {
  readonly health: string | undefined;
  readonly ready: string | undefined;
}

/**
 * Reports to process managers whether the process is alive, and whether it can serve requests.
 * @see docs/guides/production.md, Health checks
 */
export class Probes {
  readonly #paths: ProbePaths;
  readonly #services: readonly ODataService[];
  #isDraining = false;

  /** @throws ConfigurationError for a path that belongs to a service, and for two equal paths */
  constructor(paths: ProbePaths, services: readonly ODataService[]) {
    const faults = [...findFaults(paths, services)];
    if (faults.length > 0) throw new ConfigurationError(faults);
    this.#paths = paths;
    this.#services = services;
  }

  /** Reports from now on that the process accepts no new requests. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Returns the response to a check; undefined for any other request. */
  answer(request: ODataRequest): ODataResponse | Promise<ODataResponse> | undefined {
    const { health, ready } = this.#paths;
    const { path } = splitTarget(request.target);
    if (path !== health && path !== ready) return undefined;
    const id = readRequestId(request);
    if (request.method !== "GET" && request.method !== "HEAD") {
      const error = protocolError("MethodNotAllowed", "This path supports GET and HEAD.", {
        headers: { Allow: "GET, HEAD" },
      });
      return finishResponse(request, id, handleError(NOWHERE, request, id, error));
    }
    if (path === health) return finishResponse(request, id, statusResponse(200, "ok"));
    return this.#isReady().then((isReady) =>
      finishResponse(request, id, isReady ? statusResponse(200, "ready") : statusResponse(503, "unavailable")),
    );
  }

  async #isReady(): Promise<boolean> {
    if (this.#isDraining) return false;
    const reports = await Promise.all(this.#services.map((service) => service.probe()));
    // The server may have begun to stop meanwhile.
    return !this.#isDraining && reports.every(({ ok }) => ok);
  }
}

/** Everybody may read the response, so it gives no reason. */
function statusResponse(status: number, text: string): ODataResponse {
  const headers = {
    "OData-Version": ODATA_VERSION,
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  };
  return { status, headers, body: JSON.stringify({ status: text }) };
}

function* findFaults({ health, ready }: ProbePaths, services: readonly ODataService[]): Iterable<ConfigurationFault> {
  if (health !== undefined && health === ready) {
    const message = "`health` and `ready` of serve have the same path.";
    yield { route: health, message, fix: 'Give two paths, such as "/healthz" and "/readyz".' };
  }
  for (const [name, path] of Object.entries({ health, ready })) {
    const owner = path === undefined ? undefined : services.find((service) => owns(service, path));
    if (path === undefined || owner === undefined) continue;
    const place = owner.prefix === "" ? "has this path" : `serves all paths below ${owner.prefix}`;
    const message = `\`${name}\` of serve cannot be "${path}": a service ${place}.`;
    yield { route: path, message, fix: `Give a path outside of the services, such as "/${name}z".` };
  }
}

/** Returns whether a path belongs to a service. One at the root has the paths that it routes. */
function owns(service: ODataService, path: string): boolean {
  if (service.prefix !== "") return isBelowPrefix(path, service.prefix);
  const response = service.handle(new PathRequest(path));
  return path === "/" || response instanceof Promise || response.status !== 404;
}

/** Requests the methods of a path. */
class PathRequest implements ODataRequest {
  readonly method = "OPTIONS";
  readonly target: string;
  readonly scheme = "http";
  readonly host = "localhost";
  readonly headers: Headers = new Headers();
  readonly hasBody = false;

  constructor(target: string) {
    this.target = target;
  }

  get signal(): AbortSignal {
    return new AbortController().signal;
  }

  header(): undefined {
    return undefined;
  }

  readBody(): Uint8Array {
    return new Uint8Array(0);
  }
}
