import { describe, expect, test } from "vitest";
import type { Command } from "../../../src/tools/cli/command.ts";
import {
  BANNER_STYLES,
  HELP_STYLES,
  INSPECT_STYLES,
  paint,
  PLAN_STYLES,
  type Styles,
} from "../../../src/tools/cli/paint.ts";
import { commandHelp } from "../../../src/tools/cli/run-command.ts";

const COMMAND: Command = {
  name: "try",
  summary: "try something",
  positionals: "<db>",
  maxPositionals: 1,
  options: {
    "a-long-option": {
      type: "string",
      value: "value",
      summary: "a text of several words that is too long",
      default: "x",
      inFile: false,
    },
    b: { type: "boolean", value: null, summary: "short", default: null, inFile: false },
  },
  examples: [["odatakit try a.db", "tries it"]],
  run: () => Promise.resolve("success"),
};

describe("the help of a command", () => {
  test("wraps texts behind their flags", () => {
    expect(commandHelp(COMMAND, 60).split("\n").slice(4, 8)).toEqual([
      "Options:",
      "  --a-long-option value  a text of several words that is too",
      "                         long (default x)",
      "  --b                    short",
    ]);
  });

  test("has texts below their flags on a narrow terminal", () => {
    expect(commandHelp(COMMAND, 30).split("\n").slice(5, 10)).toEqual([
      "  --a-long-option value",
      "    a text of several words",
      "    that is too long (default",
      "    x)",
      "  --b",
    ]);
  });
});

test.each<[string, Styles, string]>([
  ["Usage: x\n\nOptions:\n  --a", HELP_STYLES, "<1>Usage:<22> x\n\n<1>Options:<22>\n  --a"],
  ["  Service   http://h/odata", BANNER_STYLES, "  Service   <36>http://h/odata<39>"],
  ["  v  view without a key  → --keys unique", BANNER_STYLES, "  v  view without a key  <36>→ --keys unique<39>"],
  ["  Orders  table main.orders, key Id", INSPECT_STYLES, "<1>  Orders<22>  table main.orders, key Id"],
  ["0 warnings", INSPECT_STYLES, "0 warnings"],
  ["  + a.ts  new", PLAN_STYLES, "<32>  + a.ts<39>  new"],
])("%j has colours on a terminal", (text, styles, expected) => {
  expect(paint(text, styles, { hasColour: false })).toBe(text);
  const painted = paint(text, styles, { hasColour: true });
  expect(
    painted
      .split("\u001B[")
      .join("<")
      .replaceAll(/<(\d+)m/g, "<$1>"),
  ).toBe(expected);
});
