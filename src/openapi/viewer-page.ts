import type { RouteResource } from "../definition/service-description.ts";
import type { ViewerAssets } from "./viewer-assets.ts";

/** The paths of the viewer below the prefix of its service. */
export const VIEWER_PATHS = {
  page: "openapi",
  start: "openapi/start.js",
  script: "openapi/swagger-ui-bundle.js",
  style: "openapi/swagger-ui.css",
} as const;

/** What starts the viewer; addresses are relative to the page. */
const START = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#viewer", validatorUrl: null });\n`;

/**
 * The page of the viewer and what it loads: nothing from elsewhere, and no script within the page.
 * @param title of the page
 * @param origins where requests go, beside the origin of the page
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

/** Pictures stand in the style sheet; styles and scripts come from the service alone. @see Content Security Policy Level 3 */
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

/** Without an icon of its own, browsers ask for one that is not there. */
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

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
