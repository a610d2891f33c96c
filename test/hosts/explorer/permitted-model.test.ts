import { describe, expect, test } from "vitest";
import { isRepeatable } from "../../../explorer/src/format/entity.ts";
import { permittedModel } from "../../../explorer/src/model/permitted-model.ts";
import { memberAt, resolvePath } from "../../../explorer/src/query/resolve-type.ts";
import { MODEL } from "./sample-model.ts";

const NOTHING = { read: false, create: false, update: false };

/** Returns the model for a user who may not do something with orders, and may not read the name of customers. */
function permitted(orders: object = {}) {
  const access = new Map<string, object>([
    ["Orders", orders],
    ["Customers", { properties: { Name: NOTHING } }],
  ]);
  const model = permittedModel(MODEL, access);
  const place = resolvePath(model, "Orders");
  if (place === null || place.set === null) throw new Error("The model has no orders.");
  return { model, place, abilities: place.set.abilities };
}

test("a model without rules is the same model", () => {
  expect(permittedModel(MODEL, new Map())).toBe(MODEL);
});

describe("a property that the user may not read", () => {
  test("is absent from its set, from paths to it, and from results of operations", () => {
    const { model } = permitted({ properties: { Secret: NOTHING } });
    expect(resolvePath(model, "Orders")?.type.properties.has("Secret")).toBe(false);
    expect(resolvePath(model, "Orders(1)/Customer")?.type.properties.has("Name")).toBe(false);
    expect(resolvePath(model, "TopOrders")?.type.properties.has("Secret")).toBe(false);
    expect(model.types.get("Shop.Order")?.properties.has("Secret")).toBe(false);
    const orders = resolvePath(model, "Orders");
    expect([memberAt(orders!.type, "Customer/Name"), memberAt(orders!.type, "Customer/Code")]).toEqual([
      null,
      expect.objectContaining({ kind: "property" }),
    ]);
    expect(MODEL.sets.get("Orders")?.type.properties.has("Secret")).toBe(true);
  });

  test("is absent from a singleton whose entity it belongs to", () => {
    const hidden = permittedModel(MODEL, new Map([["Best", { update: false, properties: { Secret: NOTHING } }]]));
    const place = resolvePath(hidden, "Best");
    expect([place?.isCollection, place?.set?.name, place?.set?.abilities.canUpdate]).toEqual([false, "Best", false]);
    expect(place?.type.properties.has("Secret")).toBe(false);
    expect(resolvePath(hidden, "Best/Customer")?.set?.name).toBe("Customers");
  });

  test("stays where only the rules of another set hide it", () => {
    const { model } = permitted({ properties: { Secret: NOTHING } });
    expect([...(resolvePath(model, "Items")?.type.properties.keys() ?? [])]).toEqual(["OrderId", "No", "Price"]);
    const archive = {
      ...MODEL,
      sets: new Map([...MODEL.sets, ["Old", { ...MODEL.sets.get("Orders")!, name: "Old" }]]),
    };
    const other = permittedModel(archive, new Map([["Orders", { properties: { Secret: NOTHING } }]]));
    expect(other.sets.get("Old")?.type.properties.has("Secret")).toBe(true);
    expect(other.types.get("Shop.Order")?.properties.has("Secret")).toBe(false);
  });

  test("can be given to a new entity if the user may do so", () => {
    const { place } = permitted({ properties: { Secret: { read: false, update: false } } });
    expect(place.type.hidden.map(({ name, isNotCreated, immutable }) => [name, isNotCreated, immutable])).toEqual([
      ["Secret", false, true],
    ]);
  });

  test("is lost with a deleted entity", () => {
    const values = { Id: 1, Total: "1", PlacedAt: null, Color: "Red", Days: null, IsPaid: true, Tags: [], Photo: null };
    const { type } = permitted({ properties: { Secret: NOTHING } }).place;
    expect(isRepeatable(type, values)).toBe(false);
    expect(isRepeatable(permitted().place.type, { ...values, Secret: "x" })).toBe(true);
  });
});

test("a navigation to entities that the user may not read is absent", () => {
  const { place } = permitted({ properties: { Customer: { read: false } } });
  expect([...place.type.navigations.keys()]).toEqual(["Items"]);
});

test("a property that the user may not write is one that the service does not let write", () => {
  const { place } = permitted({
    properties: { Total: { create: false }, Color: { update: false }, IsPaid: { create: false, update: false } },
  });
  const flags = ["Id", "Total", "Color", "IsPaid"].map((name) => {
    const { isNotCreated, immutable, readOnly } = place.type.properties.get(name)!;
    return [name, isNotCreated, immutable, readOnly];
  });
  expect(flags).toEqual([
    ["Id", false, false, false],
    ["Total", true, false, false],
    ["Color", false, true, false],
    ["IsPaid", true, true, true],
  ]);
  const values = {
    Total: "1",
    Color: "Red",
    PlacedAt: null,
    Days: null,
    IsPaid: null,
    Tags: [],
    Secret: "",
    Photo: "",
  };
  expect([
    isRepeatable(place.type, { ...values, Id: 1 }),
    isRepeatable(place.type, { ...values, Id: 1, Total: null }),
  ]).toEqual([false, true]);
});

test("abilities and operations end where the rules deny them", () => {
  const { abilities } = permitted({ create: false, delete: false, invoke: false });
  expect(abilities).toMatchObject({
    canRead: true,
    canCreate: false,
    canUpdate: true,
    canDelete: false,
    canInvoke: false,
  });
  const { operations } = permittedModel(MODEL, new Map([["TopOrders", { invoke: false }]]));
  expect(operations).toEqual([]);
});
