import { sql } from "kysely";
import { edm, entityType, hasOptional, odataService } from "odatakit";
import { sqlEntitySet, type SqlEntitySetOptions } from "odatakit/kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MULTIPART, multipart, received } from "../../service/http/batch-model.ts";
import { type DatabaseName, ENGINES, type OpenDatabase } from "./engines.ts";

/** Keys whose columns may contain several texts, or instants, of one value: two rows can then have one key. */

interface SharedKey {
  readonly what: string;
  readonly property: () => ReturnType<typeof edm.guid>;
  readonly columns?: object;
  readonly types: Partial<Readonly<Record<DatabaseName, string>>>;
  /** Two cells of one value. */
  readonly cells: readonly [hidden: string, visible: string];
  /** The value in a URL, and in a body. */
  readonly literal: string;
}

const TEXT = { storage: "text" } as const;
const TEXTS = { sqlite: "text", postgres: "text", mariadb: "varchar(40) character set utf8mb4 collate utf8mb4_bin" };
const SECONDS = (): never => edm.dateTimeOffset({ precision: 0 }) as never;

const KEYS: readonly SharedKey[] = [
  {
    what: "a Guid in any letter case",
    property: () => edm.guid(),
    columns: TEXT,
    types: TEXTS,
    cells: ["ABCDEF00-0000-4000-8000-00000000000A", "abcdef00-0000-4000-8000-00000000000a"],
    literal: "abcdef00-0000-4000-8000-00000000000a",
  },
  {
    what: "a DateTimeOffset in another form",
    property: SECONDS,
    types: { sqlite: "text" },
    cells: ["2024-01-01 00:00:00", "2024-01-01T00:00:00Z"],
    literal: "2024-01-01T00:00:00Z",
  },
  {
    what: "a DateTimeOffset with any offset",
    property: SECONDS,
    columns: TEXT,
    types: { sqlite: "text" },
    cells: ["2024-01-01T02:00:00+02:00", "2024-01-01T00:00:00Z"],
    literal: "2024-01-01T00:00:00Z",
  },
  {
    what: "a DateTimeOffset in a finer column",
    property: SECONDS,
    types: { mariadb: "datetime(6)" },
    cells: ["2024-01-01 00:00:00.25", "2024-01-01 00:00:00"],
    literal: "2024-01-01T00:00:00Z",
  },
  {
    what: "a DateTimeOffset in a finer column with time zone",
    property: SECONDS,
    types: { postgres: "timestamptz(6)" },
    cells: ["2024-01-01 00:00:00.25Z", "2024-01-01 00:00:00Z"],
    literal: "2024-01-01T00:00:00Z",
  },
  {
    what: "a TimeOfDay without seconds",
    property: (): never => edm.timeOfDay({ precision: 0 }) as never,
    types: { sqlite: "text" },
    cells: ["10:30", "10:30:00"],
    literal: "10:30:00",
  },
  {
    what: "a Duration in other components",
    property: (): never => edm.duration() as never,
    types: { sqlite: "text", mariadb: TEXTS.mariadb },
    cells: ["PT36H", "P1DT12H"],
    literal: "duration'P1DT12H'",
  },
];

const WRITES = [["PATCH", { name: "new" }], ["PUT", { owner: "me", name: "new" }], ["DELETE"]] as const;
const OPERATIONS = ["read", "create", "replace", "patch", "delete"] as const;
const CASES = ENGINES.flatMap((engine) =>
  KEYS.flatMap((key) => {
    const type = key.types[engine.name];
    return type === undefined ? [] : [{ ...key, engine, type, title: `${key.what}: ${engine.title}` }];
  }),
);

