import { expect, test } from "vitest";
import { npmCommand } from "../../../src/tools/cli/missing-package.ts";

const GIVEN = ["exec", "--", "odatakit", "inspect", "C:\\my data\\shop.db"];

test("npm runs without a shell where its program is known", () => {
  const around = { execPath: "/node/bin/node", platform: "win32", environment: { npm_execpath: "/npm-cli.js" } };
  expect(npmCommand(GIVEN, around)).toEqual({
    command: "/node/bin/node",
    given: ["/npm-cli.js", ...GIVEN],
    shell: false,
  });
  const beside = npmCommand(GIVEN, { ...around, environment: {} }, () => true);
  expect(beside).toMatchObject({ command: "/node/bin/node", shell: false });
  expect(beside.given[0]?.replaceAll("\\", "/")).toBe("/node/bin/node_modules/npm/bin/npm-cli.js");
  expect(npmCommand(GIVEN, { ...around, platform: "linux", environment: {} }, () => true)).toEqual({
    command: "npm",
    given: GIVEN,
    shell: false,
  });
});

test("a shell of Windows gets quoted arguments", () => {
  const around = { execPath: "/node/node", platform: "win32", environment: {} };
  const { command, given, shell } = npmCommand([...GIVEN, "a&b", '%X% "y"'], around, () => false);
  expect([command, shell]).toEqual(["npm", true]);
  expect(given).toEqual(["exec", "--", "odatakit", "inspect", '"C:\\my data\\shop.db"', '"a&b"', '"%%X%% \\"y\\""']);
});
