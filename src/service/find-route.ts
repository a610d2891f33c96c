import { BoundedCache, once } from "../base/memo.ts";
import { isStandardPath } from "../binder/is-standard-path.ts";
import { type PathReach, resolvePath } from "../binder/resolve-path.ts";
import type { User } from "../definition/context.ts";
import type {
  AnsweringResource,
  EntitySetDefinition,
  ServiceDefinition,
  ServiceDescription,
  ServiceRoute,
  StaticResource,
} from "../definition/model/service-definition.ts";
import { connectionPaths } from "../definition/model/service-title.ts";
import { CATEGORIES, type Category, refusal } from "../definition/sets/authorization.ts";
import type { Model } from "../edm/model.ts";
import type { RequestUrl } from "../endpoints/arrival.ts";
import {
  answerResource,
  EXPLORER,
  readOdc,
  readPbids,
  readResource,
  type ResourceBody,
} from "../endpoints/read-document.ts";
import type { Endpoint } from "../endpoints/stages.ts";
import { isODataError, protocolError, type ODataError } from "../errors/odata-error.ts";
import { judge } from "../execution/rules/judge-rules.ts";
import { withoutQuerySegment } from "../http/fetch-request.ts";
import { prefersHtml } from "../http/media-type.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { sha256Base64 } from "../payload/sha256.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import type { PathSegmentSyntax } from "../syntax/ast.ts";
import { parseResourcePath } from "../syntax/path-parser.ts";
import { splitTarget } from "../syntax/query-options-parser.ts";
import { quoteText } from "../syntax/syntax-error.ts";
import { type RouteTable, Route, type EntitySetRoutes, type Endpoints } from "./route-table.ts";

/** The routes of a service. */
export interface RouteTables {
  readonly routes: RouteTable;
  readonly further: FurtherRoutes;
}

/** The place that a URL names, before its names are looked up. */
export interface RoutePlace {
  readonly url: RequestUrl;
  /** The route outside the model at this path. */
  readonly further: FurtherRoute | undefined;
  /** The segments below the prefix; none for a further route. */
  readonly segments: readonly PathSegmentSyntax[];
  /** The URL of the resource if POST is a read of it, with query options in its body. */
  readonly queried: RequestUrl | undefined;
  /** Whether a browser asks for the root of a service with a page that needs no user, to which the root leads. */
  readonly leadsToPage: boolean;
}

/** A request whose URL leads to a route. */
export interface RoutedRequest {
  readonly url: RequestUrl;
  readonly path: ResourcePath;
  readonly route: Route;
  /** Whether requests skip authentication and authorization. */
  readonly isPublic: boolean;
  /** As in `RoutePlace`. */
  readonly queried: RequestUrl | undefined;
  /** Whether the route accepts batches. */
  readonly isBatch: boolean;
}

/**
 * Reads the shape of a URL. Its result does not depend on the names of the model.
 * @throws ODataError for a URL that is too long or malformed, or outside of the service
 */
export function placeOf(
  odata: Pick<ODataRequest, "target" | "header">,
  { prefix, limits, profile }: Pick<ServiceDefinition, "prefix" | "limits" | "profile">,
  further: FurtherRoutes,
): RoutePlace {
  checkUrlLength(odata.target, limits.maxUrlLength);
  const url = splitTarget(odata.target);
  if (!isBelowPrefix(url.path, prefix)) throw outsideOfPrefix(url.path, prefix);
  const below = url.path.slice(prefix.length);
  const stated = further.at(below);
  if (stated !== undefined) {
    return { url, further: stated, segments: NO_SEGMENTS, queried: undefined, leadsToPage: false };
  }
  const isPlainRoot = (below === "" || below === "/") && url.query === "" && further.at(`/${EXPLORER}`)?.isPublic;
  const leadsToPage =
    isPlainRoot === true && prefersHtml(undefined, odata.header("accept"), profile.servesPageWithoutJson);
  const resource = withoutQuerySegment(below);
  const segments = parseResourcePath(resource ?? below);
  const queried = resource === null ? undefined : { path: prefix + resource, query: url.query };
  return { url, further: undefined, segments, queried, leadsToPage };
}

const NO_SEGMENTS: readonly PathSegmentSyntax[] = Object.freeze([]);