describe.each(CASES)("$title", ({ engine, property, columns, type, cells: [hidden, visible], literal }) => {
  const Note = entityType("Note", { k: property().key(), owner: edm.string().nullable(), name: edm.string() });
  const value = literal.replaceAll(/^duration'|'$/gu, "");
  let opened: OpenDatabase;
  let service: ReturnType<typeof odataService>;

  beforeEach(async () => {
    opened = await engine.open();
    const { db } = opened;
    await sql`create table notes (k ${sql.raw(type)} primary key, owner varchar(9), name varchar(9) not null)`.execute(
      db,
    );
    const setOf = (name: string, others: Pick<SqlEntitySetOptions<typeof Note>, "authorization"> = {}) =>
      sqlEntitySet(Note, {
        name,
        db,
        table: "notes",
        operations: OPERATIONS,
        etag: ["name"],
        ...(columns !== undefined && { columns: { k: columns } }),
        ...others,
      });
    service = odataService({
      propertyNaming: "camelCase",
      schemaCheck: false,
      authenticate: () => ({ id: "me" }),
      entitySets: [setOf("Own", { authorization: { rows: (_user, { owner }) => owner.eq("me") } }), setOf("All")],
    });
  });
  afterEach(() => opened.close());

  async function send(method: string, path: string, body?: object, headers: object = {}) {
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await service.fetch(
      new Request(`http://service.example/${path}`, {
        method,
        headers: { Accept: "application/json;odata.metadata=none", "Content-Type": "application/json", ...headers },
        ...given,
      }),
    );
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
  }
  async function fill(...rows: ReadonlyArray<readonly [cell: string, owner: string]>): Promise<void> {
    for (const [cell, owner] of rows) {
      await sql`insert into notes (k, owner, name) values (${cell}, ${owner}, 'old')`.execute(opened.db);
    }
  }
  async function stored(): Promise<readonly string[]> {
    const { rows } = await sql`select owner, name from notes order by owner, name`.execute(opened.db);
    return (rows as ReadonlyArray<{ readonly owner: string; readonly name: string }>).map(
      ({ owner, name }) => `${owner} ${name}`,
    );
  }
  const conflict = {
    status: 409,
    body: {
      error: {
        code: "Conflict",
        message:
          "Another entity already has this value, which must be unique: choose another value, or change that entity.",
        target: "k",
      },
    },
  };
  const shared = {
    status: 409,
    body: {
      error: {
        code: "Conflict",
        message: "Several entities have this key, in different forms: the database must keep one of them.",
      },
    },
  };
  const path = (set: string): string => `${set}(${literal})`;

  test.each(["Own", "All"])("a write to %s reaches neither of two rows with one key", async (set) => {
    await fill([hidden, "other"], [visible, "me"]);
    for (const [method, body] of WRITES) {
      expect(await send(method, path(set), body)).toEqual(shared);
      expect(await send(method, path(set), body, { "If-Match": "*" })).toEqual(shared);
    }
    expect(await stored()).toEqual(["me old", "other old"]);
  });

  test("a change set reaches neither of them", async () => {
    await fill([hidden, "other"], [visible, "me"]);
    for (const [method, body] of WRITES) {
      const operation = { request: `${method} ${path("All")}`, ...(body !== undefined && { body }) };
      const request = { method: "POST", headers: MULTIPART, body: multipart([[operation]]) };
      const response = await service.fetch(new Request("http://service.example/$batch", request));
      const text = await response.text();
      expect(received(response.headers.get("content-type") ?? undefined, text)).toMatchObject([{ status: 409 }]);
    }
    expect(await stored()).toEqual(["me old", "other old"]);
  });

  test("two hidden rows with one key are missing", async () => {
    await fill([hidden, "other"], [visible, "another"]);
    for (const [method, body] of WRITES) {
      expect((await send(method, path("Own"), body)).status).toBe(method === "DELETE" ? 204 : 404);
      expect((await send(method, path("Own"), body, { "If-Match": "*" })).status).toBe(412);
    }
    expect(await stored()).toEqual(["another old", "other old"]);
  });

  test.each(["Own", "All"])("%s refuses a second row with one key", async (set) => {
    await fill([hidden, "other"]);
    expect(await send("POST", set, { k: value, owner: "me", name: "new" })).toEqual(conflict);
    expect((await send("PATCH", path("Own"), { name: "new" })).status).toBe(404);
    expect(await stored()).toEqual(["other old"]);
  });

  test.each([hidden, visible])("a precondition holds for the only row with a key, %s", async (cell) => {
    await fill([cell, "me"]);
    const url = `http://service.example/${path("All")}`;
    const etag = (await service.fetch(new Request(url))).headers.get("ETag") ?? "";
    expect((await send("PATCH", path("All"), { name: "new" }, { "If-Match": etag })).status).toBe(200);
    for (const [method, body] of WRITES) {
      expect((await send(method, path("All"), body, { "If-Match": etag })).status).toBe(412);
    }
    const current = (await service.fetch(new Request(url))).headers.get("ETag") ?? "";
    expect((await send("DELETE", path("All"), undefined, { "If-Match": current })).status).toBe(204);
    expect(await stored()).toEqual([]);
  });

  test("writes reach the only row with a key, in each form", async () => {
    for (const cell of [hidden, visible]) {
      await fill([cell, "me"]);
      for (const set of ["Own", "All"]) {
        expect(await send("PATCH", path(set), { name: `${set} new` })).toMatchObject({
          status: 200,
          body: { owner: "me", name: `${set} new` },
        });
        expect((await send("PUT", path(set), { name: `${set} put`, owner: "me" })).status).toBe(200);
      }
      expect(await stored()).toEqual(["me All put"]);
      expect((await send("DELETE", path("Own"))).status).toBe(204);
    }
    expect((await send("POST", "Own", { k: value, owner: "me", name: "own" })).status).toBe(201);
    expect((await send("DELETE", path("All"))).status).toBe(204);
    expect((await send("POST", "All", { k: value, owner: "me", name: "all" })).status).toBe(201);
    expect(await send("POST", "All", { k: value, owner: "me", name: "all" })).toMatchObject(conflict);
    expect(await stored()).toEqual(["me all"]);
  });
});

