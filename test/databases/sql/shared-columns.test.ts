import { sql } from "kysely";
import { complexType, type ConfigurationError, edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet, type SqlOperation } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";

const Place = complexType("Place", { city: edm.string().nullable(), town: edm.string().nullable() });
const Book = entityType("Book", {
  id: edm.int32().key(),
  name: edm.string(),
  title: edm.string().nullable(),
  heading: edm.string().nullable().computed(),
  hidden: edm.string().ignored(),
  place: edm.complex(Place).nullable(),
  tags: edm.collection(edm.string()),
  version: edm.int32().computed(),
});

const FIX =
  "Declare all but one as `.computed()`, or give each its own column in `columns`. Sets that only read may share columns.";
const shared = (properties: string, column: string) =>
  `Books: ${properties} are written to the same column, \`${column}\`: one value would replace the other. ${FIX}`;
const ALL = ["read", "create", "replace", "patch", "delete"] as const;

describe.each(ENGINES)("columns of several properties over $title", (engine) => {
  let open: OpenDatabase;
  let db: AnyDatabase;
  beforeAll(async () => {
    open = await engine.open();
    ({ db } = open);
    await sql`create table shared_books (id integer primary key, name varchar(50) not null, version integer not null)`.execute(
      db,
    );
  });
  afterAll(() => open.close());

  const own = {
    title: "c_title",
    heading: "c_heading",
    hidden: "c_hidden",
    place: { name: "c_place" },
    tags: "c_tags",
  };
  const faultsOf = (options: object): string => {
    try {
      const set = sqlEntitySet(Book, { db, table: "shared_books", operations: ALL, columns: own, ...options });
      odataService({ entitySets: [set], logger: noFailures });
      return "";
    } catch (error) {
      return String(error);
    }
  };

  test.each<[string, string, string, object]>([
    ["a property under another name", "`name` and `title`", "name", { columns: { ...own, title: "name" } }],
    ["the key", "`id` and `name`", "id", { columns: { ...own, name: "id" } }],
    ["three properties", "`name`, `title` and `tags`", "name", { columns: { ...own, title: "name", tags: "name" } }],
    [
      "a member of a complex property",
      "`name` and `place.city`",
      "name",
      { columns: { ...own, place: { columns: { city: "name" } } } },
    ],
    [
      "two members of a complex property",
      "`place.city` and `place.town`",
      "c",
      { columns: { ...own, place: { columns: { city: "c", town: "c" } } } },
    ],
    [
      "a document",
      "`title` and `place`",
      "doc",
      { columns: { ...own, title: "doc", place: { name: "doc", storage: "json" } } },
    ],
    [
      "a member by its usual name",
      "`title` and `place.city`",
      "c_place_city",
      { columns: { ...own, title: "c_place_city" } },
    ],
    [
      "the row version",
      "`title` and `version`",
      "version",
      { rowVersion: "version", columns: { ...own, title: "version" } },
    ],
    [
      "with `create` alone",
      "`name` and `title`",
      "name",
      { operations: ["create"], columns: { ...own, title: "name" } },
    ],
    ["with `patch` alone", "`name` and `title`", "name", { operations: ["patch"], columns: { ...own, title: "name" } }],
    [
      "beside one handler of the application",
      "`name` and `title`",
      "name",
      { patch: () => null, columns: { ...own, title: "name" } },
    ],
  ])("are rejected at startup: %s", (_name, properties, column, options) => {
    expect(faultsOf(options)).toContain(shared(properties, column));
  });

  test.each<[string, object]>([
    ["all but one are computed", { columns: { ...own, heading: "name" } }],
    ["ignored properties are not written", { columns: { ...own, hidden: "name" } }],
    ["expressions are not written", { columns: { ...own, heading: { sql: "name" } } }],
    ["a set that only reads", { operations: ["read"], columns: { ...own, title: "name" } }],
    ["a set that only reads and deletes", { operations: ["read", "delete"], columns: { ...own, title: "name" } }],
    [
      "handlers of the application write",
      { create: () => null, replace: () => null, patch: () => null, columns: { ...own, title: "name" } },
    ],
    ["the version without `rowVersion` is computed", { columns: { ...own, title: "version" } }],
  ])("are allowed: %s", (_name, options) => {
    expect(faultsOf(options)).toBe("");
  });

  test("names that differ in letter case are one column, except on PostgreSQL", () => {
    const found = faultsOf({ columns: { ...own, title: "NAME" } });
    expect(found.includes("are written to the same column")).toBe(engine.name !== "postgres");
  });

  test.skipIf(engine.name !== "sqlite").each<[string, string, string, object, string | null]>([
    ["the key and the rowid", "integer primary key", "", { other: "rowid" }, "`id` and `other`"],
    ["two names of the rowid", "text primary key", "", { number: "oid", other: "rowid" }, "`number` and `other`"],
    ["names in upper case", "integer primary key", "", { other: "ROWID" }, "`id` and `other`"],
    ["a column named rowid", "integer primary key", ", rowid integer", { other: "rowid" }, null],
    ["a key with its own index", "integer primary key desc", "", { other: "rowid" }, null],
    ["a table of another form", "integer primary key", ", rowid integer) without rowid /*", { other: "rowid" }, null],
  ])("under several names are rejected by the schema check: %s", async (_name, key, more, columns, names) => {
    await sql`drop table if exists aliased`.execute(db);
    const body = `id ${key} not null, number integer, other integer${more}`;
    await sql`create table aliased (${sql.raw(body.includes("/*") ? `${body}*/` : `${body})`)}`.execute(db);
    const Alias = entityType("Alias", {
      id: edm.string().key(),
      number: edm.int32().nullable(),
      other: edm.int32().nullable(),
    });
    const Numbered = entityType("Alias", { ...Alias.properties, id: edm.int32().key() });
    const faults = async (operations: readonly SqlOperation[]): Promise<unknown> => {
      const options = { name: "Aliases", db, table: "aliased", operations, columns };
      const set = key.startsWith("text") ? sqlEntitySet(Alias, options) : sqlEntitySet(Numbered, options);
      const service = odataService({ entitySets: [set], logger: noFailures });
      return service.ready().then(
        () => [],
        (error: unknown) =>
          (error as ConfigurationError).faults.map(({ code, message }) => `${String(code)} ${message}`),
      );
    };
    expect(await faults(["read"])).toEqual([]);
    const isNamed = expect.stringMatching(
      new RegExp(`^C17 ${String(names)} are written to the same column: .* of \`aliased\`\\.$`, "u"),
    );
    expect(await faults(ALL)).toEqual(names === null ? [] : [isNamed]);
    await sql`drop table aliased`.execute(db);
  });

  test.skipIf(engine.name !== "sqlite")(
    "under several names keep one of the values without the schema check",
    async () => {
      await sql`drop table if exists aliased`.execute(db);
      await sql`create table aliased (id integer primary key)`.execute(db);
      const Alias = entityType("Alias", { id: edm.int32().key(), other: edm.int32() });
      const columns = { other: "rowid" };
      const set = sqlEntitySet(Alias, { name: "Aliases", db, table: "aliased", operations: ALL, columns });
      const service = odataService({ entitySets: [set], schemaCheck: false, logger: noFailures });
      const response = await service.fetch(
        new Request("http://service.example/Aliases", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ Id: 5, Other: 7 }),
        }),
      );
      // The response shows the stored row.
      expect([response.status, await response.json()]).toEqual([
        201,
        {
          "@odata.context": "http://service.example/$metadata#Aliases/$entity",
          "@odata.id": "http://service.example/Aliases(7)",
          Id: 7,
          Other: 7,
        },
      ]);
      await sql`drop table aliased`.execute(db);
    },
  );

  test("a bridge for a rename reads both names and writes one", async () => {
    const Bridge = entityType("Bridge", {
      id: edm.int32().key(),
      name: edm.string(),
      title: edm.string().computed(),
      version: edm.int32().computed(),
    });
    const bridges = sqlEntitySet(Bridge, {
      db,
      table: "shared_books",
      operations: ALL,
      rowVersion: "version",
      columns: { title: "name" },
    });
    const service = odataService({ entitySets: [bridges], logger: noFailures });
    const send = async (method: string, path: string, body: object) => {
      const headers = { "Content-Type": "application/json", Prefer: "return=representation" };
      const response = await service.fetch(
        new Request(`http://books.example/${path}`, { method, headers, body: JSON.stringify(body) }),
      );
      return [response.status, (await response.json()) as Record<string, unknown>] as const;
    };
    const both = (name: string, version: number) =>
      expect.objectContaining({ Name: name, Title: name, Version: version });
    expect(await send("POST", "Bridges", { Id: 1, Name: "a" })).toEqual([201, both("a", 1)]);
    expect(await send("PATCH", "Bridges(1)", { Name: "b" })).toEqual([200, both("b", 2)]);
    expect(await send("PUT", "Bridges(1)", { Name: "c" })).toEqual([200, both("c", 3)]);
  });

  test.each<[string, object, object, string]>([
    ["both sides", { id: "a" }, { a: "id" }, "a"],
    ["two properties of one side", { id: "a", version: "a" }, { b: "id" }, "a"],
  ])("of a link table are rejected at startup: %s", (_name, from, to, column) => {
    const navigation = { others: hasMany(Book, { target: "Books", through: { table: "links", from, to } as never }) };
    expect(faultsOf({ navigation })).toContain(
      `\`through\` of \`others\` uses the column \`${column}\` twice: it contains one value. Give each property in \`from\` and \`to\` its own column of the link table.`,
    );
  });
});
