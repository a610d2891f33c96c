import type { QueryOptionsReading } from "../binder/read-query-options.ts";
import { negotiateBinary, negotiateJson, negotiateText, type JsonFormat } from "../http/media-type.ts";
import type { Exchange } from "./exchange.ts";

/**
 * Returns the query options of a request, at their turn in the order of checks.
 * @throws the ODataError of an option that could not be read
 */
export function readOptions(exchange: Exchange): QueryOptionsReading["options"] {
  const { options, fault } = exchange.options;
  if (fault !== undefined) throw fault;
  return options;
}

/** Negotiates the JSON format of the response. @throws ODataError `UnsupportedFormat` or `NotAcceptable` */
export function readJsonFormat(exchange: Exchange): JsonFormat {
  const { odata, service } = exchange;
  const { mediaParameters } = service.definition.profile;
  const { format } = exchange.options;
  return negotiateJson(format, odata.header("accept"), odata.header("accept-charset"), mediaParameters);
}

/** Negotiates the Content-Type of plain text. @throws ODataError `UnsupportedFormat` or `NotAcceptable` */
export function readTextFormat(exchange: Exchange): string {
  const { odata, service } = exchange;
  const { mediaParameters } = service.definition.profile;
  const { format } = exchange.options;
  return negotiateText(format, odata.header("accept"), odata.header("accept-charset"), mediaParameters);
}

/** Negotiates the Content-Type of bytes. @throws ODataError `UnsupportedFormat` or `NotAcceptable` */
export function readBinaryFormat(exchange: Exchange): string {
  const { mediaParameters } = exchange.service.definition.profile;
  return negotiateBinary(exchange.options.format, exchange.odata.header("accept"), mediaParameters);
}
