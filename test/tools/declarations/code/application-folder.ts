import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ROOT } from "../../../house/source-files.ts";

/** A folder of an application that depends on this package and on drivers. */
export interface ApplicationFolder {
  readonly path: string;
  /** Runs a program in the folder. @returns its exit code and all it printed */
  readonly run: (
    program: string,
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly code: number | null; readonly output: string }>;
  /** Type-checks all modules as strictly as possible. @returns the errors */
  readonly typeCheck: () => Promise<string>;
  readonly remove: () => void;
}

const PACKAGES = ["kysely", "pg", "mysql2", "@electric-sql", "@types", "pg-types", "pg-protocol", "undici-types"];

/** Makes the folder. Modules of the package are those of `src`. */
export function makeApplicationFolder(): ApplicationFolder {
  const path = mkdtempSync(join(tmpdir(), "odatakit-application-"));
  mkdirSync(join(path, "node_modules"));
  symlinkSync(ROOT, join(path, "node_modules/odatakit"));
  for (const name of PACKAGES) symlinkSync(join(ROOT, "node_modules", name), join(path, "node_modules", name));
  writeFileSync(join(path, "package.json"), '{ "type": "module" }');
  const project = {
    extends: join(ROOT, "tsconfig.base.json"),
    compilerOptions: { noEmit: true, skipLibCheck: true },
    include: ["**/*"],
  };
  writeFileSync(join(path, "tsconfig.json"), JSON.stringify(project));
  const run: ApplicationFolder["run"] = async (program, args, environment = {}) => {
    const child = spawn(program, [...args], { cwd: path, env: { ...process.env, ...environment } });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { code, output };
  };
  return {
    path,
    run,
    typeCheck: async () => (await run(join(ROOT, "node_modules/.bin/tsc"), ["-p", "."])).output,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
