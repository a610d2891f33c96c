import { Kysely, sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService, type SearchExpression } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, describe, expect, test } from "vitest";

const Shelf = entityType("Shelf", { id: edm.int32().key(), name: edm.string() });
const Book = entityType("Book", { id: edm.int32().key(), title: edm.string(), shelfId: edm.int32().nullable() });

interface Database {
  readonly shelves: { readonly id: number; readonly name: string };
  readonly books: { readonly id: number; readonly title: string; readonly shelfId: number | null };
}

const texts: string[] = [];
const db = new Kysely<Database>({
  dialect: sqliteDialect(":memory:"),
  log: ({ query }) => {
    texts.push(query.sql);
  },
});
await sql`create table shelves (id integer primary key, name text not null)`.execute(db);
await sql`create table books (id integer primary key, title text not null, "shelfId" integer)`.execute(db);
await sql`insert into shelves values (1, 'low'), (2, 'high')`.execute(db);
await sql`insert into books values (1, 'red sea', 1), (2, 'blue sea', 1), (3, 'wolf', null), (4, 'sea wolf', 1)`.execute(
  db,
);
afterAll(async () => {
  await db.destroy();
});

const wordsOf = (expression: SearchExpression): readonly string[] => {
  if (expression.kind === "word") return [expression.text];
  return expression.kind === "and" ? expression.operands.flatMap(wordsOf) : [];
};

const service = odataService({
  entitySets: [
    sqlEntitySet(Shelf, {
      db,
      table: "shelves",
      operations: ["read"],
      name: "Shelves",
      navigation: {
        books: hasMany(Book, {
          target: "Books",
          getBatch: async (keys) => {
            const rows = await db.selectFrom("books").selectAll().where("shelfId", "in", keys).execute();
            const byShelf = new Map<number, Array<(typeof rows)[number]>>();
            for (const row of rows) {
              const key = row.shelfId ?? 0;
              byShelf.set(key, [...(byShelf.get(key) ?? []), row]);
            }
            return byShelf;
          },
        }),
      },
    }),
    sqlEntitySet(Book, {
      db,
      table: "books",
      operations: ["read"],
      maxTop: 2,
      search: ({ expression }) => {
        let from = db.selectFrom("books").selectAll();
        for (const word of wordsOf(expression)) from = from.where("title", "like", `%${word}%`);
        return sqlSource(Book, { db, from });
      },
      navigation: {
        shelf: hasOptional(Shelf, {
          target: "Shelves",
          get: async (id) => {
            const row = await db
              .selectFrom("shelves")
              .innerJoin("books", "books.shelfId", "shelves.id")
              .where("books.id", "=", id)
              .select(["shelves.id", "shelves.name"])
              .executeTakeFirst();
            return row ?? null;
          },
        }),
      },
    }),
  ],
});

async function get(
  target: string,
): Promise<{ readonly status: number; readonly text: string; readonly json: unknown }> {
  const response = await service.fetch(new Request(`http://books.example${target}`));
  const text = await response.text();
  return { status: response.status, text, json: text.startsWith("{") ? (JSON.parse(text) as unknown) : undefined };
}

describe("sets over tables", () => {
  test("runs a search that returns a source in the database, with all other options", async () => {
    texts.length = 0;
    const page = await get("/Books?$search=sea&$filter=Id gt 1&$orderby=Title desc&$select=Title&$count=true");
    expect(page.json).toMatchObject({ "@odata.count": 2, value: [{ Title: "sea wolf" }, { Title: "blue sea" }] });
    expect(texts.filter((text) => !text.includes("like"))).toEqual([]);
    expect((await get("/Books/$count?$search=sea wolf")).text).toBe("1");
  });

  test("pages through the whole result", async () => {
    const first = (await get("/Books?$search=sea&$select=Id")).json as { readonly "@odata.nextLink": string };
    expect(first).toMatchObject({ value: [{ Id: 1 }, { Id: 2 }] });
    const link = first["@odata.nextLink"];
    expect(link).toContain("$search=sea&$select=Id&$skiptoken=");
    expect((await get(link.slice("http://books.example".length))).json).toMatchObject({ value: [{ Id: 4 }] });
  });

  test("rejects a search that requires a handler if the table has none", async () => {
    expect(await get("/Shelves?$search=low")).toMatchObject({
      status: 400,
      json: { error: { code: "UnsupportedQueryOption", target: "$search" } },
    });
  });

  test("navigation routes call their handlers, and the table shows whether the parent exists", async () => {
    expect((await get("/Shelves(1)/Books?$skip=1&$select=Id&$count=true")).json).toMatchObject({
      "@odata.count": 2,
      value: [{ Id: 2 }, { Id: 4 }],
    });
    expect((await get("/Shelves(2)/Books")).json).toMatchObject({ value: [] });
    expect((await get("/Shelves(3)/Books")).status).toBe(404);
    expect((await get("/Shelves(1)/Books/$count")).text).toBe("3");
    expect((await get("/Shelves(1)/Books(4)")).json).toMatchObject({ Title: "sea wolf" });
    expect((await get("/Books(4)/Shelf")).json).toMatchObject({ "@odata.id": "http://books.example/Shelves(1)" });
    expect((await get("/Books(3)/Shelf")).status).toBe(404);
  });
});
