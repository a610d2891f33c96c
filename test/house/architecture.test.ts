import { describe, expect, test } from "vitest";
import { BRANCH_FLOORS } from "./coverage-floors.ts";
import { EXPLORER_FLOORS, FLOORS, INNER_FLOORS } from "./floors.ts";
import { explorerFaultsOf, faultsOf, importsOf, innerPlaceOf, roomOf } from "./imports.ts";
import { explorerSources, filesBelow, readManifest, readSource } from "./source-files.ts";

const MAX_LINES = 400;
const MAX_PAGE_LINES = 120;
const page = readSource("ARCHITECTURE.md").text;
const manifest = readManifest();
const sources = filesBelow("src", ".ts");
const entries = Object.values(manifest.exports).map((target) =>
  typeof target === "string" ? target : (target["source"] ?? "").replace("./", ""),
);

describe("the floors", () => {
  test("the table points downwards and contains no circle", () => {
    const upwards = Object.entries(FLOORS).flatMap(([name, room]) =>
      room.mayImport.filter((other) => !isBelow(name, other)).map((other) => `${name} -> ${other}`),
    );
    expect(upwards).toEqual([]);
  });

  test("every file except the package entry belongs to a room of the table", () => {
    const homeless = sources
      .filter(({ path }) => path !== "src/index.ts" && FLOORS[roomOf(path) ?? ""] === undefined)
      .map(({ path }) => `${path}: the rooms are ${Object.keys(FLOORS).join(" ")}`);
    expect(homeless).toEqual([]);
  });

  test("every room of the table exists", () => {
    const rooms = new Set(sources.map(({ path }) => roomOf(path)));
    expect(Object.keys(FLOORS).filter((name) => !rooms.has(name))).toEqual([]);
  });

  test("every room has a floor for its branch coverage, and no other folder has one", () => {
    const folders = new Set(sources.map(({ path }) => path.slice("src/".length, path.lastIndexOf("/"))));
    expect(Object.keys(FLOORS).filter((room) => BRANCH_FLOORS[room] === undefined)).toEqual([]);
    const known = [...folders, ...Object.keys(FLOORS)];
    expect(Object.keys(BRANCH_FLOORS).filter((room) => !known.some((folder) => folder.startsWith(room)))).toEqual([]);
  });

  test("every file of a room with inner floors belongs to one of them, and every inner floor exists", () => {
    const files = sources.filter(({ path }) => INNER_FLOORS[roomOf(path) ?? ""] !== undefined);
    expect(files.filter(({ path }) => innerPlaceOf(path) === undefined).map(({ path }) => path)).toEqual([]);
    for (const [room, floors] of Object.entries(INNER_FLOORS)) {
      const inRoom = files.filter(({ path }) => roomOf(path) === room).map(({ path }) => innerPlaceOf(path)?.name);
      expect(new Set(inRoom)).toEqual(new Set(floors.flat()));
    }
  });

  test("every file that ARCHITECTURE.md names exists", () => {
    const paths = sources.map(({ path }) => path.slice("src/".length));
    const named = Array.from(page.matchAll(/`([a-z]+(?:\/[a-z0-9-]+)+)`/gu), ([, name = ""]) => name);
    const missing = named.filter(
      (name) =>
        FLOORS[roomOf(`src/${name}`) ?? ""] !== undefined &&
        !paths.some((path) => path === `${name}.ts` || path.startsWith(`${name}/`)),
    );
    expect(missing).toEqual([]);
  });

  test("every file that the walks of ARCHITECTURE.md name exists", () => {
    const walks = /^## Three walks\n(?<walks>[\s\S]*?)^## /mu.exec(page)?.groups?.["walks"] ?? "";
    const named = Array.from(walks.matchAll(/`([^` ]+)`/gu), ([, name = ""]) => name);
    const files = named.filter((name) => FLOORS[roomOf(`src/${name}`) ?? ""] !== undefined && !name.includes("<"));
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((name) => !sources.some(({ path }) => path === `src/${name}.ts`))).toEqual([]);
    // After a file of the same folder, the page writes the name alone: a name with a hyphen is a file.
    const bare = named.filter((name) => /^[a-z]+(?:-[a-z]+)+$/u.test(name));
    expect(bare.filter((name) => !sources.some(({ path }) => path.endsWith(`/${name}.ts`)))).toEqual([]);
  });

  test(`ARCHITECTURE.md has at most ${MAX_PAGE_LINES} lines`, () => {
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(MAX_PAGE_LINES);
  });

  test("docs/explanations/inside-the-rooms.md shows the inner floors as they are", () => {
    const { text } = readSource("docs/explanations/inside-the-rooms.md");
    const shown = Object.keys(INNER_FLOORS).map((room) => {
      const [, table = ""] =
        new RegExp(`^\\| floor within \`${room}\` .*\\n.*\\n((?:\\|.*\\n)+)`, "mu").exec(text) ?? [];
      const rows = Array.from(
        table.matchAll(/^\| \d+ \| (?<names>[^|]*) \|/gmu),
        ({ groups }) => groups?.["names"] ?? "",
      );
      return [room, rows.map((names) => Array.from(names.matchAll(/`([^`]+)`/gu), ([, name]) => name))];
    });
    expect(Object.fromEntries(shown)).toEqual(INNER_FLOORS);
  });

  test("ARCHITECTURE.md shows the table as it is", () => {
    const rows = page.matchAll(/^\| (?<floor>\d+) \| `(?<room>[\w/]+)` \|[^|]*\| (?<mayImport>[^|]*) \|$/gmu);
    const shown = Array.from(rows, ({ groups }) => ({
      room: groups?.["room"] ?? "",
      floor: Number(groups?.["floor"]),
      mayImport: roomsOf(groups?.["mayImport"] ?? ""),
    }));
    const table = Object.entries(FLOORS).map(([room, { floor, mayImport }]) => ({
      room,
      floor,
      mayImport: mayImport.toSorted(),
    }));
    expect(shown.toSorted(byRoom)).toEqual(table.toSorted(byRoom));
  });

  test("the table allows every import", () => {
    expect(sources.flatMap((file) => faultsOf(file, entries))).toEqual([]);
  });

  test("the package entry contains only named re-exports", () => {
    const entry = sources.find(({ path }) => path === "src/index.ts");
    const rest = (entry?.text ?? "")
      .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, "")
      .replaceAll(/^export (?:type )?\{[^}]*\} from "[^"]+";$/gmu, "");
    expect(rest.trim()).toBe("");
  });

  test("external packages are optional peers; the package has no runtime dependencies", () => {
    const used = sources
      .flatMap(({ text }) => importsOf(text).map(({ specifier }) => specifier))
      // The command uses the entries of odatakit.
      .filter((specifier) => !/^(?:\.|#|node:|odatakit(?:\/|$))/u.test(specifier))
      .map((specifier) => specifier.split("/")[0] ?? "");
    // The command imports the package as applications do.
    const others = used.filter((name) => name !== manifest.name);
    const required = others.filter((name) => manifest.peerDependenciesMeta?.[name]?.optional !== true);
    expect(required).toEqual([]);
    expect(manifest.dependencies ?? {}).toEqual({});
  });

  test(`no file is longer than ${MAX_LINES} lines unless a decision argues for it by path`, () => {
    const decisions = filesBelow("docs/decisions", ".md");
    const tooLong = [...sources, ...explorerSources()]
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split("\n").length }))
      .filter(({ path, lines }) => lines > MAX_LINES && !decisions.some(({ text }) => text.includes(path)))
      .map(({ path, lines }) => `${path}: ${lines} lines; split it by meaning or argue for it in docs/decisions`);
    expect(tooLong).toEqual([]);
  });
});

describe("the folders of the explorer", () => {
  test("every file belongs to a folder of the table, except the entry", () => {
    const homeless = explorerSources().filter(({ path }) => EXPLORER_FLOORS[path.split("/")[2] ?? ""] === undefined);
    expect(homeless.map(({ path }) => path)).toEqual(["explorer/src/main.tsx"]);
  });

  test("each imports only what the table permits, and a screen no other screen", () => {
    expect(explorerSources().flatMap(explorerFaultsOf)).toEqual([]);
  });

  test("explorer/README.md shows the table as it is", () => {
    const { text } = readSource("explorer/README.md");
    const rows = text.matchAll(/^\| `(?<folder>\w+)\/` \|[^|]*\| (?<mayImport>[^|]*) \|$/gmu);
    const shown = Array.from(rows, ({ groups }) => [
      groups?.["folder"] ?? "",
      Array.from((groups?.["mayImport"] ?? "").matchAll(/`([^`]+)`/gu), ([, name]) => name),
    ]);
    expect(Object.fromEntries(shown)).toEqual(EXPLORER_FLOORS);
  });

  test.each([
    ["screens/grid/grid.tsx", "../../parts/button.tsx", []],
    ["screens/grid/grid.tsx", "./rows.ts", []],
    ["query/literals.ts", "../../../src/syntax/lexer.ts", []],
    ["app/app.tsx", "preact/hooks", []],
    [
      "screens/grid/grid.tsx",
      "../record/record.tsx",
      ["screens may import parts copy state client query format model"],
    ],
    ["model/model.ts", "../state/view.ts", ["model may import nothing else"]],
    ["client/trace.ts", "preact", ["client may import nothing else"]],
    ["query/literals.ts", "../../../src/service/x.ts", ["query may import model format src/language/syntax"]],
  ])("%s: %s", (path, specifier, faults) => {
    const found = explorerFaultsOf({ path: `explorer/src/${path}`, text: `import { a } from "${specifier}";` });
    expect(found).toEqual(faults.map((fault) => expect.stringContaining(`imports "${specifier}": ${fault}`)));
  });
});

