import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkCommand, annotationOf } from "../../../../src/tools/cli/check/check-command.ts";
import type { Invocation } from "../../../../src/tools/cli/command.ts";

const MODULE = join(import.meta.dirname, "module.ts");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "odatakit-check-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly reason: string;
  readonly printed: readonly string[];
  readonly reported: readonly string[];
}

async function check(
  positionals: readonly string[],
  options: Invocation["options"] = {},
  environment: Invocation["environment"] = {},
): Promise<Run> {
  const printed: string[] = [];
  const reported: string[] = [];
  const terminal = {
    print: (line: string) => printed.push(line.replace(/in \d+ ms/, "in 1 ms")),
    report: (line: string) => reported.push(line),
    progress: () => undefined,
    hasColour: false,
    columns: 100,
  };
  const { signal } = new AbortController();
  const readInput = (): Promise<string> => Promise.resolve("");
  const around = { environment, folder, terminal, signal, readInput };
  const reason = await checkCommand.run({ positionals, options, file: {}, ...around });
  return { reason, printed, reported };
}

test("prints each finding with its correction, and a summary", async () => {
  expect(await check([MODULE])).toEqual({
    reason: "findings",
    printed: [
      "  error  C08  Orders       The column `orders.branch` needs a value, but no property supplies one, so every `create` fails.",
      "              → Declare a property for the column, or make the table again with a default.",
      "  warn   C04  Orders.note  The column `orders.note` rejects null, but clients may write null to the property.",
      "              → Declare the property without `.nullable()`, or remove `not null` from the column.",
      "  1 set, 2 columns checked in 1 ms: 1 error, 1 warning",
    ],
    reported: [],
  });
});

test("prints the missing indexes of a table in one line, and each of them as JSON", async () => {
  const module = join(import.meta.dirname, "large-table.ts");
  const { printed } = await check([module]);
  expect(printed).toEqual([
    "  warn   C11  Orders  Clients may filter or sort by `note`, `total`, but no index of the large table `orders` begins with one of them.",
    "              → Create indexes for those that clients use (`--json` has the statements), or limit `filterProperties` and `orderByProperties`.",
    "  1 set, 3 columns checked in 1 ms: 0 errors, 2 warnings",
  ]);
  const { findings } = JSON.parse((await check([module], { json: true })).printed.join("\n")) as {
    readonly findings: readonly { readonly fix: string }[];
  };
  expect(findings.map(({ fix }) => fix)).toEqual([
    "create index orders_note on orders (note, id)",
    "create index orders_total on orders (total, id)",
  ]);
});

test("names the package that a module needs", async () => {
  const module = join(folder, "service.mjs");
  writeFileSync(module, `import "odatakit-of-nobody";`);
  expect(await check([module])).toEqual({
    reason: "unavailable",
    printed: [],
    reported: [
      `odatakit: The module ${module} cannot be imported: Cannot find package 'odatakit-of-nobody' imported from ${module}. Install it in the project: npm install odatakit-of-nobody`,
    ],
  });
});

test("prints JSON", async () => {
  const { printed, reason } = await check([MODULE], { json: true });
  expect(reason).toBe("findings");
  expect(JSON.parse(printed.join("\n"))).toMatchObject({
    sets: 1,
    errors: 1,
    warnings: 1,
    findings: [{ code: "C08", subject: "Orders", column: "branch" }, { code: "C04" }],
  });
});

test("prints annotations, with escapes", async () => {
  const { printed } = await check([MODULE], { github: true });
  expect(printed[1]).toBe(
    "::warning title=C04 Orders.note::The column `orders.note` rejects null, but clients may write null to the property. → Declare the property without `.nullable()`, or remove `not null` from the column.",
  );
  const odd = {
    code: "C02",
    severity: "info",
    subject: "a:b,c%\r\n",
    set: "a",
    message: "x:%\r\n,",
    fix: "y",
  } as const;
  expect(annotationOf(odd)).toBe("::notice title=C02 a%3Ab%2Cc%25%0D%0A::x:%25%0D%0A, → y");
});

