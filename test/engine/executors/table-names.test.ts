import { sql } from "kysely";
import { ConfigurationError, edm, entityType, hasMany, odataService, type ODataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseEngine, type OpenDatabase } from "./engines.ts";

const ORIGIN = "http://service.example";

const Book = entityType("Book", { id: edm.guid().key(), title: edm.string() });
const Tag = entityType("Tag", { code: edm.decimal({ precision: 10, scale: 2 }).key(), text: edm.string().nullable() });

/** Names with everything that a quoted name may contain. */
const BOOKS = { name: 'my.books "x" `y`' };
const TAGS = { name: "Tags für .alle." };
const LINKS = { name: "book.tags" };
const COLUMN = 'the.title "x" `y`';

const operations = ["read", "create", "replace", "patch", "delete"] as const;

const TYPES = {
  sqlite: { guid: "text", decimal: "integer", linkDecimal: "real", text: "text" },
  postgres: { guid: "text", decimal: "bigint", linkDecimal: "double precision", text: "text" },
  mariadb: { guid: "varchar(36)", decimal: "bigint", linkDecimal: "double", text: "text" },
};

/** The expression of the current schema. */
const SCHEMA = { sqlite: "'main'", postgres: "current_schema()::text", mariadb: "database()" };

async function createTables({ name }: DatabaseEngine, db: AnyDatabase): Promise<void> {
  const types = TYPES[name];
  const raw = sql.raw.bind(sql);
  await sql`create table ${sql.id(BOOKS.name)} (id ${raw(types.guid)} primary key, ${sql.id(COLUMN)} ${raw(types.text)} not null)`.execute(
    db,
  );
  await sql`create table ${sql.id(TAGS.name)} (code ${raw(types.decimal)} primary key, ${sql.id("text")} ${raw(types.text)})`.execute(
    db,
  );
  await sql`create table ${sql.id(LINKS.name)} (book ${raw(types.guid)}, ${sql.id("tag.code")} ${raw(types.linkDecimal)}, primary key (book, ${sql.id("tag.code")}))`.execute(
    db,
  );
}

function serviceOver(db: AnyDatabase, storage: unknown = "real"): ODataService {
  const books = sqlEntitySet(Book, {
    db,
    table: BOOKS,
    operations,
    columns: { id: { storage: "text" }, title: COLUMN },
    navigation: {
      tags: hasMany(Tag, {
        target: "Tags",
        through: {
          table: LINKS,
          from: { id: "book" },
          to: { "tag.code": "code" },
          columns: { "tag.code": { storage: storage as string } },
        },
      }),
    },
  });
  const tags = sqlEntitySet(Tag, { db, table: TAGS, operations, columns: { code: { storage: "scaled" } } });
  return odataService({ entitySets: [books, tags] });
}

