import { describe, expect, test } from "vitest";
import { BRANCH_FLOORS } from "./coverage-floors.ts";
import { EXPLORER_FLOORS, FLOORS, type Room } from "./floors.ts";
import { explorerFaultsOf, faultsOf, importsOf, partOf, roomOf } from "./imports.ts";
import { explorerSources, filesBelow, readManifest, readSource } from "./source-files.ts";

const MAX_LINES = 400;
const MAX_PAGE_WORDS = 1400;
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

  test("every folder has a floor for its branch coverage, and no missing folder has one", () => {
    const folders = Array.from(
      new Set(sources.map(({ path }) => path.slice("src/".length, path.lastIndexOf("/") + 1))),
    );
    const measured = Object.keys(BRANCH_FLOORS).map((folder) => `${folder}/`);
    const isMeasured = (folder: string): boolean => measured.some((each) => folder.startsWith(each));
    expect(folders.filter((folder) => folder !== "" && !isMeasured(folder))).toEqual([]);
    expect(measured.filter((each) => !folders.some((folder) => folder.startsWith(each)))).toEqual([]);
  });

  test("every file of a room with parts belongs to one of them, and every part exists", () => {
    const files = sources.filter(({ path }) => FLOORS[roomOf(path) ?? ""]?.parts !== undefined);
    const parts = new Set(files.map(({ path }) => partOf(path)?.part));
    expect(files.filter(({ path }) => partOf(path) === undefined).map(({ path }) => path)).toEqual([]);
    const declared = Object.values(FLOORS).flatMap((room) => (room.parts ?? []).flat());
    expect(declared.filter((part) => !parts.has(part)).map(({ name }) => name)).toEqual([]);
  });

  test("no part of a room may import more than its room", () => {
    const wider = Object.entries(FLOORS).flatMap(([room, { mayImport, parts }]) =>
      (parts ?? [])
        .flat()
        .flatMap(({ name, mayImport: own = [] }) =>
          own
            .filter((other) => !mayImport.some((each) => `${other}/`.startsWith(`${each}/`)))
            .map((other) => `${room}/${name} -> ${other}`),
        ),
    );
    expect(wider).toEqual([]);
  });

  test.each(["ARCHITECTURE.md", "docs/explanations/inside-the-rooms.md"])("every file that %s names exists", (name) => {
    const paths = sources.map(({ path }) => path.slice("src/".length));
    const named = Array.from(readSource(name).text.matchAll(/`([a-z]+(?:\/[a-z0-9-]+)+)`/gu), ([, file = ""]) => file);
    const inRooms = named.filter((file) => FLOORS[roomOf(`src/${file}`) ?? ""] !== undefined);
    expect(inRooms.length).toBeGreaterThan(25);
    expect(
      inRooms.filter((file) => !paths.some((path) => path === `${file}.ts` || path.startsWith(`${file}/`))),
    ).toEqual([]);
    // After a file of the same folder, the page writes the name alone: a name with a hyphen is a file.
    const bare = Array.from(readSource(name).text.matchAll(/`([a-z]+(?:-[a-z]+)+)`/gu), ([, file = ""]) => file);
    expect(bare.filter((file) => !sources.some(({ path }) => path.endsWith(`/${file}.ts`)))).toEqual([]);
  });

  test(`ARCHITECTURE.md has at most ${MAX_PAGE_WORDS} words, in short lines`, () => {
    expect(page.split(/\s+/u).length).toBeLessThanOrEqual(MAX_PAGE_WORDS);
    expect(page.split("\n").filter((line) => line.split(" ").length > 60)).toEqual([]);
  });

  test("docs/explanations/rooms.md shows the floors as they are; `npm test -- test/house/architecture -u` writes it", async () => {
    await expect(pageOfRooms()).toMatchFileSnapshot("../../docs/explanations/rooms.md");
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
    ["query/literals.ts", "../../../src/language/syntax/lexer.ts", []],
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
    ['import { a } from "../../edm/decimal.ts";', []],
    ['import type { A } from "./ast.ts";', []],
    [
      'import type { A } from "../query/source.ts";',
      [
        'src/language/syntax/lexer.ts:1 imports "../query/source.ts": within language, query does not stand below syntax',
      ],
    ],
    [
      'import {\n  a,\n  b,\n} from "../../service/x.ts";',
      ['src/language/syntax/lexer.ts:4 imports "../../service/x.ts": the room language may import edm base'],
    ],
    [
      'const a = await import("../../http/x.ts");',
      ['src/language/syntax/lexer.ts:1 imports "../../http/x.ts": the room language may import edm base'],
    ],
    [
      'let a: import("../../plan/x.ts").A;',
      ['src/language/syntax/lexer.ts:1 imports "../../plan/x.ts": the room language may import edm base'],
    ],
    [
      'import "../../edm/index.ts";',
      ['src/language/syntax/lexer.ts:1 imports "../../edm/index.ts": nobody imports an index.ts or types.ts'],
    ],
    [
      'export { a } from "./ast.ts";',
      ['src/language/syntax/lexer.ts:1 imports "./ast.ts": only an index.ts that is a package entry re-exports'],
    ],
    [
      'import { a } from "./ast.js";',
      ['src/language/syntax/lexer.ts:1 imports "./ast.js": a relative import names its file with the .ts extension'],
    ],
    [
      'import { b } from "node:fs";',
      ['src/language/syntax/lexer.ts:1 imports "node:fs": its room may import no package'],
    ],
    [
      'import { b } from "odatakit";',
      ['src/language/syntax/lexer.ts:1 imports "odatakit": its room may import no package'],
    ],
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
      ['src/databases/read/a.ts:1 imports "../write/b.ts": within databases, write does not stand below read'],
    ],
    [
      "src/databases/mariadb/dialect/a.ts",
      "../../sqlite/dialect/b.ts",
      [
        'src/databases/mariadb/dialect/a.ts:1 imports "../../sqlite/dialect/b.ts": within databases, sqlite/dialect does not stand below mariadb/dialect',
      ],
    ],
    [
      "src/databases/read/a.ts",
      "../b.ts",
      ['src/databases/read/a.ts:1 imports "../b.ts": no part of the room databases holds one of the two files'],
    ],
  ])("%s: %s", (path, specifier, faults) => {
    expect(faultsOf({ path, text: `import { a } from "${specifier}";` }, [])).toEqual(faults);
  });
});

