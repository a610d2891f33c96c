import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runProgram, testFolder, writeDatabase } from "./run-program.ts";
import { serveShop } from "./serve-shop.ts";

const INDEXES = `create table items (id integer primary key, code text not null, name text, price real);
create unique index items_code on items (code);
create table sales (id integer primary key, item_id integer not null references items, note text);
insert into items values (1, 'a', 'Apple', 1.5), (2, 'b', 'Bread', 2.5), (3, 'c', 'Cake', 9);
insert into sales values (1, 2, 'fast'), (2, 3, 'slow');`;

const answer = async (url: string): Promise<{ readonly status: number; readonly text: string }> => {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
};

describe("--indexed-only", () => {
  test.each([
    ["Items?$filter=Id eq 1", 200],
    ["Items?$filter=Code eq 'a'&$orderby=Code", 200],
    ["Items?$filter=Name eq 'Apple'", 400],
    ["Items?$orderby=Price", 400],
    ["Items?$filter=Sales/any(s: s/Id eq 1)", 200],
    ["Items?$filter=Sales/any(s: s/Note eq 'fast')", 400],
    ["Sales?$filter=Item/Code eq 'b'", 200],
    ["Sales?$filter=Item/Name eq 'Bread'", 400],
    ["Sales?$orderby=Note", 400],
    ["Items?$select=Name&$expand=Sales", 200],
    ["Items?$expand=Sales($filter=Note eq 'fast')", 400],
    ["Items?$apply=aggregate($count as N)", 501],
    ["Items?$compute=Name as N&$filter=N eq 'Apple'", 400],
    ["Items?$compute=Id add 1 as Next&$filter=Next eq 2", 200],
  ])("%s: %i", async (path, status) => {
    const { url } = await serveShop(["--indexed-only"], { script: INDEXES });
    expect((await answer(`${url}/${path}`)).status).toBe(status);
  });

  test("the banner names the missing indexes", async () => {
    const folder = testFolder();
    writeDatabase(folder, INDEXES);
    const ending = new AbortController();
    const { out } = await runProgram(["serve", "shop.db", "--port", "0", "--indexed-only"], {
      folder,
      signal: ending.signal,
      onLine: (line) => {
        if (line.includes("Stop")) ending.abort();
      },
    });
    expect(out).toContain("Items.Name and 3 more  has no index, so $filter and $orderby refuse it  → create index");
    expect(out).toContain("→ create index items_name on items (name)");
  });
});

describe("--search", () => {
  test.each([
    [[], 200],
    [["--search", "3"], 501],
    [["--search", "4"], 200],
    [["--search", "off"], 501],
  ])("%j: %i", async (flags, status) => {
    const { url } = await serveShop(flags, { script: INDEXES });
    expect((await answer(`${url}/Items?$search=apple`)).status).toBe(status);
  });

  test("refuses other values", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const { code, err } = await runProgram(["serve", "shop.db", "--search", "many"], { folder });
    expect([code, err]).toEqual([2, expect.stringContaining('`search` is "many". Write a whole number')]);
    expect(err).toContain("or off.");
  });
});

