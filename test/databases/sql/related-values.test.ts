import { Kysely, sql } from "kysely";
import { edm, entityType, enumType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import type { AnyDatabase } from "./orders.ts";
import { ask } from "./relations.ts";

const Shade = enumType("Shade", { Dark: 1, Black: 1, Light: 2 });

/** Equal values of two tables with different spelling or storage, and one value without an equal. */
const CASES = [
  ["Guid", edm.guid(), "text", "text", "01234567-89AB-CDEF-0123-456789ABCDEF", "01234567-89ab-cdef-0123-456789abcdef"],
  [
    "Guid by default",
    edm.guid(),
    undefined,
    "text",
    "a1234567-89ab-cdef-0123-456789abcdef",
    "A1234567-89AB-cdef-0123-456789abcdef",
  ],
  ["Decimal", edm.decimal({ scale: 2 }), "text", "scaled", "1.1", 110],
  ["Decimal as text", edm.decimal(), "text", "text", "1.10", "1.1"],
  ["Decimal as real", edm.decimal(), "real", "text", 0.1, "0.100"],
  ["DateTimeOffset", edm.dateTimeOffset(), "text", undefined, "2024-02-29T14:00:00+02:00", "2024-02-29T12:00:00.000Z"],
  ["DateTimeOffset as text", edm.dateTimeOffset(), "text", "epoch", "2024-02-29T12:00:00Z", 1_709_208_000_000],
  ["TimeOfDay", edm.timeOfDay(), undefined, undefined, "12:00:00", "12:00:00.000"],
  ["Duration", edm.duration(), undefined, undefined, "PT36H", "P1DT12H"],
  ["an enumeration with two names of one value", edm.enum(Shade), undefined, undefined, "Dark", "Black"],
  ["Double", edm.double(), undefined, undefined, 1, 1],
  ["Binary", edm.binary(), undefined, undefined, Uint8Array.of(0, 255), Uint8Array.of(0, 255)],
  ["Int64", edm.int64(), undefined, undefined, 9_007_199_254_740_993n, 9_007_199_254_740_993n],
  ["Boolean", edm.boolean(), undefined, undefined, 1, 1],
  ["String", edm.string(), undefined, undefined, "Straße", "Straße"],
] as const;

describe("relates equal values, however they are spelled", () => {
  test.each(CASES)("%s", async (...[, type, parentStorage, childStorage, parentCell, childCell]) => {
    const Parent = entityType("Parent", { id: edm.int32().key(), value: type.nullable().ignored() });
    const Child = entityType("Child", { id: edm.int32().key(), value: type.nullable() });
    const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
    await sql`create table parents (id integer primary key, value)`.execute(db);
    await sql`create table children (id integer primary key, value)`.execute(db);
    await sql`insert into parents values (1, ${parentCell}), (2, null)`.execute(db);
    await sql`insert into children values (1, ${childCell}), (2, null), (3, ${childCell})`.execute(db);
    const operations = ["read"] as const;
    const column = (storage: string | undefined): object =>
      storage === undefined ? {} : { columns: { value: { storage } } };
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Parent, {
          db,
          table: "parents",
          operations,
          ...column(parentStorage),
          navigation: { children: hasMany(Child, { on: { value: "value" }, target: "Children" }) },
        }),
        sqlEntitySet(Child, {
          db,
          table: "children",
          operations,
          name: "Children",
          ...column(childStorage),
          navigation: { parent: hasOptional(Parent, { on: { value: "value" }, target: "Parents" }) },
        }),
      ],
    });
    const value = async (target: string): Promise<unknown> =>
      ((await ask(service, target)) as { readonly value: unknown }).value;
    const both = [{ id: 1 }, { id: 3 }];
    expect(await value("/Parents?$expand=children($select=id)")).toEqual([
      { id: 1, children: both },
      { id: 2, children: [] },
    ]);
    expect(await value("/Parents?$expand=children($select=id;$top=1;$count=true)")).toMatchObject([
      { id: 1, "children@odata.count": 2, children: [{ id: 1 }] },
      { id: 2, "children@odata.count": 0, children: [] },
    ]);
    expect(await value("/Parents?$filter=children/any(c:c/id eq 3)")).toEqual([{ id: 1 }]);
    expect(await value("/Parents?$filter=children/$count eq 2")).toEqual([{ id: 1 }]);
    expect(await value("/Children?$filter=parent/id eq 1&$select=id")).toEqual(both);
    expect(await value("/Children?$filter=parent eq null&$select=id")).toEqual([{ id: 2 }]);
    expect(await value("/Children?$expand=parent&$select=id&$orderby=parent/id desc")).toEqual([
      { id: 3, parent: { id: 1 } },
      { id: 1, parent: { id: 1 } },
      { id: 2, parent: null },
    ]);
    // Joins can use ignored properties, but clients cannot name them.
    const response = await service.fetch(new Request("http://service.example/Parents?$filter=value ne null"));
    expect(response.status).toBe(400);
    await db.destroy();
  });
});
