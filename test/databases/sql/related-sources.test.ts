import fc from "fast-check";
import { Kysely, sql } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
  type Context,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import type { AnyDatabase } from "./orders.ts";
import { ask } from "./relations.ts";

const Owner = entityType("Owner", { id: edm.int32().key(), name: edm.string(), bossId: edm.int32().nullable() });
const Item = entityType("Item", { id: edm.int32().key(), name: edm.string(), ownerId: edm.int32().nullable() });

/** Sets that show only the rows of one tenant, by base queries with different values. */
async function tenants(): Promise<ReturnType<typeof odataService>> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table owners (id integer primary key, tenant text, name text not null, "bossId" integer)`.execute(
    db,
  );
  await sql`create table items (id integer primary key, tenant text, kind text, name text not null, "ownerId" integer)`.execute(
    db,
  );
  await sql`insert into owners values (1, 'a', 'Ada', null), (2, 'b', 'Bea', 1), (3, 'a', 'Cai', 1), (4, 'a', 'Dee', 2)`.execute(
    db,
  );
  await sql`insert into items values (1, 'a', 'k', 'x', 1), (2, 'b', 'k', 'y', 1), (3, 'a', 'k', 'y', 2), (4, 'a', 'k', 'x', 3),
    (5, 'a', 'no', 'x', 3), (6, 'b', 'k', 'x', 2)`.execute(db);
  const tenant = (context: Context): string => context.request.headers.get("x-tenant") ?? "a";
  return odataService({
    propertyNaming: "camelCase",
    entitySets: [
      entitySet(Owner, {
        queryable: (context) =>
          sqlSource(Owner, {
            db,
            from: { sql: "select * from owners where ?2 = ?2 and tenant = ?1", parameters: [tenant(context), "x"] },
          }),
        navigation: {
          items: hasMany(Item, { on: { id: "ownerId" }, target: "Items" }),
          boss: hasOptional(Owner, { on: { bossId: "id" }, target: "Owners" }),
        },
      }),
      entitySet(Item, {
        queryable: (context) =>
          sqlSource(Item, {
            db,
            from: db
              .selectFrom("items")
              .select(["id", "name", "ownerId"])
              .where("tenant", "=", tenant(context))
              .where("kind", "=", "k"),
          }),
        navigation: { owner: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners" }) },
      }),
      sqlEntitySet(Item, {
        name: "AllItems",
        db,
        table: "items",
        operations: ["read"],
        navigation: { owner: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners" }) },
      }),
    ],
  });
}

const service = await tenants();

async function idsOf(target: string, tenant: string): Promise<unknown> {
  const request = new Request(`http://service.example${target}`, { headers: { "x-tenant": tenant } });
  const response = await service.fetch(request);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text).value;
}

