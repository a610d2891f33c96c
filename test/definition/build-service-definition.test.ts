import { describe, expect, test } from "vitest";
import { bindAnnotations } from "../../src/definition/annotations/bind-annotations.ts";
import type { ServiceDefinition } from "../../src/definition/model/service-definition.ts";
import type { ServiceOptions } from "../../src/definition/model/service-options.ts";
import { anyOf, authenticated, needsResource, resource, role } from "../../src/definition/sets/authorization.ts";
import { entitySet } from "../../src/definition/sets/entity-set.ts";
import { hasMany, hasOptional, hasRequired } from "../../src/definition/sets/navigation.ts";
import { action, fn } from "../../src/definition/sets/operation.ts";
import { buildServiceDefinition } from "../../src/definition/startup/build-service-definition.ts";
import { edm } from "../../src/definition/types/edm-builders.ts";
import { complexType, entityType, enumType } from "../../src/definition/types/entity-type.ts";
import { allRows } from "../../src/definition/types/row-predicate.ts";
import { PRIMITIVE_TYPES } from "../../src/edm/primitive-type.ts";
import { ROW_RULES } from "../../src/engine/reads/gate.ts";

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
  return buildServiceDefinition({ entitySets: [orders, customers], ...options }, logger, ROW_RULES, bindAnnotations);
}

