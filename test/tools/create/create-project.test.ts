import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { packageName, VERSIONS } from "../../../packages/create-odatakit/src/project-files.ts";
import { type CreateSettings, runCreate } from "../../../packages/create-odatakit/src/run-create.ts";
import { readSource } from "../../house/source-files.ts";

/** Runs the command. @returns its exit code and output */
async function create(
  given: readonly string[],
  settings: CreateSettings = {},
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const streams = {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  };
  const code = await runCreate(given, streams, settings);
  return { code, out, err };
}

/** Makes an empty folder for one test. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "odatakit-create-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

const COMMON = [
  ".dockerignore",
  ".env",
  ".env.example",
  ".gitignore",
  "Dockerfile",
  "package.json",
  "seed.sql",
  "src/main.ts",
  "src/model/customer.ts",
  "src/model/database.ts",
  "src/model/index.ts",
  "src/model/order.ts",
  "src/model/product.ts",
  "src/seed.ts",
  "src/service.ts",
  "src/users.ts",
  "test/service.test.ts",
  "tsconfig.json",
];

describe("create-odatakit", () => {
  test.each([
    ["sqlite", [...COMMON, "shop.db"], {}],
    ["postgres", COMMON, { pg: VERSIONS.pg }],
    ["mariadb", COMMON, { mysql2: VERSIONS.mysql2 }],
  ])("creates a project for %s", async (database, files, drivers) => {
    const folder = join(emptyFolder(), "My Shop");
    const { code, out, err } = await create([folder, "--db", database]);
    expect([code, err]).toEqual([0, ""]);
    expect(out.replace(folder, "FOLDER")).toContain("Created FOLDER. Continue with:");
    expect(out.includes("npm run seed")).toBe(database !== "sqlite");
    expect(filesOf(folder)).toEqual(files.toSorted());
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest["name"]).toBe("my-shop");
    expect(manifest["dependencies"]).toEqual({ kysely: VERSIONS.kysely, odatakit: `^${version()}`, ...drivers });
    const keys = /^API_KEYS=([\w-]{32}):staff,([\w-]{32}):1$/mu.exec(readFileSync(join(folder, ".env"), "utf8"));
    expect(keys?.[1]).not.toBe(keys?.[2]);
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toContain(".env\n");
    expect(readFileSync(join(folder, "src/service.ts"), "utf8")).toContain("maxRequestBodyBytes: 1_048_576");
  });

  test("fills the SQLite file", async () => {
    const folder = emptyFolder();
    expect((await create([folder])).code).toBe(0);
    const database = new DatabaseSync(join(folder, "shop.db"), { readOnly: true });
    expect(database.prepare("select count(*) as n from orders").get()).toEqual({ n: 3 });
    database.close();
  });

  test.each([
    ["a folder with a file", "full", "is not empty: it contains"],
    ["a file", "full/a.txt", "is a file."],
  ])("refuses %s, and changes nothing", async (_what, name, message) => {
    const folder = emptyFolder();
    mkdirSync(join(folder, "full"));
    writeFileSync(join(folder, "full/a.txt"), "mine");
    const { code, err } = await create([join(folder, name)]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(filesOf(folder)).toEqual(["full/a.txt"]);
  });

  test.each([
    [["--help"], 0, "Usage: npm create odatakit@latest <folder>"],
    [["--version"], 0, version()],
    [["shop", "--form"], 2, "Did you mean --from?"],
    [[], 2, "Name the folder"],
  ])("answers %j", async (given, code, text) => {
    const answer = await create(given);
    expect(answer.code).toBe(code);
    expect(answer.out + answer.err).toContain(text);
  });

  test("needs Node.js 22.18", async () => {
    const folder = join(emptyFolder(), "shop");
    expect(await create([folder], { node: "22.17.1" })).toEqual({
      code: 2,
      out: "",
      err: "The project needs Node.js 22.18 or later. This is 22.17.1.\nRun with --help for the usage.\n",
    });
    expect(existsSync(folder)).toBe(false);
  });

  test("has the versions that odatakit is tested with", () => {
    const { version: own, devDependencies } = JSON.parse(readSource("package.json").text) as {
      version: string;
      devDependencies: Record<string, string>;
    };
    expect(version()).toBe(own);
    for (const [name, range] of Object.entries(VERSIONS)) expect(range, name).toBe(`^${devDependencies[name] ?? ""}`);
  });

  test.each([
    ["shop", "shop"],
    ["Büro 2", "b-ro-2"],
    ["...", "odata-service"],
    ["_x_", "x"],
  ])("names the package of %s", (folder, name) => {
    expect(packageName(folder)).toBe(name);
  });
});

function version(): string {
  return (JSON.parse(readSource("packages/create-odatakit/package.json").text) as { version: string }).version;
}

describe("a project of an existing database", () => {
  test.each([
    ["postgres://app:geheim@db/shop", "DATABASE_URL=postgres://app:geheim@db/shop\n", "pg"],
    ["mariadb://app:geheim@db/shop", "DATABASE_URL=mariadb://app:geheim@db/shop\n", "mysql2"],
    ["/data/shop.db", "DATABASE_FILE=/data/shop.db\n", "kysely"],
  ])("%s: declarations come from pull, and the database stays in .env", async (from, variable, driver) => {
    const folder = join(emptyFolder(), "shop");
    const pull = (source: string, project: string): Promise<boolean> => {
      mkdirSync(join(project, "src/model"), { recursive: true });
      writeFileSync(join(project, "src/model/index.ts"), `// ${source === from ? "pulled" : source}\n`);
      return Promise.resolve(true);
    };
    const { code, out, err } = await create([folder, "--from", from], { pull });
    expect([code, err]).toEqual([0, ""]);
    expect(out).not.toContain("seed");
    expect(filesOf(folder)).toEqual([
      ".dockerignore",
      ".env",
      ".env.example",
      ".gitignore",
      "Dockerfile",
      "odatakit.json",
      "package.json",
      "src/main.ts",
      "src/model/index.ts",
      "src/service.ts",
      "test/service.test.ts",
      "tsconfig.json",
    ]);
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe(variable);
    // `pull` writes the limit of bodies into the service.
    expect(JSON.parse(readFileSync(join(folder, "odatakit.json"), "utf8"))).toEqual({ "max-body": "1MiB" });
    expect(readFileSync(join(folder, ".env.example"), "utf8")).not.toContain("geheim");
    expect(readFileSync(join(folder, "src/model/index.ts"), "utf8")).toBe("// pulled\n");
    const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies)).toContain(driver);
  });

  test("is not created if pull fails", async () => {
    const folder = join(emptyFolder(), "shop");
    const { code, err } = await create([folder, "--from", "x.db"], { pull: () => Promise.resolve(false) });
    expect([code, err]).toEqual([1, "No project was created: the declarations of the database are missing.\n"]);
    expect(existsSync(folder)).toBe(false);
  });
});
