import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The program of a guide, and the text that it prints. */
export interface GuideProgram {
  readonly code: string;
  readonly prints: string;
  readonly commands: readonly string[];
  /** The texts of the modules after the program, then those of `examples/clients` that the page links. */
  readonly modules: readonly string[];
  /** The text of the `tsconfig.json` that compiles the program; empty without one. */
  readonly settings: string;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Reads the program of `docs/guides/clients/<name>.md`, its commands, settings and modules, and the text after "It prints".
 * @param language the language of the block
 */
export async function readGuide(name: string, language: "js" | "tsx"): Promise<GuideProgram> {
  const page = await readFile(here(`../../docs/guides/clients/${name}.md`), "utf8");
  const [code, ...modules] = blocksOf(page, language);
  const prints = /^It prints `(?<text>[^`]+)`\.$/mu.exec(page)?.groups?.["text"];
  if (code === undefined || prints === undefined) throw new Error(`${name}.md has no program that prints something.`);
  const commands = blocksOf(page, "sh").flatMap((lines) => lines.trim().split("\n"));
  const linked = await Promise.all(
    linkedModules(page).map((file) => readFile(here(`../../examples/clients/${file}`), "utf8")),
  );
  return { code, prints, commands, modules: [...modules, ...linked], settings: blocksOf(page, "json")[0] ?? "" };
}

/** The names of the modules of `examples/clients` that a page links. */
function linkedModules(page: string): readonly string[] {
  return Array.from(
    page.matchAll(/\/examples\/clients\/(?<file>[\w-]+\.js)\)/gu),
    ({ groups }) => groups?.["file"] ?? "",
  );
}

/** The code blocks of a page in one language. */
function blocksOf(page: string, language: string): readonly string[] {
  return page
    .split(`\`\`\`${language}\n`)
    .slice(1)
    .map((rest) => rest.split("```\n")[0] ?? "");
}

/** Writes the modules of a guide that begin with the name of their file, such as `// products.js`, to a folder. */
export async function writeModules({ modules }: GuideProgram, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const text of modules) {
    const file = /^\/\/ (?<file>[\w-]+\.js)\n/u.exec(text)?.groups?.["file"];
    if (file !== undefined) await writeFile(`${folder}/${file}`, text);
  }
}