describe("the reader of imports", () => {
  const file = (text: string) => ({ path: "src/language/syntax/lexer.ts", text });

  test.each([
    ['import { a } from "../edm/decimal.ts";', []],
    ['import type { A } from "./ast.ts";', []],
    [
      'import type { A } from "../query/source.ts";',
      ['src/language/syntax/lexer.ts:1 imports "../query/source.ts": the room syntax may import edm errors json base'],
    ],
    [
      'import {\n  a,\n  b,\n} from "../service/x.ts";',
      ['src/language/syntax/lexer.ts:4 imports "../service/x.ts": the room syntax may import edm errors json base'],
    ],
    [
      'const a = await import("../http/x.ts");',
      ['src/language/syntax/lexer.ts:1 imports "../http/x.ts": the room syntax may import edm errors json base'],
    ],
    [
      'let a: import("../plan/x.ts").A;',
      ['src/language/syntax/lexer.ts:1 imports "../plan/x.ts": the room syntax may import edm errors json base'],
    ],
    [
      'import "../edm/index.ts";',
      ['src/language/syntax/lexer.ts:1 imports "../edm/index.ts": nobody imports an index.ts or types.ts'],
    ],
    [
      'export { a } from "./ast.ts";',
      ['src/language/syntax/lexer.ts:1 imports "./ast.ts": only an index.ts that is a package entry re-exports'],
    ],
    [
      'import { a } from "./ast.js";',
      ['src/language/syntax/lexer.ts:1 imports "./ast.js": a relative import names its file with the .ts extension'],
    ],
    ['import { b } from "node:fs";', ['src/language/syntax/lexer.ts:1 imports "node:fs": its room may import no package']],
    ['import { b } from "odatakit";', ['src/language/syntax/lexer.ts:1 imports "odatakit": its room may import no package']],
  ])("%s", (text, faults) => {
    expect(faultsOf(file(text), [])).toEqual(faults);
  });
});

