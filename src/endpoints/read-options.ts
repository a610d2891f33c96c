import type { QueryOptionsReading } from "../binder/read-query-options.ts";
import { negotiateBinary, negotiateJson, negotiateText, type JsonFormat } from "../http/media-type.ts";
import type { Exchange } from "./exchange.ts";

/**
 * The query options of a request, when their turn in the order of checks has come.
 * @throws ODataError that their reading found
 */
export function readOptions(exchange: Exchange): QueryOptionsReading["options"] {
  const { options, fault } = exchange.options;
  if (fault !== undefined) throw fault;
  return options;
}

/** The JSON representation of the response. @throws ODataError `UnsupportedFormat` or `NotAcceptable` */
export function readJsonFormat(exchange: Exchange): JsonFormat {
  const { odata } = exchange;
  return negotiateJson(exchange.options.format, odata.header("accept"), odata.header("accept-charset"));
}

/** The Content-Type of a response of text. @throws ODataError `UnsupportedFormat` or `NotAcceptable` */
export function readTextFormat(exchange: Exchange): string {
  const { odata } = exchange;
  return negotiateText(exchange.options.format, odata.header("accept"), odata.header("accept-charset"));
}

/** The Content-Type of a response of bytes. @throws ODataError `UnsupportedFormat` or `NotAcceptable` */
export function readBinaryFormat(exchange: Exchange): string {
  return negotiateBinary(exchange.options.format, exchange.odata.header("accept"));
}
