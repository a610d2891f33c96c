import { bindNoQuery } from "../binder/bind-query-options.ts";
import { checkFormatOption } from "../http/media-type.ts";
import { writeOdc, writePbids } from "../payload/connection-files.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { readOptions } from "./read-options.ts";
import { okResponse } from "./response.ts";

/** Returns the paths of the connection files below the prefix. Names of entity sets and operations contain no dot. */
export function connectionPaths(name: string): { readonly excel: string; readonly powerBi: string } {
  return { excel: `/${name}.odc`, powerBi: `/${name}.pbids` };
}

/** The name of the files if the application chooses none. */
const USUAL = "service";

/** Returns the name of a service for people. */
export function titleOf({ name, model, connectionFiles }: Exchange["service"]["definition"]): string {
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
