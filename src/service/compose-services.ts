import { ConfigurationError, type ConfigurationFault } from "../base/errors/configuration-error.ts";
import { type ODataError, protocolError } from "../base/errors/odata-error.ts";
import { defaultLogger } from "../definition/logger.ts";
import { descriptionOf } from "../definition/model/service-definition.ts";
import { describe } from "../definition/option-table.ts";
import { SERVICE_PROFILES } from "../definition/service-profile.ts";
import { checkHost } from "../http/base-url.ts";
import { fromFetchRequest, toFetchResponse } from "../http/fetch-request.ts";
import { readRequestId } from "../http/headers.ts";
import { prefersHtml } from "../http/media-type.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { splitTarget } from "../language/syntax/query-options-parser.ts";
import { quoteText } from "../language/syntax/syntax-error.ts";
import { finishResponse } from "./answer-request.ts";
import { withCors } from "./cors.ts";
import { isBelowPrefix } from "./find-route.ts";
import { type ErrorScope, handleError, logBrokenResponse } from "./handle-error.ts";
import type { ODataService } from "./odata-service.ts";
import { SCHEMA_FAULTS } from "./schema-gate.ts";

/** A service, and the path below which its host has mounted it. */
interface MountedService {
  readonly service: ODataService;
  /** Empty for the root. The prefix of the service follows. */
  readonly mountPath: string;
}

/** Several services in one handler. */
export interface ComposedServices {
  /** The prefixes of the services, the longest first. */
  readonly prefixes: readonly string[];
  /** Passes a request to the service with the prefix of its path; returns 404 for any other path. */
  handle(request: ODataRequest): ODataResponse | Promise<ODataResponse>;
  /**
   * Finds the service of a path; undefined for a path of the host.
   * @param target the raw path, with or without a query, as the client sent it
   * @param hostPath the part of it at which the host mounted the services; empty for the root
   */
  find(target: string, hostPath: string): MountedService | undefined;
  /**
   * Returns the response for an error of the host, which no service sees. Pages of other origins may read it as they may read
   * the responses of the service at this path.
   */
  refuse(request: ODataRequest, error: unknown): ODataResponse;
  /** Logs a failure after the start of a response: the client only sees that the response breaks off. */
  reportFailure(request: ODataRequest, response: ODataResponse, error: unknown): void;
}

/** The log and the challenge of requests to no service. */
export const NOWHERE: ErrorScope = {
  logger: defaultLogger,
  challenge: "Bearer",
  explainError: undefined,
  messages: undefined,
  profile: SERVICE_PROFILES.specification,
};

/**
 * Combines several services, each at its prefix. The longest matching prefix wins.
 * @throws ConfigurationError for a value that is not a service, and for services with the same prefix or name
 * @see docs/reference/services.md
 */
export function composeServices(services: ODataService | readonly ODataService[]): ComposedServices {
  const list = isList(services) ? [...services] : [services];
  const strangers = list.filter((each) => !isService(each));
  const faults = strangers.length > 0 ? strangers.map(strangerFault) : findClashes(list);
  if (faults.length > 0) throw new ConfigurationError(faults);
  list.sort((left, right) => right.prefix.length - left.prefix.length);
  const find = (request: ODataRequest): ODataService | undefined =>
    list.find((service) => isBelowPrefix(request.target, service.prefix));
  return {
    prefixes: list.map(({ prefix }) => prefix),
    handle: (request) => {
      const service = find(request);
      if (service !== undefined) return service.handle(request);
      try {
        checkHost(request);
        return findRoot(request, list) ?? refuse(undefined, request, noServiceAt(request, list));
      } catch (error) {
        return refuse(undefined, request, error);
      }
    },
    refuse: (request, error) => refuse(find(request), request, error),
    find: (target, hostPath) => {
      for (const service of list) {
        const mountPath = mountPathOf(hostPath, service.prefix);
        const isMounted = target.startsWith(mountPath) && isBelowPrefix(target.slice(mountPath.length), service.prefix);
        if (isMounted) return { service, mountPath };
      }
      return undefined;
    },
    reportFailure: (request, response, error) => {
      logBrokenResponse(find(request) ?? NOWHERE, request, response, error);
    },
  };
}

/** Returns a redirect for a browser at `/`: a person who types only the host means the service. */
function findRoot(request: ODataRequest, [service, ...others]: readonly ODataService[]): ODataResponse | undefined {
  const { method, target } = request;
  const isRead = method === "GET" || method === "HEAD";
  if (service === undefined || others.length > 0 || !isRead || target !== "/") return undefined;
  if (!prefersHtml(undefined, request.header("accept"), true)) return undefined;
  const headers = { Location: `${service.prefix}/`, "Cache-Control": "no-store", Vary: "Accept" };
  return finishResponse(request, readRequestId(request), { status: 307, headers, body: null });
}

