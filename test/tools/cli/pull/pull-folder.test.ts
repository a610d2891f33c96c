import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { WrittenModule } from "odatakit/introspect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pullFolder, writeFolder } from "../../../../src/tools/cli/pull/pull-folder.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "odatakit-pull-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function typeText(...fields: readonly string[]): string {
  const lines = fields.map((field) => `  ${field}: edm.string(),\n`).join("");
  return `export const Order = entityType("Order", {\n${lines}});\n`;
}

const ORDER = typeText("id", "fax", "name");
const CHANGED = typeText("id", "fax", "name", "vatId");
const DROPPED = typeText("id", "name");

function module(text: string, path = "order.ts"): WrittenModule {
  return { path, text, table: { schema: "public", name: path.slice(0, -3) } };
}

interface Report {
  readonly result: unknown;
  readonly lines: readonly string[];
}

function pull(modules: readonly WrittenModule[], options: Partial<Parameters<typeof pullFolder>[1]> = {}): Report {
  const lines: string[] = [];
  const given = { folder, isCheck: false, isDryRun: false, keepMine: false, ...options };
  const result = pullFolder(modules, given, (line) => lines.push(line));
  return { result, lines };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function read(path: string): string | null {
  return existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : null;
}

const BASE = ".odatakit/order.base.ts";

type Texts = readonly [yours: string | null, base: string | null];

const MINE = ORDER.replace("fax:", "telefax:");

describe("a file", () => {
  test.each<[string, Texts, string | null, Texts, string]>([
    ["that is new", [null, null], ORDER, [ORDER, ORDER], "  + order.ts  new table public.order"],
    ["without changes", [ORDER, ORDER], ORDER, [ORDER, ORDER], "  1 unchanged."],
    ["whose table changed", [ORDER, ORDER], CHANGED, [CHANGED, CHANGED], "  ~ order.ts  + vatId"],
    ["that you edited", [MINE, ORDER], ORDER, [MINE, ORDER], "  1 unchanged."],
    [
      "that you edited, and whose table changed",
      [MINE, ORDER],
      CHANGED,
      [CHANGED.replace("fax:", "telefax:"), CHANGED],
      "  ~ order.ts  + vatId, kept 1 edit of yours",
    ],
    [
      "with an edit of a dropped column",
      [MINE, ORDER],
      DROPPED,
      [MINE, ORDER],
      "  ! order.ts  conflict: - fax; file unchanged",
    ],
    ["in which you made the change yourself", [DROPPED, ORDER], DROPPED, [DROPPED, DROPPED], "  1 unchanged."],
    ["that you deleted", [null, ORDER], CHANGED, [null, ORDER], "  0 unchanged, 1 deleted by you."],
    ["that equals the new text, without a base", [ORDER, null], ORDER, [ORDER, ORDER], "  1 unchanged."],
    [
      "that differs from the new text, without a base",
      [MINE, null],
      ORDER,
      [MINE, null],
      "  ! order.ts  conflict: public.order needs this file, which exists, and its base in .odatakit is missing; file unchanged",
    ],
    ["of a dropped table", [ORDER, ORDER], null, [null, null], "  - order.ts  no longer needed"],
    ["of a dropped table, which you deleted", [null, ORDER], null, [null, null], "  1 unchanged."],
    [
      "of a dropped table, which you edited",
      [MINE, ORDER],
      null,
      [MINE, ORDER],
      "  ! order.ts  conflict: no longer needed, but you edited the file; file unchanged",
    ],
    ["that is yours alone", [MINE, null], null, [MINE, null], "  0 unchanged."],
  ])("%s", (_title, [yours, base], next, after, line) => {
    const result = line.startsWith("  !") ? "findings" : "success";
    if (yours !== null) put("order.ts", yours);
    if (base !== null) put(BASE, base);
    const report = pull(next === null ? [] : [module(next)]);
    expect(report.result).toBe(result);
    expect([read("order.ts"), read(BASE)]).toEqual(after);
    expect(report.lines).toContain(line);
    expect(readdirSync(folder)).toEqual(expect.not.arrayContaining([expect.stringContaining("draft")]));
    if (result !== "success") return;
    // A second pull changes nothing.
    expect(pull(next === null ? [] : [module(next)], { isCheck: true }).result).toBe("success");
    expect([read("order.ts"), read(BASE)]).toEqual(after);
  });

  test("in conflict shows each part with its line, and is settled by --keep-mine", () => {
    put("order.ts", MINE);
    put(BASE, ORDER);
    expect(pull([module(DROPPED)]).lines).toEqual([
      "  ! order.ts  conflict: - fax; file unchanged",
      "      order.ts:3",
      "      - before      fax: edm.string(),",
      "      < yours       telefax: edm.string(),",
      "  0 unchanged. 1 conflict: change the files to what you want, then run again with --keep-mine.",
    ]);
    expect(pull([module(DROPPED)], { keepMine: true }).result).toBe("success");
    expect([read("order.ts"), read(BASE)]).toEqual([MINE, DROPPED]);
    expect(pull([module(DROPPED)], { isCheck: true }).result).toBe("success");
  });

  test.each<[string, Texts, string | null]>([
    ["without a base", [MINE, null], ORDER],
    ["of a dropped table", [MINE, ORDER], null],
  ])("in conflict %s is settled by --keep-mine", (_title, [yours, base], next) => {
    if (yours !== null) put("order.ts", yours);
    if (base !== null) put(BASE, base);
    const modules = next === null ? [] : [module(next)];
    expect(pull(modules, { keepMine: true }).result).toBe("success");
    expect([read("order.ts"), read(BASE)]).toEqual([yours, next]);
    expect(pull(modules, { isCheck: true }).result).toBe("success");
  });

  test("keeps the mark of Unicode at its beginning", () => {
    put("order.ts", `\uFEFF${MINE.replaceAll("\n", "\r\n")}`);
    put(BASE, ORDER);
    expect(pull([module(CHANGED)]).result).toBe("success");
    expect(read("order.ts")).toBe(`\uFEFF${CHANGED.replace("fax:", "telefax:").replaceAll("\n", "\r\n")}`);
    expect(pull([module(CHANGED)], { isCheck: true }).result).toBe("success");
  });

  test("keeps its line ends and its mode; a base may get other line ends", () => {
    put("order.ts", MINE.replaceAll("\n", "\r\n"));
    put(BASE, ORDER.replaceAll("\n", "\r\n"));
    chmodSync(join(folder, "order.ts"), 0o600);
    expect(pull([module(CHANGED)]).result).toBe("success");
    expect(read("order.ts")).toBe(CHANGED.replace("fax:", "telefax:").replaceAll("\n", "\r\n"));
    expect(statSync(join(folder, "order.ts")).mode & 0o777).toBe(0o600);
  });

  test("that opens the database is written once", () => {
    const database = (text: string): WrittenModule => ({ path: "database.ts", text, table: null });
    expect(pull([database("one")]).lines).toContain("  + database.ts  new");
    expect(pull([database("two")]).lines).toEqual(["  1 unchanged."]);
    expect(read("database.ts")).toBe("one");
    rmSync(join(folder, "database.ts"));
    pull([database("three")]);
    expect(read("database.ts")).toBeNull();
  });
});

describe("without writing", () => {
  test("--check finds differences", () => {
    expect(pull([module(ORDER)], { isCheck: true }).result).toBe("findings");
    expect(readdirSync(folder)).toEqual([]);
    pull([module(ORDER)]);
    expect(pull([module(ORDER)], { isCheck: true }).result).toBe("success");
    expect(pull([module(CHANGED)], { isCheck: true }).result).toBe("findings");
    expect(read("order.ts")).toBe(ORDER);
  });

  test("--dry-run prints the difference", () => {
    pull([module(ORDER)]);
    const { result, lines } = pull([module(CHANGED), module("a\n", "a.ts")], { isDryRun: true });
    expect(result).toBe("success");
    expect(lines).toEqual([
      "--- /dev/null",
      "+++ a.ts",
      "@@ -0,0 +1,1 @@",
      "+a",
      "--- order.ts",
      "+++ order.ts",
      "@@ -2,4 +2,5 @@",
      "   id: edm.string(),",
      "   fax: edm.string(),",
      "   name: edm.string(),",
      "+  vatId: edm.string(),",
      " });",
      "  + a.ts      new table public.a",
      "  ~ order.ts  + vatId",
      "  0 unchanged.",
    ]);
    expect(read("order.ts")).toBe(ORDER);
  });
});

describe("a path out of the folder", () => {
  test.each(["order.ts", BASE, ".odatakit"])("by a link at %s is not followed", (path) => {
    const outside = mkdtempSync(join(tmpdir(), "odatakit-outside-"));
    try {
      writeFileSync(join(outside, "target"), "secret");
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(path === ".odatakit" ? outside : join(outside, "target"), join(folder, path));
      expect(pull([module(ORDER)]).result).toMatchObject({ reason: "usage", message: expect.stringContaining(path) });
      expect(readFileSync(join(outside, "target"), "utf8")).toBe("secret");
      expect(readdirSync(outside)).toEqual(["target"]);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test.each(["../a.ts", "a/b.ts", "/a.ts", "..", ".odatakit/../../a.ts", "a\\b.ts"])("as %s is not written", (path) => {
    expect(() => {
      writeFolder(folder, [{ path, text: "" }]);
    }).toThrow("leads out of the folder");
    expect(readdirSync(join(folder, ".odatakit"))).toEqual([]);
  });
});

test("if one file cannot be written, none is", () => {
  put("a.ts", "old a");
  put("c.ts", "old c");
  const writes = [
    { path: "a.ts", text: "new a" },
    { path: "b.ts", text: "new b" },
    { path: "c.ts", text: null },
    { path: "x".repeat(300), text: "too long a name" },
  ];
  expect(() => {
    writeFolder(folder, writes);
  }).toThrow("ENAMETOOLONG");
  expect([read("a.ts"), read("b.ts"), read("c.ts")]).toEqual(["old a", null, "old c"]);
  expect(readdirSync(join(folder, ".odatakit"))).toEqual([]);
});
