import { bindNoQuery } from "../binder/bind-query-options.ts";
import { writeServiceDocument } from "../payload/write-service-document.ts";
import type { Endpoint } from "./exchange.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import { jsonResponse } from "./response.ts";

/**
 * `GET` of the service root: the service document.
 * @throws ODataError `UnsupportedFormat`, `NotAcceptable`, or that of a query option
 * @see specification, Endpoints; OData JSON Format 4.0, section 5
 */
export const readServiceDocument: Endpoint = (exchange) => {
  const format = readJsonFormat(exchange);
  bindNoQuery(readOptions(exchange));
  const { model, profile } = exchange.service.definition;
  const body = writeServiceDocument(model, exchange.serviceRoot, format, profile.listsEveryImport);
  return jsonResponse(exchange, format, body);
};
