import { readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { OUTPUT } from "./paths.ts";
import { SIDEBAR } from "./sidebar.ts";

/** Returns the faults of the built site: links that lead nowhere, and pages that the sidebar lacks. */
export function faultsOfSite(base: string): readonly string[] {
  const files = readdirSync(OUTPUT, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
  const pages = new Map(
    files.filter((file) => file.endsWith(".html")).map((file) => [file, readFileSync(join(OUTPUT, file), "utf8")]),
  );
  const anchors = new Map(Array.from(pages, ([file, html]) => [file, anchorsOf(html)] as const));
  const existing = new Set(files);
  const listed = new Set(SIDEBAR.flatMap(({ items }) => items).map(({ link }) => fileOf(link)));
  const unlisted = [...pages.keys()].filter((file) => file !== "404.html" && !listed.has(file));
  const missing = [...listed].filter((file) => !pages.has(file));
  const broken = new Map<string, string[]>();
  for (const [file, html] of pages) {
    for (const href of new Set(linksOf(html))) {
      if (leadsSomewhere(file, href, base, existing, anchors)) continue;
      broken.set(href, [...(broken.get(href) ?? []), file]);
    }
  }
  return [
    ...unlisted.map((file) => `${file} is not in site/sidebar.ts.`),
    ...missing.map((file) => `site/sidebar.ts lists ${file}, which does not exist.`),
    ...Array.from(broken, ([href, from]) => `${href} does not exist; linked from ${from.slice(0, 3).join(", ")}.`),
  ];
}

function fileOf(link: string): string {
  return link.endsWith("/") ? `${link.slice(1)}index.html` : `${link.slice(1)}.html`;
}

function anchorsOf(html: string): ReadonlySet<string> {
  return new Set(
    Array.from(html.matchAll(/\sid="(?<id>[^"]+)"/gu), ({ groups }) => decodeEntities(groups?.["id"] ?? "")),
  );
}

function linksOf(html: string): readonly string[] {
  return Array.from(html.matchAll(/<a\b[^>]*?\shref="(?<href>[^"]*)"/gu), ({ groups }) =>
    decodeEntities(groups?.["href"] ?? ""),
  );
}

function decodeEntities(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function leadsSomewhere(
  from: string,
  href: string,
  base: string,
  files: ReadonlySet<string>,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  if (/^[a-z]+:/u.test(href)) return true;
  const [path = "", hash] = decodeURI(href).split("#");
  const absolute = path.startsWith(base) ? path.slice(base.length) : posix.join(posix.dirname(from), path);
  const page = absolute === "" || absolute.endsWith("/") ? `${absolute}index.html` : absolute;
  const named = path === "" ? from : page;
  const file = files.has(named) ? named : `${named}.html`;
  if (!files.has(file)) return false;
  return hash === undefined || hash === "" || (anchors.get(file)?.has(decodeURIComponent(hash)) ?? false);
}
