import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ConfigurationError, edm, entitySet, entityType, loadEntitySets, odataService } from "odatakit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { importsOf } from "../house/imports.ts";
import { readSource } from "../house/source-files.ts";

const PACKAGE = new URL("../../src/index.ts", import.meta.url).href;

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "odatakit-sets-"));
});
afterEach(() => rm(root, { recursive: true }));

/** Writes modules below the directory, by path. */
async function write(modules: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(modules)) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** The source of a module that declares sets with these names. */
function setsModule(names: readonly string[], exported: string): string {
  const made = names.map((name) => `const ${name} = entitySet(Thing, { name: "${name}", getAll: () => [] });`);
  return [
    `import { edm, entitySet, entityType } from "${PACKAGE}";`,
    'const Thing = entityType("Thing", { id: edm.int32().key() });',
    ...made,
    exported,
  ].join("\n");
}

/** Returns the names of the sets of a directory, in order. */
async function found(directory: URL | string = root): Promise<readonly unknown[]> {
  const sets = await loadEntitySets(directory);
  return sets.map(({ options }) => (options as { readonly name?: string }).name);
}

/** Returns the error for a directory. */
async function thrownBy(directory: URL | string = root): Promise<ConfigurationError> {
  const error: unknown = await loadEntitySets(directory).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ConfigurationError);
  return error as ConfigurationError;
}

