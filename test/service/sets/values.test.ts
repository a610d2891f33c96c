import { Kysely } from "kysely";
import { complexType, edm, entitySet, entityType, hasMany, hasOptional, type Context } from "odatakit";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { createShopTables, shopOver, type Shop } from "./shop-model.ts";

const Size = complexType("Size", { unit: edm.string().nullable(), sides: edm.collection(edm.int32()) });
const Depot = entityType("Depot", { id: edm.int32().key(), city: edm.string() });
const Item = entityType("Item", { id: edm.int32().key(), label: edm.string().default("none") });
const Parcel = entityType("Parcel", {
  id: edm.int32().key(),
  weight: edm.decimal().nullable(),
  tags: edm.collection(edm.string().nullable()),
  size: edm.complex(Size),
  spare: edm.complex(Size).nullable(),
  sealed: edm.boolean().immutable().default(false),
});
const Route = entityType("Route", { origin: edm.string().key(), goal: edm.string().key() });

/** The entities that the handlers of Parcels received. */
const received: unknown[] = [];
/** The results of the handlers of Parcels. */
let returned: unknown = null;

function answer(entity: unknown): never {
  received.push(entity);
  return (returned ?? entity) as never;
}

const depots = entitySet(Depot, { getAll: () => [] });
const items = entitySet(Item, { getAll: () => [] });
const parcels = entitySet(Parcel, {
  allowDeepInsert: true,
  getAll: () => [returned] as never,
  create: answer,
  patch: (_key, delta) => answer(delta),
  delete: () => returned as never,
  navigation: {
    items: hasMany(Item, { target: "Items" }),
    depot: hasOptional(Depot, { target: "Depots" }),
  },
});
const routes = entitySet(Route, { getByKey: (key) => key });
const parcel = { id: 1, tags: [], size: { sides: [] } };

