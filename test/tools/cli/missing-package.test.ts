import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { importPackage, MissingPackage, PACKAGES, restartWith } from "../../../src/tools/cli/missing-package.ts";
import { readSource } from "../../house/source-files.ts";
import { testFolder } from "./run-program.ts";

const missing = (name: string): Promise<never> =>
  Promise.reject(
    Object.assign(new Error(`Cannot find package '${name}' imported from x`), { code: "ERR_MODULE_NOT_FOUND" }),
  );

describe("a missing package", () => {
  test("differs from other errors", async () => {
    await expect(importPackage(() => missing("pg"), ["jose", "pg"])).rejects.toMatchObject({
      packages: ["jose", "pg"],
    });
    await expect(importPackage(() => missing("pg-types"), ["jose", "pg"])).rejects.not.toBeInstanceOf(MissingPackage);
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
    const code = await restartWith(["jose", "pg"], {
      version: "1.2.3",
      given: ["inspect", "postgres://me:geheim@h/d", "--no-install"],
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

  const shown = `npm exec --yes --package=odatakit@1.2.3 --package=jose@${PACKAGES.jose} --package=pg@${PACKAGES.pg} -- odatakit inspect postgres://me:***@h/d`;

  test.each([
    ["with --no-install", {}, false],
    ["after a restart", { ODATAKIT_RESTARTED: "jose,pg" }, true],
  ])("is explained %s", async (_name, environment, mayInstall) => {
    expect(await restart(environment, mayInstall)).toEqual({
      code: 3,
      err: `odatakit: This needs jose and pg. Install them, or run: ${shown}\n`,
    });
  });

  test("is fetched by npm, whose exit code counts", async () => {
    const npm = join(testFolder(), "npm.mjs");
    writeFileSync(
      npm,
      "process.exit(process.env.ODATAKIT_RESTARTED === 'jose,pg' && process.argv.includes('--yes') ? 7 : 8);",
    );
    const { code, err } = await restart({ npm_execpath: npm });
    expect([code, err]).toEqual([7, "odatakit: This needs jose and pg. npm fetches them for this run.\n"]);
  });

  test("is fetched with the packages of an earlier restart", async () => {
    const npm = join(testFolder(), "npm.mjs");
    writeFileSync(npm, "process.exit(process.argv.filter((each) => each.startsWith('--package=')).length);");
    // A driver is missed before `jose`.
    expect((await restart({ npm_execpath: npm, ODATAKIT_RESTARTED: "mysql2" })).code).toBe(4);
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
