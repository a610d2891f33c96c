import { BoundedCache, once } from "../base/memo.ts";
import type { RouteResource, ServiceDescription, ServiceRoute } from "../definition/model/service-definition.ts";
import { connectionPaths, readOdc, readPbids, readResource, type ResourceBody } from "../endpoints/read-document.ts";
import type { Endpoint } from "../endpoints/stages.ts";
import { sha256Base64 } from "../payload/sha256.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { Route } from "./route-table.ts";

/** A route outside the model, such as `openapi.json` or `$batch`. */
export interface FurtherRoute {
  /** The resource of the protocol for its rules: the root of the service. */
  readonly path: ResourcePath;
  readonly route: Route;
  /** Whether requests skip authentication and authorization. */
  readonly isPublic: boolean;
  /** Whether it accepts batches. */
  readonly isBatch: boolean;
}

/** The further routes by their raw path below the prefix, with a leading slash. */
export type FurtherRoutes = ReadonlyMap<string, FurtherRoute>;

/** The last segment of the paths of batches. Clients encode the dollar sign, or end paths with a slash. */
const BATCH_ENDS: readonly string[] = ["/$batch", "/$batch/", "/%24batch", "/%24batch/"];

/**
 * Returns the paths of batches below the prefix. The data manager of Syncfusion sends batches to `$batch` of an entity set.
 * They mean the same there, and their relative URLs too.
 */
function batchPathsOf(entitySets: Iterable<string>): readonly string[] {
  const parents = ["", ...Array.from(entitySets, (name) => `/${name}`)];
  return parents.flatMap((parent) => BATCH_ENDS.map((end) => parent + end));
}

const ROOT: ResourcePath = Object.freeze({ kind: "serviceRoot" });

/**
 * Opens the further routes of a registration, and the route of batches, once, at startup.
 * @param routes checked routes of the registration
 * @param answerBatch the endpoint of batches; null for a service that accepts none
 */
export function openFurtherRoutes(
  routes: readonly ServiceRoute[],
  service: ServiceDescription,
  answerBatch: Endpoint | null,
): FurtherRoutes {
  const resources = routes.flatMap((route) => route.open(service));
  const opened = new Map<string, FurtherRoute>(resources.map((resource) => [`/${resource.path}`, toRoute(resource)]));
  const { connectionFiles } = service.definition;
  if (connectionFiles !== null) {
    const { excel, powerBi } = connectionPaths(connectionFiles);
    const files = { [excel]: readOdc, [powerBi]: readPbids };
    for (const [path, answer] of Object.entries(files)) {
      const route = new Route({ GET: { answer, category: null } });
      // A route of the application has precedence.
      if (!opened.has(path)) opened.set(path, { path: ROOT, route, isPublic: false, isBatch: false });
    }
  }
  if (answerBatch !== null) {
    const route = new Route({ POST: { answer: answerBatch, category: null } });
    const batch: FurtherRoute = { path: ROOT, route, isPublic: false, isBatch: true };
    for (const path of batchPathsOf(service.definition.entitySets.keys())) opened.set(path, batch);
  }
  return opened;
}

/** The mount paths whose bodies a route keeps. Where the path has parameters, clients choose it. */
const BODIES_KEPT = 4;

function toRoute(resource: RouteResource): FurtherRoute {
  const { body: given, bodyBelow } = resource;
  // The description of a large service takes time and memory that most processes never need.
  const atRoot = once(() => toBody(typeof given === "function" ? given() : given));
  const below = new BoundedCache<string, ResourceBody>(BODIES_KEPT);
  const answer: Endpoint = (request) => {
    const { mountPath = "" } = request.arrival.odata;
    if (bodyBelow === undefined || mountPath === "") return readResource(request, resource, atRoot());
    let body = below.get(mountPath);
    if (body === undefined) below.set(mountPath, (body = toBody(bodyBelow(mountPath))));
    return readResource(request, resource, body);
  };
  const route = new Route({ GET: { answer, category: null } });
  return { path: ROOT, route, isPublic: resource.isPublic === true, isBatch: false };
}

function toBody(bytes: Uint8Array): ResourceBody {
  return { bytes, etag: `"${sha256Base64(bytes)}"` };
}
