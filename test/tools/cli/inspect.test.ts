import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Run, runProgram, testFolder, writeDatabase } from "./run-program.ts";

describe("odatakit inspect", () => {
  test("prints sets, properties, navigations and warnings", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const { code, out, err } = await runProgram(["inspect", "shop.db"], { folder });
    expect([code, err]).toEqual([0, ""]);
    expect(out.replace(/SQLite \S+/, "SQLite 3")).toBe(`SQLite 3 · shop.db

3 entity sets
  Customers  table main.customers, key Id (primary key)
    Id Int64, Name String
    → Orders (many Orders)
  OrderLogs  table main.order_log, key Rowid (rowid)
    Rowid Int64, At String, What String
  Orders  table main.orders, key Id (primary key)
    Id Int64, CustomerId Int64, Note String, At DateTimeOffset
    → Customer (Customers)

3 warnings
  big_orders  view without a key, omitted  → --keys unique
  order_log  has no key but the rowid, which VACUUM may renumber, published as Rowid  → --key "order_log=<column>"
  customers.password_hash  omitted because of its name  → --include-column "customers.password_hash"
`);
  });

  test("groups warnings by cause, the severe first, and counts rows without a key", async () => {
    const folder = testFolder();
    writeDatabase(
      folder,
      `create table users (id integer primary key, password text, token text);
create table usages (code text primary key, rowid text, oid text, _rowid_ text);
insert into usages values ('a', '', '', ''), (null, '', '', ''), (null, '', '', '');`,
    );
    const { out } = await runProgram(["inspect", "shop.db"], { folder });
    expect(out).toContain("  Usages  table main.usages, key Code (primary key), 2 rows left out\n");
    expect(out.slice(out.indexOf("4 warnings"))).toBe(`4 warnings
  usages  leaves out 2 rows whose code is null  → --key "usages=<column>"
  Columns omitted because of their names: 2
    users.password  omitted because of its name  → --include-column "users.password"
    users.token  omitted because of its name  → --include-column "users.token"
  Usages.Rowid2  the column "_rowid_" is not named Rowid, because the column "rowid" has that name; "Usage.Rowid2" in \`names\` renames it
`);
  });

  test("prints the same JSON each time", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const runs = [1, 2].map(() => runProgram(["inspect", "shop.db", "--json"], { folder }));
    const [one, other] = await Promise.all(runs);
    expect(one?.out).toBe(other?.out);
    const { kind, sets } = JSON.parse(one?.out ?? "") as { kind: string; sets: readonly { setName: string }[] };
    expect([kind, sets.map(({ setName }) => setName)]).toEqual(["sqlite", ["Customers", "OrderLogs", "Orders"]]);
  });

  test("takes the database of DATABASE_URL", async () => {
    const folder = testFolder();
    const environment = { DATABASE_URL: writeDatabase(folder) };
    expect((await runProgram(["inspect"], { environment })).code).toBe(0);
  });

  test.each<readonly [readonly string[], string]>([
    [["--include", "orders"], "Orders"],
    [["--exclude=order*"], "Customers"],
    [["--key", "big_orders=id", "--include", "big_orders"], "BigOrders"],
    [["--names", "as-is", "--include", "customers"], "customers"],
  ])("%j publishes one set", async (flags, name) => {
    const folder = testFolder();
    writeDatabase(folder);
    const { out } = await runProgram(["inspect", "shop.db", "--json", ...flags], { folder });
    const { sets } = JSON.parse(out) as { sets: readonly { setName: string }[] };
    expect(sets.map(({ setName }) => setName)).toEqual([name]);
  });

  test("odatakit.json holds flags, and flags replace it", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const settings = { include: "orders", names: { orders: "Deal" }, keys: { big_orders: ["id"] }, "max-top": 5 };
    writeFileSync(join(folder, "odatakit.json"), JSON.stringify(settings));
    const of = async (...flags: readonly string[]): Promise<readonly string[]> => {
      const { out } = await runProgram(["inspect", "shop.db", "--json", ...flags], { folder });
      return (JSON.parse(out) as { sets: readonly { setName: string }[] }).sets.map(({ setName }) => setName);
    };
    expect(await of()).toEqual(["Deals"]);
    expect(await of("--include", "big_orders")).toEqual(["BigOrders"]);
  });

  test("odatakit.json may be a file of Windows", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    writeFileSync(join(folder, "odatakit.json"), '\uFEFF{\r\n  "include": "orders"\r\n}\r\n');
    const { out } = await runProgram(["inspect", "shop.db"], { folder });
    expect(out).toContain("1 entity set\n");
  });

  test.each([
    ["{", "odatakit.json is not valid JSON"],
    ["[]", "odatakit.json contains no JSON object."],
    ['{"inlcude":"x"}', 'odatakit.json has the unknown setting "inlcude". Did you mean "include"?'],
    ['{"include":5}', 'odatakit.json: "include" has the wrong type. Write a string or an array of strings.'],
    ['{"json":true}', '"json" is no setting of odatakit.json. Give the flag `--json`.'],
    ['{"keys":5}', '"keys" has the wrong type.'],
    ['{"secrets":[]}', '"secrets" has the wrong type. Write "hide" or "show".'],
  ])("refuses the file %s", async (text, message) => {
    const folder = testFolder();
    writeDatabase(folder);
    writeFileSync(join(folder, "odatakit.json"), text);
    const { code, err } = await runProgram(["inspect", "shop.db"], { folder });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test("exits with 4 if nothing can be published", async () => {
    const folder = testFolder();
    writeDatabase(folder, "create view v as select 1 as x");
    const { code, err } = await runProgram(["inspect", "shop.db"], { folder });
    expect([code, err]).toEqual([4, expect.stringContaining("nothing to publish")]);
  });

  test.each([
    ["missing.db", 3, 'There is no file "missing.db". Check the path. A missing file is not created.'],
    ["folder", 3, '"folder" is a folder.'],
    ["text.db", 3, '"text.db" is not a SQLite database.'],
    ["postgres://me:geheim@127.0.0.1:1/x", 3, "postgres://me:***@127.0.0.1:1/x refuses the connection."],
    ["mariadb://me:geheim@127.0.0.1:1/x", 3, "mariadb://me:***@127.0.0.1:1/x refuses the connection."],
    ["postgres://me:geheim@host.invalid/x", 3, "has an unknown host"],
    ["mysqlx://me:geheim@h/x", 2, "unknown scheme"],
  ])("%s: exit code %i", async (target, code, message) => {
    const folder = testFolder();
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, "text.db"), "not a database at all");
    const run = await runProgram(["inspect", target], { folder });
    expect([run.code, run.err]).toEqual([code, expect.stringContaining(message)]);
    expect(run.out + run.err).not.toContain("geheim");
  });

  test.each<readonly [readonly string[], string]>([
    [["inspect", "a.db", "b.db"], '"b.db" is one argument too many. Write `odatakit inspect <db>`.'],
    [["inspect", "--jsn"], "There is no option `--jsn`. Did you mean `--json`?"],
    [["inspect", "--xyzzy"], "There is no option `--xyzzy`. Run `odatakit inspect --help`."],
    [["inspect", "--json=1"], "`--json` has no value. Write `--json` alone."],
    [["inspect", "--names"], "`--names` needs a value. Write `--names idiomatic|as-is`."],
    [["inspect", "--names", "a", "--names", "b"], "`--names` is given twice."],
    [["inspect", "x.db", "--names", "odd"], '`--names` is "odd". Write idiomatic or as-is.'],
    [["inspect", "x.db", "--key", "v"], "`--key v` has no `=`."],
    [["inspekt"], 'There is no command "inspekt". Did you mean `odatakit inspect`?'],
    [["xyzzy"], 'There is no command "xyzzy". The commands are '],
    [["inspect"], "No database is given."],
  ])("%j is wrong usage", async (given, message) => {
    const { code, out, err } = await runProgram(given);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(message)]);
  });

  test.each<readonly [readonly string[], number, string]>([
    [["--help"], 0, "Usage: odatakit <command>"],
    [["help"], 0, "Commands:"],
    [[], 2, "Commands:"],
    [["inspect", "--help"], 0, "Usage: odatakit inspect <db> [<options>]"],
    [["help", "serve"], 0, "--max-top <rows>"],
    [["--version"], 0, "0."],
  ])("%j prints help", async (given, code, text) => {
    const run = await runProgram(given);
    expect([run.code, run.out, run.err]).toEqual([code, expect.stringContaining(text), ""]);
  });

  test("faults of names are printed with exit code 5", async () => {
    const folder = testFolder();
    writeDatabase(folder);
    const { code, err } = await runProgram(["inspect", "shop.db", "--map", "Nope.X=boolean(0,1)"], { folder });
    expect([code, err]).toEqual([5, expect.stringContaining('`map` contains "Nope.X", which is no property.')]);
  });
});