describe("the reader of imports within a room", () => {
  test.each([
    ["src/databases/read/a.ts", "../translate/b.ts", []],
    ["src/databases/read/a.ts", "./b.ts", []],
    [
      "src/databases/read/a.ts",
      "../write/b.ts",
      ['src/databases/read/a.ts:1 imports "../write/b.ts": within sql, write does not stand below read'],
    ],
    [
      "src/databases/mariadb/dialect/a.ts",
      "../sqlite/b.ts",
      [
        'src/databases/mariadb/dialect/a.ts:1 imports "../sqlite/b.ts": within sql, dialects/sqlite does not stand below dialects/mysql',
      ],
    ],
    [
      "src/databases/read/a.ts",
      "../b.ts",
      ['src/databases/read/a.ts:1 imports "../b.ts": no inner floor of the room sql holds one of the two files'],
    ],
  ])("%s: %s", (path, specifier, faults) => {
    expect(faultsOf({ path, text: `import { a } from "${specifier}";` }, [])).toEqual(faults);
  });
});

describe("the reader of imports within a wing", () => {
  test.each([
    ["src/databases/schema/a.ts", "../introspect/b.ts", []],
    [
      "src/databases/introspect/a.ts",
      "../schema/b.ts",
      ['src/databases/introspect/a.ts:1 imports "../schema/b.ts": the room tools/introspect may import errors base'],
    ],
    [
      "src/index.ts",
      "./tools/introspect/b.ts",
      [
        'src/index.ts:1 imports "./tools/introspect/b.ts": the entry "." leaves adapters, kysely, openapi, sql, tools to entries of their own',
      ],
    ],
  ])("%s: %s", (path, specifier, faults) => {
    expect(faultsOf({ path, text: `import { a } from "${specifier}";` }, [])).toEqual(faults);
  });
});

/** The rooms that a cell names: `nothing`, names, or `floors 1 to 6 but syntax kysely`. */
function roomsOf(cell: string): readonly string[] {
  if (cell === "nothing") return [];
  const floors = /^floors 1 to (?<highest>\d) but (?<excepted>[\w/ ]+)$/u.exec(cell)?.groups;
  if (floors === undefined) return cell.split(" ").toSorted();
  const excepted = floors["excepted"]?.split(" ") ?? [];
  const below = Object.entries(FLOORS).filter(([, { floor }]) => floor <= Number(floors["highest"]));
  return below
    .map(([room]) => room)
    .filter((room) => !excepted.includes(room))
    .toSorted();
}

function byRoom(left: { readonly room: string }, right: { readonly room: string }): number {
  return left.room < right.room ? -1 : 1;
}

function isBelow(name: string, other: string): boolean {
  const from = FLOORS[name];
  const to = FLOORS[other];
  if (from === undefined || to === undefined) return false;
  return to.floor < from.floor || (to.floor === from.floor && !to.mayImport.includes(name));
}
