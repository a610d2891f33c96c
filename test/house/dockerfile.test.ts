import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "./source-files.ts";

const FOLDER = join(ROOT, "examples/container");
const text = readFileSync(join(FOLDER, "Dockerfile"), "utf8");
const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
const instructions = lines.map((line) => /^([A-Z]+) (.+)$/u.exec(line)?.slice(1) ?? [line]);
const namesOf = instructions.map(([name]) => name ?? "");
const valuesOf = (name: string): readonly string[] =>
  instructions.flatMap(([each, value = ""]) => (each === name ? [value] : []));

interface Linter {
  validate(
    text: string,
  ): ReadonlyArray<{ readonly message: string; readonly range: { readonly start: { readonly line: number } } }>;
}

// The types of the linter need those of editors.
const require = createRequire(import.meta.url);
const linter = require("dockerfile-utils") as Linter;

/** Returns the findings of the linter, each with its line. */
function findingsOf(dockerfile: string): readonly unknown[] {
  return linter.validate(dockerfile).map(({ message, range }) => [range.start.line + 1, message]);
}

describe("the Dockerfile", () => {
  test("has no finding of the linter", () => {
    expect(findingsOf(text)).toEqual([]);
    // The linter would find these.
    for (const [from, to] of [
      ["FROM ", "FROMM "],
      ["EXPOSE 8080", "EXPOSE port"],
      ["--interval=10s", "--interval=10"],
      ["WORKDIR /app", "WORKDIR app"],
      ['CMD ["node", "main.ts"]', 'CMD ["node", "main.ts"]\nCMD ["node"]'],
    ] as const) {
      expect(findingsOf(text.replace(from, to)), to).not.toEqual([]);
    }
  });

  test("has known instructions, one to a line", () => {
    const known = new Set(["FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "HEALTHCHECK", "CMD"]);
    expect(namesOf.filter((name) => !known.has(name))).toEqual([]);
    expect(namesOf[0]).toBe("FROM");
    expect(namesOf.at(-1)).toBe("CMD");
    for (const name of ["FROM", "CMD", "USER", "HEALTHCHECK", "WORKDIR"]) expect(valuesOf(name)).toHaveLength(1);
  });

  test("names the version of its image", () => {
    expect(valuesOf("FROM")[0]).toMatch(/^node:\d+-slim$/u);
  });

  test("installs the packages of the lock file before it copies the sources", () => {
    expect(valuesOf("RUN")).toEqual(["npm ci --omit=dev --ignore-scripts"]);
    expect(valuesOf("COPY")).toEqual(["package.json package-lock.json ./", ". ."]);
    expect(namesOf.indexOf("RUN")).toBeLessThan(namesOf.lastIndexOf("COPY"));
    expect(valuesOf("WORKDIR")[0]).toMatch(/^\//u);
  });

  test("runs as a user without privileges, as the first process of its container", () => {
    expect(valuesOf("USER")).toEqual(["node"]);
    expect(namesOf.indexOf("USER")).toBeGreaterThan(namesOf.lastIndexOf("COPY"));
    const [command = ""] = valuesOf("CMD");
    // A shell would not pass on SIGTERM.
    expect(JSON.parse(command)).toEqual(["node", "main.ts"]);
    const [health = ""] = valuesOf("HEALTHCHECK");
    const check = JSON.parse(health.slice(health.indexOf("[")));
    expect(check).toEqual(["node", "-e", expect.stringContaining("/healthz")]);
    expect(Number(valuesOf("EXPOSE")[0])).toBeGreaterThan(1023);
  });

  test("contains no secrets", () => {
    expect(text).not.toMatch(/password|secret|token|_KEY/iu);
    const ignored = readFileSync(join(FOLDER, ".dockerignore"), "utf8").split("\n");
    expect(ignored).toEqual(expect.arrayContaining(["node_modules", ".git", ".env", "*.pem"]));
  });

  test("is the one of the documentation", () => {
    expect(readFileSync(join(ROOT, "docs/guides/containers.md"), "utf8")).toContain(`\`\`\`text\n${text}\`\`\``);
  });
});

const hasDocker = spawnSync("docker", ["info"], { stdio: "ignore", timeout: 10_000 }).status === 0;

if (!hasDocker) console.log("The build of the Dockerfile is skipped: there is no Docker that runs.");

test.skipIf(!hasDocker)("Docker builds the Dockerfile", { timeout: 600_000 }, () => {
  const context = mkdtempSync(join(tmpdir(), "container-"));
  onTestFinished(() => rmSync(context, { recursive: true }));
  cpSync(FOLDER, context, { recursive: true });
  const run = (command: string, cwd: string, ...options: readonly string[]): void => {
    const { status, stderr } = spawnSync(command, options, { cwd, encoding: "utf8" });
    expect(status, stderr).toBe(0);
  };
  run("npm", ROOT, "run", "build");
  run("npm", ROOT, "pack", "--pack-destination", context);
  // The package of this commit is not in the registry.
  const packed = readdirSync(context).find((name) => name.endsWith(".tgz")) ?? "";
  const manifest = { name: "container", private: true, type: "module", dependencies: { odatakit: `file:${packed}` } };
  writeFileSync(join(context, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(context, "Dockerfile"), text.replace("package-lock.json ./", `package-lock.json ${packed} ./`));
  run("npm", context, "install", "--package-lock-only");
  run("docker", context, "build", ".");
});
