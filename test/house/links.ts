import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT, type SourceFile, lineAt, readSource } from "./source-files.ts";

const CODE = /^ *```[\s\S]*?^ *```[ ]*$|`[^`\n]*`/gmu;
const LINK = /\]\((?<target>[^()\s]+)(?: "[^"]*")?\)|^\[[^\]]+\]: (?<definition>\S+)$/gmu;
/** `[name]`, which a line `[name]: …` of the same page defines. */
const REFERENCE = /(?<![\]!])\[(?<name>[a-z][a-z0-9/-]*)\](?![([:])/gu;

/** The relative links of a page that lead nowhere, and its references to a link that it does not define, each with its line. */
export function brokenLinks(page: SourceFile): readonly string[] {
  const prose = proseOf(page);
  const targets = targetsOf(page).filter(
    ({ target }) => !/^[a-z]+:/u.test(target) && !leadsSomewhere(page.path, target),
  );
  const undefinedNames = Array.from(prose.matchAll(REFERENCE))
    .map((match) => ({ target: match[0], line: lineAt(prose, match.index) }))
    .filter(({ target }) => !prose.includes(`\n${target}: `));
  return [...targets, ...undefinedNames].map(({ target, line }) => `${page.path}:${line} ${target}`);
}

/** The targets of the links of a page, each with its line. */
export function targetsOf(page: SourceFile): ReadonlyArray<{ readonly target: string; readonly line: number }> {
  const prose = proseOf(page);
  return Array.from(prose.matchAll(LINK), (match) => ({
    target: match.groups?.["target"] ?? match.groups?.["definition"] ?? "",
    line: lineAt(prose, match.index),
  }));
}

/** Replaces the code of a page by blanks. */
function proseOf(page: SourceFile): string {
  return page.text.replaceAll(CODE, (code) => code.replaceAll(/[^\n]/gu, " "));
}

function leadsSomewhere(from: string, target: string): boolean {
  const [file = "", anchor] = decodeURI(target).split("#");
  const path = file === "" ? from : posix.join(posix.dirname(from), file);
  if (path.startsWith("..") || !existsSync(join(ROOT, path))) return false;
  return anchor === undefined || !path.endsWith(".md") || anchorsOf(readSource(path).text).includes(anchor);
}

/** The anchors of a page's headings, made as code hosts make them. */
export function anchorsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/^#{1,6} +(?<title>.+)$/gmu), (match) =>
    (match.groups?.["title"] ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}
