import { sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DatabaseName, ENGINES, type OpenDatabase } from "./engines.ts";

/** Columns have six digits, and the properties three. Each value that a response shows finds its own row. */
const Reading = entityType("Reading", { at: edm.dateTimeOffset({ precision: 3 }).key(), id: edm.int32() });
const Event = entityType("Event", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset({ precision: 3 }),
  whole: edm.dateTimeOffset({ precision: 0 }),
});

const TYPES: Readonly<Record<DatabaseName, string>> = {
  sqlite: "text",
  postgres: "timestamptz",
  mariadb: "datetime(6)",
};
const CELLS = [".123456", ".123999", ".124", ".124001", ".999999"];

function cellOf(fraction: string, database: DatabaseName): string {
  if (database === "sqlite") return `2024-02-29T10:00:00${fraction}Z`;
  return `2024-02-29 10:00:00${fraction}${database === "postgres" ? "+00" : ""}`;
}

describe.each(ENGINES)("timestamps of $title with more digits than their properties", (engine) => {
  let opened: OpenDatabase;
  let service: ODataService;

  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    const type = sql.raw(TYPES[engine.name]);
    // MariaDB has keys of texts with a length only.
    await sql`create table readings (at ${type} primary key, id int not null)`.execute(db);
    await sql`create table events (id int primary key, at ${type} not null, whole ${type} not null)`.execute(db);
    for (const [id, fraction] of CELLS.entries()) {
      const cell = cellOf(fraction, engine.name);
      await sql`insert into events values (${id}, ${cell}, ${cell})`.execute(db);
      // No two keys share the digits that responses show.
      if (id % 2 === 0) await sql`insert into readings values (${cell}, ${id})`.execute(db);
    }
    const columns = { db, operations: ["read", "patch", "delete"] } as const;
    service = odataService({
      schemaCheck: false,
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Reading, { ...columns, table: "readings" }),
        sqlEntitySet(Event, { ...columns, table: "events" }),
      ],
    });
  });
  afterAll(() => opened.close());

  async function read(path: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    const target = path.startsWith("http") ? path : `http://service.example/${path}`;
    const response = await service.fetch(new Request(target));
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
  }

  async function ids(path: string): Promise<readonly number[]> {
    const { status, body } = await read(path);
    expect(status, JSON.stringify(body)).toBe(200);
    return (body["value"] as readonly { readonly id: number }[]).map(({ id }) => id);
  }

  test("an entity is found at its own URL, and by its key", async () => {
    const response = await service.fetch(
      new Request("http://service.example/Readings", { headers: { Accept: "application/json;odata.metadata=full" } }),
    );
    const { value } = (await response.json()) as { readonly value: readonly Record<string, unknown>[] };
    expect(value).toHaveLength(3);
    for (const entity of value) {
      const found = await read(String(entity["@odata.id"]));
      expect(found).toMatchObject({ status: 200, body: { id: entity["id"], at: entity["at"] } });
    }
  });

  test("filters for the value that a response shows find its row", async () => {
    const { body } = await read("Events?$orderby=id");
    const rows = body["value"] as readonly { readonly id: number; readonly at: string; readonly whole: string }[];
    for (const { id, at, whole } of rows) {
      const same = rows.filter((row) => row.at === at).map((row) => row.id);
      expect(same).toContain(id);
      expect(await ids(`Events?$filter=at eq ${at}&$orderby=id`)).toEqual(same);
      expect(await ids(`Events?$filter=at in (${at})&$orderby=id`)).toEqual(same);
      expect(await ids(`Events?$filter=at ne ${at}&$orderby=id`)).toEqual(
        rows.filter((row) => row.at !== at).map((row) => row.id),
      );
      expect(await ids(`Events?$filter=whole eq ${whole}&$orderby=id`)).toContain(id);
    }
  });

  // SQLite compares texts of several widths as texts: `storage: "text"` compares them as instants.
  test.skipIf(engine.name === "sqlite")("comparisons are those of the values that responses show", async () => {
    const { body } = await read("Events?$orderby=id");
    const rows = body["value"] as readonly { readonly id: number; readonly at: string }[];
    const compare = {
      gt: (left: string, right: string) => left > right,
      ge: (left: string, right: string) => left >= right,
      lt: (left: string, right: string) => left < right,
      le: (left: string, right: string) => left <= right,
    } as const;
    const values = ["2024-02-29T10:00:00.123Z", "2024-02-29T10:00:00.124Z", "2024-02-29T10:00:00.999Z"];
    for (const value of values) {
      for (const [operator, test] of Object.entries(compare)) {
        const expected = rows.filter(({ at }) => test(at, value)).map(({ id }) => id);
        expect(await ids(`Events?$filter=at ${operator} ${value}&$orderby=id`), `${operator} ${value}`).toEqual(
          expected,
        );
        expect(await ids(`Events?$filter=not(at ${operator} ${value})&$orderby=id`)).toEqual(
          rows.map(({ id }) => id).filter((id) => !expected.includes(id)),
        );
      }
    }
    const many = Array.from({ length: 20 }, (_none, index) => `2024-02-29T10:00:00.${String(110 + index)}Z`);
    expect(await ids(`Events?$filter=at in (${many.join(",")})&$orderby=id`)).toEqual([0, 1, 2, 3]);
    expect(await ids("Events?$filter=fractionalseconds(at) eq 0.124&$orderby=id")).toEqual([2, 3]);
    expect(await ids("Events?$filter=at gt whole&$orderby=id")).toEqual([0, 1, 2, 3, 4]);
  });
});
