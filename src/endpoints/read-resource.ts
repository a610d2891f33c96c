import { bindNoQuery } from "../binder/bind-query-options.ts";
import type { RouteResource } from "../definition/service-description.ts";
import { matchesEntityTag } from "../http/conditional.ts";
import { negotiateType } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import type { Exchange } from "./exchange.ts";
import { readOptions } from "./read-options.ts";
import { notModifiedResponse, okResponse } from "./response.ts";

/**
 * `GET` of a further route: the same bytes for every request; 304 when the client has them.
 * @throws ODataError for negotiation, or a query option
 * @see decisions, Smaller points
 */
export function readResource(exchange: Exchange, resource: RouteResource, etag: string): ODataResponse {
  const { contentType, body, headers } = resource;
  negotiateType(contentType, exchange.options.format, exchange.odata.header("accept"));
  bindNoQuery(readOptions(exchange));
  const condition = exchange.odata.header("if-none-match");
  if (condition !== undefined && matchesEntityTag(condition, etag)) return notModifiedResponse(exchange, etag);
  return okResponse(exchange, contentType, body, { ETag: etag, ...headers });
}
