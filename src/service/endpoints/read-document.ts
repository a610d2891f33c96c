import { protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { User } from "../../definition/context.ts";
import type { AnsweringResource, RouteRequest, StaticResource } from "../../definition/model/service-definition.ts";
import { connectionPaths, titleOf, USUAL_NAME } from "../../definition/model/service-title.ts";
import { readForm } from "../../engine/plan/plan-collection.ts";
import { checkFormatOption, isJsonOption, negotiateType, prefersHtml } from "../../http/media-type.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { bindNoQuery } from "../../language/binder/bind-query-options.ts";
import { writeOdc, writePbids } from "../../payload/connection-files.ts";
import { encodeSegment } from "../../payload/urls.ts";
import {
  landingPageHeaders,
  type LandingLink,
  writeLandingPage,
  writeServiceDocument,
} from "../../payload/write-service-document.ts";
import type { Arrival } from "./arrival.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { readJsonFormat, readOptions } from "./bind-query.ts";
import { isKnown } from "./read-entity.ts";
import { jsonResponse, noContentResponse, notModifiedResponse, okResponse, type Endpoint } from "./stages.ts";

/**
 * `GET` of the service root: the service document.
 * @throws ODataError `UnsupportedFormat`, `NotAcceptable`, or that of a query option
 * @see OData JSON Format 4.0, section 5
 */
export const readServiceDocument: Endpoint = (request) => {
  const { servesPageWithoutJson } = request.service.definition.profile;
  if (prefersHtml(request.options.format, request.arrival.odata.header("accept"), servesPageWithoutJson)) {
    return readLandingPage(request);
  }
  const format = readJsonFormat(request);
  bindNoQuery(readOptions(request));
  const { model, profile } = request.service.definition;
  const body = writeServiceDocument(model, request.serviceRoot, format, profile.listsEveryImport);
  return jsonResponse(request, format, body);
};

/**
 * `GET /$metadata`: the CSDL document; 304 when the client has it. Only `$format` selects JSON, in the profile of the
 * standard: clients send `Accept: application/json` and read XML.
 * @throws ODataError `UnsupportedFormat`, or that of a query option
 * @see OData Protocol 4.0, section 11.1.2
 */
export const readMetadata: Endpoint = (request) => {
  const { format } = request.options;
  const { definition, metadata } = request.service;
  checkFormatOption(format, definition.profile.metadataTakesXmlFormat, definition.profile.mediaParameters);
  bindNoQuery(readOptions(request));
  const { xml, json } = metadata(request.access.user);
  const { contentType, body, etag } = (isJsonOption(format) ? (json ?? xml) : xml)();
  if (isKnown(request, etag)) return notModifiedResponse(request, etag);
  return okResponse(request, contentType, body, { ETag: etag });
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
  request: AuthorizedRequest,
  { contentType, headers }: StaticResource,
  { bytes, etag }: ResourceBody,
): ODataResponse {
  negotiateType(contentType, request.options.format, request.arrival.odata.header("accept"));
  bindNoQuery(readOptions(request));
  if (isKnown(request, etag)) {
    const caching = headers?.["Cache-Control"];
    return notModifiedResponse(request, etag, caching === undefined ? {} : { "Cache-Control": caching });
  }
  return okResponse(request, contentType, bytes, { ETag: etag, ...headers });
}

/**
 * `GET` of an additional route whose response depends on the request.
 * @throws ODataError for negotiation or a query option, `NotFound`, or that of the route
 * @see docs/reference/explorer.md
 */
export function answerResource(request: AuthorizedRequest, { answer }: AnsweringResource): Maybe<ODataResponse> {
  const { options, arrival, access } = request;
  negotiateType("application/json", options.format, arrival.odata.header("accept"));
  bindNoQuery(readOptions(request));
  return chain(answer(toRouteRequest(arrival, access.user)), (json) => {
    if (json === null) throw protocolError("NotFound", "The service does not have this resource, or no longer has it.");
    return okResponse(request, "application/json", JSON.stringify(json), { "Cache-Control": "no-store" });
  });
}

/** Returns a request as further routes see it. */
export function toRouteRequest({ odata, requestId: id }: Arrival, user: User | null): RouteRequest {
  const { method, target, remoteAddress, host } = odata;
  return { id, method, target, user, remoteAddress, host, header: (name) => odata.header(name) };
}

/** The path of the explorer below the prefix. */
export const EXPLORER = "explorer";

/** Leads a browser from the root to the explorer, within its origin. */
export const leadToExplorer: Endpoint = (request) => {
  const { headers } = noContentResponse(request, { "Cache-Control": "no-store", Vary: "Accept" });
  return { status: 307, headers: { ...headers, Location: `${rootPath(request)}/${EXPLORER}` }, body: null };
};

/** Returns the path of the root without a slash at its end. A host may have mounted the service below any path. */
function rootPath({ serviceRoot }: AuthorizedRequest): string {
  return new URL(serviceRoot).pathname.replace(/^[/\\]+/u, "/").replace(/\/$/u, "");
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
function readLandingPage(request: AuthorizedRequest): ODataResponse {
  bindNoQuery(readOptions(request));
  const { definition, furtherPaths } = request.service;
  const { connectionFiles } = definition;
  const files = connectionFiles === null ? null : connectionPaths(connectionFiles);
  const root = rootPath(request);
  const link = (title: string, path: string): LandingLink => ({ title, url: `${root}${path}` });
  const page = writeLandingPage({
    title: titleOf(definition),
    sets: [...definition.entitySets].flatMap(([name, { handlers }]) =>
      readForm(handlers) === undefined ? [] : [link(name, `/${encodeSegment(name)}`)],
    ),
    singletons: Array.from(definition.singletons.keys(), (name) => link(name, `/${encodeSegment(name)}`)),
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
  return okResponse(request, "text/html;charset=utf-8", page, landingPageHeaders());
}

/** `GET /service.odc`: a connection for Excel. @see docs/guides/excel-and-power-bi.md */
export const readOdc: Endpoint = (request) => {
  const title = titleOf(request.service.definition);
  return fileOf(request, "text/x-ms-odc;charset=utf-8", "odc", writeOdc(request.serviceRoot, title));
};

/** `GET /service.pbids`: a data source for Power BI. @see docs/guides/excel-and-power-bi.md */
export const readPbids: Endpoint = (request) =>
  fileOf(request, "application/json", "pbids", writePbids(request.serviceRoot));

/** Caches must not store a file: it contains the host of the request, which a client can forge. */
function fileOf(
  request: AuthorizedRequest,
  type: string,
  extension: string,
  text: string,
): ReturnType<typeof okResponse> {
  checkFormatOption(request.options.format);
  bindNoQuery(readOptions(request));
  const { definition } = request.service;
  const { connectionFiles: given } = definition;
  const isUsual = given === null || given === USUAL_NAME;
  const name = isUsual ? titleOf(definition).replaceAll(/[^\w.-]/gu, "_") : given;
  return okResponse(request, type, text, {
    "Content-Disposition": `attachment; filename="${name}.${extension}"`,
    "Cache-Control": "no-store",
  });
}
