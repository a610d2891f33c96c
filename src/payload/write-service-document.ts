import { escapeHtml } from "../base/escape-html.ts";
import { once } from "../base/memo.ts";
import { listedImports, type Model, publishedSets } from "../edm/model.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { sha256Base64 } from "./sha256.ts";
import { metadataUrl, encodeSegment } from "./urls.ts";

/**
 * Writes the service document: the entity sets, then the singletons, then the unbound functions, then the unbound actions.
 * @param serviceRoot absolute, without a trailing slash
 * @param listsEveryImport whether actions and functions with parameters are listed
 * @see OData JSON Format 4.0, section 5; docs/reference/formats.md
 */
export function writeServiceDocument(
  model: Model,
  serviceRoot: string,
  format: PayloadFormat,
  listsEveryImport = true,
): string {
  const { entityContainer } = model;
  const imports = listedImports(entityContainer, listsEveryImport);
  const value = [...publishedSets(entityContainer), ...entityContainer.singletons.values(), ...imports].map(
    ({ kind, name }) => ({
      name,
      kind,
      url: encodeSegment(name),
    }),
  );
  if (format.metadata === "none") return JSON.stringify({ value });
  return JSON.stringify({ "@odata.context": metadataUrl(serviceRoot), value });
}

/** A link of the page. */
export interface LandingLink {
  readonly title: string;
  /** An absolute URL, or a path with a leading slash. */
  readonly url: string;
}

/** The content of the page at the root of a service. */
interface LandingPage {
  readonly title: string;
  readonly sets: readonly LandingLink[];
  readonly singletons: readonly LandingLink[];
  readonly documents: readonly LandingLink[];
}

const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.5rem}h2{font-size:1.1rem}";

/** Returns the headers of the page. Only its style sheet is allowed: no script, no other origin. @see Content Security Policy Level 3 */
export const landingPageHeaders: () => Readonly<Record<string, string>> = once(() =>
  Object.freeze({
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src 'sha256-${sha256Base64(new TextEncoder().encode(STYLE))}'`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "Referrer-Policy": "no-referrer",
  }),
);

/** Writes the page that people see at the root of a service: its entity sets and documents, without script. */
export function writeLandingPage({ title, sets, singletons, documents }: LandingPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>An OData 4.0 service.</p>
${listOf("Entity sets", sets)}${listOf("Singletons", singletons)}${listOf("Documents", documents)}</main>
</body>
</html>
`;
}

function listOf(heading: string, links: readonly LandingLink[]): string {
  if (links.length === 0) return "";
  const items = links.map(({ title, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></li>\n`);
  return `<h2>${heading}</h2>\n<ul>\n${items.join("")}</ul>\n`;
}
