import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Invocation } from "./command.ts";
import { usageProblem, type Problem } from "./problem.ts";

/** Reads the variables of `--env-file`. Those of the environment have precedence. */
export function readEnvironmentFile(
  given: Invocation["options"][string],
  { environment, folder }: Pick<Invocation, "environment" | "folder">,
): Problem | { readonly variables: Readonly<Record<string, string>> } {
  if (typeof given !== "string") return { variables: {} };
  try {
    const found = parseEnv(readFileSync(resolve(folder, given), "utf8"));
    const missing = Object.entries(found).filter(([name]) => environment[name] === undefined);
    return { variables: Object.fromEntries(missing) as Readonly<Record<string, string>> };
  } catch (error) {
    const { code = "unknown" } = error as { readonly code?: string };
    return usageProblem(
      `The file ${JSON.stringify(given)} of \`--env-file\` cannot be read (${code}).`,
      "Correct the path.",
    );
  }
}