async function send(
  service: ODataService,
  method: string,
  path: string,
  body?: unknown,
): Promise<readonly [status: number, body: unknown]> {
  const response = await service.fetch(
    new Request(ORIGIN + encodeURI(path), {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return [response.status, text === "" ? null : (JSON.parse(text) as unknown)];
}

const ONE = "00000000-0000-0000-0000-00000000000a";

describe.each(ENGINES.map((engine) => [engine.title, engine] as const))("table names over %s", (_title, engine) => {
  let opened: OpenDatabase;
  let service: ODataService;

  beforeAll(async () => {
    opened = await engine.open();
    await createTables(engine, opened.db);
    service = serviceOver(opened.db);
  });

  afterAll(() => opened.close());

  test("may contain dots, blanks and quotes, in reads, writes and the schema check", async () => {
    await expect(service.ready()).resolves.not.toThrow();
    expect(await send(service, "POST", "/Books", { Id: ONE, Title: "A" })).toMatchObject([201, { Title: "A" }]);
    expect(await send(service, "PATCH", `/Books(${ONE})`, { Title: "B" })).toMatchObject([200, { Title: "B" }]);
    expect(await send(service, "GET", "/Books?$filter=Title eq 'B'&$orderby=Title desc")).toMatchObject([
      200,
      { value: [{ Id: ONE, Title: "B" }] },
    ]);
    expect((await send(service, "POST", "/Books", { Id: ONE, Title: "A" }))[0]).toBe(409);
    const other = "00000000-0000-0000-0000-00000000000b";
    expect((await send(service, "POST", "/Books", { Id: other, Title: "C" }))[0]).toBe(201);
    expect((await send(service, "DELETE", `/Books(${other})`))[0]).toBe(204);
  });

  test("and columns of link tables may store values differently from the properties", async () => {
    for (const code of [1.5, 0.25]) {
      expect((await send(service, "POST", "/Tags", { Code: code, Text: null }))[0]).toBe(201);
      const reference = { "@odata.id": `${ORIGIN}/Tags(${String(code)})` };
      expect(await send(service, "POST", `/Books(${ONE})/Tags/$ref`, reference)).toEqual([204, null]);
    }
    expect(await send(service, "GET", `/Books(${ONE})?$expand=Tags($orderby=Code)`)).toMatchObject([
      200,
      { Tags: [{ Code: 0.25 }, { Code: 1.5 }] },
    ]);
    expect(await send(service, "GET", `/Books?$expand=Tags($top=1;$orderby=Code desc)`)).toMatchObject([
      200,
      { value: [{ Tags: [{ Code: 1.5 }] }] },
    ]);
    expect(await send(service, "GET", "/Books?$filter=Tags/any(t: t/Code eq 0.25)")).toMatchObject([
      200,
      { value: [{ Id: ONE }] },
    ]);
    expect(await send(service, "GET", "/Books?$filter=Tags/$count eq 2")).toMatchObject([
      200,
      { value: [{ Id: ONE }] },
    ]);
    const id = `${ORIGIN}/Tags(0.25)`;
    expect((await send(service, "DELETE", `/Books(${ONE})/Tags/$ref?$id=${id}`))[0]).toBe(204);
    expect(await send(service, "GET", `/Books(${ONE})/Tags`)).toMatchObject([200, { value: [{ Code: 1.5 }] }]);
    const { rows } = await sql`select ${sql.id("tag.code")} as c from ${sql.id(LINKS.name)}`.execute(opened.db);
    expect(rows).toEqual([{ c: 1.5 }]);
  });

  test("name their schema", async () => {
    const { rows } = await sql<{ readonly s: string }>`select ${sql.raw(SCHEMA[engine.name])} as s`.execute(opened.db);
    const schema = rows[0]?.s ?? "";
    const here = odataService({
      entitySets: [
        sqlEntitySet(Tag, {
          db: opened.db,
          table: { schema, name: TAGS.name },
          operations: ["read"],
          columns: { code: { storage: "scaled" } },
        }),
      ],
    });
    await expect(here.ready()).resolves.not.toThrow();
    expect(await send(here, "GET", "/Tags?$filter=Code eq 1.5")).toMatchObject([200, { value: [{ Code: 1.5 }] }]);
    const source = sqlSource(Tag, {
      db: opened.db,
      from: { schema, name: TAGS.name },
      columns: { code: { storage: "scaled" } },
    });
    expect(source.kind).toBe("EntitySource");
    const elsewhere = odataService({
      entitySets: [
        sqlEntitySet(Tag, { db: opened.db, table: { schema: "no.where", name: TAGS.name }, operations: ["read"] }),
      ],
    });
    await expect(elsewhere.ready()).rejects.toThrow("The database has no table `no.where.Tags für .alle.`");
  });

  test("of link columns with an unknown storage are faults", () => {
    expect(() => serviceOver(opened.db, "epoch")).toThrow(
      '`navigation.tags.through.columns.tag.code`, Edm.Decimal, cannot be stored as "epoch".',
    );
    expect(() => serviceOver(opened.db, "nonsense")).toThrow("`navigation.tags.through.columns.tag.code.storage`");
  });
});

describe("table names", () => {
  test.each([[{}], [{ name: "" }], [{ name: "a", schema: "" }], [{ name: "a", catalog: "b" }], [""], [5], [null]])(
    "reject %j",
    async (table) => {
      const opened = await (ENGINES[0] as DatabaseEngine).open();
      const set = sqlEntitySet(Tag, { db: opened.db, table: table as never, operations: ["read"] });
      expect(() => odataService({ entitySets: [set] })).toThrow(ConfigurationError);
      await opened.close();
    },
  );

  test.each([
    [{ columns: 5 }, "`columns` of `through` of `tags` is 5."],
    [{ columns: { nope: { storage: "real" } } }, "`columns` of `through` of `tags` names `nope`"],
    [{ columns: { t: "real" } }, '`columns.t` of `through` of `tags` is "real".'],
    [{ columns: { t: { storage: "real", name: "x" } } }, "`columns.t` of `through` of `tags` is not only a storage."],
    [{ collums: {} }, "`through` of `tags` has no option `collums`."],
    [{ table: { name: "" } }, "`table` of `through` of `tags` is an object."],
    [{ distributed: 5 }, "`distributed` of `through` of `tags` is 5."],
    [{ distributed: {} }, "`distributed.by` of `through` of `tags` is undefined."],
    [{ distributed: { by: "x" } }, "`distributed.by` of `through` of `tags` names `x`, which is neither in"],
    [{ distributed: { by: "b", to: "b" } }, "`distributed` of `through` of `tags` has no option `to`."],
    [{ distributed: { by: "b", with: 5 } }, "`distributed.with` of `through` of `tags` is 5."],
  ])("of links reject %j", async (more, message) => {
    const opened = await (ENGINES[0] as DatabaseEngine).open();
    const through = { table: "l", from: { id: "b" }, to: { t: "code" }, ...more } as never;
    const sets = [
      sqlEntitySet(Book, {
        db: opened.db,
        table: "b",
        operations,
        navigation: { tags: hasMany(Tag, { target: "Tags", through }) },
      }),
      sqlEntitySet(Tag, { db: opened.db, table: "t", operations }),
    ];
    expect(() => odataService({ entitySets: sets })).toThrow(message);
    await opened.close();
  });
});
