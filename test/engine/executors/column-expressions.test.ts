import { sql } from "kysely";
import { allRows, complexType, edm, entityType, hasMany, hasOptional, odataService, type ODataService } from "odatakit";
import { sqlEntitySet, type BaseQuery } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EMBEDDED, ENGINES, type AnyDatabase, type OpenDatabase } from "./engines.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of responses
type Json = any;

const ORIGIN = "http://service.example";

const Size = complexType("Size", { width: edm.int32(), double: edm.int32() });
const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  price: edm.int32(),
  amount: edm.int32(),
  doubled: edm.int32().computed(),
  label: edm.string().nullable().computed(),
  size: edm.complex(Size).computed(),
  parentId: edm.int32().nullable(),
});
const Half = entityType("Half", { half: edm.int32().key(), items: edm.int32() });

const columns = {
  parentId: "parent_id",
  doubled: { sql: "price * 2 -- twice" },
  label: { sql: "case when name is null then null else concat_text end" },
  size: { columns: { width: "price", double: { sql: "(price + price)" } } },
} as const;

/** Expressions differ between databases. */
const LABEL = {
  sqlite: "name || '?!' || price",
  postgres: "name || '?!' || price",
  mariadb: "concat(name, '?!', price)",
};

const ROWS: ReadonlyArray<readonly [id: number, name: string | null, price: number, parent: number | null]> = [
  [1, "b", 30, null],
  [2, "a", 20, 1],
  [3, null, 20, 1],
  [4, "d", 10, 2],
  [5, "c", 40, 9],
];

async function createTables(db: AnyDatabase): Promise<void> {
  await sql`create table items (id integer primary key, name varchar(20), price integer not null, amount integer not null, parent_id integer)`.execute(
    db,
  );
  await sql`create table item_halves (item integer, half integer, primary key (item, half))`.execute(db);
  for (const [id, name, price, parent] of ROWS) {
    await sql`insert into items values (${id}, ${name}, ${price}, 1, ${parent})`.execute(db);
    await sql`insert into item_halves values (${id}, ${price / 2})`.execute(db);
  }
}

function serviceOver(db: AnyDatabase, label: string, paging: "offset" | "keyset", hides: boolean): ODataService {
  const navigation = {
    parent: hasOptional(Item, { on: { parentId: "id" }, target: "Items" }),
    children: hasMany(Item, { on: { id: "parentId" }, target: "Items" }),
    // An expression may be part of a join.
    same: hasMany(Item, { on: { doubled: "doubled" }, target: "Items" }),
    halves: hasMany(Half, {
      target: "Halves",
      through: { table: "item_halves", from: { id: "item" }, to: { half: "half" } },
    }),
  };
  return odataService({
    profile: "standard",
    authenticate: () => ({ id: "someone" }),
    secret: "0123456789abcdef0123456789abcdef",
    defaults: { maxTop: 2, paging },
    entitySets: [
      sqlEntitySet(Item, {
        db,
        table: "items",
        operations: ["read", "create", "replace", "patch", "delete"],
        columns: { ...columns, label: { sql: label } },
        etag: ["doubled"],
        search: ["label"],
        navigation,
        ...(hides ? { authorization: { rows: (_user: unknown, item) => item.doubled.lt(1000) } } : {}),
      }),
      sqlEntitySet(Half, {
        name: "Halves",
        db,
        from: {
          sql: "select price / 2 as h, count(*) as c from items where price > ? group by price / 2",
          parameters: [0],
        },
        columns: { half: { sql: "cast(h as decimal(9, 0)) + 0" }, items: "c" },
        operations: ["read"],
        navigation: {
          // The other direction of the links.
          of: hasMany(Item, {
            target: "Items",
            through: { table: "item_halves", from: { half: "half" }, to: { item: "id" } },
          }),
        },
      }),
    ],
  });
}

