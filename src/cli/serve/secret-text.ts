import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Invocation } from "../command.ts";
import { usageProblem, type Problem } from "../problem.ts";

/** Reads a secret from an environment variable, or from the file that `<variable>_FILE` names. */
export function readSecretText(
  variable: string,
  { environment, folder }: Pick<Invocation, "environment" | "folder">,
): string | Problem {
  const direct = environment[variable];
  if (direct !== undefined && direct !== "") return direct;
  const file = environment[`${variable}_FILE`];
  if (file === undefined || file === "") {
    return usageProblem(`\`${variable}\` is not set.`, `Set it, or name a file in \`${variable}_FILE\`.`);
  }
  try {
    return readFileSync(resolve(folder, file), "utf8");
  } catch (error) {
    const { code = "unknown" } = error as { readonly code?: string };
    return usageProblem(`The file of \`${variable}_FILE\` cannot be read (${code}).`, "Correct the path.");
  }
}
