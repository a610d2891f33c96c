import { ConfigurationError } from "odatakit";
import { expect, test } from "vitest";
import type { Command } from "../../../src/tools/cli/command.ts";
import { MissingPackage } from "../../../src/tools/cli/missing-package.ts";
import { runCommand } from "../../../src/tools/cli/run-command.ts";

/** Runs a command that fails. */
async function runFailing(failure: unknown, given: readonly string[] = ["work", "postgres://me:geheim@h/d"]) {
  let err = "";
  const command: Command = {
    name: "work",
    summary: "works",
    positionals: "",
    maxPositionals: 1,
    options: { "no-install": { type: "boolean", value: null, summary: "", default: null, inFile: false } },
    examples: [],
    run: () => {
      throw failure;
    },
  };
  const code = await runCommand(given, [{ name: "work", summary: "works", load: () => Promise.resolve(command) }], {
    setVariable: () => undefined,
    environment: {},
    folder: ".",
    readInput: () => Promise.resolve(""),
    signal: new AbortController().signal,
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

test("a bug has exit code 70, the version, the command and a stack without data", async () => {
  const { code, err } = await runFailing(new TypeError("value geheim of a row"));
  expect(code).toBe(70);
  expect(err).toMatch(
    /^odatakit: This is a bug of odatakit \d+\.\d+\.\d+ on Node\.js \d\S+: TypeError\.\nCommand: odatakit work postgres:\/\/me:\*\*\*@h\/d\n {4}at /,
  );
  expect(err).not.toContain("geheim");
});

test("a thrown value that is not an error is a bug too", async () => {
  expect(await runFailing("geheim")).toEqual({ code: 70, err: expect.stringContaining(": string.\n") as string });
});

test("faults of declarations have exit code 5", async () => {
  const faults = [
    { message: "One.", fix: "Mend it." },
    { message: "Two.", fix: "Mend it too." },
  ];
  expect(await runFailing(new ConfigurationError(faults))).toEqual({
    code: 5,
    err: "odatakit: One. Mend it.\nodatakit: Two. Mend it too.\n",
  });
});

test("a missing package is named with --no-install", async () => {
  const { code, err } = await runFailing(new MissingPackage(["pg"]), ["work", "--no-install"]);
  expect([code, err]).toEqual([3, expect.stringContaining("This needs pg. Install it, or run: npm exec")]);
});
