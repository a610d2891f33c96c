import { sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type DatabaseName, type OpenDatabase } from "../../../engine/executors/engines.ts";
import { noFailures } from "../../../service/http/model.ts";

interface Fixture {
  readonly table: string;
  /** The second row has cells that cannot be read. */
  readonly rows: readonly string[];
  /** The cells of the second row as the database shows them. */
  readonly raw: string;
  readonly good: Readonly<Record<string, unknown>>;
}

const Cell = entityType("Cell", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  day: edm.date().nullable(),
});

const FIXTURES: Readonly<Record<DatabaseName, Fixture>> = {
  sqlite: {
    table: "create table cells (id integer primary key, name text, day date, amount integer, at datetime)",
    rows: [
      "(1, 'a', '2024-01-01', 1, '2024-01-01T00:00:00Z')",
      "(2, 'b', 'never', 'many', 'x')",
      "(3, 'c', '2024-01-01', 1, '2024-01-01T00:00:00Z')",
    ],
    raw: "day || '/' || amount || '/' || at",
    good: { Day: "2024-02-01", Amount: 7 },
  },
  postgres: {
    table: "create table cells (id int primary key, name text, day date, amount numeric(9, 2), at timestamp)",
    rows: [
      "(1, 'a', '2024-01-01', 1, '2024-01-01')",
      "(2, 'b', 'infinity', 'NaN', '-infinity')",
      "(3, 'c', '2024-01-01', 1, '2024-01-01')",
    ],
    raw: "day::text || '/' || amount::text || '/' || at::text",
    good: { Day: "2024-02-01", Amount: 7 },
  },
  mariadb: {
    table: "create table cells (id int primary key, name varchar(9), day date, amount enum('A', 'B'), at datetime)",
    rows: [
      "(1, 'a', '2024-01-01', 'A', '2024-01-01')",
      "(2, 'b', '0000-00-00', 'bogus', '2024-00-00')",
      "(3, 'c', '2024-01-01', 'A', '2024-01-01')",
    ],
    raw: "concat(day, '/', amount + 0, '/', at)",
    good: { Day: "2024-02-01", Amount: "B" },
  },
};

const sendTo =
  (service: ODataService) =>
  async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const all = { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none", ...headers };
    const init = { method, headers: all, ...(body && { body: JSON.stringify(body) }) };
    const response = await service.fetch(new Request(`http://x/${encodeURI(path)}`, init));
    const text = await response.text();
    return [response.status, text === "" ? null : (JSON.parse(text) as Record<string, unknown>), response] as const;
  };

describe.each(ENGINES)("null in place of a cell that cannot be read, over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  const { table, rows, raw, good } = FIXTURES[engine.name];
  const run = async (...texts: readonly string[]): Promise<void> => {
    await db.connection().execute(async (one) => {
      if (engine.name === "mariadb") await sql`set session sql_mode = ''`.execute(one);
      for (const text of texts) await sql.raw(text).execute(one);
      if (engine.name === "mariadb") await sql`set session sql_mode = default`.execute(one);
    });
  };
  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await run(table);
  });
  const insert = (...values: readonly (string | undefined)[]): Promise<void> =>
    run(...values.map((row) => `insert into cells values ${row ?? ""}`));
  beforeEach(async () => {
    await run("delete from cells");
    await insert(rows[0], rows[2]);
  });
  afterAll(() => opened.close());

  const served = async () => {
    const operations = () => ["read", "create", "patch", "replace", "delete"] as const;
    const { entitySets } = await introspectDatabase(db, { operations });
    // No sample knows the cells.
    await insert(rows[1]);
    return sendTo(odataService({ logger: noFailures, entitySets }));
  };
  const stored = async (): Promise<unknown> => {
    const found = await sql.raw<{ raw: unknown }>(`select ${raw} as raw from cells where id = 2`).execute(db);
    return found.rows[0]?.raw;
  };

  test("is not stored by a write that gives it back", async () => {
    const send = await served();
    const before = await stored();
    const [, shown] = await send("GET", "Cells(2)");
    expect(shown).toEqual({ Id: 2, Name: "b", Day: null, Amount: null, At: null });
    const changed = { ...shown, Name: "z" };
    for (const [method, path, body, status] of [
      ["PATCH", "Cells(2)", { Day: null }, 200],
      ["PATCH", "Cells(2)", { Day: null, Amount: null, At: null, Name: "y" }, 200],
      ["PUT", "Cells(2)", changed, 200],
      ["PUT", "Cells(2)", { Id: 2, Name: "z" }, 200],
      ["PUT", "Cells(2)/Amount", { value: null }, 204],
      ["DELETE", "Cells(2)/Day", undefined, 204],
    ] as const) {
      expect([path, (await send(method, path, body))[0]]).toEqual([path, status]);
      expect([method, path, await stored()]).toEqual([method, path, before]);
    }
    expect((await send("GET", "Cells(2)"))[1]).toEqual(changed);
    expect((await send("GET", "Cells?$filter=Day eq null&$select=Id"))[1]).toEqual({ value: [{ Id: 2 }] });
  });

  test("is stored where the cell can be read, and a value replaces the cell", async () => {
    const send = await served();
    const [, all] = await send("PATCH", "Cells(3)", { Day: null, Amount: null, At: null });
    expect(all).toEqual({ Id: 3, Name: "c", Day: null, Amount: null, At: null });
    expect((await send("GET", "Cells?$filter=Day eq null&$select=Id&$orderby=Id"))[1]).toEqual({
      value: [{ Id: 2 }, { Id: 3 }],
    });
    expect((await send("PATCH", "Cells(2)", { ...good, At: null }))[1]).toMatchObject({ ...good, At: null });
    expect((await send("GET", "Cells(2)"))[1]).toMatchObject(good);
  });

  test("may be a part of an ETag, whose conditions hold", async () => {
    await insert(rows[1]);
    const operations = ["read", "patch", "delete"] as const;
    const place = { db, table: "cells", operations, unreadable: "null", etag: ["day", "name"] } as const;
    const send = sendTo(
      odataService({ logger: noFailures, schemaCheck: false, entitySets: [sqlEntitySet(Cell, place)] }),
    );
    const before = await stored();
    const [, , read] = await send("GET", "Cells(2)");
    const condition = { "If-Match": read.headers.get("ETag") ?? "" };
    const [status, , written] = await send("PATCH", "Cells(2)", { Name: "z", Day: null }, condition);
    expect([status, await stored()]).toEqual([200, before]);
    expect((await send("PATCH", "Cells(2)", { Name: "y" }, condition))[0]).toBe(412);
    expect((await send("DELETE", "Cells(2)", undefined, condition))[0]).toBe(412);
    const current = { "If-Match": written.headers.get("ETag") ?? "" };
    expect((await send("DELETE", "Cells(2)", undefined, current))[0]).toBe(204);
  });
});
