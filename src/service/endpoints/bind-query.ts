import { ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import {
  authorizeExpansions,
  authorizeShape,
  pathGuardOf,
  type QueryingUser,
  starAccessOf,
} from "../../engine/rules/authorize-query.ts";
import { checkQueryHeaders, readQueryText } from "../../http/fetch-request.ts";
import { negotiateJson, negotiateText, type JsonFormat } from "../../http/media-type.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import {
  bindCollectionQuery,
  bindCountQuery,
  bindEntityQuery,
  type QueryTarget,
} from "../../language/binder/bind-query-options.ts";
import { expansionLinks } from "../../language/binder/expansion-links.ts";
import type { OptionRules, QueryOptionsReading } from "../../language/binder/option-rules.ts";
import type {
  BoundEntityQuery,
  BoundQuery,
  ExpansionLinks,
  SelectExpandClause,
  ShapeCache,
} from "../../language/query/clauses.ts";
import type { ResourcePath } from "../../language/query/resource-path.ts";
import type { RequestUrl } from "./arrival.ts";
import { type AuthorizedRequest, isParameterOf } from "./authorized-request.ts";
import { setsOfExpansions, setsOfQuery } from "./cache-headers.ts";

/**
 * Binds the query options of a request for a collection, and checks the rules of the sets that they use.
 * @param rules the options that the resource accepts
 * @throws ODataError `UnsupportedQueryOption`, `InvalidQueryOption`; `Unauthorized`, `Forbidden`
 */
export function bindCollection(request: AuthorizedRequest, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const bind: Bind<BoundQuery> = (of, shapes) => bindCollectionQuery(readOptions(request), of, shapes, rules);
  const query = noted(request, guarded(request, readable(request, target), bind, authorizeQuery), ofShape);
  return linked(request, target, query, query.shape.selectExpand);
}

/** Binds the query options of a request for a count. @throws ODataError as for bindCollection */
export function bindCount(request: AuthorizedRequest, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const bind: Bind<BoundQuery> = (of, shapes) => bindCountQuery(readOptions(request), of, shapes, rules);
  return noted(request, guarded(request, target, bind, authorizeQuery), ofShape);
}

/**
 * Binds the query options of a request for one entity, or of a write that returns one.
 * @throws ODataError as for bindCollection
 */
export function bindEntity(request: AuthorizedRequest, target: QueryTarget, rules?: OptionRules): BoundEntityQuery {
  const bind: Bind<BoundEntityQuery> = (of, shapes) => bindEntityQuery(readOptions(request), of, shapes, rules);
  const query = guarded(request, readable(request, target), bind, (reader, { selectExpand }) => {
    authorizeExpansions(reader, selectExpand, target.entitySet);
  });
  const entity = noted(request, query, ({ selectExpand }) => setsOfExpansions(selectExpand));
  return linked(request, target, entity, entity.selectExpand);
}

/** Adds the options of next links to a query with expansions. */
function linked<Query extends { readonly links?: ExpansionLinks | undefined }>(
  request: AuthorizedRequest,
  target: QueryTarget,
  query: Query,
  clause: SelectExpandClause,
): Query {
  if (clause.expanded.length === 0) return query;
  const isParameter = (name: string): boolean => isParameterOf(request.path, name);
  const links = expansionLinks({ options: readOptions(request), target, clause, isParameter });
  const limited: ExpansionLinks = (expansion) => {
    const link = links(expansion);
    const limit = maxLinkLength(request);
    if (limit === null || link.length <= limit) return link;
    const { name } = expansion.navigationProperty;
    const message = `There are further entities at '${name}', but the link to them would have more than ${String(limit)} characters: page through them with $top and $skip in its parentheses.`;
    throw protocolError("InvalidQueryOption", message, { target: "$expand" });
  };
  return { ...query, links: limited };
}

const ofShape = ({ shape }: BoundQuery): AuthorizedRequest["queriedSets"] => setsOfQuery(shape);

/** Notes the sets that a query uses if a set of the service has `cacheControl` or `vary`. */
function noted<Query>(
  request: AuthorizedRequest,
  query: Query,
  setsOf: (query: Query) => AuthorizedRequest["queriedSets"],
): Query {
  if (request.service.cachesReads) request.queriedSets = setsOf(query);
  return query;
}

type Bind<Query> = (target: QueryTarget, shapes: ShapeCache) => Query;

const NO_SHAPES: ShapeCache = Object.freeze<ShapeCache>({ get: () => undefined, set: () => undefined });

function authorizeQuery(reader: QueryingUser, { shape }: BoundQuery): void {
  authorizeShape(reader, shape);
}

/**
 * Binds options and checks their rules. After an error it binds them once more and refuses the first navigation that the user may
 * not follow: otherwise the error would reveal the names after the navigation.
 */
