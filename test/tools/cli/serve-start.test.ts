import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { fileNameOf } from "../../../src/tools/cli/serve/banner.ts";
import { runProgram, testFolder, writeDatabase } from "./run-program.ts";
import { serveShop } from "./serve-shop.ts";

const { ODATAKIT_POSTGRES: postgres } = process.env;

describe("/", () => {
  const answerAt = async (url: string, path: string, headers: Readonly<Record<string, string>>, method = "GET") => {
    const sent = request(new URL(path, url), { headers, method }).end();
    const [answer] = (await once(sent, "response")) as [
      { statusCode: number; headers: Record<string, string>; resume(): void },
    ];
    answer.resume();
    return [answer.statusCode, answer.headers["location"]];
  };
  const browser = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

  test("a browser is led to the page of the service, and others are not", async () => {
    const { url } = await serveShop([]);
    expect(await answerAt(url, "/", browser)).toEqual([307, "/odata/"]);
    expect(await answerAt(url, "/", browser, "HEAD")).toEqual([307, "/odata/"]);
    expect(await answerAt(url, "/", { Accept: "application/json" })).toEqual([404, undefined]);
    expect(await answerAt(url, "/", {})).toEqual([404, undefined]);
    expect(await answerAt(url, "/", browser, "POST")).toEqual([404, undefined]);
    expect(await answerAt(url, "/other", browser)).toEqual([404, undefined]);
    expect(await answerAt(url, "/odata/", browser)).toEqual([307, "/odata/explorer"]);
    expect(await answerAt(url, "/odata", browser, "HEAD")).toEqual([307, "/odata/explorer"]);
    expect(await answerAt(url, "/odata/", { Accept: "application/json" })).toEqual([200, undefined]);
    expect(await answerAt(url, "/odata/explorer", browser)).toEqual([200, undefined]);
  });

  test("without the explorer, a browser sees a list of links", async () => {
    const { url } = await serveShop(["--no-explorer"]);
    expect(await answerAt(url, "/", browser)).toEqual([307, "/odata/"]);
    expect(await answerAt(url, "/odata/", browser)).toEqual([200, undefined]);
    expect(await answerAt(url, "/odata/explorer", browser)).toEqual([404, undefined]);
  });
});

describe("--env-file", () => {
  test("gives variables that are not set", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    writeDatabase(folder, "create table other (id integer primary key)", "other.db");
    writeFileSync(join(folder, ".env"), 'DATABASE_URL="shop.db"\n# a comment\nPORT=x\n');
    const inspect = async (environment: Readonly<Record<string, string>>): Promise<string> =>
      (await runProgram(["inspect", "--env-file", ".env"], { folder, environment })).out;
    expect(await inspect({})).toContain("Customers");
    expect(await inspect({ DATABASE_URL: "other.db" })).toContain("Others");
    const { code, err } = await runProgram(["serve", "--env-file", ".env"], { folder });
    expect([code, err]).toEqual([2, expect.stringContaining('`--port` is "x"')]);
    // Nothing reads a file unasked.
    expect((await runProgram(["inspect"], { folder })).code).toBe(2);
  });

  test("that is missing ends the command with 2", async () => {
    const folder = testFolder();
    const { code, err } = await runProgram(["inspect", "--env-file", "prod.env"], { folder });
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('The file "prod.env" of `--env-file` cannot be read (ENOENT).'),
    ]);
  });
});

test.each([
  [{ file: "/data/shop.db", shown: "shop.db" }, "shop"],
  [{ file: "C:\\data\\My Shop.sqlite3", shown: "x" }, "My_Shop"],
  [{ file: "/data/.hidden", shown: "x" }, "hidden"],
  [{ file: "/data/größe.db", shown: "x" }, "gr_e"],
  [{ file: null, shown: "postgres://me:***@host/shop?sslmode=x" }, "shop"],
  [{ file: null, shown: "mariadb://me@host:3306/a%20b" }, "a_20b"],
  [{ file: null, shown: "postgres://host" }, "service"],
  [{ file: null, shown: "pglite:./data" }, "data"],
])("the files of %j are named %s", (opened, name) => {
  expect(fileNameOf(opened)).toBe(name);
});

test("--open without a browser prints a hint", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "";
  try {
    const { end } = await serveShop(["--open"]);
    process.env["PATH"] = path;
    const { code, err } = await end();
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^odatakit: No browser could be opened\. Open http:.*\/odata\/\n$/),
    ]);
  } finally {
    process.env["PATH"] = path;
  }
});

test.skipIf(postgres === undefined)("a superuser of PostgreSQL gets a warning", async () => {
  const ending = new AbortController();
  const { code, err } = await runProgram(["serve", postgres ?? "", "--port", "0", "--json", "--include", "pg_none*"], {
    signal: ending.signal,
  });
  expect([code, err]).toEqual([4, expect.not.stringContaining("superuser")]);
  const { databaseOf } = await import("../../../src/tools/cli/databases/find.ts");
  const { openDatabase } = await import("../../../src/tools/cli/open-database.ts");
  const opened = await openDatabase(
    { kind: "postgres", url: postgres ?? "" },
    { timeout: 5000, pool: 1, mayWrite: false, folder: "." },
  );
  if ("reason" in opened) expect.fail(opened.message);
  const warnings = await databaseOf(opened.kind).userWarnings(opened.db);
  await opened.close();
  expect(warnings).toEqual([
    {
      code: "user",
      place: expect.stringContaining("The user ") as unknown,
      message: expect.stringContaining("is a superuser, so row-level security") as unknown,
      flag: null,
    },
  ]);
});
