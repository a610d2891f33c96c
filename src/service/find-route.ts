import { isODataError, protocolError, type ODataError } from "../base/errors/odata-error.ts";
import { BoundedCache, once } from "../base/memo.ts";
import type { User } from "../definition/context.ts";
import type {
  EntitySetDefinition,
  RouteResource,
  ServiceDefinition,
  ServiceDescription,
  StaticResource,
} from "../definition/model/service-definition.ts";
import { connectionPaths } from "../definition/model/service-title.ts";
import { CATEGORIES, type Category, refusal } from "../definition/sets/authorization.ts";
import { type EntityContainer, type Model, publishedSets } from "../edm/model.ts";
import { judge } from "../engine/rules/judge-rules.ts";
import { withoutQuerySegment } from "../http/fetch-request.ts";
import { prefersHtml } from "../http/media-type.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { isStandardPath } from "../language/binder/is-standard-path.ts";
import { entityOfRelated, type PathReach, resolvePath } from "../language/binder/resolve-path.ts";
import type { ResourcePath } from "../language/query/resource-path.ts";
import type { PathSegmentSyntax } from "../language/syntax/ast.ts";
import { parseResourcePath } from "../language/syntax/path-parser.ts";
import { splitTarget } from "../language/syntax/query-options-parser.ts";
import { quoteText } from "../language/syntax/syntax-error.ts";
import { sha256Base64 } from "../payload/sha256.ts";
import type { RequestUrl } from "./endpoints/arrival.ts";
import {
  answerResource,
  EXPLORER,
  leadToExplorer,
  readOdc,
  readPbids,
  readResource,
  type ResourceBody,
} from "./endpoints/read-document.ts";
import type { Endpoint } from "./endpoints/stages.ts";
import { entityUrlById, isEntityById, requireEntityPath } from "./entity-by-id.ts";
import type { EntitySetRoutes, RouteTable } from "./route-table.ts";
import { type Endpoints, Route } from "./route.ts";

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
  readonly method: string;
  /** The segments below the prefix; none for a further route. */
  readonly segments: readonly PathSegmentSyntax[];
  /** The URL of the resource if POST is a read of it, with query options in its body. */
  readonly queried: RequestUrl | undefined;
  /** Whether the request names an entity by `$id`, so that the URL and the segments are those of the entity. */
  readonly isById?: boolean | undefined;
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
 * @param baseUrl the base URL of the batch that contains the request; undefined outside of batches
 * @throws ODataError for a URL that is too long or malformed, or outside of the service
 */
export function placeOf(
  odata: ODataRequest,
  definition: ServiceDefinition,
  further: FurtherRoutes,
  baseUrl?: string,
): RoutePlace {
  const { prefix, limits, profile } = definition;
  checkUrlLength(odata.target, limits.maxUrlLength);
  const url = splitTarget(odata.target);
  if (!isBelowPrefix(url.path, prefix)) throw outsideOfPrefix(url.path, prefix);
  const below = url.path.slice(prefix.length);
  const isPlainRoot = (below === "" || below === "/") && url.query === "" && further.has(BROWSER_ROOT);
  const isBrowser = isPlainRoot && prefersHtml(undefined, odata.header("accept"), profile.servesPageWithoutJson);
  const stated = further.get(isBrowser ? BROWSER_ROOT : below) ?? further.get(siblingsOf(below));
  const { method } = odata;
  if (stated !== undefined) return { url, method, further: stated, segments: NO_SEGMENTS, queried: undefined };
  const resource = withoutQuerySegment(below);
  const segments = parseResourcePath(resource ?? below);
  const queried = resource === null ? undefined : { path: prefix + resource, query: url.query };
  if (!isEntityById(segments, definition)) return { url, method, further: undefined, segments, queried };
  const named = entityUrlById(odata, queried ?? url, definition, baseUrl);
  const place = { method, further: undefined, segments: parseResourcePath(named.path.slice(prefix.length)) };
  const urls = queried === undefined ? { url: named, queried } : { url, queried: named };
  return { ...place, ...urls, isById: true };
}

/** The path of further routes for all paths that differ in their last segment alone. */
function siblingsOf(below: string): string {
  return `${below.slice(0, below.lastIndexOf("/") + 1)}*`;
}

const NO_SEGMENTS: readonly PathSegmentSyntax[] = Object.freeze([]);

/** Finds the route of a place. @throws ODataError `NotFound` for a place that the service does not have */
export function routeAt(
  { url, method, further, segments, queried, isById = false }: RoutePlace,
  { model, profile }: Pick<ServiceDefinition, "model" | "profile">,
  { routes }: RouteTables,
): RoutedRequest {
  if (further !== undefined) return { url, ...further, queried };
  const named = pathOf(segments, model, profile.pathReach);
  const isWrite = profile.pathReach === "further" && WRITES_OF_ENTITIES.has(method);
  const path = isWrite ? entityOfRelated(named, model) : named;
  if (isById) requireEntityPath(path);
  const own = isById ? routes.findRead(path) : routes.find(path);
  const route = queried === undefined ? own : routes.findQuery(path);
  return { url, path, route, isPublic: false, queried, isBatch: false };
}

