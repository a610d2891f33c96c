import { escapeHtml } from "../../base/escape-html.ts";
import type { StaticResource } from "../../definition/model/service-definition.ts";
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
export function pageResources(facts: PageFacts): readonly StaticResource[] {
  const { files, signIn, isPublic } = facts;
  const encoder = new TextEncoder();
  const kept = { "Cache-Control": `${isPublic ? "public" : "private"}, max-age=31536000, immutable` };
  const fresh = { "Cache-Control": "no-cache", "Content-Security-Policy": policyOf(signIn) };
  const file = (path: string, contentType: string, headers: StaticResource["headers"], body: Uint8Array) => {
    return { path, isPublic, contentType, headers: { "Referrer-Policy": "no-referrer", ...headers }, body };
  };
  const page = (path: string, folder: string, root: string): StaticResource =>
    file(path, "text/html;charset=utf-8", fresh, encoder.encode(pageOf(facts, folder, root)));
  const { script, style, preloads, chunks } = files;
  return [
    page("explorer", "explorer/", "./"),
    // A slash at the end of the URL moves relative URLs one level down.
    page("explorer/", "", "../"),
    ...[script, ...preloads, ...chunks].map(({ name, bytes }) =>
      file(`explorer/${name}`, "text/javascript;charset=utf-8", kept, bytes),
    ),
    file(`explorer/${style.name}`, "text/css;charset=utf-8", kept, style.bytes),
    file("explorer/icon.svg", "image/svg+xml", { "Cache-Control": "no-cache" }, encoder.encode(ICON)),
  ];
}

/** Only the service itself, and the issuer of tokens, are reachable. */
function policyOf(signIn: SignIn | undefined): string {
  const issuer = signIn?.issuer === undefined ? "" : ` ${new URL(signIn.issuer).origin}`;
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'${issuer}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
}

/**
 * @param folder the relative URL of the folder of the files
 * @param root the relative URL of the root of the service
 */
function pageOf(
  { title, signIn, files: { script, style, preloads } }: PageFacts,
  folder: string,
  root: string,
): string {
  const signs = signIn === undefined ? "" : ` data-sign-in="${escapeHtml(JSON.stringify(signIn))}"`;
  const links = preloads.map(({ name }) => `<link rel="modulepreload" href="${folder}${name}">\n`).join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${folder}icon.svg">
<link rel="stylesheet" href="${folder}${style.name}">
${links}<script type="module" src="${folder}${script.name}"></script>
</head>
<body>
<div id="explorer" data-root="${root}"${signs}></div>
<noscript>The explorer needs JavaScript.</noscript>
</body>
</html>
`;
}
