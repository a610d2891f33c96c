import { escapeHtml } from "../base/escape-html.ts";
import { builtinModule, type Host } from "../base/host.ts";
import type { RouteResource } from "../definition/service-definition.ts";

/** The paths of the viewer below the prefix of its service. */
export const VIEWER_PATHS = {
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
export function viewerResources(
  { script, style }: ViewerAssets,
  title: string,
  origins: readonly string[],
): readonly RouteResource[] {
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
export interface ViewerAssets {
  readonly script: Uint8Array;
  readonly style: Uint8Array;
}

/** The package of the viewer, an optional peer dependency. */
const PACKAGE = "swagger-ui-dist";

/**
 * Reads the files of the viewer from its installed package.
 * @returns undefined without the package or a file system
 */
export function loadViewerAssets(packageName: string = PACKAGE, host?: Host): ViewerAssets | undefined {
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