async function send(
  service: ODataService,
  path: string,
  method: string = "GET",
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly body: Json; readonly headers: Headers }> {
  const response = await service.fetch(
    new Request(path.startsWith("http") ? path : ORIGIN + encodeURI(path), {
      method,
      headers: { "Content-Type": "application/json", Prefer: "return=representation", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text), headers: response.headers };
}

async function all(service: ODataService, path: string): Promise<readonly Json[]> {
  const found: Json[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, body } = await send(service, next);
    expect([status, body], next).toMatchObject([200, { value: expect.any(Array) as unknown }]);
    found.push(...body.value);
    next = body["@odata.nextLink"];
  }
  return found;
}

const ids = (rows: readonly Json[]): readonly number[] => rows.map(({ Id }) => Id as number);

describe.each(ENGINES.map((engine) => [engine.title, engine] as const))(
  "column expressions over %s",
  (_title, engine) => {
    let opened: OpenDatabase;

    beforeAll(async () => {
      opened = await engine.open();
      await createTables(opened.db);
    });

    afterAll(() => opened.close());

    describe.each([
      ["offset", false],
      ["keyset", false],
      ["keyset", true],
    ] as const)("with %s paging, row rules: %s", (paging, hides) => {
      const open = (): ODataService => serviceOver(opened.db, LABEL[engine.name], paging, hides);

      test("are read, filtered, sorted, grouped into pages, searched and expanded", async () => {
        const service = open();
        await expect(service.ready()).resolves.not.toThrow();
        expect((await send(service, "/Items(2)")).body).toMatchObject({
          Doubled: 40,
          Label: "a?!20",
          Size: { Width: 20, Double: 40 },
        });
        expect(ids(await all(service, "/Items?$orderby=Doubled desc,Id"))).toEqual([5, 1, 2, 3, 4]);
        expect(ids(await all(service, "/Items?$orderby=Label desc"))).toEqual([4, 5, 1, 2, 3]);
        expect(ids(await all(service, "/Items?$filter=Doubled gt 40 or Label eq 'a?!20'&$orderby=Id"))).toEqual([
          1, 2, 5,
        ]);
        expect(ids(await all(service, "/Items?$filter=Doubled in (20,60)&$orderby=Id"))).toEqual([1, 4]);
        expect(ids(await all(service, "/Items?$filter=contains(Label,'?!')&$orderby=Id"))).toEqual([1, 2, 4, 5]);
        expect(ids(await all(service, "/Items?$filter=Size/Double eq 80"))).toEqual([5]);
        expect(ids(await all(service, "/Items?$search=20"))).toEqual([2]);
        expect(ids(await all(service, "/Items?$filter=Parent/Doubled eq 60&$orderby=Parent/Doubled,Id"))).toEqual([
          2, 3,
        ]);
        expect(ids(await all(service, "/Items?$filter=Children/any(c: c/Doubled eq 40)"))).toEqual([1]);
        expect((await send(service, "/Items/$count?$filter=Doubled eq 40")).body).toBe(2);
        const expanded = await all(
          service,
          "/Items?$select=Id&$orderby=Id&$expand=Parent($select=Doubled),Children($select=Id;$orderby=Doubled desc,Id),Same($select=Id;$orderby=Id)",
        );
        expect(expanded).toMatchObject([
          { Id: 1, Parent: null, Children: [{ Id: 2 }, { Id: 3 }], Same: [{ Id: 1 }] },
          { Id: 2, Parent: { Doubled: 60 }, Same: [{ Id: 2 }, { Id: 3 }] },
          { Id: 3, Parent: { Doubled: 60 } },
          { Id: 4, Parent: { Doubled: 40 } },
          { Id: 5, Parent: null },
        ]);
        expect((await all(service, "/Items(1)/Children?$orderby=Doubled,Id")).length).toBe(2);
      });

      test("of a query in place of a table keep keys, next links and links", async () => {
        const service = open();
        expect((await send(service, "/Halves(10)")).body).toMatchObject({ Half: 10, Items: 2 });
        expect((await send(service, "/Halves(11)")).status).toBe(404);
        const halves = await all(service, "/Halves?$orderby=Items desc,Half&$expand=Of($select=Id;$orderby=Id)");
        expect(halves.map(({ Half: half, Of: of }) => [half, ids(of)])).toEqual([
          [10, [2, 3]],
          [5, [4]],
          [15, [1]],
          [20, [5]],
        ]);
        expect((await send(service, "/Items(4)?$expand=Halves")).body).toMatchObject({
          Halves: [{ Half: 5, Items: 1 }],
        });
        expect((await send(service, "/Halves", "POST", { Half: 1, Items: 1 })).status).toBe(405);
        expect((await send(service, "/Halves(10)", "DELETE")).status).toBe(405);
      });

      test("are never written, and ETags follow them", async () => {
        const service = open();
        const created = await send(service, "/Items", "POST", { Id: 7, Name: "x", Price: 5, Amount: 1, Doubled: 999 });
        expect([created.status, created.body]).toMatchObject([
          201,
          { Doubled: 10, Label: "x?!5", Size: { Double: 10 } },
        ]);
        const etag = created.headers.get("ETag") ?? "";
        const changed = await send(service, "/Items(7)", "PATCH", { Price: 6, Doubled: 1 }, { "If-Match": etag });
        expect([changed.status, changed.body]).toMatchObject([200, { Doubled: 12, Label: "x?!6" }]);
        expect((await send(service, "/Items(7)", "PATCH", { Price: 7 }, { "If-Match": etag })).status).toBe(412);
        const fresh = changed.headers.get("ETag") ?? "";
        const replaced = await send(
          service,
          "/Items(7)",
          "PUT",
          { Name: null, Price: 8, Amount: 2 },
          { "If-Match": fresh },
        );
        expect([replaced.status, replaced.body]).toMatchObject([200, { Doubled: 16, Label: null }]);
        const last = replaced.headers.get("ETag") ?? "";
        expect((await send(service, "/Items(7)", "DELETE", undefined, { "If-Match": last })).status).toBe(204);
      });
    });

    test("that the database cannot evaluate are differences of the schema", async () => {
      const set = sqlEntitySet(Half, {
        name: "Halves",
        db: opened.db,
        table: "item_halves",
        operations: ["read"],
        columns: { items: { sql: "no_such_column + 1" } },
      });
      await expect(odataService({ entitySets: [set] }).ready()).rejects.toThrow(
        "The expression of `items` cannot be evaluated over `item_halves`",
      );
    });
  },
);

describe("expressions and queries", () => {
  const [engine] = ENGINES;
  const query: BaseQuery = { sql: "select 1 as half", parameters: [] };

  test.each<readonly [string, object, string]>([
    ["empty", { table: "t", columns: { items: { sql: " " } } }, '`columns.items.sql` is " ".'],
    ["no text", { table: "t", columns: { items: { sql: 5 } } }, "`columns.items.sql` is 5."],
    ["beside a name", { table: "t", columns: { items: { sql: "1", name: "x" } } }, "has both `sql` and `name`"],
    ["written", { table: "t", operations: ["patch"], columns: { items: { sql: "1" } } }, "which cannot be written"],
    ["with both", { table: "t", from: query }, "has both `table` and `from`"],
    ["with neither", {}, "`from` is undefined."],
    ["with a query as table", { table: query }, "`table` is a query."],
    ["written query", { from: query, operations: ["read", "create"] }, "The rows of a query cannot be written"],
  ])("are faults: %s", async (_what, options, message) => {
    if (engine === undefined) return;
    const opened = await engine.open();
    const set = sqlEntitySet(Half, { name: "Halves", db: opened.db, operations: ["read"], ...options });
    expect(() => odataService({ entitySets: [set] })).toThrow(message);
    await opened.close();
  });

  test("are faults: with the placeholder of a value", async () => {
    const sqlite = EMBEDDED.find(({ name }) => name === "sqlite");
    if (sqlite === undefined) return;
    const opened = await sqlite.open();
    const set = sqlEntitySet(Half, {
      name: "Halves",
      db: opened.db,
      table: "t",
      operations: ["read"],
      columns: { items: { sql: "a = ?" } },
    });
    expect(() => odataService({ entitySets: [set] })).toThrow('the expression "a = ?" with a placeholder');
    await opened.close();
  });

  test("keep the rowid of SQLite", async () => {
    const sqlite = EMBEDDED.find(({ name }) => name === "sqlite");
    if (sqlite === undefined) return;
    const opened = await sqlite.open();
    await sql`create table t (items integer)`.execute(opened.db);
    await sql`insert into t values (5)`.execute(opened.db);
    const set = sqlEntitySet(Half, {
      name: "Halves",
      db: opened.db,
      table: "t",
      operations: ["read"],
      columns: { half: "rowid", items: { sql: "items + 1" } },
      authorization: { rows: () => allRows },
    });
    const service = odataService({ authenticate: () => ({ id: "a" }), entitySets: [set] });
    expect((await send(service, "/Halves?$filter=Half eq 1")).body.value).toEqual([{ Half: 1, Items: 6 }]);
    await opened.close();
  });
});
