import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { type Authorization, edm, entityType, hasMany, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** Statements of SQLite use row ids. A migration may take them away while the service runs. */

const folder = mkdtempSync(join(tmpdir(), "changed-tables-"));
let files = 0;
let db: AnyDatabase;
let other: DatabaseSync;

const Country = entityType("Country", { id: edm.int32().key(), name: edm.string() });
const City = entityType("City", { id: edm.int32().key(), name: edm.string(), countryId: edm.int32() });

/** Rules make writes read the row with a condition. */
const cityRules: Authorization<typeof City> = { rows: (_user, row) => row.id.ge(1) };

const MIGRATIONS: readonly [name: string, statements: string][] = [
  [
    "a view",
    `alter table city rename to stored_city; create view city as select * from stored_city;
     alter table country rename to stored_country; create view country as select * from stored_country`,
  ],
  [
    "a table without row ids",
    `alter table city rename to old_city;
     create table city (id integer primary key, name text not null, countryId integer not null) without rowid;
     insert into city select * from old_city; drop table old_city;
     alter table country rename to old_country;
     create table country (id integer primary key, name text not null) without rowid;
     insert into country select * from old_country; drop table old_country`,
  ],
];

function open(rules: boolean): (target: string, method?: string, body?: object) => Promise<unknown> {
  const operations = ["read", "create", "patch", "delete"] as const;
  const service = odataService({
    prefix: "",
    authenticate: () => ({ id: "ann" }),
    schemaCheck: false,
    logger: { error: () => {}, warn: () => {}, info: () => {} },
    entitySets: [
      sqlEntitySet(Country, {
        db,
        table: "country",
        name: "Countries",
        operations,
        navigation: { cities: hasMany(City, { on: { id: "countryId" }, target: "Cities" }) },
      }),
      sqlEntitySet(City, {
        db,
        table: "city",
        name: "Cities",
        operations,
        navigation: { country: hasRequired(Country, { on: { countryId: "id" }, target: "Countries" }) },
        authorization: rules ? cityRules : {},
      }),
    ],
  });
  return async (target, method = "GET", body) => {
    const response = await service.fetch(
      new Request(`http://service.example/${encodeURI(target)}`, {
        method,
        headers: {
          Accept: "application/json;odata.metadata=none",
          ...(body && { "Content-Type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? (JSON.parse(text) as unknown) : text };
  };
}

beforeEach(() => {
  files += 1;
  const file = join(folder, `${String(files)}.db`);
  other = new DatabaseSync(file);
  other.exec(`
    pragma journal_mode = wal;
    create table country (id integer primary key, name text not null);
    create table city (id integer primary key, name text not null, countryId integer not null);
    insert into country values (1, 'Norway'), (2, 'Italy');
    insert into city values (1, 'Bergen', 1), (2, 'Rome', 2), (3, 'Oslo', 1)`);
  db = new Kysely({ dialect: sqliteDialect(file, { readerThreads: 1 }) });
});
afterEach(async () => {
  other.close();
  await db.destroy();
});
afterAll(() => rmSync(folder, { recursive: true }));

const READS = [
  "Cities",
  "Cities(2)",
  "Cities/$count",
  "Cities?$count=true&$top=1&$orderby=Name",
  "Cities?$filter=Country/Name eq 'Norway'",
  "Countries?$expand=Cities",
  "Countries(1)/Cities",
  "Countries?$filter=Cities/any(c:c/Name eq 'Rome')",
  "Cities(1)/Country",
];

describe.each([false, true])("with row rules: %s", (rules) => {
  describe.each(MIGRATIONS)("after a migration to %s", (_name, statements) => {
    test.each(READS)("a read answers as before: %s", async (target) => {
      const send = open(rules);
      const before = await send(target);
      expect(before).toMatchObject({ status: 200 });
      other.exec(statements);
      expect(await send(target)).toEqual(before);
      expect(await send(target)).toEqual(before);
    });
  });

  test("a write with a row rule finds the changed table", async () => {
    const send = open(rules);
    expect(await send("Cities(1)", "PATCH", { Name: "Bergen 2" })).toMatchObject({ status: 200 });
    other.exec(MIGRATIONS[1]?.[1] ?? "");
    expect(await send("Cities(1)", "PATCH", { Name: "Bergen 3" })).toMatchObject({
      status: 200,
      body: { Name: "Bergen 3" },
    });
    expect(await send("Cities(9)", "PATCH", { Name: "x" })).toMatchObject({ status: 404 });
    expect(await send("Cities(1)", "DELETE")).toEqual({ status: 204, body: "" });
  });
});
