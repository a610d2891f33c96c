import { edm, entitySet, entityType, odataService, role, type Context, type EntityType } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expectTypeOf, test } from "vitest";

const Order = entityType("Order", {
  id: edm.int32().key(),
  price: edm.decimal(),
  cost: edm.decimal().ignored(),
  iban: edm.string().nullable(),
  placedAt: edm.dateTimeOffset(),
  state: edm.string().nullable(),
});

declare const db: Parameters<typeof sqlEntitySet>[1]["db"];

const orders = entitySet(Order, {
  getAll: () => [],
  virtual: {
    margin: {
      type: edm.double(),
      needs: ["price", "cost"],
      read: (rows, ctx) => {
        expectTypeOf(rows).toEqualTypeOf<ReadonlyArray<{ price: string; cost: string }>>();
        expectTypeOf(ctx).toEqualTypeOf<Context>();
        return rows.map(({ price, cost }) => Number(price) - Number(cost));
      },
    },
    age: { type: edm.int32().nullable(), needs: ["placedAt"], read: async (rows) => rows.map(() => null) },
    none: { type: edm.string(), needs: [], read: (rows) => rows.map(() => "") },
    iban: { needs: ["iban"], read: (rows) => rows.map((row) => row.iban?.slice(-4) ?? null) },
  },
  selectProperties: ["id", "margin"],
  authorization: { properties: { margin: { read: role("boss") } } },
});

describe("virtual", () => {
  test("keeps the types of the set", () => {
    expectTypeOf(orders.entityType).toEqualTypeOf<typeof Order>();
    expectTypeOf<Parameters<Context["sets"]>[0]>().not.toBeAny();
    odataService({ entitySets: [orders] });
  });

  test("is typed for tables, too", () => {
    sqlEntitySet(Order, {
      db,
      table: "orders",
      operations: ["read"],
      virtual: {
        margin: {
          type: edm.double(),
          needs: ["price"],
          read: (rows) => {
            expectTypeOf(rows).toEqualTypeOf<ReadonlyArray<{ price: string }>>();
            return rows.map(({ price }) => Number(price));
          },
        },
        state: { needs: [], read: (rows) => rows.map(() => "open") },
      },
      authorization: { properties: { margin: { read: role("boss") }, state: { update: role("boss") } } },
    });
    // @ts-expect-error -- an unknown need
    sqlEntitySet(Order, { db, table: "o", operations: [], virtual: { state: { needs: ["x"], read: () => [] } } });
  });

  test("takes needs of the entity type alone", () => {
    entitySet(Order, {
      // @ts-expect-error -- an unknown need
      virtual: { margin: { type: edm.double(), needs: ["prices"], read: () => [] } },
    });
    entitySet(Order, {
      virtual: {
        // @ts-expect-error -- `cost` is not needed
        margin: { type: edm.double(), needs: ["price"], read: (rows) => rows.map(({ cost }) => Number(cost)) },
      },
    });
  });

  test("takes values of the type", () => {
    // @ts-expect-error -- texts in place of numbers
    entitySet(Order, { virtual: { margin: { type: edm.double(), needs: [], read: (rows) => rows.map(() => "1") } } });
    // @ts-expect-error -- null in place of a number
    entitySet(Order, { virtual: { margin: { type: edm.double(), needs: [], read: (rows) => rows.map(() => null) } } });
    // @ts-expect-error -- a number in place of the text of the masked property
    entitySet(Order, { virtual: { iban: { needs: [], read: (rows) => rows.map(() => 1) } } });
    // @ts-expect-error -- no type
    entitySet(Order, { virtual: { other: { needs: [], read: (rows) => rows.map(() => 1) } } });
    // @ts-expect-error -- no array
    entitySet(Order, { virtual: { iban: { needs: [], read: () => "1" } } });
  });

  test("is named by rules and by the allowlist of $select alone", () => {
    const size = { type: edm.int32(), needs: [], read: (rows: readonly object[]) => rows.map(() => 1) } as const;
    // @ts-expect-error -- an unknown property
    entitySet(Order, { virtual: { size }, authorization: { properties: { sizes: { read: role("boss") } } } });
    // @ts-expect-error -- responses alone have the property
    entitySet(Order, { virtual: { size }, filterProperties: ["size"] });
    // @ts-expect-error -- an unknown property
    entitySet(Order, { virtual: { size }, selectProperties: ["sizes"] });
    expectTypeOf<EntityType>().not.toBeAny();
  });
});
