import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { applicationWith, programOf } from "./application.ts";
import { npm } from "./tarball.ts";

test.each([["20.19.0"], ["22.17.0"]])("the command says that Node.js %s is too old", async (version) => {
  const folder = mkdtempSync(join(tmpdir(), "odatakit-node-"));
  const application = await applicationWith([]);
  onTestFinished(() => {
    for (const each of [folder, application]) rmSync(each, { recursive: true });
  });
  writeFileSync(join(folder, "package.json"), "{}");
  const name = `node-${process.platform}-${process.arch}`;
  npm(folder, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", `${name}@${version}`);
  const program = join(folder, "node_modules", name, "bin/node");
  for (const given of [["serve", "shop.db"], ["--version"]]) {
    const run = spawnSync(program, [programOf(application), ...given], { cwd: application, encoding: "utf8" });
    expect([run.status, run.stdout, run.stderr]).toEqual([
      1,
      "",
      `The command needs Node.js 22.18 or later. This is ${version}.\n`,
    ]);
  }
});
