import { posix, relative } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { pageOf, ROOT } from "./paths.ts";

type Token = ReturnType<MarkdownRenderer["parse"]>[number];

/** Notes that begin with one of these words in bold are shown as boxes. */
const NOTES: Readonly<Record<string, string>> = { Security: "danger", Important: "warning", Note: "info" };

/**
 * Adapts the Markdown of the project to the site: links between files become links between pages, and quotes such as
 * `> **Security** …` become boxes. Both also read well where the files are shown as they are.
 */
export function adaptMarkdown(md: MarkdownRenderer, repository: string | undefined): void {
  md.core.ruler.push("odatakit", ({ tokens, env }: { tokens: Token[]; env: { path: string; realPath?: string } }) => {
    const file = relative(ROOT, env.realPath ?? env.path).replaceAll("\\", "/");
    for (const [index, token] of tokens.entries()) {
      if (token.type === "blockquote_open") markNote(token, tokens[index + 2]);
      for (const [place, child] of (token.children ?? []).entries()) {
        if (child.type === "link_open") adaptLink(child, token.children ?? [], place, file, repository);
      }
    }
  });
}

function markNote(quote: Token, content: Token | undefined): void {
  const [, bold, word] = content?.children ?? [];
  const kind = bold?.type === "strong_open" ? NOTES[word?.content ?? ""] : undefined;
  const [first, second, third] = content?.children ?? [];
  const name = first?.type === "text" && first.content === "" ? third : second;
  const found = kind ?? (name === undefined ? undefined : NOTES[name.content]);
  if (found !== undefined) quote.attrJoin("class", `note ${found}`);
}

/** Leads a relative link to its page, or to the file in the repository; where neither is known, only its text is left. */
function adaptLink(link: Token, siblings: Token[], index: number, file: string, repository: string | undefined): void {
  const href = String(link.attrGet("href") ?? "");
  if (/^(?:[a-z]+:|#|\/)/u.test(href)) return;
  const [target = "", anchor] = href.split("#");
  const path = posix.join(posix.dirname(file), decodeURI(target));
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const page = path === "README.md" ? "index.md" : pageOf(path);
  if (page !== undefined) link.attrSet("href", `/${page}${hash}`);
  else if (path === "docs/decisions") link.attrSet("href", "/decisions/0001-arithmetic-errors.md");
  else if (repository !== undefined) link.attrSet("href", `${repository}/blob/main/${path}${hash}`);
  else removeLink(link, siblings, index);
}

function removeLink(link: Token, siblings: readonly Token[], index: number): void {
  const close = siblings.slice(index).find(({ type, level }) => type === "link_close" && level === link.level);
  for (const token of [link, close]) {
    if (token === undefined) continue;
    token.type = "text";
    token.tag = "";
    token.nesting = 0;
    token.content = "";
    token.attrs = null;
  }
}

/** Makes anchors as code hosts make them, so that one link fits both. */
export function slugify(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}
