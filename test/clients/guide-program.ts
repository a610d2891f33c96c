import { readFile } from "node:fs/promises";

/** The program of a guide, and the text that it prints. */
export interface GuideProgram {
  readonly code: string;
  readonly prints: string;
}

/**
 * Reads the program of `docs/guides/clients/<name>.md`, and the text after "It prints".
 * @param language the language of the block
 */
export async function readGuide(name: string, language: "js" | "tsx"): Promise<GuideProgram> {
  const page = await readFile(new URL(`../../docs/guides/clients/${name}.md`, import.meta.url), "utf8");
  const code = page.split(`\`\`\`${language}\n`)[1]?.split("```\n")[0];
  const prints = /^It prints `(?<text>[^`]+)`\.$/mu.exec(page)?.groups?.["text"];
  if (code === undefined || prints === undefined) throw new Error(`${name}.md has no program that prints something.`);
  return { code, prints };
}
