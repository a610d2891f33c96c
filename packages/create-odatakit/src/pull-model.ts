import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { VERSIONS } from "./project-files.ts";

/** Writes the declarations of a database with `odatakit pull`, which npm fetches. The URL may contain a password, so it is no argument. */
export async function pullModel(from: string, project: string, version: string): Promise<boolean> {
  const packages = [`odatakit@${version}`, ...neededBy(from)].map((name) => `--package=${name}`);
  const given = ["exec", "--yes", ...packages, "--", "odatakit", "pull", "--out", "src/model"];
  const { npm_execpath: npm } = process.env;
  const [command, ...first] = npm === undefined ? ["npm"] : [process.execPath, npm];
  const child = spawn(command ?? "npm", [...first, ...given], {
    cwd: project,
    stdio: "inherit",
    env: { ...process.env, DATABASE_URL: from },
    shell: npm === undefined && process.platform === "win32",
  });
  try {
    const [exitCode] = (await once(child, "close")) as [number | null];
    return exitCode === 0;
  } catch (error) {
    process.stderr.write(`npm could not be started: ${String(error)}\n`);
    return false;
  }
}

function neededBy(from: string): readonly string[] {
  if (/^postgres(?:ql)?:/iu.test(from)) return [`pg@${VERSIONS.pg}`];
  return /^(?:mysql|mariadb):/iu.test(from) ? [`mysql2@${VERSIONS.mysql2}`] : [];
}