describe("binds the values of the request in every base query of a statement", () => {
  const ids = (...list: readonly number[]): readonly object[] => list.map((id) => ({ id }));

  test.each<readonly [target: string, ofA: unknown, ofB: unknown]>([
    ["/Items?$select=id", ids(1, 3, 4), ids(2, 6)],
    ["/Items?$select=id&$filter=owner/name ne 'Cai' and name ne 'z'", ids(1, 3), ids(2, 6)],
    ["/Items?$select=id&$filter=name eq 'x' and owner ne null and id gt 0", ids(1, 4), ids(6)],
    ["/Items?$select=id&$filter=owner eq null", ids(3), ids(2)],
    ["/Items?$select=id&$filter=owner/boss/name eq 'Ada' or id eq 6", ids(4), ids(6)],
    ["/Items?$select=id&$orderby=owner/name desc,id&$filter=id gt 0", ids(4, 1, 3), ids(6, 2)],
    ["/Items?$select=id&$filter=owner/name eq concat('A','da') and contains(owner/name,name) eq false", ids(1), []],
    ["/Owners?$select=id&$filter=items/any(i:i/name eq 'x' and i/id gt 0) and id gt 0", ids(1, 3), ids(2)],
    ["/Owners?$select=id&$filter=items/$count eq 0", ids(4), []],
    ["/Owners?$select=id&$filter=items/any(i:i/owner/name eq $it/name)", ids(1, 3), ids(2)],
    [
      "/Owners?$select=id&$expand=items($select=id;$filter=name ne 'q';$top=1),boss($select=name;$filter=name ne 'w')&$filter=name ne 'v'",
      [
        { id: 1, items: [{ id: 1 }], boss: null },
        { id: 3, items: [{ id: 4 }], boss: { name: "Ada" } },
        { id: 4, items: [], boss: null },
      ],
      [{ id: 2, items: [{ id: 6 }], boss: null }],
    ],
    ["/Items?$select=id&$filter=$root/Owners(2)/name eq 'Bea' and id gt 0", [], ids(2, 6)],
    [
      "/Items?$select=id&$expand=owner($select=id;$expand=boss($select=name),items($select=id))&$filter=id lt 4",
      [
        { id: 1, owner: { id: 1, boss: null, items: ids(1) } },
        { id: 3, owner: null },
      ],
      [{ id: 2, owner: null }],
    ],
  ])("%s", async (target, ofA, ofB) => {
    expect(await idsOf(target, "a")).toEqual(ofA);
    expect(await idsOf(target, "b")).toEqual(ofB);
    expect(await idsOf(target, "a")).toEqual(ofA);
  });
});

test("binds them for joins to one entity by its key", async () => {
  const ownerOf = async (target: string, tenant: string): Promise<unknown> => {
    const request = new Request(`http://service.example${target}`, { headers: { "x-tenant": tenant } });
    const answer = await service.fetch(request);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { readonly owner: unknown }).owner;
  };
  const target = "/AllItems(4)?$expand=owner($select=name;$filter=name ne 'q';$expand=boss($select=name))";
  expect(await ownerOf(target, "a")).toEqual({ name: "Cai", boss: { name: "Ada" } });
  expect(await ownerOf(target, "b")).toBeNull();
  expect(await ownerOf(target.replace("'q'", "'Cai'"), "a")).toBeNull();
  expect(await ownerOf(target, "a")).toEqual({ name: "Cai", boss: { name: "Ada" } });
});

describe("treats keys as values, whatever they contain", () => {
  const Parent = entityType("Parent", { id: edm.int32().key(), code: edm.string() });
  const Child = entityType("Child", { id: edm.int32().key(), code: edm.string() });
  const corpus = [
    "",
    "'",
    '"',
    "''",
    "';--",
    "[1]",
    "{",
    "null",
    "\\",
    "\\u0041",
    "A",
    "a",
    " a",
    "a ",
    "é",
    "e\u0301",
  ];
  const texts = fc.oneof(fc.constantFrom(...corpus), fc.string({ unit: anyCharacter, maxLength: 6 }));

  test("relates texts only to equal texts", async () => {
    const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
    await sql`create table parents (id integer primary key, code text not null)`.execute(db);
    await sql`create table children (id integer primary key, code text not null collate nocase)`.execute(db);
    const operations = ["read"] as const;
    const answering = odataService({
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Parent, {
          db,
          table: "parents",
          operations,
          navigation: { children: hasMany(Child, { on: { code: "code" }, target: "Children" }) },
        }),
        sqlEntitySet(Child, { db, table: "children", operations, name: "Children" }),
      ],
    });
    const property = fc.asyncProperty(
      fc.array(texts, { maxLength: 6 }),
      fc.array(texts, { maxLength: 6 }),
      async (of, to) => {
        const [parents = [], children = []] = [of, to].map((list) => list.filter((text) => !text.includes("\0")));
        await sql`delete from parents`.execute(db);
        await sql`delete from children`.execute(db);
        for (const [id, code] of parents.entries()) {
          await sql`insert into parents values (${id}, ${code})`.execute(db);
        }
        for (const [id, code] of children.entries()) {
          await sql`insert into children values (${id}, ${code})`.execute(db);
        }
        const expected = parents.map((code, id) => ({
          id,
          children: children.flatMap((other, index) => (other === code ? [{ id: index }] : [])),
        }));
        const body = await ask(answering, "/Parents?$select=id&$expand=children($select=id;$top=5)");
        expect((body as { readonly value: unknown }).value).toEqual(expected);
        const any = (await ask(answering, "/Parents?$select=id&$filter=children/any()")) as { readonly value: unknown };
        expect(any.value).toEqual(expected.filter((parent) => parent.children.length > 0).map(({ id }) => ({ id })));
      },
    );
    await fc.assert(property, { numRuns: caseCount(200), seed: 9 });
    await db.destroy();
  });
});

