import { escapeHtml } from "../base/escape-html.ts";
import type { StaticResource } from "../definition/model/service-definition.ts";
import type { ExplorerFiles } from "./explorer-files.ts";
import type { SignIn } from "./sign-in.ts";

/** The content of the page. */
interface PageFacts {
  readonly title: string;
  readonly files: ExplorerFiles;
  readonly signIn: SignIn | undefined;
  readonly isPublic: boolean;
}

/** A picture of a table, as the icon of the page. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0f766e" d="M2 1h12a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H2a1 1 0 0 1-1-1V2a1 1 0 0 1 1-1zm1 5v2h4V6zm6 0v2h4V6zm-6 4v3h4v-3zm6 0v3h4v-3z"/></svg>`;

/**
 * Returns the page and its files. The page contains nothing about the model and the data, and no inline code.
 * @see Content Security Policy Level 3; RFC 8246
 */
export function pageResources({
  title,
  files: { script, style },
  signIn,
  isPublic,
}: PageFacts): readonly StaticResource[] {
  const encoder = new TextEncoder();
  const quiet = { "Referrer-Policy": "no-referrer" };
  const kept = { ...quiet, "Cache-Control": `${isPublic ? "public" : "private"}, max-age=31536000, immutable` };
  const fresh = { ...quiet, "Cache-Control": "no-cache", "Content-Security-Policy": policyOf(signIn) };
  const page = (path: string, folder: string, root: string): StaticResource => ({
    path,
    isPublic,
    contentType: "text/html;charset=utf-8",
    headers: fresh,
    body: encoder.encode(pageOf({ title, signIn, folder, root, script: script.name, style: style.name })),
  });
  const file = (name: string, contentType: string, body: Uint8Array, headers = kept): StaticResource => ({
    path: `explorer/${name}`,
    isPublic,
    contentType,
    headers,
    body,
  });
  return [
    page("explorer", "explorer/", "./"),
    // A slash at the end of the URL moves relative URLs one level down.
    page("explorer/", "", "../"),
    file(script.name, "text/javascript;charset=utf-8", script.bytes),
    file(style.name, "text/css;charset=utf-8", style.bytes),
    file("icon.svg", "image/svg+xml", encoder.encode(ICON), { ...quiet, "Cache-Control": "no-cache" }),
  ];
}

/** Only the service itself, and the issuer of tokens, are reachable. */
function policyOf(signIn: SignIn | undefined): string {
  const issuer = signIn?.issuer === undefined ? "" : ` ${new URL(signIn.issuer).origin}`;
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'${issuer}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
}

interface PageParts extends Pick<PageFacts, "title" | "signIn"> {
  /** The relative URL of the folder of the files. */
  readonly folder: string;
  /** The relative URL of the root of the service. */
  readonly root: string;
  readonly script: string;
  readonly style: string;
}

function pageOf({ title, signIn, folder, root, script, style }: PageParts): string {
  const signs = signIn === undefined ? "" : ` data-sign-in="${escapeHtml(JSON.stringify(signIn))}"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${folder}icon.svg">
<link rel="stylesheet" href="${folder}${style}">
<script type="module" src="${folder}${script}"></script>
</head>
<body>
<div id="explorer" data-root="${root}"${signs}></div>
<noscript>The explorer needs JavaScript.</noscript>
</body>
</html>
`;
}