function refuse(service: ODataService | undefined, request: ODataRequest, error: unknown): ODataResponse {
  const id = readRequestId(request);
  const definition = service === undefined ? undefined : descriptionOf(service)?.definition;
  const response = handleError(definition ?? NOWHERE, request, id, error);
  return finishResponse(request, id, withCors(definition?.cors ?? null, request, response));
}

/** Returns the path that the handler received, without a mount path that the host removed. */
function pathOf({ target }: ODataRequest): string {
  return splitTarget(target).path;
}

/**
 * Checks the databases of several registrations.
 * @throws ConfigurationError with the differences of all of them; Error when a database cannot be reached
 */
export async function readyAll(services: ODataService | readonly ODataService[]): Promise<void> {
  const list = isList(services) ? services : [services];
  const outcomes = await Promise.allSettled(list.map((service) => service.ready()));
  const errors = outcomes.flatMap((outcome): unknown[] => (outcome.status === "rejected" ? [outcome.reason] : []));
  if (errors.length === 0) return;
  const differences = errors.filter((error) => error instanceof ConfigurationError);
  if (differences.length < 2) throw errors[0];
  throw new ConfigurationError(
    differences.flatMap(({ faults }) => faults),
    { where: SCHEMA_FAULTS },
  );
}

function noServiceAt(request: ODataRequest, services: readonly ODataService[]): ODataError {
  const prefixes = services.map(({ prefix }) => prefix).join(", ");
  const message = `No service has the path ${quoteText(pathOf(request))}. The services are mounted at: ${prefixes}`;
  return protocolError("NotFound", message);
}

function isList(services: ODataService | readonly ODataService[]): services is readonly ODataService[] {
  return Array.isArray(services);
}

/** JavaScript callers may pass other values. */
function isService(value: unknown): boolean {
  return typeof value === "object" && value !== null && "handle" in value && "prefix" in value;
}

function strangerFault(value: unknown): ConfigurationFault {
  return { message: `A service cannot be ${describe(value)}.`, fix: "Pass the result of `odataService(…)`." };
}

function findClashes(services: readonly ODataService[]): readonly ConfigurationFault[] {
  const faults: ConfigurationFault[] = [];
  if (services.length === 0) {
    faults.push({ message: "The list of services is empty.", fix: "Pass at least one odataService(…)." });
  }
  for (const [index, service] of services.entries()) {
    for (const earlier of services.slice(0, index)) {
      if (earlier.prefix === service.prefix) {
        faults.push({
          route: service.prefix === "" ? "/" : service.prefix,
          message: "Two services have the same prefix.",
          fix: "Give each service its own `prefix`.",
        });
      }
      if (earlier.name === service.name) {
        faults.push({
          message:
            service.name === undefined ? "Two services have no name." : `Two services are named "${service.name}".`,
          fix: "Give each service its own `name`.",
        });
      }
    }
  }
  return faults;
}

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

/**
 * Returns the path that precedes the prefix of a service: the path at which the host mounted its handler, without the
 * segments that begin the prefix. So `/odata` and the prefix `/odata` are the root, and `/api` and `/odata` are `/api`.
 * @param hostPath the path of the mount; empty for the root
 * @see docs/guides/hosts.md, Paths
 */
export function mountPathOf(hostPath: string, prefix: string): string {
  const mounted = segmentsOf(hostPath);
  const own = segmentsOf(prefix);
  for (let shared = Math.min(mounted.length, own.length); shared > 0; shared--) {
    const start = mounted.length - shared;
    if (own.slice(0, shared).every((segment, index) => segment === mounted[start + index])) {
      return toPath(mounted.slice(0, start));
    }
  }
  return hostPath;
}

/**
 * Returns the beginning of a raw path that a pattern of the host matches, such as `/a` for `/a/Orders` and `/:tenant`.
 * @param pattern the path of the mount, possibly with parameters
 */
export function matchedPath(path: string, pattern: string): string {
  const { length } = segmentsOf(pattern);
  return toPath(segmentsOf(path.replace(/[?#].*$/s, "")).slice(0, length));
}

/** Returns the segments of a path that begins with a slash, or is empty. */
function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/+$/, "").split("/").slice(1);
}

function toPath(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment}`).join("");
}