test("combines sets of other sources with sets of a database", async () => {
  const here: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  const there: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table items (id integer primary key, name text not null, "ownerId" integer)`.execute(here);
  await sql`insert into items values (1, 'x', 1), (2, 'y', null), (3, 'z', 2)`.execute(here);
  await sql`create table tags (id integer primary key, "itemId" integer not null)`.execute(there);
  await sql`insert into tags values (1, 1), (2, 3), (3, 1)`.execute(there);
  const Tag = entityType("Tag", { id: edm.int32().key(), itemId: edm.int32() });
  const owners = [{ id: 1, name: "Ada", bossId: null }];
  const operations = ["read"] as const;
  const mixed = odataService({
    propertyNaming: "camelCase",
    entitySets: [
      sqlEntitySet(Item, {
        db: here,
        table: "items",
        operations,
        navigation: {
          owner: hasOptional(Owner, {
            on: { ownerId: "id" },
            target: "Owners",
            getBatch: (keys) => new Map(keys.filter((key) => key === 1).map((key) => [key, owners[0]!])),
          }),
          tags: hasMany(Tag, { on: { id: "itemId" }, target: "Tags" }),
          plain: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners" }),
        },
      }),
      sqlEntitySet(Tag, {
        db: there,
        table: "tags",
        operations,
        navigation: { item: hasRequired(Item, { on: { itemId: "id" }, target: "Items" }) },
      }),
      entitySet(Owner, { queryable: () => arraySource(Owner, owners) }),
    ],
  });
  const answer = async (target: string): Promise<readonly [number, unknown]> => {
    const response = await mixed.fetch(new Request(`http://service.example${target}`));
    const body = (await response.json()) as { readonly value?: unknown; readonly error?: { readonly code: string } };
    return [response.status, body.value ?? body.error?.code];
  };
  // From one database to another by keys, and by a handler.
  expect(await answer("/Items?$select=id&$expand=tags($select=id),owner($select=name)")).toEqual([
    200,
    [
      { id: 1, tags: [{ id: 1 }, { id: 3 }], owner: { name: "Ada" } },
      { id: 2, tags: [], owner: null },
      { id: 3, tags: [{ id: 2 }], owner: null },
    ],
  ]);
  expect(await answer("/Tags?$expand=item($select=name)&$select=id")).toEqual([
    200,
    [
      { id: 1, item: { "@odata.id": "http://service.example/Items(1)", name: "x" } },
      { id: 2, item: { "@odata.id": "http://service.example/Items(3)", name: "z" } },
      { id: 3, item: { "@odata.id": "http://service.example/Items(1)", name: "x" } },
    ],
  ]);
  // The rows contain no related entities of an array, which is read once for all of them.
  expect(await answer("/Items?$expand=plain($select=name)&$select=id")).toEqual([
    200,
    [
      { id: 1, plain: { name: "Ada" } },
      { id: 2, plain: null },
      { id: 3, plain: null },
    ],
  ]);
  // A join that no database can perform is rejected.
  for (const target of ["/Items?$filter=plain/name eq 'x'", "/Tags?$filter=item/name eq 'x'"]) {
    expect(await answer(target), target).toEqual([400, "UnsupportedQueryOption"]);
  }
  await here.destroy();
  await there.destroy();
});
