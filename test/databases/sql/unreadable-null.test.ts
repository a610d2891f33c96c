import { sql } from "kysely";
import {
  complexType,
  edm,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  type Logger,
  type ODataService,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";

const Part = complexType("Part", { size: edm.int32().nullable() });
const Cell = entityType("Cell", {
  id: edm.int32().key(),
  name: edm.string(),
  count: edm.int32().nullable(),
  at: edm.dateTimeOffset({ precision: 0 }).nullable(),
  part: edm.complex(Part).nullable(),
  sizes: edm.complex(Part),
  parentId: edm.int32().nullable(),
});
const columns = {
  at: { storage: "text" },
  part: { storage: "json" },
  sizes: { columns: { size: "sizes_size" } },
  parentId: "parent_id",
} as const;

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of responses
type Json = any;

interface Logged {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** SQLite stores any value in any column. */
const INTEGER = { sqlite: "integer", postgres: "varchar(20)", mariadb: "varchar(20)" };

async function createCells(db: AnyDatabase, name: keyof typeof INTEGER): Promise<void> {
  const type = sql.raw(INTEGER[name]);
  await sql`create table cells (id integer primary key, name varchar(20), ${sql.id("count")} ${type}, at varchar(40), part varchar(40), sizes_size ${type}, parent_id integer)`.execute(
    db,
  );
  const rows: ReadonlyArray<readonly (string | number | null)[]> = [
    [1, "a", "10", "2024-01-01T00:00:00Z", '{"size":1}', "1", null],
    [2, "b", "many", "2024-01-02T00:00:00Z", "{", "x", 1],
    [3, "c", "30", "never", '{"size":3}', "3", 1],
    [4, "d", "lots", null, null, null, 2],
    [5, "e", "50", "2024-01-05T00:00:00Z", '{"size":5}', "5", 2],
  ];
  for (const row of rows) await sql`insert into cells values (${sql.join([...row])})`.execute(db);
}

function serviceOver(
  db: AnyDatabase,
  unreadable: "error" | "null",
  logged: Logged[],
  paging: "offset" | "keyset" = "keyset",
): ODataService {
  const logger: Logger = {
    error: (message, fields) => void logged.push({ message, fields }),
    warn: (message, fields) => void logged.push({ message, fields }),
    info: () => undefined,
  };
  const navigation = {
    parent: hasOptional(Cell, { on: { parentId: "id" }, target: "Cells" }),
    children: hasMany(Cell, { on: { id: "parentId" }, target: "Cells" }),
  };
  return odataService({
    logger,
    schemaCheck: false,
    propertyNaming: "camelCase",
    secret: "0123456789abcdef0123456789abcdef",
    defaults: { maxTop: 2, paging },
    entitySets: [
      sqlEntitySet(Cell, { db, table: "cells", operations: ["read", "patch"], columns, unreadable, navigation }),
    ],
  });
}

async function get(service: ODataService, path: string): Promise<readonly [number, Json]> {
  const response = await service.fetch(new Request(path.startsWith("http") ? path : `http://service.example${path}`));
  const text = await response.text();
  return [response.status, text === "" ? null : JSON.parse(text)];
}

async function all(service: ODataService, path: string): Promise<readonly Json[]> {
  const found: Json[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const [status, body] = await get(service, next);
    expect([next, status]).toEqual([next, 200]);
    found.push(...body.value);
    expect(found.length).toBeLessThan(20);
    next = body["@odata.nextLink"];
  }
  return found;
}

// MariaDB converts text to numbers itself.
describe.each(ENGINES.filter(({ name }) => name !== "mariadb").map((engine) => [engine.title, engine] as const))(
  "unreadable cells over %s",
  (_title, engine) => {
    test('are null with "null", in pages, entities, expansions and results of writes, and logged once', async () => {
      const { db, close } = await engine.open();
      await createCells(db, engine.name);
      const logged: Logged[] = [];
      const service = serviceOver(db, "null", logged);
      const [, one] = await get(service, "/Cells(2)");
      expect(one).toMatchObject({
        id: 2,
        name: "b",
        count: null,
        at: "2024-01-02T00:00:00Z",
        part: null,
        sizes: { size: null },
      });
      expect(logged.map(({ fields: { table, column, key } }) => ({ table, column, key }))).toEqual(
        ["count", "part", "sizes_size"].map((column) => ({ table: "cells", column, key: [2] })),
      );
      for (const order of [
        "id",
        "id desc",
        "name",
        ...(engine.name === "sqlite" ? ["count,id", "count desc", "sizes/size"] : []),
      ]) {
        const rows = await all(service, `/Cells?$orderby=${order}`);
        expect([order, rows.map(({ id }) => id as number).toSorted((a, b) => a - b)]).toEqual([order, [1, 2, 3, 4, 5]]);
        expect(rows.find(({ id }) => id === 1)).toMatchObject({ count: 10, part: { size: 1 }, sizes: { size: 1 } });
        expect(rows.find(({ id }) => id === 3)).toMatchObject({ count: 30, at: null });
      }
      expect((await get(service, "/Cells?$select=count&$filter=id eq 4"))[1].value).toEqual([
        { "@odata.id": expect.stringMatching(/\/Cells\(4\)$/u), count: null },
      ]);
      const expanded = await all(
        service,
        "/Cells?$orderby=id&$expand=parent($select=count),children($select=count;$orderby=id)",
      );
      expect(
        expanded.map(({ parent, children }) => [
          parent?.count,
          (children as readonly Json[]).map(({ count }) => count as unknown),
        ]),
      ).toEqual([
        [undefined, [null, 30]],
        [10, [null, 50]],
        [10, []],
        [null, []],
        [null, []],
      ]);
      expect(await get(service, "/Cells(4)/count")).toEqual([204, null]);
      const patched = await service.fetch(
        new Request("http://service.example/Cells(2)", {
          method: "PATCH",
          body: JSON.stringify({ name: "x" }),
          headers: { "Content-Type": "application/json", Prefer: "return=representation" },
        }),
      );
      expect([patched.status, await patched.json()]).toMatchObject([200, { name: "x", count: null }]);
      // The cell is as it was.
      const { rows } = await sql`select ${sql.id("count")} as c from cells where id = 2`.execute(db);
      expect(rows).toEqual([{ c: "many" }]);
      expect(logged).toHaveLength(4);
      expect(logged.map(({ fields: { err } }) => err instanceof Error)).toEqual([true, true, true, true]);
      await close();
    });

    test('are errors with "error"; a null that should not be is null with "null"', async () => {
      const { db, close } = await engine.open();
      await createCells(db, engine.name);
      const logged: Logged[] = [];
      expect((await get(serviceOver(db, "error", logged), "/Cells(2)"))[0]).toBe(500);
      await sql`update cells set name = null where id = 1`.execute(db);
      expect((await get(serviceOver(db, "error", logged), "/Cells(1)"))[0]).toBe(500);
      expect(await get(serviceOver(db, "null", logged), "/Cells(1)")).toMatchObject([200, { name: null }]);
      await close();
    });
  },
);

const Geo = complexType("Geo", { lat: edm.int32().nullable(), origin: edm.string().nullable().ignored() });
const Home = complexType("Home", {
  city: edm.string().nullable(),
  geo: edm.complex(Geo).nullable(),
  verified: edm.boolean().nullable().ignored(),
});
const House = entityType("House", {
  id: edm.int32().key(),
  file: edm.complex(Home).nullable(),
  code: edm.complex(Home).nullable(),
  flat: edm.complex(Home).nullable(),
});

describe.each(ENGINES)("a complex value that cannot be read, with ignored members, over $title", (engine) => {
  const text = { geo: { storage: "json" } } as const;
  const houseColumns = {
    file: { storage: "json" },
    code: {
      convert: {
        fromDatabase: (cell: unknown) => {
          const read: unknown = JSON.parse(String(cell));
          if (typeof read !== "object" || read === null || Array.isArray(read)) throw new Error("No object.");
          return read;
        },
        toDatabase: (value: object): string => JSON.stringify(value),
      },
    },
    flat: { columns: text },
  } as const;

  async function open(cell: string, unreadable: "error" | "null") {
    const { db, close } = await engine.open();
    const logged: Logged[] = [];
    await sql`create table houses (id integer primary key, file varchar(90), code varchar(90), flat_city varchar(20), flat_geo varchar(90), flat_verified integer)`.execute(
      db,
    );
    await sql`insert into houses values (1, ${cell}, ${cell}, 'a', ${cell}, null)`.execute(db);
    const houses = sqlEntitySet(House, {
      db,
      table: "houses",
      operations: ["read", "replace", "patch"],
      columns: houseColumns,
      unreadable,
    });
    const logger: Logger = {
      error: (message, fields) => void logged.push({ message, fields }),
      warn: (message, fields) => void logged.push({ message, fields }),
      info: () => undefined,
    };
    const service = odataService({ logger, schemaCheck: false, propertyNaming: "camelCase", entitySets: [houses] });
    const send = async (method: string, path: string, body: object) => {
      const headers = { "Content-Type": "application/json", Prefer: "return=minimal" };
      const request = new Request(`http://service.example${path}`, { method, headers, body: JSON.stringify(body) });
      return (await service.fetch(request)).status;
    };
    const columnsNow = async () => {
      const { rows } = await sql`select file, code, flat_geo from houses`.execute(db);
      const parse = (value: unknown): unknown => {
        try {
          return JSON.parse(String(value));
        } catch {
          return value;
        }
      };
      return rows.map((row) => Object.values(row as object).map(parse));
    };
    return { service, send, columnsNow, logged, close };
  }

  const sent = { city: "q", geo: { lat: 2 } };
  const values = { file: sent, code: sent, flat: sent };
  const written = [{ city: "q", geo: { lat: 2 } }, sent, { lat: 2 }];

  test.each(["{bad", "[1]", "5"])("becomes the value that PUT sends: %s", async (cell) => {
    for (const unreadable of ["error", "null"] as const) {
      const { send, columnsNow, logged, close } = await open(cell, unreadable);
      expect(await send("PUT", "/Houses(1)", values)).toBe(204);
      expect(await columnsNow()).toEqual([written]);
      const records = unreadable === "null" ? ["file", "code", "flat_geo"] : [];
      expect(logged.map(({ fields: { column } }) => column)).toEqual(records);
      await close();
    }
  });

  test.each(["{bad", "[1]", "5"])('becomes the value that PATCH sends, with "null": %s', async (cell) => {
    const { service, send, columnsNow, close } = await open(cell, "null");
    expect(await get(service, "/Houses(1)")).toMatchObject([200, { file: null, code: null, flat: { geo: null } }]);
    expect(await send("PATCH", "/Houses(1)", values)).toBe(204);
    expect(await columnsNow()).toEqual([written]);
    await close();
  });

  test.each(["file", "code", "flat"])("becomes the body of PUT to its property: %s", async (field) => {
    const { send, service, close } = await open("[1]", "null");
    expect(await send("PUT", `/Houses(1)/${field}`, { value: sent })).toBe(204);
    expect((await get(service, "/Houses(1)"))[1]).toMatchObject({ [field]: sent });
    await close();
  });

  test('with "error", PATCH is an error', async () => {
    for (const field of ["file", "code", "flat"]) {
      const { send, columnsNow, close } = await open("[1]", "error");
      expect([field, await send("PATCH", "/Houses(1)", { [field]: sent })]).toEqual([field, 500]);
      expect(await columnsNow()).toEqual([[[1], [1], [1]]]);
      await close();
    }
  });

  test("a member of it counts as null", async () => {
    const cell = '{"city":"a","geo":"bad","verified":true}';
    const after = { city: "a", geo: { lat: 2 }, verified: true };
    for (const method of ["PUT", "PATCH"]) {
      const { send, columnsNow, close } = await open(cell, "error");
      expect(await send(method, "/Houses(1)", { file: { city: "a", geo: { lat: 2 } } })).toBe(204);
      expect((await columnsNow())[0]?.[0]).toEqual(after);
      await close();
    }
  });
});

describe("unreadable", () => {
  test("rejects other values", async () => {
    const [engine] = ENGINES;
    if (engine === undefined) return;
    const { db, close } = await engine.open();
    const set = sqlEntitySet(Cell, { db, table: "cells", operations: ["read"], unreadable: "skip" as never });
    expect(() => odataService({ entitySets: [set] })).toThrow('`unreadable` is "skip".');
    expect(() => sqlSource(Cell, { db, from: "cells", unreadable: "skip" as never })).toThrow(
      '`unreadable` is "skip".',
    );
    await close();
  });
});