describe("the rules of single sets in odatakit.json", () => {
  const file = {
    "max-top": 2,
    sets: {
      Items: { "max-top": 1, search: ["Name"], count: false },
      Sales: { search: false, "indexed-only": true },
    },
  };

  test.each([
    ["Items?$top=1", 200, '"Id":1'],
    ["Items?$search=Apple", 200, '"Id":1'],
    ["Items?$search=c", 200, '"value":[{"Id":3'],
    ["Items?$count=true", 501, "$count"],
    ["Sales?$search=fast", 501, "$search"],
    ["Sales?$filter=Note eq 'fast'", 400, "Note"],
    ["Items?$filter=Name eq 'Apple'", 200, '"Id":1'],
  ])("%s: %i", async (path, status, part) => {
    const { url } = await serveShop([], { script: INDEXES, file });
    expect(await answer(`${url}/${path}`)).toEqual({ status, text: expect.stringContaining(part) as unknown });
  });

  test("a page has at most `max-top` entities", async () => {
    const { url } = await serveShop([], { script: INDEXES, file });
    const lengthOf = async (set: string): Promise<number> =>
      (JSON.parse((await answer(`${url}/${set}`)).text) as { value: readonly unknown[] }).value.length;
    expect([await lengthOf("Items"), await lengthOf("Sales")]).toEqual([1, 2]);
  });

  test("query applies them too", async () => {
    const folder = testFolder();
    writeDatabase(folder, INDEXES);
    writeFileSync(join(folder, "odatakit.json"), JSON.stringify(file));
    const { code, out } = await runProgram(["query", "shop.db", "Sales?$filter=Note eq 'fast'"], { folder });
    expect([code, out]).toEqual([1, expect.stringContaining("Note")]);
  });

  test("pull writes them", async () => {
    const folder = testFolder();
    writeDatabase(folder, INDEXES);
    writeFileSync(join(folder, "odatakit.json"), JSON.stringify(file));
    mkdirSync(join(folder, "model"));
    const { code } = await runProgram(["pull", "shop.db", "--out", "model"], { folder });
    expect(code).toBe(0);
    const read = (name: string): string => readFileSync(join(folder, "model", name), "utf8");
    expect(read("item.ts")).toContain('maxTop: 1,\n  countEnabled: false,\n  search: ["name"],');
    expect(read("sale.ts")).toContain('filterProperties: ["id", "item"],\n  orderByProperties: ["id", "item"],');
    expect(read("service.ts")).toContain("defaults: { maxTop: 2 }");
  });

  test.each([
    [{ Itmes: {} }, '"sets.Itmes" is no published entity set. Did you mean "Items"?'],
    [
      { Items: { search: ["Nmae"] } },
      '"sets.Items.search" names Nmae, which is no string of Items. Did you mean "Name"?',
    ],
    [{ Items: { search: ["Price"] } }, "which is no string of Items"],
    [{ Items: { "max-tpo": 5 } }, '"sets.Items.max-tpo" is unknown. Did you mean "max-top"?'],
    [{ Items: { "max-top": "5" } }, '"sets.Items.max-top" has the wrong type. Write a whole number from 1.'],
    [{ Items: { "max-top": 0 } }, '"sets.Items.max-top" has the wrong type.'],
    [{ Items: 5 }, '"sets.Items" has the wrong type. Write an object.'],
    [{ Items: { search: [5] } }, '"sets.Items.search[0]" has the wrong type. Write a string.'],
    [
      { Items: { search: "Name" } },
      '"sets.Items.search" has the wrong type. Write true or false or an array of strings.',
    ],
    [[], '"sets" has the wrong type. Write an object.'],
  ])("%j is refused", async (sets, message) => {
    const folder = testFolder();
    writeDatabase(folder, INDEXES);
    writeFileSync(join(folder, "odatakit.json"), JSON.stringify({ sets }));
    for (const command of ["serve", "pull"]) {
      const { code, err } = await runProgram([command, "shop.db", ...(command === "pull" ? ["--out", "m"] : [])], {
        folder,
      });
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    }
  });

  test("all faults are reported at once", async () => {
    const folder = testFolder();
    writeDatabase(folder, INDEXES);
    writeFileSync(join(folder, "odatakit.json"), JSON.stringify({ prot: 5, timeout: [], sets: { Items: { top: 5 } } }));
    const { code, err } = await runProgram(["pull", "shop.db", "--out", "m"], { folder });
    expect(code).toBe(2);
    expect(err).toContain('unknown setting "prot". Did you mean "port"?');
    expect(err).toContain('"timeout" has the wrong type. Write a string.');
    expect(err).toContain('"sets.Items.top" is unknown.');
  });
});