/** Finds the route of a place. @throws ODataError `NotFound` for a place that the service does not have */
export function routeAt(
  { url, further, segments, queried, leadsToPage }: RoutePlace,
  { model, profile }: Pick<ServiceDefinition, "model" | "profile">,
  { routes }: RouteTables,
): RoutedRequest {
  if (further !== undefined) return { url, ...further, queried };
  const path = pathOf(segments, model, profile.pathReach);
  const route = queried === undefined ? routes.find(path) : routes.findQuery(path);
  return { url, path, route, isPublic: leadsToPage, queried, isBatch: false };
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

/**
 * The places all of whose routes need a user. There, an unknown name and an unknown method lead to the same 401 for anonymous
 * users as a known one, so they learn no names.
 * @see docs/reference/status-codes.md, The order of checks
 */
export class GuardedPlaces {
  readonly #isWhole: boolean;
  /** The names of the guarded entity sets. */
  readonly #sets: ReadonlySet<string>;

  constructor({ authorization, entitySets }: ServiceDefinition, table: RouteTable) {
    this.#isWhole = judge(authorization, null) === "failed";
    const guarded = [...table.entitySets].filter(([name, routes]) => {
      const set = entitySets.get(name);
      return set !== undefined && isGuarded(set, routes);
    });
    this.#sets = new Set(guarded.map(([name]) => name));
  }

  /** Returns the refusal of a user at a place; null for a known user, and where a route needs no user. */
  refusalAt({ further, segments, leadsToPage }: RoutePlace, user: User | null): ODataError | null {
    if (user !== null || leadsToPage || further?.isPublic === true) return null;
    if (this.#isWhole) return refusal(null, "use this service");
    const [{ name } = { name: "" }] = segments;
    return this.#sets.has(name) ? refusal(null, `use ${name}`) : null;
  }
}

/** Returns whether the categories of all routes of a set need a user; of a set without routes, whether all categories do. */
function isGuarded({ authorization, operations }: EntitySetDefinition, routes: EntitySetRoutes): boolean {
  const used = new Set([...categoriesOf(routes), ...(operations.size > 0 ? INVOKE : [])]);
  return [...(used.size > 0 ? used : CATEGORIES)].every((each) => judge(authorization[each], null) === "failed");
}

const INVOKE: readonly Category[] = ["invoke"];

function categoriesOf({ navigations, ...own }: EntitySetRoutes): readonly Category[] {
  const along = [...navigations.values()].flatMap((each): readonly Endpoints[] => Object.values(each));
  const all: readonly Endpoints[] = [...Object.values(own), ...along];
  return all.flatMap((endpoints) => Object.values(endpoints).flatMap((endpoint) => endpoint?.category ?? []));
}

/** A route outside the model, such as `openapi.json` or `$batch`. */
interface FurtherRoute {
  /** The resource of the protocol for its rules: the root of the service. */
  readonly path: ResourcePath;
  readonly route: Route;
  /** Whether requests skip authentication and authorization. */
  readonly isPublic: boolean;
  /** Whether it accepts batches. */
  readonly isBatch: boolean;
}

/** The further routes of a service. */
export class FurtherRoutes {
  /** By their raw path below the prefix, with a leading slash. */
  readonly #routes: ReadonlyMap<string, FurtherRoute>;
  /** The routes with one more segment below a path, which ends with a slash. */
  readonly #parents: ReadonlyArray<readonly [path: string, route: FurtherRoute]>;
  /** The resources that receive statements. */
  readonly followers: readonly AnsweringResource[];

  constructor(routes: ReadonlyMap<string, FurtherRoute>, followers: readonly AnsweringResource[]) {
    this.#routes = routes;
    this.#parents = [...routes].flatMap(([path, route]) => (path.endsWith("/*") ? [[path.slice(0, -1), route]] : []));
    this.followers = followers;
  }

  /** Returns the route at a path below the prefix. */
  at(below: string): FurtherRoute | undefined {
    return this.#routes.get(below) ?? this.#parents.find(([path]) => isChild(below, path))?.[1];
  }
}

function isChild(below: string, parent: string): boolean {
  return below.startsWith(parent) && !below.includes("/", parent.length);
}

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
  const opened = new Map(
    resources.map((resource): readonly [string, FurtherRoute] => [
      `/${resource.path}`,
      "answer" in resource ? toAnsweringRoute(resource) : toRoute(resource),
    ]),
  );
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
  const followers = resources.flatMap((each) => ("answer" in each && each.follow !== undefined ? [each] : []));
  return new FurtherRoutes(opened, followers);
}

/** The mount paths whose bodies a route keeps. Where the path has parameters, clients choose it. */
const BODIES_KEPT = 4;

function toRoute(resource: StaticResource): FurtherRoute {
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

function toAnsweringRoute(resource: AnsweringResource): FurtherRoute {
  const route = new Route({ GET: { answer: (request) => answerResource(request, resource), category: null } });
  return { path: ROOT, route, isPublic: false, isBatch: false };
}

function toBody(bytes: Uint8Array): ResourceBody {
  return { bytes, etag: `"${sha256Base64(bytes)}"` };
}
