import { describe, expect, test } from "vitest";
import { runProgram, testFolder, writeDatabase, type RunSettings } from "./run-program.ts";

const withShop = (more: RunSettings = {}): RunSettings => {
  const folder = testFolder();
  writeDatabase(folder);
  return { folder, ...more };
};

describe("odatakit query", () => {
  test("prints a response", async () => {
    const { code, out, err } = await runProgram(
      ["query", "shop.db", "Orders?$select=Note&$filter=Id eq 2"],
      withShop(),
    );
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ value: [{ Note: "fast" }] });
  });

  test("prints numbers with all their digits", async () => {
    const script = `create table big (id integer primary key, note text, none text);
insert into big values (9223372036854775807, '{"a":[1,2],"b":"}"}', null), (9007199254740993, '', null);`;
    const folder = testFolder();
    writeDatabase(folder, script);
    const { out } = await runProgram(["query", "shop.db", "Bigs?$orderby=Id desc&$select=Id,Note"], { folder });
    expect(out.split("\n").slice(2)).toEqual([
      '  "value": [',
      "    {",
      '      "Id": 9223372036854775807,',
      String.raw`      "Note": "{\"a\":[1,2],\"b\":\"}\"}"`,
      "    },",
      "    {",
      '      "Id": 9007199254740993,',
      '      "Note": ""',
      "    }",
      "  ]",
      "}",
      "",
    ]);
  });

  test("prints warnings, such as those of cells that cannot be read", async () => {
    const args = ["query", "shop.db", "Customers?$select=Name", "--map", "Customers.Name=boolean(no,yes)"];
    const { code, err } = await runProgram(args, withShop());
    expect([code, err]).toEqual([0, expect.stringContaining("column name of customers cannot be read")]);
  });

  test("prints warnings of the sets that the request names, and no others", async () => {
    const folder = testFolder();
    writeDatabase(
      folder,
      `create table customers (id integer primary key, name text);
create table logs (id integer primary key, customer_id integer references customers);
insert into customers values (1, 'Ada');
with recursive n(i) as (select 1 union all select i + 1 from n where i < 11000) insert into logs select i, 1 from n;`,
    );
    const warningsOf = async (path: string): Promise<string> =>
      (await runProgram(["query", "shop.db", path], { folder })).err;
    expect(await warningsOf("Customers?$top=1")).toBe("");
    expect(await warningsOf("$metadata")).toBe("");
    expect(await warningsOf("Logs?$top=1")).toContain("logs");
    expect(await warningsOf("Customers?$expand=Logs($top=1)")).toContain("logs");
  });

  test("prints texts as they are", async () => {
    expect((await runProgram(["query", "shop.db", "/Orders/$count"], withShop())).out).toBe("2\n");
  });

  test("prints statements and plans", async () => {
    const { out } = await runProgram(["query", "shop.db", "Orders?$filter=Id gt 1", "--sql", "--plan"], withShop());
    expect(out).toMatch(/^-- 1 row, [\d.]+ ms, parameters \[/m);
    expect(out).toMatch(/^select .* from "orders"/m);
    expect(out).toMatch(/^-- {3}SEARCH it USING INTEGER PRIMARY KEY/m);
  });

  test("takes the database of DATABASE_URL", async () => {
    const { folder = "" } = withShop();
    const environment = { DATABASE_URL: `${folder}/shop.db` };
    expect((await runProgram(["query", "Orders/$count"], { environment })).out).toBe("2\n");
  });

  test("exits with 1 for an error of the service", async () => {
    const { code, out, err } = await runProgram(["query", "shop.db", "Ordres"], withShop());
    expect([code, err]).toEqual([1, "odatakit: The status is 404.\n"]);
    expect(out).toContain("Ordres");
  });

  test.each([
    [["query", "shop.db"], "No request is given."],
    [["query", "shop.db", "../x"], "The request is not relative to the service."],
    [["query", "shop.db", "http://evil.example/x"], "The request is not relative to the service."],
    [["query", "shop.db", "http://["], "The request is not relative to the service."],
  ])("%j is wrong usage", async (given, message) => {
    const { code, err } = await runProgram(given, withShop());
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("odatakit hash", () => {
  test("prints a line for the users file", async () => {
    const { code, out } = await runProgram(["hash", "ada", "--write"], { input: "long enough\n" });
    expect([code, out]).toEqual([0, expect.stringMatching(/^ada:scrypt\$16384\$8\$1\$[\w+/=]+\$[\w+/=]+:write\n$/)]);
    expect(out).not.toContain("long enough");
  });

  test.each([
    [["hash"], "long enough", "The name is missing"],
    [["hash", "a:b"], "long enough", "The name is missing"],
    [["hash", "ada"], "short", "The password is too short"],
  ])("refuses %j with %j", async (given, input, message) => {
    const { code, err } = await runProgram(given, { input });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
