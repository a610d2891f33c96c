import { bindNoQuery } from "../binder/bind-query-options.ts";
import type { RouteResource } from "../definition/service-definition.ts";
import { matchesEntityTag } from "../http/conditional.ts";
import { checkFormatOption, isJsonOption, negotiateType, prefersHtml } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { writeOdc, writePbids } from "../payload/connection-files.ts";
import { encodeSegment } from "../payload/percent-encoding.ts";
import {
  LANDING_PAGE_HEADERS,
  type LandingLink,
  writeLandingPage,
  writeServiceDocument,
} from "../payload/write-service-document.ts";
import { readForm } from "../plan/plan-collection.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import { jsonResponse, notModifiedResponse, okResponse } from "./response.ts";

/**
 * `GET` of the service root: the service document.
 * @throws ODataError `UnsupportedFormat`, `NotAcceptable`, or that of a query option
 * @see OData JSON Format 4.0, section 5
 */
export const readServiceDocument: Endpoint = (exchange) => {
  const { servesPageWithoutJson } = exchange.service.definition.profile;
  if (prefersHtml(exchange.options.format, exchange.odata.header("accept"), servesPageWithoutJson)) {
    return readLandingPage(exchange);
  }
  const format = readJsonFormat(exchange);
  bindNoQuery(readOptions(exchange));
  const { model, profile } = exchange.service.definition;
  const body = writeServiceDocument(model, exchange.serviceRoot, format, profile.listsEveryImport);
  return jsonResponse(exchange, format, body);
};

/**
 * `GET /$metadata`: the CSDL document; 304 when the client has it. Only `$format` selects JSON, in the profile of the
 * standard: clients send `Accept: application/json` and read XML.
 * @throws ODataError `UnsupportedFormat`, or that of a query option
 * @see OData Protocol 4.0, section 11.1.2
 */
export const readMetadata: Endpoint = (exchange) => {
  const { format } = exchange.options;
  const { definition, metadata } = exchange.service;
  checkFormatOption(format, definition.profile.metadataTakesXmlFormat, definition.profile.mediaParameters);
  bindNoQuery(readOptions(exchange));
  const { contentType, body, etag } = isJsonOption(format) ? (metadata.json ?? metadata.xml) : metadata.xml;
  const condition = exchange.odata.header("if-none-match");
  if (condition !== undefined && matchesEntityTag(condition, etag)) return notModifiedResponse(exchange, etag);
  return okResponse(exchange, contentType, body, { ETag: etag });
};

/** The bytes of a resource, and their ETag. */
export interface ResourceBody {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/**
 * `GET` of an additional route; 304 when the client has the bytes.
 * @throws ODataError for negotiation, or a query option
 * @see docs/reference/openapi.md
 */
export function readResource(
  exchange: Exchange,
  { contentType, headers }: RouteResource,
  { bytes, etag }: ResourceBody,
): ODataResponse {
  negotiateType(contentType, exchange.options.format, exchange.odata.header("accept"));
  bindNoQuery(readOptions(exchange));
  const condition = exchange.odata.header("if-none-match");
  if (condition !== undefined && matchesEntityTag(condition, etag)) return notModifiedResponse(exchange, etag);
  return okResponse(exchange, contentType, bytes, { ETag: etag, ...headers });
}

/** The known documents of further routes. */
const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ["openapi.json", "OpenAPI description"],
  ["openapi", "OpenAPI viewer"],
]);

/**
 * Responds with the page for people at the root. Links are paths, so they stay at the origin that the browser shows, and a
 * forged host cannot change them.
 */
function readLandingPage(exchange: Exchange): ODataResponse {
  bindNoQuery(readOptions(exchange));
  const { definition, furtherPaths } = exchange.service;
  const { connectionFiles } = definition;
  const files = connectionFiles === null ? null : connectionPaths(connectionFiles);
  const root = new URL(exchange.serviceRoot).pathname.replace(/\/$/u, "");
  const link = (title: string, path: string): LandingLink => ({ title, url: `${root}${path}` });
  const page = writeLandingPage({
    title: titleOf(definition),
    sets: [...definition.entitySets].flatMap(([name, { handlers }]) =>
      readForm(handlers) === undefined ? [] : [link(name, `/${encodeSegment(name)}`)],
    ),
    documents: [
      link("Metadata ($metadata)", "/$metadata"),
      ...furtherPaths.flatMap((path) => {
        const title = DOCUMENTS.get(path);
        return title === undefined ? [] : [link(title, `/${path}`)];
      }),
      ...(files === null
        ? []
        : [link("Excel connection (.odc)", files.excel), link("Power BI connection (.pbids)", files.powerBi)]),
    ],
  });
  return okResponse(exchange, "text/html;charset=utf-8", page, LANDING_PAGE_HEADERS);
}

/** Returns the paths of the connection files below the prefix. Names of entity sets and operations contain no dot. */
export function connectionPaths(name: string): { readonly excel: string; readonly powerBi: string } {
  return { excel: `/${name}.odc`, powerBi: `/${name}.pbids` };
}

/** The name of the files if the application chooses none. */
const USUAL = "service";

/** Returns the name of a service for people. */
function titleOf({ name, model, connectionFiles }: Exchange["service"]["definition"]): string {
  const chosen = connectionFiles === USUAL ? null : connectionFiles;
  return name ?? chosen ?? model.namespace;
}

/** `GET /service.odc`: a connection for Excel. @see docs/guides/excel-and-power-bi.md */
export const readOdc: Endpoint = (exchange) => {
  const title = titleOf(exchange.service.definition);
  return fileOf(exchange, "text/x-ms-odc;charset=utf-8", "odc", writeOdc(exchange.serviceRoot, title));
};

/** `GET /service.pbids`: a data source for Power BI. @see docs/guides/excel-and-power-bi.md */
export const readPbids: Endpoint = (exchange) =>
  fileOf(exchange, "application/json", "pbids", writePbids(exchange.serviceRoot));

/** Caches must not store a file: it contains the host of the request, which a client can forge. */
function fileOf(exchange: Exchange, type: string, extension: string, text: string): ReturnType<typeof okResponse> {
  checkFormatOption(exchange.options.format);
  bindNoQuery(readOptions(exchange));
  const { definition } = exchange.service;
  const { connectionFiles: given } = definition;
  const isUsual = given === null || given === USUAL;
  const name = isUsual ? titleOf(definition).replaceAll(/[^\w.-]/gu, "_") : given;
  return okResponse(exchange, type, text, {
    "Content-Disposition": `attachment; filename="${name}.${extension}"`,
    "Cache-Control": "no-store",
  });
}