function guarded<Query>(
  request: AuthorizedRequest,
  target: QueryTarget,
  bind: Bind<Query>,
  authorize: (reader: QueryingUser, query: Query) => void,
): Query {
  const { service } = request;
  if (!service.hasRules) return bind(target, service.shapes);
  const reader = queryReaderOf(request);
  const { properties } = reader;
  try {
    const query = bind(properties === null ? target : { ...target, properties }, service.shapes);
    authorize(reader, query);
    return query;
  } catch (error) {
    if (error instanceof ODataError) bind({ ...target, guard: pathGuardOf(reader, target.entitySet) }, NO_SHAPES);
    throw error;
  }
}

/**
 * Returns the target of options for entities that a handler returned: these may contain related entities that nothing else
 * loads.
 */
export function returnedBy(target: QueryTarget): QueryTarget {
  const { expansions } = target.capabilities;
  return expansions === undefined || expansions.unloaded.size === 0 ? target : { ...target, areObjects: true };
}

/** Limits stars in `$expand` to the navigations that the user may read. */
function readable(request: AuthorizedRequest, target: QueryTarget): QueryTarget {
  if (!request.service.hasRules) return target;
  const { system } = readOptions(request);
  if (system.get("$expand")?.includes("*") !== true) return target;
  return { ...target, star: starAccessOf(queryReaderOf(request)) };
}

/** Returns the user and the service of a request, for rules of queries. */
export function queryReaderOf({ service, access }: Pick<AuthorizedRequest, "service" | "access">): QueryingUser {
  const { user, properties, isTargetSkipped } = access;
  return { definition: service.definition, user, properties, isOwnSkipped: isTargetSkipped };
}

/**
 * Reads the query options in the body of `POST …/$query`.
 * @param resource the URL of the resource, with the query options of the URL
 * @returns the URL of the GET request with the same response
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`, `InvalidBody`
 * @see docs/reference/long-queries.md
 */
export function readSentOptions(
  odata: ODataRequest,
  definition: ServiceDefinition,
  path: ResourcePath,
  resource: RequestUrl,
): Maybe<RequestUrl> {
  const { settings } =
    "entitySet" in path ? definitionIn(definition, path.entitySet) : { settings: definition.defaultSettings };
  const { maxQueryBodyBytes } = definition.limits;
  const least = Math.min(maxQueryBodyBytes ?? Infinity, settings.maxRequestBodyBytes ?? Infinity);
  const maxBytes = least === Infinity ? null : least;
  checkQueryHeaders(odata, maxBytes);
  return chain<Uint8Array, RequestUrl>(odata.readBody(maxBytes), (bytes) => {
    const query = [resource.query, readQueryText(bytes)].filter((part) => part !== "").join("&");
    return { path: resource.path, query };
  });
}

/** The characters of URL and headers that Node.js accepts by default. */
const NODE_LENGTH = 16 * 1024;
/** The part of them that the headers of a request may need. */
const HEADERS_LENGTH = 4 * 1024;

/**
 * Returns the greatest length of a next link; null for none. A client that sent its options in a body has sent no URL of
 * that length yet, so the link leaves room for its headers.
 */
export function maxLinkLength({ arrival: { sent }, service }: AuthorizedRequest): number | null {
  const { maxUrlLength } = service.definition.limits;
  if (sent === undefined || maxUrlLength === null || maxUrlLength > NODE_LENGTH) return maxUrlLength;
  return Math.min(maxUrlLength, NODE_LENGTH - HEADERS_LENGTH);
}

/**
 * Returns the query options of a request, at their turn in the order of checks.
 * @throws the ODataError of an option that could not be read
 */
export function readOptions(request: AuthorizedRequest): QueryOptionsReading["options"] {
  const { options, fault } = request.options;
  if (fault !== undefined) throw fault;
  return options;
}

/** Negotiates the JSON format of the response. @throws ODataError `UnsupportedFormat` or `NotAcceptable` */
export function readJsonFormat(request: AuthorizedRequest): JsonFormat {
  const { odata } = request.arrival;
  const { mediaParameters } = request.service.definition.profile;
  const { format } = request.options;
  return negotiateJson(format, odata.header("accept"), odata.header("accept-charset"), mediaParameters);
}

/** Negotiates the Content-Type of plain text. @throws ODataError `UnsupportedFormat` or `NotAcceptable` */
export function readTextFormat(request: AuthorizedRequest): string {
  const { odata } = request.arrival;
  const { mediaParameters } = request.service.definition.profile;
  const { format } = request.options;
  return negotiateText(format, odata.header("accept"), odata.header("accept-charset"), mediaParameters);
}
