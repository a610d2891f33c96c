import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/tools/cli/commands.ts";
import { readSource } from "../../house/source-files.ts";

const pages = ["command-line", "serve", "inspect", "pull", "check", "query", "hash"]
  .map((name) => readSource(`docs/reference/${name}.md`).text)
  .join("\n");

test("the documentation describes each command and option, and no other", async () => {
  const commands = await Promise.all(COMMANDS.map(({ load }) => load()));
  const options = new Set(commands.flatMap((command) => Object.keys(command.options)));
  const described = new Set([...pages.matchAll(/`--([a-z-]+)/gu)].map(([, name]) => name));
  described.delete("help");
  expect(described).toEqual(options);
  for (const { name } of COMMANDS) expect(pages).toContain(`\`odatakit ${name}`);
});

test("the list of commands has the names and summaries of the commands", async () => {
  for (const { name, load } of COMMANDS) {
    const command = await load();
    expect(command.name).toBe(name);
    expect(command.examples.length).toBeGreaterThan(0);
  }
});
