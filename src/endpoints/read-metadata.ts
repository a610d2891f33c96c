import { bindNoQuery } from "../binder/bind-query-options.ts";
import { matchesEntityTag } from "../http/conditional.ts";
import { checkFormatOption } from "../http/media-type.ts";
import type { Endpoint } from "./exchange.ts";
import { readOptions } from "./read-options.ts";
import { notModifiedResponse, okResponse } from "./response.ts";

/**
 * `GET /$metadata`: the CSDL document, always as XML; 304 when the client has it.
 * @throws ODataError `UnsupportedFormat`, or that of a query option
 * @see specification, What the service does, 6; decisions, Negotiation and $metadata
 */
export const readMetadata: Endpoint = (exchange) => {
  checkFormatOption(exchange.options.format, exchange.service.definition.profile.metadataTakesXmlFormat);
  bindNoQuery(readOptions(exchange));
  const { xml, etag } = exchange.service.metadata;
  const condition = exchange.odata.header("if-none-match");
  if (condition !== undefined && matchesEntityTag(condition, etag)) return notModifiedResponse(exchange, etag);
  return okResponse(exchange, "application/xml", xml, { ETag: etag });
};
