import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../house/source-files.ts";
import { npm, packedTarball } from "./tarball.ts";

/** The folder that contains the new project. */
let parent: string;
/** The new project, with its packages. */
let project: string;
let printed: string;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "odatakit-create-"));
  project = join(parent, "shop");
  const [odatakit, create] = [await packedTarball(), await packedTarball("packages/create-odatakit")];
  execFileSync("tar", ["xzf", create.path, "-C", parent]);
  printed = execFileSync(process.execPath, [join(parent, "package/dist/main.js"), "shop"], {
    cwd: parent,
    encoding: "utf8",
  });
  // The version is not published before its tests pass.
  const manifest = join(project, "package.json");
  const text = readFileSync(manifest, "utf8");
  writeFileSync(
    manifest,
    text.replace(/"odatakit": "[^"]+"/u, `"odatakit": ${JSON.stringify(`file:${odatakit.path}`)}`),
  );
  npm(project, "install", "--no-audit", "--no-fund", "--prefer-offline");
});

afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
});

function run(program: string, ...given: readonly string[]): string {
  return spawnSync(process.execPath, [program, ...given], { cwd: project, encoding: "utf8" }).stdout;
}

describe("a project of create-odatakit", () => {
  it("is followed by three commands", () => {
    expect(printed).toBe("Created shop. Continue with:\n\n  cd shop\n  npm install\n  npm start\n");
  });

  it("passes its own tests", () => {
    expect(npm(project, "test")).toMatch(/^\S* ?fail 0$/mu);
  });

  it("passes the strict compiler", () => {
    expect(npm(project, "run", "--silent", "check")).toBe("");
  });

  it("passes the linter of odatakit", () => {
    cpSync(join(ROOT, ".oxlintrc.json"), join(project, ".oxlintrc.json"));
    // Tables that refer to each other import each other, and src/main.ts prints where it listens.
    const given = ["--allow=import/no-cycle", "src/model", "src/service.ts", "src/users.ts"];
    const report = run(join(ROOT, "node_modules/oxlint/bin/oxlint"), ...given);
    expect(report).toContain("Found 0 warnings and 0 errors.");
  });

  it("can declare the tables of a database, by the packed command", () => {
    const program = join(project, "node_modules/odatakit/dist/cli/main.js");
    const target = join(parent, "from");
    cpSync(join(parent, "package/template/base"), target, { recursive: true });
    cpSync(join(parent, "package/template/from"), target, { recursive: true });
    cpSync(join(project, "package.json"), join(target, "package.json"));
    symlinkSync(join(project, "node_modules"), join(target, "node_modules"), "junction");
    const given = ["pull", join(project, "shop.db"), "--out", "src/model"];
    const run = { cwd: target, encoding: "utf8" } as const;
    expect(execFileSync(process.execPath, [program, ...given], run)).toContain("order.ts");
    expect(npm(target, "test")).toMatch(/^\S* ?fail 0$/mu);
    expect(npm(target, "run", "--silent", "check")).toBe("");
  });

  it("starts, and serves its tables", async () => {
    const server = spawn(process.execPath, ["--env-file=.env", "src/main.ts"], {
      cwd: project,
      env: { ...process.env, PORT: "0" },
    });
    const ended = once(server, "close");
    try {
      const [line] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
      const url = /^Listening on (\S+)\n$/u.exec(line)?.[1] ?? line;
      const response = await fetch(`${url}/Products?$select=Name,Price&$top=1`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ value: [{ Name: "Chair", Price: 49.99 }] });
      const key = /^API_KEYS=([\w-]+):staff/mu.exec(readFileSync(join(project, ".env"), "utf8"))?.[1] ?? "";
      expect((await fetch(`${url}/Orders/$count`)).status).toBe(401);
      expect(await (await fetch(`${url}/Orders/$count`, { headers: { "X-Api-Key": key } })).text()).toBe("3");
    } finally {
      server.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
  });
});