test("accepts the findings of a baseline, and no others", async () => {
  const baseline = "accepted.json";
  const path = join(folder, baseline);
  expect(await check([MODULE], { baseline })).toMatchObject({ reason: "success", printed: [] });
  expect(readFileSync(path, "utf8")).toBe(
    `{\n  "accepted": [\n    "error C08 Orders orders.branch",\n    "warning C04 Orders.note orders.note"\n  ]\n}\n`,
  );
  expect(await check([MODULE], { baseline }, { CI: "true" })).toEqual({
    reason: "success",
    printed: ["  1 set, 2 columns checked in 1 ms: 0 errors, 0 warnings, 2 accepted"],
    reported: [],
  });
  writeFileSync(path, JSON.stringify({ accepted: ["error C08 Orders orders.branch", "error C02 Gone"] }));
  expect(await check([MODULE], { baseline, "max-warnings": "0" })).toMatchObject({
    reason: "findings",
    reported: ['Remove "error C02 Gone" from the baseline: it is no finding any more.'],
  });
  expect(await check([MODULE], { baseline, "max-warnings": "1" })).toMatchObject({ reason: "success" });
});

test("writes no baseline in CI, where a missing file would hide every finding", async () => {
  const { reason, reported } = await check([MODULE], { baseline: "missing.json" }, { CI: "1" });
  expect(reason).toBe("usage");
  expect(reported.join()).toContain("missing.json does not exist.");
  expect(existsSync(join(folder, "missing.json"))).toBe(false);
});

test.each([
  ["{", "cannot be read"],
  ["[]", "has no list `accepted`"],
  ['{ "accepted": [1] }', "has no list `accepted`"],
])("refuses the baseline %s", async (content, message) => {
  writeFileSync(join(folder, "odd.json"), content);
  const { reason, reported } = await check([MODULE], { baseline: "odd.json" });
  expect({ reason, isNamed: reported.join().includes(message) }).toEqual({ reason: "usage", isNamed: true });
});

test.each([
  ["no module", [], {}, "usage", "No module of a service was found"],
  ["a module that does not exist", ["gone.js"], {}, "usage", "The module gone.js does not exist."],
  ["a number that is none", [MODULE], { "max-warnings": "-1" }, "usage", '--max-warnings is "-1"'],
  ["a faulty declaration", [join(import.meta.dirname, "invalid-module.ts")], {}, "declarations", "not a name"],
  ["a module without a service", ["empty.mjs"], {}, "usage", "exports nothing"],
  ["a module with other exports", ["other.mjs"], {}, "usage", "only app, service"],
  ["a module that throws", ["broken.mjs"], {}, "usage", "postgres://app:***@db/shop is down"],
] as const)("names the problem of %s", async (_what, positionals, options, expected, message) => {
  writeFileSync(join(folder, "empty.mjs"), "export {};");
  writeFileSync(join(folder, "other.mjs"), "export const app = 1, service = { handle: 1, ready: 2 };");
  writeFileSync(join(folder, "broken.mjs"), 'throw new Error("postgres://app:geheim@db/shop is down");');
  const { reason, reported } = await check(positionals, options);
  expect(reason).toBe(expected);
  expect(reported.join("\n")).toContain(message);
});

test("finds the module at the usual places, and gives it the database", async () => {
  writeFileSync(join(folder, "service.js"), "export default { handle() {}, ready() {} };");
  writeFileSync(join(folder, "given.db"), "");
  vi.stubEnv("DATABASE_URL", undefined);
  vi.stubEnv("DATABASE_FILE", undefined);
  vi.stubEnv("DATABASE_FOLDER", undefined);
  try {
    for (const [url, name] of [
      ["postgres://app@db/shop", "DATABASE_URL"],
      ["given.db", "DATABASE_FILE"],
      ["pglite:data", "DATABASE_FOLDER"],
    ] as const) {
      const { reason, reported } = await check([], { url });
      expect(process.env[name]).toBe(url.replace("pglite:", ""));
      expect(reason).toBe("unavailable");
      expect(reported.join()).toContain("which is not a service");
    }
  } finally {
    vi.unstubAllEnvs();
  }
});

test.each([
  ["gone.db", "unavailable", 'There is no file "gone.db".'],
  ["postgrs://app@db/shop", "usage", "unknown scheme"],
])("refuses --url %s", async (url, expected, message) => {
  const { reason, reported } = await check([MODULE], { url });
  expect({ reason, isNamed: reported.join().includes(message) }).toEqual({ reason: expected, isNamed: true });
});