describe("the model", () => {
  const { model } = build({ namespace: "Shop.Sales" });
  const order = model.entityTypes.get("Order");

  test("contains every used type by name", () => {
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

  test("omits ignored properties", () => {
    expect([...(model.entityTypes.get("Customer")?.members.keys() ?? [])]).toEqual(["Id", "Name", "Orders"]);
    expect(model.entityTypes.get("Customer")?.properties[1]?.description).toBe("Full name");
  });

  test("resolves navigation properties in cycles", () => {
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

describe("names", () => {
  test.each([
    ["PascalCase", ["Id", "CustomerId", "remark", "Customer", "OrderLines"]],
    ["camelCase", ["id", "customerId", "remark", "customer", "orderLines"]],
    ["asDeclared", ["id", "customerId", "remark", "customer", "orderLines"]],
  ] as const)("%s", (propertyNaming, expected) => {
    // The camelCase name of `total` equals the name of a function.
    const plain = entitySet(Order, { navigation: orders.navigation ?? {} });
    const { model } = build({ propertyNaming, entitySets: [plain, customers] });
    const members = [...(model.entityTypes.get("Order")?.members.values() ?? [])];
    const wanted = new Set(["id", "customerId", "note", "customer", "orderLines"]);
    expect(members.filter(({ field }) => wanted.has(field)).map(({ name }) => name)).toEqual(expected);
    expect(model.complexTypes.get("Address")?.properties.map(({ name }) => name)).toEqual(
      propertyNaming === "PascalCase" ? ["Street", "PostCode"] : ["street", "postCode"],
    );
  });

  test("an explicit name overrides the plural", () => {
    const { entitySets } = build({ entitySets: [entitySet(Line, { name: "Positions" })] });
    expect([...entitySets.keys()]).toEqual(["Positions"]);
  });

  test("the container gets another name if a type has its name", () => {
    const Container = entityType("Container", { id: edm.int32().key() });
    const { model } = build({ entitySets: [entitySet(Container, {})] });
    expect(model.entityContainer.name).toBe("DefaultContainer");
    expect(model.namespace).toBe("Default");
  });
});

describe("settings", () => {
  test("have the documented defaults", () => {
    const set = build({ entitySets: [entitySet(Line, {})] }).entitySets.get("Lines");
    expect(set?.capabilities).toEqual({
      filterEnabled: true,
      orderByEnabled: true,
      selectEnabled: true,
      expandEnabled: true,
      countEnabled: true,
      searchEnabled: false,
      filterProperties: null,
      orderByProperties: null,
      selectProperties: null,
      expandProperties: null,
      expansions: { unloaded: new Set(), objects: new Set() },
      maxTop: 1000,
      roundingMode: "spec-compliant",
    });
    expect(set?.settings).toEqual({
      allowDeepInsert: false,
      bindEnabled: false,
      deepUpdateEnabled: false,
      maxRequestBodyBytes: 30_000_000,
      propertyAccessEnabled: true,
      propertyRouteDocsEnabled: false,
      allowUpsert: false,
      idempotentDelete: true,
      requireIfMatch: false,
      cacheControl: null,
      vary: "",
      selectPushdownEnabled: true,
      expandPushdownEnabled: true,
      unknownMembers: "reject",
      paging: "offset",
    });
  });

  test.each([
    [undefined, undefined, 1000],
    [undefined, 5, 5],
    [7, undefined, 7],
    [7, 5, 5],
    [null, undefined, null],
    [7, null, null],
    [null, 5, 5],
  ])("maxTop: a default of %s and %s of the set give %s", (ofService, ofSet, expected) => {
    const service = build({ entitySets: [entitySet(Line, { maxTop: ofSet })], defaults: { maxTop: ofService } });
    expect(service.entitySets.get("Lines")?.capabilities.maxTop).toBe(expected);
  });

  test("flags are inherited, and overridden", () => {
    const defaults = {
      filterEnabled: false,
      countEnabled: false,
      idempotentDelete: false,
      roundingMode: "BankersRounding",
    } as const;
    const service = build({ entitySets: [entitySet(Line, { filterEnabled: true })], defaults });
    const set = service.entitySets.get("Lines");
    expect(set?.capabilities).toMatchObject({
      filterEnabled: true,
      countEnabled: false,
      roundingMode: "BankersRounding",
    });
    expect(set?.settings.idempotentDelete).toBe(false);
  });

  test("allowlists contain wire names, including navigations; an empty list allows nothing", () => {
    const { capabilities } = build().entitySets.get("Orders") ?? {};
    expect(capabilities?.filterProperties).toEqual(new Set(["Customer", "remark"]));
    expect(capabilities?.expandProperties).toEqual(new Set(["Customer"]));
    expect(capabilities?.orderByProperties).toBeNull();
    const none = build({ entitySets: [entitySet(Line, { selectProperties: [] })] });
    expect(none.entitySets.get("Lines")?.capabilities.selectProperties?.size).toBe(0);
  });

  test.each([
    [undefined, {}, {}, [undefined, undefined]],
    ["standard", {}, {}, [true, true]],
    ["standard", { computeEnabled: false }, {}, [true, undefined]],
    ["standard", { applyEnabled: false }, { applyEnabled: true }, [true, true]],
    ["specification", { applyEnabled: true }, {}, [true, undefined]],
    ["specification", { applyEnabled: true }, { applyEnabled: false, computeEnabled: true }, [undefined, true]],
    ["standard", {}, { applyQuery: () => ({ items: [] }) }, [undefined, undefined]],
    ["standard", {}, { applyQuery: () => ({ items: [] }), applyQueryOptions: ["compute"] as const }, [undefined, true]],
  ] as const)(
    "$apply and $compute with the profile %s, the defaults %j and the set %j",
    (profile, defaults, options, on) => {
      const { entitySets } = build({ entitySets: [entitySet(Line, options)], defaults, profile });
      const { applyEnabled, computeEnabled } = entitySets.get("Lines")?.capabilities ?? {};
      expect([applyEnabled, computeEnabled]).toEqual(on);
    },
  );

  test("the allowlists of $apply are those of $select, unless the set says otherwise", () => {
    const defaults = { applyEnabled: true, computeEnabled: true };
    const capabilitiesOf = (options: object) =>
      build({ entitySets: [entitySet(Line, options)], defaults }).entitySets.get("Lines")?.capabilities;
    expect(capabilitiesOf({})).toMatchObject({
      groupByProperties: null,
      aggregateProperties: null,
      computeProperties: null,
    });
    const no = new Set(["No"]);
    expect(capabilitiesOf({ selectProperties: ["no"], groupByProperties: [] })).toMatchObject({
      groupByProperties: new Set(),
      aggregateProperties: no,
      computeProperties: no,
    });
  });

  test("a search handler enables $search", () => {
    const service = build({ entitySets: [entitySet(Line, { getAll: () => [], search: () => [] })] });
    expect(service.entitySets.get("Lines")?.capabilities.searchEnabled).toBe(true);
  });

  test("limits", () => {
    expect(build({ defaults: { maxExpandDepth: 0, maxNodeCount: null, maxUrlLength: undefined } }).limits).toEqual({
      maxExpandDepth: 0,
      maxExpandTop: 1000,
      maxNodeCount: null,
      maxAnyAllDepth: 3,
      maxInListLength: 1000,
      maxOrderByProperties: 10,
      maxApplySteps: 20,
      maxUrlLength: 16_384,
      maxQueryBodyBytes: 262_144,
      maxJsonDepth: 64,
      maxJsonValues: 100_000,
      maxPageSize: 10_000,
      maxResponseEntities: 100_000,
      maxResponseBytes: 64_000_000,
      maxExpandItems: 50,
      maxIterableEntities: 100_000,
      queryTimeout: 10_000,
      transactionTimeout: 10_000,
    });
  });
});

describe("the registration", () => {
  test("has defaults for absent options", () => {
    expect(build()).toMatchObject({
      name: undefined,
      prefix: "",
      group: undefined,
      profile: { name: "specification" },
      publicUrl: undefined,
      trustProxy: false,
      serverTiming: false,
      challenge: "Bearer",
      authenticate: undefined,
    });
    expect(build().logger).toBe(logger);
  });

  test.each([
    [{ name: "v1" }, "/v1"],
    [{ name: "v1", prefix: "/odata" }, "/odata"],
    [{ name: "v1", prefix: "" }, ""],
    [{ prefix: "/a/b-c.d" }, "/a/b-c.d"],
  ])("%j is at %j", (options, prefix) => {
    expect(build(options).prefix).toBe(prefix);
  });

  test.each([
    ["https://api.example.com", "https://api.example.com"],
    ["https://api.example.com/", "https://api.example.com"],
    ["https://api.example.com:8443/base//", "https://api.example.com:8443/base"],
  ])("the public URL %s is %s", (publicUrl, expected) => {
    expect(build({ publicUrl }).publicUrl).toBe(expected);
  });

  test("keeps handlers by name", () => {
    const greet = (): string => "hello";
    const service = build({
      functions: { greet: fn({ returns: edm.string(), handler: greet }) },
      actions: { ping: action({ handler: () => {} }) },
    });
    const set = service.entitySets.get("Orders");
    expect(Object.keys(set?.handlers ?? {})).toEqual(["getAll", "getByKey"]);
    expect(set?.handlers.getByKey).toBe(getByKey);
    expect([...(set?.navigationHandlers ?? [])].map(([name, handlers]) => [name, Object.keys(handlers)])).toEqual([
      ["Customer", []],
      ["OrderLines", ["get"]],
    ]);
    const join = set?.entitySet.navigationJoins.get("OrderLines");
    const pairs = join?.kind === "direct" ? join.pairs : [];
    expect(pairs.map(({ property, related }) => [property.field, related.field])).toEqual([["id", "orderId"]]);
    expect([...(set?.operations.keys() ?? [])]).toEqual(["total", "late", "approve"]);
    expect(service.operations.get("greet")?.handler).toBe(greet);
    expect([...service.operationImports.values()].map(({ kind, name }) => [kind, name])).toEqual([
      ["FunctionImport", "greet"],
      ["ActionImport", "ping"],
    ]);
    expect(service.model.entityContainer.functionImports.get("greet")?.operation).toBe(
      service.operations.get("greet")?.operation,
    );
  });
});

describe("authorization", () => {
  const signedIn = { kind: "authenticated" };
  const has = (name: string): object => ({ kind: "role", name });

  test("without rules, nothing is required and no row is hidden", () => {
    const service = build({ functions: { greet: fn({ returns: edm.string(), handler: () => "" }) } });
    expect(service.authorization).toEqual([]);
    expect(service.operations.get("greet")?.authorization).toEqual([]);
    expect(service.entitySets.get("Orders")).toMatchObject({
      authorization: { read: [], create: [], update: [], delete: [], invoke: [] },
      rows: null,
    });
  });

  test("the rules of a category replace the rules for all, even if empty", () => {
    const authorization = { all: authenticated(), read: [], update: [role("editor"), role("ann")], create: undefined };
    const { entitySets } = build({ entitySets: [entitySet(Customer, { authorization })] });
    expect(entitySets.get("Customers")?.authorization).toEqual({
      read: [],
      create: [signedIn],
      update: [has("editor"), has("ann")],
      delete: [signedIn],
      invoke: [signedIn],
    });
  });

  test("the rules of the registration and of operations apply in addition", () => {
    const ping = action({ authorization: [role("a"), anyOf(role("b"), anyOf(role("c")))], handler: () => {} });
    const service = build({ authorization: authenticated(), actions: { ping } });
    expect(service.authorization).toEqual([signedIn]);
    expect(service.operations.get("ping")?.authorization).toEqual([
      has("a"),
      { kind: "anyOf", rules: [has("b"), { kind: "anyOf", rules: [has("c")] }] },
    ]);
    expect(service.entitySets.get("Orders")?.authorization.read).toEqual([]);
  });

  test("later changes by the application have no effect on them", () => {
    const rules = [role("a")];
    const authorization: { read?: typeof rules; rows: () => typeof allRows } = { read: rules, rows: () => allRows };
    const { entitySets } = build({ entitySets: [entitySet(Customer, { authorization })] });
    rules.pop();
    delete authorization.read;
    authorization.rows = () => {
      throw new Error("too late");
    };
    expect(entitySets.get("Customers")?.authorization.read).toEqual([has("a")]);
    expect(entitySets.get("Customers")?.rows?.conditionFor({})).toBe("all");
  });

  test("finds a check of entities at any depth of a rule", () => {
    const mine = resource(() => true);
    const needs = [mine, anyOf(role("a"), mine), anyOf(role("a"), anyOf(role("b"), mine))];
    expect(needs.map(({ requires }) => needsResource(requires))).toEqual([true, true, true]);
    const others = [authenticated(), role("resource"), anyOf(role("a"), anyOf(role("b")))];
    expect(others.map(({ requires }) => needsResource(requires))).toEqual([false, false, false]);
  });
});

describe("two sets of one type", () => {
  const Node = entityType("Node", { id: edm.int32().key(), parentId: edm.int32().nullable() });
  const nodes = entitySet(Node, {
    navigation: { parent: hasOptional(Node, {}), children: hasMany(Node, { partner: "parent" }) },
  });
  const roots = entitySet(Node, {
    name: "Roots",
    navigation: { parent: hasOptional(Node, { on: { parentId: "id" }, partner: "children" }), siblings: hasMany(Node) },
  });
  const { model } = build({ entitySets: [nodes, roots] });

  test("their type has the navigations of both", () => {
    const type = model.entityTypes.get("Node");
    expect(type?.navigationProperties.map(({ name }) => name)).toEqual(["Parent", "Children", "Siblings"]);
    expect(type?.navigationProperties[0]).toMatchObject({
      partner: "Children",
      referentialConstraints: [{ property: { name: "ParentId" } }],
    });
  });

  test("each set has only its own navigations", () => {
    const names = [...model.entityContainer.entitySets.values()].map((set) => [...set.navigationProperties.keys()]);
    expect(names).toEqual([
      ["Parent", "Children"],
      ["Parent", "Siblings"],
    ]);
  });
});

describe("referential constraints", () => {
  const Pair = entityType("Pair", { a: edm.int32().key(), b: edm.int32().key() });
  const Item = entityType("Item", { id: edm.int32().key(), a: edm.int32(), b: edm.int32().ignored(), c: edm.int32() });
  test.each<readonly [string, object, ReadonlyArray<readonly [string, string]>]>([
    [
      "the whole key",
      { a: "a", c: "b" },
      [
        ["A", "A"],
        ["C", "B"],
      ],
    ],
    ["part of the key", { a: "a" }, []],
    ["with an ignored property", { a: "a", b: "b" }, []],
  ])("%s", (_title, on, expected) => {
    const set = entitySet(Item, { navigation: { pair: hasRequired(Pair, { on }) } });
    const [pair] = build({ entitySets: [set] }).model.entityTypes.get("Item")?.navigationProperties ?? [];
    const found = pair?.referentialConstraints.map(({ property, referencedProperty }) => [
      property.name,
      referencedProperty.name,
    ]);
    expect(found).toEqual(expected);
  });
});

describe("defaults in canonical form", () => {
  const Place = complexType("Place", {
    x: edm.int64().default(1),
    y: edm.string().nullable(),
    z: edm.string().ignored(),
    tags: edm.collection(edm.enum(Status)),
  });
  test.each([
    ["Int64", edm.int64().default(5), 5n],
    ["Decimal", edm.decimal({ scale: 2 }).default(1.5), "1.5"],
    ["DateTimeOffset", edm.dateTimeOffset().default(new Date(0)), "1970-01-01T00:00:00.000Z"],
    [
      "null",
      edm
        .string()
        .nullable()
        .default(null as never),
      null,
    ],
    ["a collection", edm.collection(edm.int64()).default([1, 2n]), [1n, 2n]],
    ["a complex value", edm.complex(Place).default({ x: 3, tags: ["Paid"] }), { x: 3n, y: null, tags: ["Paid"] }],
    ["Binary", edm.binary().default(new Uint8Array([1])), new Uint8Array([1])],
  ])("%s", (_title, property, expected) => {
    const Thing = entityType("Thing", { id: edm.int32().key(), value: property });
    const { model } = build({ entitySets: [entitySet(Thing, {})] });
    expect(model.entityTypes.get("Thing")?.properties[1]?.defaultValue).toEqual(expected);
  });
});

describe("isolation", () => {
  test("two services of one set object share nothing", () => {
    const plainOrders = entitySet(Order, { navigation: orders.navigation ?? {} });
    const [one, two] = [
      build(),
      build({ propertyNaming: "asDeclared", entitySets: [customers, plainOrders], defaults: { maxTop: 5 } }),
    ];
    expect(one.entitySets.get("Customers")?.capabilities.maxTop).toBe(1000);
    expect(two.entitySets.get("Customers")?.capabilities.maxTop).toBe(5);
    expect(one.model.entityTypes.get("Customer")?.properties[0]?.name).toBe("Id");
    expect(two.model.entityTypes.get("Customer")?.properties[0]?.name).toBe("id");
    const shared = [...objectsOf(one)].filter((each) => objectsOf(two).has(each));
    expect(shared.filter((each) => !isSharedByDesign(each))).toEqual([]);
  });

  test("everything is frozen, including maps and sets", () => {
    const service = build({
      functions: { greet: fn({ returns: edm.complex(Address), handler: () => ({ street: "" }) }) },
    });
    const open = [...objectsOf(service)].filter((each) => !Object.isFrozen(each) && each !== logger);
    expect(open).toEqual([]);
    const { model, entitySets } = service;
    const change = (target: object): void => (target as Map<unknown, unknown>).clear();
    expect(() => change(model.entityTypes)).toThrow(TypeError);
    expect(() => change(model.entityContainer.entitySets)).toThrow(TypeError);
    expect(() => change(entitySets)).toThrow(TypeError);
    expect(() => change(entitySets.get("Orders")?.capabilities.filterProperties ?? {})).toThrow(TypeError);
    expect(() => Object.assign(model, { namespace: "x" })).toThrow(TypeError);
    expect(() => Object.assign(model.entityTypes.get("Order")?.properties[0] ?? {}, { name: "x" })).toThrow(TypeError);
  });

  test("later changes by the application have no effect on it", () => {
    const list: Array<"id" | "name"> = ["id"];
    const defaults = { maxTop: 7 };
    const service = build({ entitySets: [entitySet(Customer, { filterProperties: list })], defaults });
    list.push("name");
    defaults.maxTop = 8;
    expect(service.entitySets.get("Customers")?.capabilities).toMatchObject({
      maxTop: 7,
      filterProperties: new Set(["Id"]),
    });
  });
});

/** Returns every object reachable from a value, except functions. */
function objectsOf(value: unknown, found: Set<object> = new Set()): Set<object> {
  if (typeof value !== "object" || value === null || found.has(value)) return found;
  found.add(value);
  const held = value instanceof Map ? [...value.keys(), ...value.values()] : Object.values(value);
  for (const each of held) objectsOf(each, found);
  return found;
}

/** Constants of the package, and objects of the application. */
function isSharedByDesign(value: object): boolean {
  const isConstant = "kind" in value && value.kind === "PrimitiveType";
  const isProfile = "navigationTakesEveryOption" in value;
  return isConstant || isProfile || value === logger;
}