describe("--keys unique", () => {
  const views = `create table t (id integer primary key, code text not null, kind text);
insert into t values (1, 'a', 'x'), (2, 'b', 'x');
create view codes as select code, kind from t;`;

  test.each<readonly [readonly string[], object, readonly string[]]>([
    [[], {}, ["Ts"]],
    [["--keys", "unique"], {}, ["Codes", "Ts"]],
    [[], { keys: "unique" }, ["Codes", "Ts"]],
    [[], { keys: { "*": "unique" } }, ["Codes", "Ts"]],
    [["--keys", "proven"], { keys: "unique" }, ["Ts"]],
    [[], { keys: { codes: ["code"] } }, ["Codes", "Ts"]],
  ])("%j with %j", async (flags, file, expected) => {
    const folder = testFolder();
    writeDatabase(folder, views);
    writeFileSync(join(folder, "odatakit.json"), JSON.stringify(file));
    const { out } = await runProgram(["inspect", "shop.db", "--json", ...flags], { folder });
    const { sets, warnings } = JSON.parse(out) as {
      sets: ReadonlyArray<{ setName: string }>;
      warnings: ReadonlyArray<{ flag: string }>;
    };
    expect(sets.map(({ setName }) => setName)).toEqual(expected);
    if (file !== undefined && flags[1] === "unique") expect(warnings[0]?.flag).toBe('--key "codes=code"');
  });

  test("other words are refused", async () => {
    const folder = testFolder();
    writeDatabase(folder, views);
    const { code, err } = await runProgram(["inspect", "shop.db", "--keys", "guess"], { folder });
    expect([code, err]).toEqual([2, expect.stringContaining('`--keys` is "guess". Write proven or unique.')]);
  });
});

describe("relations of odatakit.json", () => {
  const inspectWith = async (relations: unknown): Promise<Run> => {
    const folder = testFolder();
    writeDatabase(folder);
    writeFileSync(join(folder, "odatakit.json"), JSON.stringify({ keys: { big_orders: ["id"] }, relations }));
    return runProgram(["inspect", "shop.db"], { folder });
  };

  test("make navigations", async () => {
    const { code, out } = await inspectWith([{ from: "big_orders.id", to: "orders.id" }]);
    expect([code, out]).toEqual([0, expect.stringMatching(/BigOrders {2}view[^→]*→ .*Orders\)/)]);
  });

  test.each([
    [[{ from: "big_orders.id" }], 2, '"relations[0]" has no "to". Add it.'],
    [{}, 2, '"relations" has the wrong type. Write an array of objects.'],
    [[{ from: "big_orders.di", to: "orders.id" }], 5, 'Did you mean "big_orders.id"?'],
  ])("%j is refused", async (relations, code, message) => {
    const run = await inspectWith(relations);
    expect([run.code, run.err]).toEqual([code, expect.stringContaining(message)]);
  });
});
