import type { RouteResource, ServiceDescription, ServiceRoute } from "../definition/service-description.ts";
import type { Endpoint } from "../endpoints/exchange.ts";
import { readResource } from "../endpoints/read-document.ts";
import { sha256Base64 } from "../payload/sha256.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { Route } from "./route-table.ts";

/** A route beside those of the protocol. */
interface FurtherRoute {
  /** What it belongs to as far as the protocol knows: the root of the service. */
  readonly path: ResourcePath;
  readonly route: Route;
  /** Whether requests to it are answered without authentication and authorization. */
  readonly isPublic: boolean;
}

/** The further routes by their raw path below the prefix, which begins with a slash. */
export type FurtherRoutes = ReadonlyMap<string, FurtherRoute>;

const ROOT: ResourcePath = Object.freeze({ kind: "serviceRoot" });

/**
 * Makes what the further routes of a registration answer: once, at startup.
 * @param routes as declared, and checked
 */
export function openFurtherRoutes(routes: readonly ServiceRoute[], service: ServiceDescription): FurtherRoutes {
  const resources = routes.flatMap((route) => route.open(service));
  return new Map(resources.map((resource) => [`/${resource.path}`, toRoute(resource)]));
}

function toRoute(resource: RouteResource): FurtherRoute {
  const etag = `"${sha256Base64(resource.body)}"`;
  const answer: Endpoint = (exchange) => readResource(exchange, resource, etag);
  const route = new Route({ GET: { answer, category: null } });
  return { path: ROOT, route, isPublic: resource.isPublic === true };
}
