import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT, type SourceFile } from "./source-files.ts";

/** The folder of the snippets' modules, ignored by git. */
const SNIPPETS = "test/.snippets";

/** One program of a page: a ```ts block and the ```ts continued blocks that extend it. */
export interface Snippet {
  /** Page and line of the first block, such as `docs/reference/paging.md:12`. */
  readonly place: string;
  /** The module written for it, from the root. */
  readonly path: string;
  /** Its line numbers are those of the page, so that messages of the compiler refer to the page. */
  readonly text: string;
  /** False for ```ts no-run: compiled, but not run. */
  readonly isRun: boolean;
  /** The output that the page shows after "It prints", in the form of `withoutLayout`; undefined if it shows none. */
  readonly prints: string | undefined;
}

const FENCE = /^(?<indent> *)```(?:ts|typescript)\b(?<flags>[^\n]*)\n(?<code>[\s\S]*?)^ *```[ ]*$/gmu;

/** A link to a program of `examples`. */
const EXAMPLE = /\]\((?<target>[^()\s]*\bexamples\/[\w/-]+\.ts)\)/gu;

/** `It prints` after a block, then the output within the line or in the next block. */
const OUTPUT = /^\s*It prints[^`\n]*(?:`(?<inline>[^`\n]+)`|\n+```(?:text|json)\n(?<block>[\s\S]*?)^```)/mu;

/** Removes white space, since pages break long lines, and port numbers, which the system chooses. */
export function withoutLayout(text: string): string {
  return text.replaceAll(/\s/gu, "").replaceAll(/(?<=\/\/localhost:)\d+/gu, "");
}

/** Returns the programs of a Markdown page, in order. */
export function snippetsOf(page: SourceFile): readonly Snippet[] {
  const snippets: Snippet[] = [];
  for (const match of page.text.matchAll(FENCE)) {
    const flags = (match.groups?.["flags"] ?? "").trim().split(/\s+/u).filter(Boolean);
    if (flags.includes("excerpt")) continue;
    const unknown = flags.filter((flag) => !["no-run", "continued"].includes(flag));
    const line = page.text.slice(0, match.index).split("\n").length;
    if (unknown.length > 0) {
      throw new Error(`${page.path}:${line}: \`\`\`ts knows no-run and continued, not ${unknown.join(" ")}`);
    }
    const before = flags.includes("continued") ? snippets.pop() : undefined;
    if (flags.includes("continued") && before === undefined) throw new Error(`${page.path}:${line}: continues nothing`);
    const start = before ?? { place: `${page.path}:${line}`, path: modulePath(page.path, line), text: "" };
    const padding = "\n".repeat(line - start.text.split("\n").length + 1);
    const text = `${start.text}${padding}${match.groups?.["code"] ?? ""}`;
    const isRun = (before?.isRun ?? true) && !flags.includes("no-run");
    // A continuation that shows no output has that of the part before it.
    const prints = outputAt(page.text.slice(match.index + match[0].length)) ?? before?.prints;
    snippets.push({ ...start, text, isRun, prints });
  }
  return snippets;
}

/** A ```ts excerpt block: a part of a program of `examples`, which the page links before it. */
export interface Excerpt extends Pick<Snippet, "place" | "path" | "prints"> {
  /** The lines of the program that the page shows. */
  readonly text: string;
}

/** Returns the excerpts of a Markdown page, in order. */
export function excerptsOf(page: SourceFile): readonly Excerpt[] {
  return Array.from(page.text.matchAll(FENCE))
    .filter(({ groups }) => groups?.["flags"]?.trim() === "excerpt")
    .map((match) => {
      const before = page.text.slice(0, match.index);
      const place = `${page.path}:${String(before.split("\n").length)}`;
      const link = Array.from(before.matchAll(EXAMPLE)).at(-1)?.groups?.["target"];
      if (link === undefined) throw new Error(`${place}: no link to a program of examples precedes the excerpt`);
      const path = posix.join(posix.dirname(page.path), link);
      const prints = outputAt(page.text.slice(match.index + match[0].length));
      return { place, path, text: match.groups?.["code"] ?? "", prints };
    });
}

/** Returns the output that the text after a block shows. */
function outputAt(behind: string): string | undefined {
  const match = OUTPUT.exec(behind);
  if (match === null || behind.slice(0, match.index).trim() !== "") return undefined;
  const { inline, block } = match.groups ?? {};
  return withoutLayout(inline ?? block ?? "");
}

/**
 * Writes the snippets and the projects that compile them; returns the paths of the projects.
 * A snippet that augments the package (`declare module`) is a project alone: all others would see its types.
 * @param declarations the declarations to compile against, instead of the sources
 */
export function writeSnippets(
  snippets: readonly Snippet[],
  declarations: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  rmSync(join(ROOT, SNIPPETS), { recursive: true, force: true });
  mkdirSync(join(ROOT, SNIPPETS), { recursive: true });
  for (const { path, text } of snippets) writeFileSync(join(ROOT, path), text);
  const alone = snippets.filter(({ text }) => text.includes("declare module"));
  const together = snippets.filter((snippet) => !alone.includes(snippet));
  return [together, ...alone.map((snippet) => [snippet])].map((files, index) => {
    const project = `${SNIPPETS}/tsconfig.${index}.json`;
    const compilerOptions = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false, paths: declarations };
    const names = files.map(({ path }) => path.slice(SNIPPETS.length + 1));
    writeFileSync(
      join(ROOT, project),
      JSON.stringify({ extends: "../../tsconfig.base.json", compilerOptions, files: names }),
    );
    return project;
  });
}

function modulePath(page: string, line: number): string {
  return `${SNIPPETS}/${page.replaceAll(/[^A-Za-z0-9]+/gu, "-")}-${line}.ts`;
}
