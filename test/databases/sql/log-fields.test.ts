import { sql } from "kysely";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, isCluster, type OpenDatabase } from "../../engine/executors/engines.ts";

/** The log record of a failed statement: the request, the table and the names from the driver. */

const Box = entityType("Box", { id: edm.int32().key(), label: edm.string(), gone: edm.string().nullable() });
const Own = entityType("Own", { id: edm.int32().key() });

/** Over the same table; none of its cells maps to a value. */
const Count = entityType("Count", { id: edm.int32().key(), label: edm.boolean() });
const COUNTED = { storage: { true: "Y", false: "N" } } as const;
const Made = entityType("Made", { id: edm.int32().key(), label: edm.int32() });
const CONVERTED = { convert: { fromDatabase: () => undefined as unknown as number, toDatabase: String } };

type Fields = Readonly<Record<string, unknown>>;

/** The fields with the codes of drivers. */
const CODES = { sqlite: ["code", "errcode"], postgres: ["code"], mariadb: ["code"] } as const;

describe.each(ENGINES)("log records of failed statements of $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let service: ReturnType<typeof odataService>;
  const errors: Fields[] = [];

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await sql`create table boxes (id int not null primary key, label varchar(20) not null)`.execute(db);
    await sql`insert into boxes (id, label) values (1, 'a')`.execute(db);
    const operations = ["read", "create", "patch", "delete"] as const;
    service = odataService({
      // The table lacks a column, which the check would report.
      schemaCheck: false,
      logger: { error: (_message, fields) => errors.push(fields), warn: () => undefined, info: () => undefined },
      entitySets: [
        sqlEntitySet(Box, { name: "Boxes", db, table: "boxes", operations }),
        sqlEntitySet(Box, { name: "Missing", db, table: "missing", operations }),
        sqlEntitySet(Count, { name: "Counts", db, table: "boxes", operations: ["read"], columns: { label: COUNTED } }),
        sqlEntitySet(Made, { name: "Mades", db, table: "boxes", operations: ["read"], columns: { label: CONVERTED } }),
        entitySet(Own, {
          name: "Twice",
          getAll: async () => {
            await sql`insert into boxes (id, label) values (1, 'b')`.execute(db);
            return [];
          },
        }),
        entitySet(Own, {
          name: "Nulls",
          getAll: async () => {
            await sql`insert into boxes (id, label) values (2, null)`.execute(db);
            return [];
          },
        }),
      ],
    });
  });
  beforeEach(() => {
    errors.length = 0;
  });
  afterAll(async () => {
    await opened.close();
  });

  const recordOf = async (method: string, path: string, body?: string, isOfDriver = true): Promise<Fields> => {
    const headers = { "X-Request-Id": "r-1", ...(body === undefined ? {} : { "Content-Type": "application/json" }) };
    const request = new Request(`http://service.example/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const response = await service.fetch(request);
    expect([response.status, errors]).toEqual([500, [expect.any(Object)]]);
    const fields = errors[0] ?? {};
    expect(fields["err"]).toBeInstanceOf(Error);
    if (isOfDriver) for (const code of CODES[engine.name]) expect(fields[code], code).toBeDefined();
    return fields;
  };

  test.each([
    ["GET", "Boxes?$filter=Gone eq 'x'", "/Boxes"],
    ["GET", "Boxes(1)", "/Boxes(1)"],
    ["GET", "Boxes/$count?$filter=Gone eq 'x'", "/Boxes/$count"],
    ["POST", "Boxes", "/Boxes", '{"Id":9,"Label":"x","Gone":"y"}'],
    ["PATCH", "Boxes(1)", "/Boxes(1)", '{"Gone":"x"}'],
  ] as const)("%s %s names table and column", async (method, target, path, body?: string) => {
    expect(await recordOf(method, target, body)).toMatchObject({
      requestId: "r-1",
      method,
      path,
      status: 500,
      set: "Boxes",
      table: "boxes",
      column: "gone",
    });
  });

  test.each([
    ["GET", "Missing"],
    ["DELETE", "Missing(1)"],
  ] as const)("%s %s names the table", async (method, target) => {
    expect(await recordOf(method, target)).toMatchObject({ set: "Missing", table: "missing", method });
  });

  test("names a constraint that the application violates, if the driver does", async () => {
    // Citus passes on the message of a machine without the name of the table.
    const names = {
      sqlite: ["boxes", "id"],
      postgres: [isCluster() ? undefined : "boxes", "id"],
      mariadb: [undefined, undefined],
    }[engine.name];
    const { table, column } = await recordOf("GET", "Twice");
    expect([table, column]).toEqual(names);
  });

  test("names a column that must not be null", async () => {
    const fields = await recordOf("GET", "Nulls");
    expect(fields["column"]).toBe("label");
    expect(fields["table"]).toBe(engine.name === "mariadb" ? undefined : "boxes");
  });

  test.each(["Counts", "Mades"])("an unreadable cell of %s names table and column", async (set) => {
    const fields = await recordOf("GET", set, undefined, false);
    expect(fields).toMatchObject({ set, table: "boxes", column: "label", status: 500 });
  });
});
