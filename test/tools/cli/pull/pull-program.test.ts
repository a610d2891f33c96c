import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { runProgram, testFolder, writeDatabase } from "../run-program.ts";

describe("odatakit pull of a database", () => {
  test("writes the modules of a file, with the settings of odatakit.json", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    writeFileSync(
      join(folder, "odatakit.json"),
      '{"prefix":"/api","max-top":"50","max-body":"2MiB","max-response":"16MB","max-held":"200MB","out":"model"}',
    );
    const first = await runProgram(["pull", "shop.db"], { folder });
    expect([first.code, first.out]).toEqual([0, expect.stringContaining("order.ts")]);
    const service = readFileSync(join(folder, "model/service.ts"), "utf8");
    expect(service).toContain('prefix: "/api"');
    expect(service).toContain("maxTop: 50");
    expect(service).toContain("maxRequestBodyBytes: 2097152");
    expect(service).toContain("maxResponseBytes: 16000000");
    expect(service).toContain("maxHeldBytes: 200000000");
    expect(readFileSync(join(folder, "model/database.ts"), "utf8")).toContain("shop.db");
    const again = await runProgram(["pull", "shop.db", "--check"], { folder });
    expect(again.code).toBe(0);
  });

  describe("names of navigations that were pulled", () => {
    const OLD = { "OrderLine.sku": "SkuProduct", "Product.OrderLines": "OrderLinesBySku" };

    async function pullTwice(
      names: Readonly<Record<string, string>>,
      ...statements: readonly string[]
    ): Promise<readonly [keys: readonly string[], code: number]> {
      const folder = testFolder();
      const database = new DatabaseSync(join(folder, "lines.db"));
      database.exec(`create table product (sku text not null primary key);
        create table order_line (id integer primary key, sku text not null references product (sku))`);
      const pull = async (given: Readonly<Record<string, string>>, ...options: readonly string[]): Promise<number> => {
        writeFileSync(join(folder, "odatakit.json"), JSON.stringify({ names: given }));
        return (await runProgram(["pull", "lines.db", "--out", "m", ...options], { folder })).code;
      };
      await pull(OLD);
      for (const statement of statements) database.exec(statement);
      database.close();
      await pull(names);
      const texts = ["order-line", "product"].map((name) => readFileSync(join(folder, `m/${name}.ts`), "utf8"));
      const found = texts.flatMap((text) => [...text.matchAll(/(\w+): has\w+\(|partner: "(\w+)"/g)]);
      return [found.map(([, key, partner]) => key ?? `← ${partner ?? ""}`), await pull(names, "--check")];
    }

    test.each<
      readonly [what: string, names: Readonly<Record<string, string>>, statement: string, keys: readonly string[]]
    >([
      ["stay", {}, "", ["skuProduct", "← orderLinesBySku", "orderLinesBySku", "← skuProduct"]],
      [
        "stay beside a further foreign key",
        {},
        "alter table order_line add column instead text references product (sku)",
        [
          "skuProduct",
          "← orderLinesBySku",
          "insteadProduct",
          "← orderLinesByInstead",
          "orderLinesBySku",
          "← skuProduct",
          "orderLinesByInstead",
          "← insteadProduct",
        ],
      ],
      [
        "yield to entries of odatakit.json",
        { "OrderLine.sku": "Article" },
        "",
        ["article", "← orderLinesBySku", "orderLinesBySku", "← article"],
      ],
      [
        "yield to a new column with the name",
        {},
        "alter table order_line add column sku_product text",
        ["product", "← orderLinesBySku", "orderLinesBySku", "← product"],
      ],
    ])("%s", async (_what, names, statement, keys) => {
      expect(await pullTwice(names, ...(statement === "" ? [] : [statement]))).toEqual([keys, 0]);
    });
  });

  test.each<readonly [type: object, warning: string | undefined]>([
    [{}, 'has no "type": "module", which the modules need. Add it: npm pkg set type=module'],
    [{ type: "commonjs" }, 'has no "type": "module", which the modules need. Add it: npm pkg set type=module'],
    [{ type: "module" }, undefined],
  ])("says what a package with %j lacks", async (type, warning) => {
    const folder = testFolder();
    writeDatabase(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shop", ...type }));
    const { code, err } = await runProgram(["pull", "shop.db", "--out", "src/model"], { folder });
    expect([code, err.includes('"type": "module"')]).toEqual([0, warning !== undefined]);
    if (warning !== undefined) expect(err).toContain(`${join(folder, "package.json")} ${warning}`);
  });

  test.each([
    [[], "odatakit kysely"],
    [["odatakit"], "kysely"],
    [["odatakit", "kysely"], undefined],
  ])("with %j installed, names the packages that the modules also need", async (installed, missing) => {
    const folder = testFolder();
    writeDatabase(folder);
    for (const name of installed) {
      const place = join(folder, "node_modules", name);
      mkdirSync(place, { recursive: true });
      const main = name === "kysely" ? { main: "main.js" } : { exports: { import: "./main.js" } };
      writeFileSync(join(place, "package.json"), JSON.stringify({ name, ...main }));
      writeFileSync(join(place, "main.js"), "");
    }
    const { err } = await runProgram(["pull", "shop.db", "--out", "src/model"], { folder });
    const found = /The modules import packages that are not installed: npm install (.*)\n/u.exec(err)?.[1];
    expect(found).toBe(missing);
  });

  test("writes nothing with --check, and exits with 1", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const { code } = await runProgram(["pull", "shop.db", "--out", "model", "--check"], { folder });
    expect([code, existsSync(join(folder, "model"))]).toEqual([1, false]);
  });

  test.each([
    ['{"prefix":5}', ["pull", "shop.db", "--out", "m"], 2, "is invalid"],
    ['{"max-top":"many"}', ["pull", "shop.db", "--out", "m"], 2, '`max-top` is "many"'],
    ['{"max-body":"1 GB"}', ["pull", "shop.db", "--out", "m"], 2, '"max-body" is "1 GB"'],
    ['{"max-response":0}', ["pull", "shop.db", "--out", "m"], 2, '"max-response" is "0"'],
    ["{}", ["pull", "--out", "m"], 2, "No database is given."],
    ["{}", ["pull", "missing.db", "--out", "m"], 3, "There is no file"],
    ["{}", ["pull", "shop.db"], 2, "No folder is given."],
    ["{}", ["pull", "shop.db", "--out", "m", "--tables", "nope"], 2, "No published table or view is named"],
    ["{}", ["pull", "shop.db", "--out", "shop.db"], 2, "is not a folder"],
  ])("%s %j", async (settings, given, code, message) => {
    const folder = testFolder();
    writeDatabase(folder);
    writeFileSync(join(folder, "odatakit.json"), settings);
    const run = await runProgram(given, { folder });
    expect([run.code, run.err]).toEqual([code, expect.stringContaining(message)]);
  });
});