describe("loadEntitySets returns the sets that modules export", () => {
  test.each([
    ["by a name", ["A"], "export { A };"],
    ["as default", ["A"], "export default A;"],
    ["by several names, in the order of the names", ["B", "A"], "export { A, B };"],
    ["in an array", ["B", "A"], "export const all = [B, A];"],
    ["in an array that is the default", ["A"], "export default [A];"],
  ])("%s", async (_, names, exported) => {
    await write({ "sets.mjs": setsModule(names, exported) });
    expect(await found()).toEqual(exported.includes("[B, A]") ? ["B", "A"] : names.toSorted());
  });

  test("and ignores other exports", async () => {
    const rest = "export { A, Thing }; export const x = 1, n = null, list = [null, 1, Thing]; export function f() {}";
    await write({ "sets.mjs": setsModule(["A"], rest), "empty.mjs": "", "types.ts": "export interface T {}" });
    expect(await found()).toEqual(["A"]);
  });

  test.each(["ts", "mts", "js", "mjs"])("of a module .%s", async (extension) => {
    await write({ "package.json": '{ "type": "module" }', [`sets.${extension}`]: setsModule(["A"], "export { A };") });
    expect(await found()).toEqual(["A"]);
  });

  test("in the order of their paths, including subdirectories", async () => {
    await write({
      "b.mjs": setsModule(["B"], "export { B };"),
      "a/z.mjs": setsModule(["Z"], "export { Z };"),
      "a/deep/er/d.mjs": setsModule(["D"], "export { D };"),
      "c.mjs": setsModule(["C"], "export { C };"),
    });
    expect(await found()).toEqual(["D", "Z", "B", "C"]);
  });

  test("except from declaration files, tests, other files and skipped directories", async () => {
    const broken = "this is no module";
    await write({
      "a.d.ts": broken,
      "a.d.mts": broken,
      "a.test.ts": broken,
      "a.spec.mjs": broken,
      "a.json": broken,
      "a.js.map": broken,
      "a.md": broken,
      "node_modules/x/a.mjs": broken,
      ".hidden/a.mjs": broken,
      "_old/a.mjs": broken,
      "sets.mjs": setsModule(["A"], "export { A };"),
    });
    expect(await found()).toEqual(["A"]);
  });

  test("each only once", async () => {
    await write({
      "a.mjs": setsModule(["A", "B"], "export { A, B, A as Again }; export default [A, B];"),
      "index.mjs": 'export * from "./a.mjs"; export { A as Other } from "./a.mjs";',
    });
    expect(await found()).toEqual(["A", "B"]);
  });

  test("or none if no module exports a set", async () => {
    expect(await found()).toEqual([]);
  });

  test("through links, and ends in cycles of links", async () => {
    await write({ "real/a.mjs": setsModule(["A"], "export { A };"), "sets/b.mjs": setsModule(["B"], "export { B };") });
    await symlink(join(root, "real"), join(root, "sets", "linked"));
    await symlink(join(root, "sets"), join(root, "real", "back"));
    await symlink(join(root, "nowhere"), join(root, "sets", "lost"));
    expect(await found(join(root, "sets"))).toEqual(["B", "A"]);
  });

  test("for a URL object, a URL string or a path, with or without a trailing slash", async () => {
    await write({ "sets/a.mjs": setsModule(["A"], "export { A };") });
    const path = join(root, "sets");
    const url = pathToFileURL(path);
    for (const each of [path, `${path}/`, url, new URL(`${url.href}/`), url.href, `${url.href}/`]) {
      expect(await found(each), String(each)).toEqual(["A"]);
    }
  });

  // The test runner does not load modules from such paths, so the test starts Node.js.
  test("for a path that needs percent-encoding", async () => {
    await write({ "my sets #1 100%/a ?.mjs": setsModule(["A"], "export { A };") });
    const directory = JSON.stringify(join(root, "my sets #1 100%"));
    const program = `import { loadEntitySets } from "${PACKAGE}";
      console.log((await loadEntitySets(${directory})).map(({ options }) => options.name));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
    expect(stdout).toBe("[ 'A' ]\n");
  });

  test("for odataService, which ignores a set that is already listed", async () => {
    await write({ "a.mjs": setsModule(["A", "B"], "export { A, B };") });
    const sets = await loadEntitySets(root);
    const service = odataService({ entitySets: [...sets, ...(await loadEntitySets(root))] });
    expect([...service.model.entityContainer.entitySets.keys()]).toEqual(["A", "B"]);
    const own = entitySet(entityType("Own", { id: edm.int32().key() }), { name: "a", getAll: () => [] });
    expect(() => odataService({ entitySets: [own, ...sets] })).toThrow('differ only in case, "a" and "A"');
  });
});

describe("loadEntitySets throws a ConfigurationError for", () => {
  test("a directory that does not exist", async () => {
    const { faults, cause } = await thrownBy(join(root, "none"));
    expect(faults).toEqual([
      { message: `The directory ${join(root, "none")}/ does not exist.`, fix: expect.stringContaining("Create it") },
    ]);
    expect(cause).toMatchObject({ code: "ENOENT" });
  });

  test("a file instead of a directory", async () => {
    await write({ "a.mjs": "" });
    const { faults } = await thrownBy(join(root, "a.mjs"));
    expect(faults).toEqual([
      {
        message: `${join(root, "a.mjs")}/ is not a directory.`,
        fix: expect.stringContaining("the directory of the module"),
      },
    ]);
  });

  test.each([
    ["./sets", '"./sets"'],
    ["sets", '"sets"'],
    ["", '""'],
    ["https://example.com/sets/", '"https://example.com/sets/"'],
    [new URL("https://example.com/sets/"), '"https://example.com/sets/"'],
    ["file://[", '"file://["'],
    [null as never, "null"],
    [{} as never, "an object"],
  ])("another value than a directory: %s", async (given, shown) => {
    const { faults } = await thrownBy(given);
    expect(faults).toEqual([
      {
        message: `The directory of entity sets cannot be ${shown}.`,
        fix: 'Give a URL, such as new URL("./sets/", import.meta.url), or an absolute path.',
      },
    ]);
  });

  test("failing modules, and names each file", async () => {
    await write({
      "a.mjs": setsModule(["A"], "export { A };"),
      "b.mjs": 'throw new Error("no database");',
      "c/d.mjs": 'import "./missing.mjs";',
      "e.mjs": 'throw "No settings.";',
    });
    const { faults, cause, message } = await thrownBy();
    expect(faults.map((fault) => fault.message)).toEqual([
      `The module ${join(root, "b.mjs")} cannot be loaded: Error: no database.`,
      expect.stringContaining(`The module ${join(root, "c", "d.mjs")} cannot be loaded: `),
      `The module ${join(root, "e.mjs")} cannot be loaded: No settings.`,
    ]);
    expect(cause).toMatchObject({ message: "no database" });
    expect(message).toContain(join(root, "b.mjs"));
  });

  test("a package that is not installed, and shows the command that installs it", async () => {
    await write({ "a.mjs": 'import "kysely-that-nobody-installed";' });
    const { faults } = await thrownBy();
    expect(faults).toMatchObject([{ fix: "Install the package: npm install kysely-that-nobody-installed" }]);
  });

  test("a runtime without a file system", async () => {
    const builtIn = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
    try {
      const { faults } = await thrownBy("/sets");
      expect(faults).toEqual([
        {
          message: "loadEntitySets needs a file system, which this runtime does not have.",
          fix: "Import the sets and list them in `entitySets`.",
        },
      ]);
    } finally {
      builtIn.mockRestore();
    }
  });
});

test("the package loads without built-in modules of Node.js", () => {
  const seen = new Set<string>();
  const builtIn: string[] = [];
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const { text } = readSource(path);
    // A bundler resolves every `import("…")`, too.
    const calls = text.matchAll(/\b(?:import|require)\((?:\/\*.*?\*\/)?\s*"(node:[^"]+)"\)/gu);
    builtIn.push(...Array.from(calls, ([call]) => `${path} has ${call}`));
    for (const { specifier } of importsOf(text)) {
      if (specifier.startsWith("node:")) builtIn.push(`${path} imports ${specifier}`);
      if (specifier.startsWith(".")) visit(new URL(specifier, `file:///${path}`).pathname.slice(1));
    }
  };
  visit("src/index.ts");
  expect(seen).toContain("src/service/load-entity-sets.ts");
  expect(builtIn).toEqual([]);
});
