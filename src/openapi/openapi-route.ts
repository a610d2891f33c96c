import { checkOptions, describe, isObject, type OptionTable } from "../definition/option-table.ts";
import type { RouteResource, ServiceDescription, ServiceRoute } from "../definition/service-description.ts";
import type { ConfigurationFault } from "../errors/configuration-error.ts";
import { checkInfo, INFO_OPTIONS, type OpenApiInfo } from "./document-info.ts";
import { describeServices } from "./document.ts";
import { loadViewerAssets } from "./viewer-assets.ts";
import { VIEWER_PATHS, viewerResources } from "./viewer-page.ts";

/** What `openApiRoute` takes. */
export interface OpenApiRouteOptions extends OpenApiInfo {
  /**
   * Whether everybody may read the document and the page, whatever the registration requires; absent: false. The
   * document names every route, property and rule of the service.
   */
  readonly public?: boolean | undefined;
  /** Whether there is a page at `{prefix}/openapi` too, which shows the document and sends requests. */
  readonly viewer?: boolean | undefined;
}

const DOCUMENT_PATH = "openapi.json";

const ROUTE_OPTIONS: OptionTable<keyof OpenApiRouteOptions> = Object.freeze({
  ...INFO_OPTIONS,
  public: { kind: "flag" },
  viewer: { kind: "flag" },
});

/**
 * A route for `routes` of `odataService`: the description of that service at `{prefix}/openapi.json`. Where the page is
 * wanted and its package is not installed, `odataService` throws a ConfigurationError; so it does for another option.
 * @see specification, Generated API descriptions
 */
export function openApiRoute(options: OpenApiRouteOptions = {}): ServiceRoute {
  const given: unknown = options;
  const viewer = isObject(given) && given["viewer"] === true;
  return Object.freeze({
    kind: "ServiceRoute",
    paths: Object.freeze(viewer ? [DOCUMENT_PATH, ...Object.values(VIEWER_PATHS)] : [DOCUMENT_PATH]),
    check: () => [...checkRouteOptions(given), ...(viewer && loadViewerAssets() === undefined ? [NO_VIEWER] : [])],
    open: (service: ServiceDescription) => {
      const isPublic = options.public === true;
      return openRoute(service, options, viewer).map((resource) => ({ ...resource, isPublic }));
    },
  });
}

function checkRouteOptions(options: unknown): Iterable<ConfigurationFault> {
  if (isObject(options)) {
    return [...checkOptions(ROUTE_OPTIONS, options, "openApiRoute", {}), ...checkInfo(options, "openApiRoute")];
  }
  return [
    { message: `openApiRoute got ${describe(options)}.`, fix: "Give options, such as { viewer: true }, or nothing." },
  ];
}

const NO_VIEWER: ConfigurationFault = {
  route: `/${VIEWER_PATHS.page}`,
  message: "`openApiRoute({ viewer: true })` needs the package swagger-ui-dist, which is not installed here.",
  fix: "Run `npm install swagger-ui-dist`, or leave `viewer` out.",
};

function openRoute(service: ServiceDescription, info: OpenApiInfo, viewer: boolean): readonly RouteResource[] {
  const document = describeServices([service], info);
  const json: RouteResource = {
    path: DOCUMENT_PATH,
    contentType: "application/json",
    body: new TextEncoder().encode(JSON.stringify(document)),
  };
  const assets = viewer ? loadViewerAssets() : undefined;
  if (assets === undefined) return [json];
  const origins = document.servers.flatMap(({ url }) => (url.startsWith("/") ? [] : [new URL(url).origin]));
  return [json, ...viewerResources(assets, document.info.title, [...new Set(origins)])];
}