describe("the reader of imports of a part", () => {
  test.each([
    ["src/databases/kysely/a.ts", "../../definition/b.ts", []],
    [
      "src/databases/cells/a.ts",
      "../../definition/b.ts",
      ['src/databases/cells/a.ts:1 imports "../../definition/b.ts": the part databases/cells may import edm base'],
    ],
    [
      "src/databases/cells/a.ts",
      "kysely",
      ['src/databases/cells/a.ts:1 imports "kysely": its room may import no package'],
    ],
    ["src/tools/cli/a.ts", "../../base/b.ts", []],
    [
      "src/tools/declarations/a.ts",
      "../cli/b.ts",
      [
        'src/tools/declarations/a.ts:1 imports "../cli/b.ts": the room tools/declarations may import databases definition edm base',
      ],
    ],
    [
      "src/index.ts",
      "./tools/cli/b.ts",
      [
        'src/index.ts:1 imports "./tools/cli/b.ts": the entry "." leaves databases, hosts, tools to entries of their own',
      ],
    ],
  ])("%s: %s", (path, specifier, faults) => {
    expect(faultsOf({ path, text: `import { a } from "${specifier}";` }, [])).toEqual(faults);
  });
});

function isBelow(name: string, other: string): boolean {
  const [from, to] = [FLOORS[name], FLOORS[roomOf(`src/${other}/`) ?? ""]];
  if (from === undefined || to === undefined) return false;
  return to.floor < from.floor;
}

/** Returns the page that shows the table of the floors. */
function pageOfRooms(): string {
  const rooms = Object.entries(FLOORS).toSorted(([, left], [, right]) => left.floor - right.floor);
  const within = rooms.filter(([, { parts }]) => parts !== undefined);
  return [
    "# Rooms and floors\n",
    "Read here which folder of `src/` may import which. The page is made from `test/house/floors.ts`, against which a test reads every import.\n",
    "| floor | room | content | may import |",
    "| --- | --- | --- | --- |",
    ...rooms.map(
      ([name, room]) => `| ${String(room.floor)} | \`${name}\` | ${room.content} | ${listOf(room.mayImport)} |`,
    ),
    "\n`src/index.ts` has the named exports of `odatakit` and no logic.\n",
    "## Floors within rooms\n",
    "A part imports the parts below it, and other rooms as its room may, or as stated. Parts on the same floor do not import one another. A dot stands for the files of the room itself.",
    ...within.map(([name, room]) => tableOf(name, room)),
  ].join("\n");
}

function tableOf(name: string, { parts = [] }: Room): string {
  const rows = parts.flatMap((row, floor) =>
    row.map((part) => {
      const imports = part.mayImport === undefined ? "as the room" : listOf(part.mayImport);
      return `| ${String(floor + 1)} | \`${part.name}\` | ${imports} |`;
    }),
  );
  return `\n| floor | part of \`${name}\` | other rooms that it may import |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

function listOf(rooms: readonly string[]): string {
  return rooms.length === 0 ? "nothing" : rooms.map((room) => `\`${room}\``).join(", ");
}
