import { isStandardPath } from "../binder/is-standard-path.ts";
import { type PathReach, resolvePath } from "../binder/resolve-path.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { Model } from "../edm/model.ts";
import type { RequestUrl } from "../endpoints/arrival.ts";
import { isODataError, protocolError } from "../errors/odata-error.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { withoutQuerySegment } from "../http/query-body.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import type { PathSegmentSyntax } from "../syntax/ast.ts";
import { parseResourcePath } from "../syntax/path-parser.ts";
import { splitTarget } from "../syntax/query-options-parser.ts";
import { quoteText } from "../syntax/syntax-error.ts";
import type { FurtherRoute, FurtherRoutes } from "./further-routes.ts";
import type { RouteTable } from "./route-table.ts";
import type { Route } from "./route.ts";

/** The routes of a service. */
export interface RouteTables {
  readonly routes: RouteTable;
  readonly further: FurtherRoutes;
}

/** The place that a URL names, before its names are looked up. */
export interface Place {
  readonly url: RequestUrl;
  /** The route outside the model at this path. */
  readonly further: FurtherRoute | undefined;
  /** The segments below the prefix; none for a further route. */
  readonly segments: readonly PathSegmentSyntax[];
  /** The URL of the resource if POST is a read of it, with query options in its body. */
  readonly queried: RequestUrl | undefined;
}

/** A request whose URL leads to a route. */
export interface RoutedRequest {
  readonly url: RequestUrl;
  readonly path: ResourcePath;
  readonly route: Route;
  /** Whether requests skip authentication and authorization. */
  readonly isPublic: boolean;
  /** As in `Place`. */
  readonly queried: RequestUrl | undefined;
  /** Whether the route accepts batches. */
  readonly isBatch: boolean;
}

/**
 * Reads the shape of a URL. Its result does not depend on the names of the model.
 * @throws ODataError for a URL that is too long or malformed, or outside of the service
 */
export function placeOf(
  { target }: Pick<ODataRequest, "target">,
  { prefix, limits }: Pick<ServiceDefinition, "prefix" | "limits">,
  further: FurtherRoutes,
): Place {
  checkUrlLength(target, limits.maxUrlLength);
  const url = splitTarget(target);
  if (!isBelowPrefix(url.path, prefix)) throw outsideOfPrefix(url.path, prefix);
  const below = url.path.slice(prefix.length);
  const stated = further.get(below);
  if (stated !== undefined) return { url, further: stated, segments: NO_SEGMENTS, queried: undefined };
  const resource = withoutQuerySegment(below);
  const segments = parseResourcePath(resource ?? below);
  const queried = resource === null ? undefined : { path: prefix + resource, query: url.query };
  return { url, further: undefined, segments, queried };
}

const NO_SEGMENTS: readonly PathSegmentSyntax[] = Object.freeze([]);

/** Finds the route of a place. @throws ODataError `NotFound` for a place that the service does not have */
export function routeAt(
  { url, further, segments, queried }: Place,
  { model, profile }: Pick<ServiceDefinition, "model" | "profile">,
  { routes }: RouteTables,
): RoutedRequest {
  if (further !== undefined) return { url, ...further, queried };
  const path = pathOf(segments, model, profile.pathReach);
  const route = queried === undefined ? routes.find(path) : routes.findQuery(path);
  return { url, path, route, isPublic: false, queried, isBatch: false };
}

/** Resolves a path. @throws ODataError `NotFound`, marked as unsupported if the standard defines a resource there */
function pathOf(segments: readonly PathSegmentSyntax[], model: Model, reach: PathReach): ResourcePath {
  try {
    return resolvePath(segments, model, reach);
  } catch (error) {
    if (!isODataError(error) || !isStandardPath(segments, model)) throw error;
    throw protocolError("NotFound", error.message, { isUnsupported: true });
  }
}

function checkUrlLength(target: string, maxUrlLength: number | null): void {
  if (maxUrlLength === null || target.length <= maxUrlLength) return;
  throw protocolError(
    "InvalidQueryOption",
    `The URL has ${String(target.length)} characters, but the limit is ${String(maxUrlLength)}. Split the request.`,
  );
}

/** Returns whether a path or a request target is the prefix or below it. */
export function isBelowPrefix(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  const next = path[prefix.length];
  return next === undefined || next === "/" || next === "?" || next === "#";
}

/** @param path the path that the service received, without a mount path that the host removed */
function outsideOfPrefix(path: string, prefix: string): Error {
  return protocolError(
    "NotFound",
    `No resource has the path ${quoteText(path)}. The service is mounted at ${prefix}/.`,
  );
}
