import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT, type SourceFile, lineAt, readSource } from "./source-files.ts";

const CODE = /^ *```[\s\S]*?^ *```[ ]*$|`[^`\n]*`/gmu;
const LINK = /\]\((?<target>[^()\s]+)(?: "[^"]*")?\)/gu;

/** The relative links of a page that lead nowhere, each with its line. */
export function brokenLinks(page: SourceFile): readonly string[] {
  const prose = page.text.replaceAll(CODE, (code) => code.replaceAll(/[^\n]/gu, " "));
  return Array.from(prose.matchAll(LINK))
    .map((match) => ({ target: match.groups?.["target"] ?? "", line: lineAt(prose, match.index) }))
    .filter(({ target }) => !/^[a-z]+:/u.test(target) && !leadsSomewhere(page.path, target))
    .map(({ target, line }) => `${page.path}:${line} ${target}`);
}

function leadsSomewhere(from: string, target: string): boolean {
  const [file = "", anchor] = decodeURI(target).split("#");
  const path = file === "" ? from : posix.join(posix.dirname(from), file);
  if (path.startsWith("..") || !existsSync(join(ROOT, path))) return false;
  return anchor === undefined || !path.endsWith(".md") || anchorsOf(readSource(path).text).includes(anchor);
}

/** The anchors of a page's headings, made as code hosts make them. */
function anchorsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/^#{1,6} +(?<title>.+)$/gmu), (match) =>
    (match.groups?.["title"] ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}