describe.each(ENGINES)("links of $title", ({ open, name }) => {
  test("are not moved between rows with one key", async () => {
    const { db, close } = await open();
    const Child = entityType("Child", { id: edm.guid().key(), parentId: edm.int32().nullable() });
    const Parent = entityType("Parent", { id: edm.int32().key() });
    const type = sql.raw(TEXTS[name]);
    await sql`create table parents (id int primary key)`.execute(db);
    await sql`create table children (id ${type} primary key, parent int)`.execute(db);
    await sql`insert into parents values (1), (2)`.execute(db);
    const [upper, lower] = KEYS[0]?.cells ?? ["", ""];
    const other = "bbcdef00-0000-4000-8000-00000000000b";
    await sql`insert into children values (${upper}, 2), (${lower}, 1), (${other}, 2)`.execute(db);
    const service = odataService({
      propertyNaming: "camelCase",
      schemaCheck: false,
      entitySets: [
        sqlEntitySet(Child, {
          db,
          table: "children",
          name: "Children",
          operations: OPERATIONS,
          columns: { id: TEXT, parentId: { name: "parent" } },
        }),
        sqlEntitySet(Parent, {
          db,
          table: "parents",
          operations: OPERATIONS,
          navigation: { child: hasOptional(Child, { target: "Children", on: { id: "parentId" } }) },
        }),
      ],
    });
    const statusOf = async (method: string, body?: object): Promise<number> => {
      const given = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { "Content-Type": "application/json" };
      const url = "http://service.example/Parents(1)/child/$ref";
      return (await service.fetch(new Request(url, { method, headers, ...given }))).status;
    };
    expect(await statusOf("DELETE")).toBe(409);
    expect(await statusOf("PUT", { "@odata.id": `Children(${other})` })).toBe(409);
    expect(await statusOf("PUT", { "@odata.id": `Children(${lower})` })).toBe(404);
    const { rows } = await sql`select id, parent from children order by id`.execute(db);
    expect(rows.toSorted((one, two) => (JSON.stringify(one) < JSON.stringify(two) ? -1 : 1))).toEqual([
      { id: upper, parent: 2 },
      { id: lower, parent: 1 },
      { id: other, parent: 2 },
    ]);
    await close();
  });
});
