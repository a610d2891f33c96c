import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { escapeHtml } from "../../base/escape-html.ts";
import { builtinModule, type HostGlobal } from "../../base/host.ts";
import { once } from "../../base/memo.ts";
import type { ServiceDescription, ServiceRoute, StaticResource } from "../../definition/model/service-definition.ts";
import { checkOptions, describe, isObject, type OptionTable } from "../../definition/option-table.ts";
import { checkInfo, INFO_OPTIONS, type OpenApiInfo, type OpenApiServer, serversOf } from "./document-info.ts";
import { describeServices, headOf } from "./document.ts";
import type { OpenApiDocument } from "./open-api-document.ts";

/** The paths of the viewer below the prefix of its service. */
const VIEWER_PATHS = {
  page: "openapi",
  start: "openapi/start.js",
  script: "openapi/swagger-ui-bundle.js",
  style: "openapi/swagger-ui.css",
} as const;

/** The script that starts the viewer; URLs are relative to the page. */
const START = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#viewer", validatorUrl: null });\n`;

/**
 * Returns the page of the viewer and its files. It loads nothing from other origins and contains no inline script.
 * @param title the title of the page
 * @param origins the origins of requests, in addition to the origin of the page
 */
function viewerResources(
  { script, style }: ViewerAssets,
  title: string,
  origins: readonly string[],
): readonly StaticResource[] {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  const javaScript = "text/javascript;charset=utf-8";
  return [
    {
      path: VIEWER_PATHS.page,
      contentType: "text/html;charset=utf-8",
      body: text(pageOf(title)),
      headers: { "Content-Security-Policy": policyOf(origins), "Referrer-Policy": "no-referrer" },
    },
    { path: VIEWER_PATHS.start, contentType: javaScript, body: text(START) },
    { path: VIEWER_PATHS.script, contentType: javaScript, body: script },
    { path: VIEWER_PATHS.style, contentType: "text/css;charset=utf-8", body: style },
  ];
}

/** Images are part of the style sheet; styles and scripts come only from the service. @see Content Security Policy Level 3 */
function policyOf(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...origins].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Prevents browsers from requesting a missing icon. */
function pageOf(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${VIEWER_PATHS.style}">
</head>
<body>
<div id="viewer"></div>
<script src="${VIEWER_PATHS.script}"></script>
<script src="${VIEWER_PATHS.start}"></script>
</body>
</html>
`;
}

/** The served files of the viewer. */
interface ViewerAssets {
  readonly script: Uint8Array;
  readonly style: Uint8Array;
}

/** The package of the viewer, an optional peer dependency. */
const PACKAGE = "swagger-ui-dist";

/**
 * Reads the files of the viewer from its installed package.
 * @returns undefined without the package or a file system
 */
export function loadViewerAssets(packageName: string = PACKAGE, host?: HostGlobal): ViewerAssets | undefined {
  const modules = builtinModule("node:module", host) as typeof import("node:module") | undefined;
  const files = builtinModule("node:fs", host) as typeof import("node:fs") | undefined;
  if (modules === undefined || files === undefined) return undefined;
  const { resolve } = modules.createRequire(import.meta.url);
  try {
    return {
      script: files.readFileSync(resolve(`${packageName}/swagger-ui-bundle.js`)),
      style: files.readFileSync(resolve(`${packageName}/swagger-ui.css`)),
    };
  } catch {
    return undefined;
  }
}

/** The options of `openApiRoute`. */
export interface OpenApiRouteOptions extends OpenApiInfo {
  /**
   * Whether clients can read the document and the page without authentication; false if absent. The document reveals every
   * route, property and rule of the service.
   */
  readonly public?: boolean | undefined;
  /** Whether to add a page at `{prefix}/openapi` that shows the document and sends requests; false if absent. */
  readonly viewer?: boolean | undefined;
}

const DOCUMENT_PATH = "openapi.json";

const ROUTE_OPTIONS: OptionTable<keyof OpenApiRouteOptions> = Object.freeze({
  ...INFO_OPTIONS,
  public: { kind: "flag" },
  viewer: { kind: "flag" },
});

/**
 * Makes a route for `routes` of `odataService` that serves the description of the service at `{prefix}/openapi.json`.
 * `odataService` throws a ConfigurationError for unknown options, and for `viewer` if swagger-ui-dist is not installed.
 * @see docs/reference/openapi.md
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
    {
      message: `The options of openApiRoute cannot be ${describe(options)}.`,
      fix: "Pass an object, such as { viewer: true }, or omit them.",
    },
  ];
}

const NO_VIEWER: ConfigurationFault = {
  route: `/${VIEWER_PATHS.page}`,
  message: "`openApiRoute({ viewer: true })` needs the package swagger-ui-dist, which is not installed.",
  fix: "Run `npm install swagger-ui-dist`, or omit `viewer`.",
};

function openRoute(service: ServiceDescription, info: OpenApiInfo, viewer: boolean): readonly StaticResource[] {
  const describeNow = (): OpenApiDocument => describeServices([service], info);
  // Mounted services have several bodies of one document.
  const mounted = once(describeNow);
  const json: StaticResource = {
    path: DOCUMENT_PATH,
    contentType: "application/json",
    body: () => toBytes(describeNow()),
    ...(service.definition.publicUrl === undefined && info.servers === undefined
      ? { bodyBelow: (mountPath) => toBytes({ ...mounted(), servers: serversBelow(mountPath) }) }
      : {}),
  };
  const assets = viewer ? loadViewerAssets() : undefined;
  if (assets === undefined) return [json];
  const { title, servers } = headOf([service], info);
  const origins = servers.flatMap(({ url }) => (url.startsWith("/") ? [] : [new URL(url).origin]));
  return [json, ...viewerResources(assets, title, [...new Set(origins)])];
}

function toBytes(document: OpenApiDocument): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(document));
}

/**
 * Returns the server of a document below a mount path, which may come from the URL of the request: it must stay a path of
 * the host of the document, and OpenAPI would interpret braces as variables.
 */
function serversBelow(mountPath: string): readonly OpenApiServer[] {
  const path = mountPath.replace(/^[/\\]+/u, "/").replaceAll(/[{}]/gu, encodeURIComponent);
  return serversOf([{ url: path }]);
}
