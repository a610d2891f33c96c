import process from "node:process";
import { fileURLToPath } from "node:url";
import { defineConfig, type DefaultTheme } from "vitepress";
import { adaptMarkdown, slugify } from "../markdown.ts";
import { OUTPUT, OUTSIDE_PAGES, SITE } from "../paths.ts";
import { SIDEBAR } from "../sidebar.ts";

/** The address of the repository, such as that of a continuous integration; links to sources need it. */
const repository = process.env["DOCS_REPOSITORY"];

/** The content of the start page above its text. */
const HOME = {
  layout: "home",
  hero: {
    name: "odatakit",
    text: "OData 4.0 for TypeScript",
    tagline: "Typed entity sets in, a standard OData service out. No runtime dependencies.",
    actions: [
      { theme: "brand", text: "Get started", link: "/get-started" },
      { theme: "alt", text: "Over a database", link: "/get-started-database" },
      { theme: "alt", text: "Comparison", link: "/comparison" },
    ],
  },
  features: [
    {
      title: "Typed from the model",
      details: "Keys, bodies, parameters and results are inferred. A wrong result is a red line.",
    },
    { title: "Over your data", details: "Tables of SQLite, PostgreSQL and MariaDB, arrays, or your own handlers." },
    { title: "Rules per row", details: "A row rule is part of every query, expansion, path and write." },
    { title: "For real clients", details: "Excel, Power BI, UI5 and .NET read it, because it follows the standard." },
  ],
};

export default defineConfig({
  title: "odatakit",
  description: "An OData 4.0 server for TypeScript",
  lang: "en",
  base: process.env["DOCS_BASE"] ?? "/",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${process.env["DOCS_BASE"] ?? "/"}favicon.svg` }]],
  srcDir: "..",
  srcExclude: ["README.md", "{examples,packages,src,test,vendor,coverage}/**", "site/*.md"],
  outDir: OUTPUT,
  rewrites: {
    ...OUTSIDE_PAGES,
    "docs/:path(.*)": ":path",
    "site/api/:path(.*)": "api/:path",
  },
  markdown: {
    anchor: { slugify },
    config: (md) => adaptMarkdown(md, repository),
  },
  transformPageData: (page) => {
    if (page.relativePath === "index.md") Object.assign(page.frontmatter, HOME);
    if (page.relativePath.startsWith("api/")) Object.assign(page.frontmatter, { outline: [2, 3], pageClass: "api" });
    // Their tables need the room.
    if (["comparison.md", "guides/security.md", "guides/upgrading.md"].includes(page.relativePath))
      Object.assign(page.frontmatter, { aside: false, pageClass: "wide" });
  },
  themeConfig: {
    search: { provider: "local", options: { detailedView: true } },
    sidebar: SIDEBAR as unknown as DefaultTheme.Sidebar,
    nav: [
      { text: "Get started", link: "/get-started" },
      { text: "Guides", link: "/guides/choose-how-to-read" },
      { text: "Reference", link: "/reference/entity-sets" },
      { text: "API", link: "/api/odatakit" },
      { text: "Changelog", link: "/project/changelog" },
    ],
    outline: "deep",
    externalLinkIcon: true,
    ...(repository !== undefined && { editLink: { pattern: `${repository}/edit/main/:path` } }),
    footer: { message: "Released under the MIT licence." },
  },
  vite: {
    publicDir: fileURLToPath(new URL("../public", import.meta.url)),
    server: { fs: { allow: [".."] } },
    plugins: [
      {
        // Pages outside this folder find the packages of the site nevertheless.
        name: "packages-of-the-site",
        enforce: "pre",
        async resolveId(source, importer, options) {
          if (!/^vue(?:\/|$)/u.test(source)) return null;
          // On the server Node.js itself finds them: a second copy of Vue would not work with the first.
          if (options.ssr === true) return { id: source, external: true };
          return importer?.startsWith(SITE)
            ? null
            : this.resolve(source, `${SITE}main.ts`, { ...options, skipSelf: true });
        },
      },
    ],
  },
});
