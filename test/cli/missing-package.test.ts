import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { importPackage, MissingPackage, PACKAGES, restartWith } from "../../src/cli/missing-package.ts";
import { readSource } from "../house/source-files.ts";
import { testFolder } from "./run-program.ts";

const missing = (name: string): Promise<never> =>
  Promise.reject(
    Object.assign(new Error(`Cannot find package '${name}' imported from x`), { code: "ERR_MODULE_NOT_FOUND" }),
  );

describe("a missing package", () => {
  test("is told from other errors", async () => {
    await expect(importPackage(() => missing("pg"), ["kysely", "pg"])).rejects.toMatchObject({
      packages: ["kysely", "pg"],
    });
    await expect(importPackage(() => missing("pg-types"), ["kysely", "pg"])).rejects.not.toBeInstanceOf(MissingPackage);
    await expect(importPackage(() => Promise.reject(new Error("'pg'")), ["pg"])).rejects.not.toBeInstanceOf(
      MissingPackage,
    );
    await expect(importPackage(() => Promise.resolve(5), ["pg"])).resolves.toBe(5);
  });

  test("has the version that odatakit is tested with", () => {
    const { devDependencies } = JSON.parse(readSource("package.json").text) as {
      devDependencies: Record<string, string>;
    };
    for (const [name, range] of Object.entries(PACKAGES)) expect(range, name).toBe(`^${devDependencies[name] ?? ""}`);
  });

  /** Runs with a program in place of npm. */
  async function restart(environment: Readonly<Record<string, string>>, mayInstall = true) {
    let err = "";
    const code = await restartWith(["kysely", "pg"], {
      version: "1.2.3",
      given: ["inspect", "postgres://me:geheim@h/d"],
      environment,
      mayInstall,
      terminal: {
        print: () => undefined,
        report: (line) => {
          err += `${line}\n`;
        },
        progress: () => undefined,
        hasColour: false,
        columns: 100,
      },
    });
    return { code, err };
  }

  const shown = `npm exec --yes --package=odatakit@1.2.3 --package=kysely@${PACKAGES.kysely} --package=pg@${PACKAGES.pg} -- odatakit inspect postgres://me:***@h/d`;

  test.each([
    ["with --no-install", {}, false],
    ["after a restart", { ODATAKIT_RESTARTED: "1" }, true],
  ])("is explained %s", async (_name, environment, mayInstall) => {
    expect(await restart(environment, mayInstall)).toEqual({
      code: 3,
      err: `odatakit: This needs kysely and pg. Install them, or run: ${shown}\n`,
    });
  });

  test("is fetched by npm, whose exit code counts", async () => {
    const npm = join(testFolder(), "npm.mjs");
    writeFileSync(
      npm,
      "process.exit(process.env.ODATAKIT_RESTARTED === '1' && process.argv.includes('--yes') ? 7 : 8);",
    );
    const { code, err } = await restart({ npm_execpath: npm });
    expect([code, err]).toEqual([7, "odatakit: This needs kysely and pg. npm fetches them for this run.\n"]);
  });

  test("is found by the npm of the path, or explained without one", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "npm"), "#!/bin/sh\nexit 6\n");
    chmodSync(join(folder, "npm"), 0o755);
    expect((await restart({ PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}` })).code).toBe(6);
    const none = await restart({ PATH: testFolder() });
    expect([none.code, none.err]).toEqual([3, expect.stringContaining("npm could not be started. Run: npm exec")]);
  });
});
