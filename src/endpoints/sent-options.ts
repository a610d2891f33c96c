import { chain, type Maybe } from "../base/maybe.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import { protocolError } from "../errors/odata-error.ts";
import { definitionIn } from "../execution/entities/reader.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { checkQueryHeaders, readQueryText } from "../http/query-body.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import type { RequestUrl } from "./arrival.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";

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

/** The length of the longest `$skiptoken` with an offset, with its name. */
const OFFSET_LENGTH = 64;

/** The characters of URL and headers that Node.js accepts unless it is told otherwise. */
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

/** Returns whether the next link of a request may be longer than URLs may be, since its options came in its body. */
export function mayOutgrowLinks(request: AuthorizedRequest): boolean {
  const { sent } = request.arrival;
  const limit = maxLinkLength(request);
  if (sent === undefined || limit === null) return false;
  return sent.path.length + sent.query.length + OFFSET_LENGTH > limit;
}

/** Creates the error for a page whose next link would be longer than URLs may be. */
export function unlinkablePage(length: number, limit: number): Error {
  return protocolError(
    "InvalidQueryOption",
    `There are further pages, but the link to the next one would have ${String(length)} characters, and the limit is ` +
      `${String(limit)}. Set $top to the size of a page, and $skip for the next ones.`,
    { target: "$top" },
  );
}
