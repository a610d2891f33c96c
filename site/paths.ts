import { fileURLToPath } from "node:url";

/** The root folder of the project. */
export const ROOT: string = fileURLToPath(new URL("..", import.meta.url));
/** The folder of the site's own files and packages. */
export const SITE: string = fileURLToPath(new URL(".", import.meta.url));
/** The folder that the site is built to. */
export const OUTPUT: string = fileURLToPath(new URL(".vitepress/dist", import.meta.url));
/** The folder of the declarations that the API reference is made from. */
export const DECLARATIONS: string = fileURLToPath(new URL(".declarations", import.meta.url));

/** Files of the project outside `docs/` that are pages of the site, each with the path of its page. */
export const OUTSIDE_PAGES: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md": "explanations/architecture.md",
  "CONTRIBUTING.md": "project/contributing.md",
  "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
  "SECURITY.md": "project/security-policy.md",
  "CHANGELOG.md": "project/changelog.md",
  "bench/README.md": "explanations/benchmark.md",
  "explorer/README.md": "explanations/the-page-of-the-explorer.md",
};

/** Returns the path of the page that a Markdown file becomes; undefined where it is not a page. */
export function pageOf(file: string): string | undefined {
  if (file.startsWith("docs/")) return file.slice("docs/".length);
  if (file.startsWith("site/api/")) return file.slice("site/".length);
  return OUTSIDE_PAGES[file];
}
