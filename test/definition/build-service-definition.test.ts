import { describe, expect, test } from "vitest";
import { buildServiceDefinition } from "../../src/definition/build-service-definition.ts";
import { edm } from "../../src/definition/edm-builders.ts";
import { entitySet } from "../../src/definition/entity-set.ts";
import { complexType, entityType, enumType } from "../../src/definition/entity-type.ts";
import { hasMany, hasRequired } from "../../src/definition/navigation.ts";
import { action, fn } from "../../src/definition/operation.ts";
import type { ServiceDefinition } from "../../src/definition/service-definition.ts";
import type { ServiceOptions } from "../../src/definition/service-options.ts";
import { PRIMITIVE_TYPES } from "../../src/edm/primitive-type.ts";

const logger = { error: () => {}, warn: () => {}, info: () => {} };

const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Address = complexType("Address", { street: edm.string({ maxLength: 120 }), postCode: edm.string().nullable() });
const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string().describe("Full name"),
  hidden: edm.string().ignored(),
});
const Line = entityType("Line", { orderId: edm.int64().key(), no: edm.int32().key() });
const Order = entityType("Order", {
  id: edm.int64().key().computed(),
  customerId: edm.int32(),
  status: edm.enum(Status).default("Paid"),
  total: edm.decimal({ precision: 12, scale: 2 }).default(5),
  ratio: edm.decimal(),
  placedAt: edm.dateTimeOffset(),
  due: edm.dateTimeOffset({ precision: 3 }).immutable(),
  shipTo: edm.complex(Address).nullable(),
  tags: edm.collection(edm.string({ maxLength: 5 }).nullable()),
  note: edm.string().nullable().json("remark"),
});

const getByKey = (): null => null;
const orders = entitySet(Order, {
  getAll: () => [],
  getByKey,
  etag: ["total"],
  maxTop: null,
  filterProperties: ["note", "customer"],
  expandProperties: ["customer"],
  navigation: {
    customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers", partner: "orders" }),
    orderLines: hasMany(() => Line, { on: { id: "orderId" }, get: () => [] }),
  },
  functions: {
    total: fn({
      bound: "entity",
      params: { days: edm.int32().default(7) },
      returns: edm.decimal(),
      handler: (_key) => "1",
    }),
    late: fn({ bound: "collection", returns: edm.collection(Order), composable: true, handler: () => [] }),
  },
  actions: { approve: action({ bound: "entity", handler: (_key) => {} }) },
});
const customers = entitySet(Customer, {
  navigation: { orders: hasMany(() => Order, { on: { id: "customerId" }, target: "Orders", partner: "customer" }) },
});

function build(options: Partial<ServiceOptions> = {}): ServiceDefinition {
  return buildServiceDefinition({ entitySets: [orders, customers], ...options }, logger);
}

describe("the model", () => {
  const { model } = build({ namespace: "Shop.Sales" });
  const order = model.entityTypes.get("Order");

  test("has every type that is mentioned, by name", () => {
    expect([...model.entityTypes.keys()]).toEqual(["Order", "Customer", "Line"]);
    expect([...model.complexTypes.keys()]).toEqual(["Address"]);
    expect([...model.enumTypes.keys()]).toEqual(["Status"]);
    expect(order?.qualifiedName).toBe("Shop.Sales.Order");
  });

  test("resolves the properties of an entity type", () => {
    expect(
      order?.properties.map(({ name, field, type, isCollection, nullable, facets, defaultValue }) => [
        name,
        field,
        type.name,
        isCollection,
        nullable,
        facets,
        defaultValue,
      ]),
    ).toEqual([
      ["Id", "id", "Edm.Int64", false, false, {}, undefined],
      ["CustomerId", "customerId", "Edm.Int32", false, false, {}, undefined],
      ["Status", "status", "Status", false, false, {}, "Paid"],
      ["Total", "total", "Edm.Decimal", false, false, { precision: 12, scale: 2 }, "5"],
      ["Ratio", "ratio", "Edm.Decimal", false, false, { scale: "variable" }, undefined],
      ["PlacedAt", "placedAt", "Edm.DateTimeOffset", false, false, { precision: 12 }, undefined],
      ["Due", "due", "Edm.DateTimeOffset", false, false, { precision: 3 }, undefined],
      ["ShipTo", "shipTo", "Address", false, true, {}, undefined],
      ["Tags", "tags", "Edm.String", true, true, { maxLength: 5 }, undefined],
      ["remark", "note", "Edm.String", false, true, {}, undefined],
    ]);
    expect(order?.properties.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(order?.properties[1]?.type).toBe(PRIMITIVE_TYPES["Edm.Int32"]);
    expect(order?.properties[0]).toMatchObject({ isKey: true, computed: true, immutable: false });
    expect(order?.properties[6]).toMatchObject({ isKey: false, computed: false, immutable: true });
    expect(order?.key).toEqual([order?.properties[0]]);
    expect(order?.members.get("remark")).toBe(order?.properties[9]);
    expect(order?.membersIgnoringCase.get("orderlines")).toBe(order?.navigationProperties[1]);
  });

  test("leaves ignored properties out", () => {
    expect([...(model.entityTypes.get("Customer")?.members.keys() ?? [])]).toEqual(["Id", "Name", "Orders"]);
    expect(model.entityTypes.get("Customer")?.properties[1]?.description).toBe("Full name");
  });

  test("resolves navigation properties, in circles", () => {
    const customer = order?.members.get("Customer");
    const back = model.entityTypes.get("Customer")?.members.get("Orders");
    expect(customer).toMatchObject({
      kind: "NavigationProperty",
      field: "customer",
      isCollection: false,
      nullable: false,
      partner: "Orders",
      referentialConstraints: [{ property: { name: "CustomerId" }, referencedProperty: { name: "Id" } }],
    });
    expect(customer).toHaveProperty("entityType", model.entityTypes.get("Customer"));
    expect(back).toMatchObject({ isCollection: true, partner: "Customer", referentialConstraints: [] });
    expect(back).toHaveProperty("entityType", order);
  });

  test("resolves entity sets", () => {
    const set = model.entityContainer.entitySets.get("Orders");
    expect(model.entityContainer.name).toBe("Container");
    expect(set?.entityType).toBe(order);
    expect([...(set?.navigationProperties.keys() ?? [])]).toEqual(["Customer", "OrderLines"]);
    expect([...(set?.navigationPropertyBindings ?? [])]).toEqual([["Customer", "Customers"]]);
    expect(set?.etag.map(({ name }) => name)).toEqual(["Total"]);
  });

  test("resolves operations", () => {
    expect(model.operations.map(({ kind, name, qualifiedName }) => [kind, name, qualifiedName])).toEqual([
      ["Function", "total", "Shop.Sales.total"],
      ["Function", "late", "Shop.Sales.late"],
      ["Action", "approve", "Shop.Sales.approve"],
    ]);
    expect(model.operations[0]).toMatchObject({
      binding: { isCollection: false, entitySet: "Orders" },
      parameters: [{ name: "days", isCollection: false, nullable: false, defaultValue: 7 }],
      returnType: { isCollection: false, nullable: false, facets: { scale: "variable" } },
      isComposable: false,
    });
    expect(model.operations[1]).toMatchObject({
      binding: { isCollection: true },
      returnType: { type: order, isCollection: true, nullable: false },
      isComposable: true,
    });
    expect(model.operations[2]?.returnType).toBeUndefined();
  });
});