describe("entities that handlers pass and receive", () => {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  let shop: Shop;

  beforeAll(async () => {
    await createShopTables(db, { name: "sqlite" });
    shop = shopOver(db, { entitySets: [parcels, depots, items, routes] });
  });
  afterAll(() => db.destroy());
  beforeEach(() => {
    received.length = 0;
    returned = null;
  });

  const create =
    (entity: object) =>
    ({ sets }: Context): unknown =>
      sets(parcels).create(entity as never);
  const patch =
    (delta: unknown, options?: object) =>
    ({ sets }: Context): unknown =>
      sets(parcels).patch(1, delta as never, options);

  test.each<readonly [string, object, object]>([
    [
      "complex values and collections",
      { tags: ["a", null], size: { unit: "cm", sides: [1, 2] }, spare: { sides: [] }, weight: 1.5, sealed: true },
      {
        tags: ["a", null],
        size: { unit: "cm", sides: [1, 2] },
        spare: { unit: null, sides: [] },
        weight: "1.5",
        sealed: true,
      },
    ],
    ["null", { spare: null, weight: null }, { spare: null, weight: null }],
    ["undefined as absent", { weight: undefined, spare: undefined }, { weight: null, spare: null, sealed: false }],
    [
      "nested entities",
      { items: [{ id: 3 }], depot: { id: 4, city: "Oslo" } },
      { items: [{ id: 3, label: "none" }], depot: { id: 4, city: "Oslo" } },
    ],
    ["null for a nested entity", { depot: null }, { depot: null }],
  ])("create passes %s", async (_name, given, expected) => {
    await shop.resultOf(create({ ...parcel, ...given }));
    expect(received).toEqual([expect.objectContaining(expected)]);
  });

  test("missing collections and complex values of an entity are empty", async () => {
    returned = { id: 1 };
    const empty = { unit: null, sides: [] };
    const whole = { id: 1, weight: null, tags: [], size: empty, spare: null, sealed: null };
    expect(await shop.resultOf(({ sets }) => sets(parcels).query())).toEqual([whole]);
    returned = { id: 1, size: { unit: "m" }, spare: {} };
    expect(await shop.resultOf(({ sets }) => sets(parcels).query())).toEqual([
      { ...whole, size: { unit: "m", sides: [] }, spare: empty },
    ]);
  });

  test("a composite key is an object", async () => {
    const key = { origin: "Oslo", goal: "Rome" };
    expect(await shop.resultOf(({ sets }) => sets(routes).get(key))).toEqual(key);
  });

  test("counts no entities for a filter that no entity can match", async () => {
    expect(await shop.resultOf(({ sets }) => sets(parcels).count({ filter: (each) => each.id.in([]) }))).toBe(0);
  });

  test.each<readonly [string, (context: Context) => unknown, RegExp | string]>([
    ["a new entity that is not an object", create([]), /create: pass an object of Parcel\./],
    ["a complex value", create({ ...parcel, size: 5 }), /create: pass an object of Size at `size`\./],
    [
      "a member of a complex value",
      create({ ...parcel, size: { sdes: [] } }),
      /Size has no property `size\.sdes`.*sides/,
    ],
    ["a collection", create({ ...parcel, tags: "a" }), /`tags` is a collection\. Pass an array\./],
    ["an item of a collection", create({ ...parcel, size: { sides: ["x"] } }), /`size\.sides\[0\]` must be a value of/],
    ["nested entities", create({ ...parcel, items: {} }), /`items` is a collection\. Pass an array\./],
    ["a nested entity", create({ ...parcel, items: [{ id: 1, x: 1 }] }), /Item has no property `items\[0\]\.x`/],
    ["an immutable property of a change", patch({ sealed: true }), /`sealed` is immutable and cannot be written/],
    ["an option of a change", patch({}, { expect: {} }), /patch has no option `expect`/],
    ["expected values that are not an object", patch({}, { expected: [] }), /`expected` of .* must be an object/],
    ["an expected collection", patch({}, { expected: { tags: "a" } }), /`tags` must be a collection of Edm\.String/],
    ["an item of one", patch({}, { expected: { tags: [5] } }), /`tags` must be a collection of Edm\.String/],
    ["an expected value of no property", patch({}, { expected: { x: 1 } }), /names `x`, which is not a property of/],
    ["an expected value", patch({}, { expected: { id: "x" } }), /`id` must be a value of Edm\.Int32/],
    [
      "a part of a composite key",
      ({ sets }) => sets(routes).get("Oslo" as never),
      /must be an object of `origin`, `goal`/,
    ],
    ["work that is not a function", ({ inTransaction }) => inTransaction("x" as never), /takes a function/],
    ["a query that is not an object", ({ sets }) => sets(parcels).query(null as never), /takes an object of options/],
    [
      "an order that is not a name",
      ({ sets }) => sets(parcels).query({ orderBy: [5] as never }),
      /`orderBy` of .* contains 5/,
    ],
    [
      "a result that is not an entity",
      ({ sets }) => {
        returned = 5;
        return sets(parcels).create(parcel);
      },
      /create/,
    ],
    ["a deletion without a result", ({ sets }) => sets(parcels).delete(1), /delete handler of Parcels did not return/],
  ])("rejects %s", async (_name, script, message) => {
    expect(await shop.resultOf(script)).toMatch(message);
  });

  test("expected values of null match only null", async () => {
    const expected = { text: null } as never;
    const changed = ({ sets }: Context): unknown => sets(shop.notes).patch(1, { text: "x" }, { expected });
    expect(await shop.resultOf(changed)).toBe("412 PreconditionFailed");
  });

  test("a write that finds no entity returns null, or 412 if it expects values", async () => {
    const change =
      (options?: object) =>
      ({ sets }: Context): unknown =>
        sets(shop.notes).patch(9, { text: "x" }, options);
    expect(await shop.resultOf(change())).toBeNull();
    expect(await shop.resultOf(change({ expected: { text: "x" } }))).toBe("412 PreconditionFailed");
  });
});