/** The methods that write the entity of a path. */
const WRITES_OF_ENTITIES: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

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
  /** The names of the guarded entity sets, and of the singletons over them. */
  readonly #sets: ReadonlySet<string>;
  /** The container, if paths lead to other sets. */
  readonly #container: EntityContainer | null;

  constructor({ authorization, entitySets, singletons, profile, model }: ServiceDefinition, table: RouteTable) {
    this.#container = profile.pathReach === "further" ? model.entityContainer : null;
    this.#isWhole = judge(authorization, null) === "failed";
    const guarded = [...table.entitySets].filter(([name, routes]) => {
      const set = entitySets.get(name);
      return set !== undefined && isGuarded(set, routes);
    });
    const sets = new Set(guarded.map(([name]) => name));
    const over = [...singletons.values()].filter(({ singleton }) => sets.has(singleton.entitySet.name));
    this.#sets = new Set([...sets, ...over.map(({ singleton }) => singleton.name)]);
  }

  /** Returns the refusal of a user at a place; null for a known user, and where a route needs no user. */
  refusalAt({ further, segments }: RoutePlace, user: User | null): ODataError | null {
    if (user !== null || further?.isPublic === true) return null;
    if (this.#isWhole) return refusal(null, "use this service");
    const [{ name } = { name: "" }, ...below] = segments;
    const found = this.#sets.has(name) ? name : this.#guardedAlong(name, below);
    return found === null ? null : refusal(null, `use ${found}`);
  }

  /** Returns the first guarded set to which a path leads from one that is not, with further segments; null for none. */
  #guardedAlong(first: string, segments: readonly PathSegmentSyntax[]): string | null {
    if (this.#container === null) return null;
    const { entitySets, singletons } = this.#container;
    let owner = singletons.get(first)?.entitySet ?? entitySets.get(first);
    for (const [index, { name }] of segments.entries()) {
      const next = segments[index + 1];
      // What begins with a dollar sign is a part of the navigation itself, and no name.
      if (next === undefined || next.name.startsWith("$")) return null;
      const target = owner?.navigationPropertyBindings.get(name) ?? "";
      if (this.#sets.has(target)) return target;
      owner = entitySets.get(target);
    }
    return null;
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

/** The further routes by their raw path below the prefix, with a leading slash. */
type FurtherRoutes = ReadonlyMap<string, FurtherRoute>;

/** The place of the route for browsers that ask for the root of the service. No path below the prefix equals it. */
const BROWSER_ROOT = "browser";

/** The last segment of the paths of batches. Clients encode the dollar sign, or end paths with a slash. */
const BATCH_ENDS: readonly string[] = ["/$batch", "/$batch/", "/%24batch", "/%24batch/"];

/**
 * Returns the paths of batches below the prefix. The data manager of Syncfusion sends batches to `$batch` of an entity set.
 * They and their relative URLs have the same meaning there.
 */
function batchPathsOf(entitySets: Iterable<string>): readonly string[] {
  const parents = ["", ...Array.from(entitySets, (name) => `/${name}`)];
  return parents.flatMap((parent) => BATCH_ENDS.map((end) => parent + end));
}

const ROOT: ResourcePath = Object.freeze({ kind: "serviceRoot" });

/**
 * Opens the further routes of a registration, and the route of batches, once, at startup.
 * @param resources those of the checked routes of the registration
 * @param answerBatch the endpoint of batches; null for a service that accepts none
 */
export function openFurtherRoutes(
  resources: readonly RouteResource[],
  service: ServiceDescription,
  answerBatch: Endpoint | null,
): FurtherRoutes {
  const opened = new Map(resources.map((resource) => [`/${resource.path}`, toRoute(resource)]));
  const page = opened.get(`/${EXPLORER}`);
  if (page !== undefined) {
    opened.set(BROWSER_ROOT, { ...page, route: new Route({ GET: { answer: leadToExplorer, category: null } }) });
  }
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
    const sets = publishedSets(service.definition.model.entityContainer).map(({ name }) => name);
    for (const path of batchPathsOf(sets)) opened.set(path, batch);
  }
  return opened;
}

/** The mount paths whose bodies a route keeps. Where the path has parameters, clients choose it. */
const BODIES_KEPT = 4;

function toRoute(resource: RouteResource): FurtherRoute {
  const answer: Endpoint =
    "answer" in resource ? (request) => answerResource(request, resource) : documentEndpoint(resource);
  const isPublic = "isPublic" in resource && resource.isPublic === true;
  return { path: ROOT, route: new Route({ GET: { answer, category: null } }), isPublic, isBatch: false };
}

function documentEndpoint(resource: StaticResource): Endpoint {
  const { body: given, bodyBelow } = resource;
  // The description of a large service takes time and memory that most processes never need.
  const atRoot = once(() => toBody(typeof given === "function" ? given() : given));
  const below = new BoundedCache<string, ResourceBody>(BODIES_KEPT);
  return (request) => {
    const { mountPath = "" } = request.arrival.odata;
    if (bodyBelow === undefined || mountPath === "") return readResource(request, resource, atRoot());
    let body = below.get(mountPath);
    if (body === undefined) below.set(mountPath, (body = toBody(bodyBelow(mountPath))));
    return readResource(request, resource, body);
  };
}

function toBody(bytes: Uint8Array): ResourceBody {
  return { bytes, etag: `"${sha256Base64(bytes)}"` };
}
