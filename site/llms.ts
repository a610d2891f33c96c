import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OUTPUT, OUTSIDE_PAGES, ROOT } from "./paths.ts";
import { SIDEBAR } from "./sidebar.ts";

/** Writes `llms.txt`, which lists the pages for tools, and each page as Markdown beside its HTML. */
export function writeLlms(base: string): void {
  const lines = ["# odatakit", "", "> An OData 4.0 server for TypeScript, without runtime dependencies.", ""];
  for (const { text, items } of SIDEBAR) {
    lines.push(`## ${text}`, "");
    for (const item of items) {
      const page = item.link === "/" ? "index.md" : `${item.link.slice(1)}.md`;
      const markdown = readFileSync(join(ROOT, sourceOf(page)), "utf8");
      const copy = join(OUTPUT, page);
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, markdown);
      const says = firstSentence(markdown);
      lines.push(`- [${item.text}](${base}${page})${says === "" ? "" : `: ${says}`}`);
    }
    lines.push("");
  }
  writeFileSync(join(OUTPUT, "llms.txt"), lines.join("\n"));
}

function sourceOf(page: string): string {
  const outside = Object.entries(OUTSIDE_PAGES).find(([, path]) => path === page)?.[0];
  if (outside !== undefined) return outside;
  return page.startsWith("api/") ? `site/${page}` : `docs/${page}`;
}

/** Returns the first sentence of a page's first paragraph, without links. */
function firstSentence(markdown: string): string {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```/gmu, "");
  const paragraphs = prose.split(/\n{2,}/u).map((text) => text.trim());
  const paragraph = paragraphs.find((text) => text !== "" && !/^[#>|<\-\d]/u.test(text)) ?? "";
  const plain = paragraph.replaceAll(/\[(?<text>[^\]]+)\]\([^)]*\)/gu, "$<text>").replaceAll("\n", " ");
  const sentence = /^(?:`[^`]*`|[^`])*?[.:](?=\s|$)/u.exec(plain)?.[0] ?? plain;
  return sentence.replace(/:$/u, ".");
}
