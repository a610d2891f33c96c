import { Kysely } from "kysely";
import { complexType, ConfigurationError, edm, entityType, odataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import { PlacedTables } from "../../../src/databases/placement/placed-tables.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const Place = complexType("Place", { city: edm.string() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  tenant: edm.string().ignored(),
  home: edm.complex(Place).nullable(),
  words: edm.collection(edm.string()),
  double: edm.int32().computed(),
});

const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
const place = { db, operations: ["read"], columns: { double: { sql: '2 * "customerId"' } } } as const;

/** The type does not allow the options of these tests. */
function faultsOf(...distributed: readonly unknown[]): ReadonlyArray<readonly [string, string]> {
  const make = sqlEntitySet as unknown as (type: typeof Order, options: object) => ReturnType<typeof sqlEntitySet>;
  try {
    odataService({
      schemaCheck: false,
      entitySets: distributed.map((each, index) =>
        make(Order, { ...place, name: `Orders${String(index)}`, table: "orders", distributed: each }),
      ),
    });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults.map(({ message, fix }) => [message, fix] as const);
    throw error;
  }
  return [];
}

const FIX =
  'Give true, "reference" for a table that each machine has completely, or the property whose column distributes the table: { by: "customerId", with: "orders" }.';
const ONE_COLUMN = "Name the property of the column that distributes the table. It may be an ignored property.";

describe("faults of declared distributions", () => {
  test.each([
    [[7], ["`distributed` is 7.", FIX]],
    [["local"], ['`distributed` is "local".', FIX]],
    [[{}], ["`distributed.by` is undefined.", FIX]],
    [[{ by: ["id"] }], ["`distributed.by` is an array.", FIX]],
    [[{ by: "id", on: "x" }], ["`distributed` has no option `on`.", "Remove it, or use one of `by`, `with`."]],
    [
      [{ by: "id", with: "" }],
      ['`distributed.with` is "".', "Give the name of the table that this one is co-located with, or omit it."],
    ],
    [
      [{ by: "custommerId" }],
      ['`distributed.by` is "custommerId", which is not a property of Order.', "Did you mean `customerId`?"],
    ],
    [[{ by: "home" }], ["`distributed.by` names `home`, which is not stored in one column of the table.", ONE_COLUMN]],
    [
      [{ by: "words" }],
      ["`distributed.by` names `words`, which is not stored in one column of the table.", ONE_COLUMN],
    ],
    [
      [{ by: "double" }],
      ["`distributed.by` names `double`, which is not stored in one column of the table.", ONE_COLUMN],
    ],
  ])("%j", (distributed, fault) => {
    expect(faultsOf(...distributed)).toEqual([fault]);
  });

  test("two sets over one table must declare the same", () => {
    const other = new Kysely<never>({ dialect: sqliteDialect(":memory:") });
    const make = (name: string, distributed: { readonly by: "id" | "customerId" } | "reference") =>
      sqlEntitySet(Order, { ...place, db: other, name, table: "orders", distributed });
    expect(() =>
      odataService({
        entitySets: [
          make("A", { by: "id" }),
          make("B", { by: "id" }),
          make("C", { by: "customerId" }),
          make("D", "reference"),
        ],
      }),
    ).toThrow(
      /the table orders is distributed by customerId, but another set over it says distributed by id\.[\s\S]*orders is a reference table, but another set over it says distributed by id/,
    );
  });

  test("a query names the table of its rows", () => {
    const from = { sql: "select * from orders", parameters: [] };
    expect(() => sqlSource(Order, { db, from, columns: place.columns, distributed: { by: "id" } })).toThrow(
      /`distributed` of a query has no `with`\.[\s\S]*Name the table whose rows the query returns\./,
    );
    const distributed = { by: "id", with: "orders" } as const;
    expect(sqlSource(Order, { db, from, columns: place.columns, distributed }).kind).toBe("EntitySource");
  });

  test.each([
    [true],
    [false],
    ["reference"],
    [{ by: "customerId" }],
    [{ by: "tenant", with: { schema: "s", name: "t" } }],
  ])("%j is none", (distributed) => {
    const another = new Kysely<never>({ dialect: sqliteDialect(":memory:") });
    const make = sqlEntitySet as unknown as (type: typeof Order, options: object) => ReturnType<typeof sqlEntitySet>;
    const set = make(Order, { ...place, db: another, table: "orders", distributed });
    expect(() => odataService({ schemaCheck: false, entitySets: [set] })).not.toThrow();
  });

  test("the property is one of the type", () => {
    const options = { ...place, table: "orders" } as const;
    // @ts-expect-error -- no property has this name
    const set = sqlEntitySet(Order, { ...options, distributed: { by: "total" } });
    expect(() => odataService({ entitySets: [set] })).toThrow("is not a property of Order");
  });
});

describe("co-located tables", () => {
  const report = (message: string): never => {
    throw new Error(message);
  };

  test("name one another directly, or through other tables", () => {
    const tables = new PlacedTables();
    const declare = (table: string, partner?: string): void =>
      tables.declare(table, "id", { kind: "column", field: "id", with: partner }, report);
    declare("lines", "orders");
    declare("orders", "customers");
    declare("customers");
    declare("notes", "absent");
    declare("a", "b");
    declare("b", "c");
    declare("c", "b");
    declare("self", "self");
    const groups = ["lines", "orders", "customers", "notes", "absent", "a", "b", "c", "self", "other"].map((table) =>
      tables.groupOf(table),
    );
    expect(groups.join(" ")).toBe("customers customers customers absent absent b b b self other");
  });
});
