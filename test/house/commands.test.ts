import { expect, test } from "vitest";
import { readSource } from "./source-files.ts";

const { scripts } = JSON.parse(readSource("package.json").text) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const steps = Array.from(
  readSource(".ci/run").text.matchAll(/^ *(?:tests|step) (?<command>.+)$/gmu),
  ({ groups }) => groups?.["command"] ?? "",
);
const table = readSource("CONTRIBUTING.md").text;

/** Scripts for those who have the licenses that they need. */
const OPTIONAL = new Set(["test:licensed"]);

/** `npm cit` runs the script `test`. `npm run test:rest` runs samples of `test:databases` and `test:all`. */
const WITHIN: Readonly<Record<string, string>> = {
  test: "npm cit",
  "test:databases": "test:rest",
  "test:all": "test:rest",
};

function has(commands: readonly string[], part: string | undefined): boolean {
  return part !== undefined && commands.some((command) => command.endsWith(part));
}

/** Returns the scripts that a command runs, directly or through scripts. */
function scriptsOf(command: string): readonly string[] {
  const named = Array.from(command.matchAll(/npm run (?:--silent )?([\w:]+)/gu), ([, name = ""]) => name);
  return named.flatMap((name) => [name, ...scriptsOf(scripts[name] ?? "")]);
}

test(".ci/run runs each script that tests or checks", () => {
  const run = new Set(steps.flatMap(scriptsOf));
  const missing = Object.keys(scripts).filter(
    (name) =>
      /^(?:test|check)(?::|$)/u.test(name) && !OPTIONAL.has(name) && !run.has(name) && !has(steps, WITHIN[name]),
  );
  expect(missing).toEqual([]);
});

test(".ci/run runs no script that is missing", () => {
  expect(steps.flatMap(scriptsOf).filter((name) => scripts[name] === undefined)).toEqual([]);
});

test("CONTRIBUTING.md describes at most twelve commands, and names no script that is missing", () => {
  const described = Array.from(table.matchAll(/^\| `[^`]+` \| /gmu));
  expect(described.length).toBeGreaterThan(5);
  expect(described.length).toBeLessThanOrEqual(12);
  const named = Array.from(table.matchAll(/`(?:\w+=\w+ )?npm (?:run )?([\w:]+)[^`]*`/gu), ([, name = ""]) => name);
  expect(named.filter((name) => !["ci", "cit", "run", "version"].includes(name) && !(name in scripts))).toEqual([]);
});
