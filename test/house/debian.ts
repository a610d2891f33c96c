import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";

/** The path of a program; undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return [...folders, "/usr/bin", "/usr/sbin", "/usr/local/bin"]
    .map((folder) => `${folder}/${name}`)
    .find((each) => existsSync(each));
}

/**
 * Installs missing Debian packages, if permitted.
 * @param what names the missing programs, as the subject of a sentence in the plural
 * @returns the reason why they are not installed; null if they are
 */
export function installPackages(what: string, packages: readonly string[]): string | null {
  if (process.getuid?.() !== 0) return `${what} are not installed, and only root may install them.`;
  if (findProgram("apt-get") === undefined) return `${what} are not installed, and there is no apt-get.`;
  // The packages must not start a server: nothing would stop it.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  for (const given of [["update"], ["install", "-y", "--no-install-recommends", ...packages]]) {
    const { status } = spawnSync("apt-get", given, { env, stdio: "inherit" });
    if (status !== 0) return `apt-get ${given.join(" ")} failed.`;
  }
  return null;
}
