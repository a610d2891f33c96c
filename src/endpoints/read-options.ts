import type { QueryOptionsReading } from "../binder/read-query-options.ts";
import { negotiateBinary, negotiateJson, negotiateText, type JsonFormat } from "../http/media-type.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";

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

/** Negotiates the Content-Type of bytes. @throws ODataError `UnsupportedFormat` or `NotAcceptable` */
export function readBinaryFormat(request: AuthorizedRequest): string {
  const { mediaParameters } = request.service.definition.profile;
  return negotiateBinary(request.options.format, request.arrival.odata.header("accept"), mediaParameters);
}
