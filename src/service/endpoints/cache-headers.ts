import { keptPer } from "../../base/memo.ts";
import type { EntitySet } from "../../edm/model.ts";
import { mergeVary } from "../../http/headers.ts";
import type { SelectExpandClause } from "../../language/query/clauses.ts";
import { mentionsOf, namedIn, type QueryClauses } from "../../language/query/mentions.ts";
import { stepsOf } from "../../language/query/resource-path.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { runtimeOf } from "./service-runtime.ts";

/** The request headers that a response depends on, for caches. */
const VARY = "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization";

/** The headers of a response for caches. */
type CacheHeaders = Readonly<Record<"Vary", string> & Partial<Record<"Cache-Control", string>>>;

const OPEN: CacheHeaders = Object.freeze({ Vary: VARY });
const NOT_STORED: CacheHeaders = Object.freeze({ Vary: VARY, "Cache-Control": "no-store" });

/**
 * Returns the headers of a successful response for caches. Caches must not store the responses of signed-in users, unless
 * `cacheControl` of all sets that a read depends on says so.
 * @see docs/reference/entity-sets.md, Caching
 */
export function cacheHeaders(request: AuthorizedRequest): CacheHeaders {
  const usual = request.access.user === null ? OPEN : NOT_STORED;
  if (!request.service.cachesReads) return usual;
  const headers = settingHeaders(request) ?? usual;
  const names = readHeaders(request);
  return names === "" ? headers : { ...headers, Vary: mergeVary(headers.Vary, names) };
}

/** Returns the headers of a response without content for caches; undefined if no header of the response is needed. */
export function emptyCacheHeaders(request: AuthorizedRequest): CacheHeaders | undefined {
  const headers = cacheHeaders(request);
  return headers === OPEN ? undefined : headers;
}

/** Whether the handlers of a set read headers of requests, so that its ETag does not tell its representations apart. */
export function variesByHeaders({ service }: Pick<AuthorizedRequest, "service">, set: EntitySet): boolean {
  return runtimeOf(service, set).settings.vary !== "";
}

/** Returns the request headers that the handlers of a response read. Operations, and handlers without a set, may read any. */
function readHeaders(request: AuthorizedRequest): string {
  const { service, path } = request;
  const isOperation = path.kind === "boundOperation" || path.kind === "operationImport";
  const sets = readSets(request);
  const runtimes =
    isOperation || sets.includes(null)
      ? [...service.entitySets.values()]
      : sets.flatMap((set) => (set === null ? [] : [runtimeOf(service, set)]));
  return runtimes.flatMap(({ settings: { vary } }) => (vary === "" ? [] : [vary])).join(", ");
}

/** Returns the headers for a read of sets with `cacheControl`; undefined for any other response. */
function settingHeaders(request: AuthorizedRequest): CacheHeaders | undefined {
  const { service, access, arrival } = request;
  const { method } = arrival.odata;
  if (method !== "GET" && method !== "HEAD") return undefined;
  const settings = readSets(request).map((set) =>
    set === null ? null : runtimeOf(service, set).settings.cacheControl,
  );
  const [first = null] = settings;
  if (settings.every((each) => each === null)) return undefined;
  if (first === null || settings.some((each) => each?.text !== first.text)) return NOT_STORED;
  const { text, isPrivate } = first;
  if (choosesEntity(request) || (!isPrivate && access.user !== null)) return NOT_STORED;
  // A browser whose user changes must not show the data of the last one.
  const ofUser = isPrivate ? ", Cookie" : "";
  const position = arrival.reading === null ? "" : ", X-OData-Position";
  return { Vary: VARY + ofUser + position, "Cache-Control": text };
}

/** Returns whether the path begins with a singleton over a set: anything in the request may decide which entity it is. */
function choosesEntity({ path }: AuthorizedRequest): boolean {
  const [first] = stepsOf(path);
  const own = "singleton" in path ? path.singleton : undefined;
  const singleton = first === undefined ? own : first.from.singleton;
  return singleton !== undefined && singleton.entitySet.isOfSingleton !== true;
}

/** Returns the sets that a read depends on; null for related entities without a set. Functions depend on no set. */
function readSets({ service, path, queriedSets }: AuthorizedRequest): ReadonlyArray<EntitySet | null> {
  if (!("entitySet" in path) || path.kind === "boundOperation") return [];
  const { entitySet } = path;
  const before = stepsOf(path).map(({ from }) => from.entitySet);
  if (!("navigationProperty" in path)) return [entitySet, ...before, ...queriedSets];
  const target = entitySet.navigationPropertyBindings.get(path.navigationProperty.name);
  const related = target === undefined ? undefined : service.definition.model.entityContainer.entitySets.get(target);
  return [entitySet, related ?? null, ...before, ...queriedSets];
}

/** The clauses of a query that may use other sets. */
interface UsingQuery extends QueryClauses {
  readonly selectExpand: SelectExpandClause;
}

/** Returns the sets that a query uses besides the set that it reads, once for each shape. */
export const setsOfQuery: (query: UsingQuery) => ReadonlyArray<EntitySet | null> = keptPer((query: UsingQuery) => [
  ...setsOfExpressions(query),
  ...setsOfExpansions(query.selectExpand),
]);

/** Returns the sets that computed values and expansions use, once for each clause. */
export const setsOfExpansions: (clause: SelectExpandClause) => ReadonlyArray<EntitySet | null> = keptPer(
  (clause: SelectExpandClause) => [
    ...setsOfExpressions(namedIn(clause)),
    ...clause.expanded.flatMap((item) => [item.target, ...setsOfQuery(item)]),
  ],
);

function setsOfExpressions(query: QueryClauses): ReadonlyArray<EntitySet | null> {
  const mentions = mentionsOf(query);
  if (mentions === null) return [];
  const isUnknown = mentions.allNavigations.some(({ target }) => target === null);
  return isUnknown ? [null, ...mentions.entitySets] : mentions.entitySets;
}
