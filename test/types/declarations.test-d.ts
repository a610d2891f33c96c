import {
  type BodyOf,
  type DeltaOf,
  type EntityOf,
  type EntitySource,
  type KeyOf,
  type ResultOf,
  type RowPredicate,
  type ServiceOptions,
  type User,
  action,
  allRows,
  anyOf,
  applyDelta,
  authenticated,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasOptional,
  hasRequired,
  inherit,
  noRows,
  odataError,
  odataService,
  requireUser,
  resource,
  role,
} from "odatakit";
import { expectTypeOf, test } from "vitest";

const Status = enumType("Status", { Draft: 0, Paid: 1, Shipped: 2 });
const Days = enumType("Days", { Mon: 1, Tue: 2 }, { isFlags: true });
const Address = complexType("Address", { street: edm.string({ maxLength: 120 }), city: edm.string().nullable() });
const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Line = entityType("Line", {
  orderId: edm.int64().key(),
  no: edm.int32().key(),
  text: edm.string().nullable(),
});
const Order = entityType("Order", {
  id: edm.int64().key(),
  customerId: edm.int32(),
  ownerId: edm.string(),
  placedAt: edm.dateTimeOffset({ precision: 3 }),
  shipDate: edm.date().nullable(),
  status: edm.enum(Status).default("Draft"),
  days: edm.enum(Days),
  total: edm.decimal({ precision: 12, scale: 2 }),
  shipTo: edm.complex(Address).nullable(),
  tags: edm.collection(edm.string()),
  version: edm.int32().computed(),
  margin: edm.decimal().ignored(),
  note: edm.string().nullable().json("remark"),
});
type Order = EntityOf<typeof Order>;

declare const rows: Order[];
declare const source: EntitySource<typeof Order>;

test("an entity has every property with its canonical value", () => {
  expectTypeOf<Order>().toEqualTypeOf<{
    id: bigint;
    customerId: number;
    ownerId: string;
    placedAt: string;
    shipDate: string | null;
    status: "Draft" | "Paid" | "Shipped";
    days: "Mon" | "Tue" | `Mon,${string}` | `Tue,${string}`;
    total: string;
    shipTo: { street: string; city: string | null } | null;
    tags: readonly string[];
    version: number;
    margin: string;
    note: string | null;
  }>();
});

test("every builder has its canonical value and the values that handlers may return", () => {
  const All = entityType("All", {
    string: edm.string(),
    boolean: edm.boolean(),
    byte: edm.byte(),
    sByte: edm.sByte(),
    int16: edm.int16(),
    int32: edm.int32(),
    int64: edm.int64(),
    single: edm.single(),
    double: edm.double(),
    decimal: edm.decimal(),
    guid: edm.guid(),
    binary: edm.binary(),
    date: edm.date(),
    timeOfDay: edm.timeOfDay(),
    dateTimeOffset: edm.dateTimeOffset(),
    duration: edm.duration(),
    numbers: edm.collection(edm.int64().nullable()),
  });
  expectTypeOf<EntityOf<typeof All>>().toEqualTypeOf<{
    string: string;
    boolean: boolean;
    byte: number;
    sByte: number;
    int16: number;
    int32: number;
    int64: bigint;
    single: number;
    double: number;
    decimal: string;
    guid: string;
    binary: Uint8Array;
    date: string;
    timeOfDay: string;
    dateTimeOffset: string;
    duration: string;
    numbers: ReadonlyArray<bigint | null>;
  }>();
  type Result = ResultOf<typeof All>;
  expectTypeOf<Result["int64"]>().toEqualTypeOf<bigint | number>();
  expectTypeOf<Result["decimal"]>().toEqualTypeOf<string | number>();
  expectTypeOf<Date>().toExtend<Result["date"]>();
  expectTypeOf<Date>().toExtend<Result["dateTimeOffset"]>();
  expectTypeOf<Date>().not.toExtend<Result["timeOfDay"]>();
  expectTypeOf<Result["numbers"]>().toEqualTypeOf<ReadonlyArray<bigint | number | null>>();
});

test("keys, bodies, deltas and results follow the modifiers", () => {
  expectTypeOf<KeyOf<typeof Order>>().toEqualTypeOf<bigint>();
  expectTypeOf<KeyOf<typeof Line>>().toEqualTypeOf<{ readonly orderId: bigint; readonly no: number }>();
  expectTypeOf<keyof BodyOf<typeof Order>>().toEqualTypeOf<Exclude<keyof Order, "version" | "margin">>();
  expectTypeOf<keyof DeltaOf<typeof Order>>().toEqualTypeOf<Exclude<keyof Order, "version" | "margin" | "id">>();
  expectTypeOf<BodyOf<typeof Customer>>().toEqualTypeOf<{ id: number; name: string }>();
  expectTypeOf<DeltaOf<typeof Customer>>().toEqualTypeOf<{ readonly name?: string }>();
  expectTypeOf<DeltaOf<typeof Order>["shipTo"]>().toEqualTypeOf<
    { readonly street?: string; readonly city?: string | null } | null | undefined
  >();
  expectTypeOf<ResultOf<typeof Line>>().toEqualTypeOf<{
    readonly orderId: bigint | number;
    readonly no: number;
    readonly text?: string | null | undefined;
  }>();
  expectTypeOf<Omit<Order, "margin" | "note" | "shipDate" | "shipTo">>().toExtend<ResultOf<typeof Order>>();
  const Computed = entityType("Computed", { id: edm.guid().key().computed(), text: edm.string() });
  expectTypeOf<BodyOf<typeof Computed>>().toEqualTypeOf<{ text: string }>();
  expectTypeOf<KeyOf<typeof Computed>>().toEqualTypeOf<string>();
  const Defaulted = entityType("Defaulted", {
    id: edm.guid().key().databaseDefault(),
    at: edm.dateTimeOffset().databaseDefault(),
    note: edm.string().nullable().databaseDefault(),
    text: edm.string(),
  });
  expectTypeOf<BodyOf<typeof Defaulted>>().toEqualTypeOf<{
    id?: string;
    at?: string;
    note?: string | null;
    text: string;
  }>();
  expectTypeOf<EntityOf<typeof Defaulted>>().toEqualTypeOf<{
    id: string;
    at: string;
    note: string | null;
    text: string;
  }>();
  expectTypeOf<DeltaOf<typeof Defaulted>>().toEqualTypeOf<{
    readonly at?: string;
    readonly note?: string | null;
    readonly text?: string;
  }>();
  expectTypeOf<KeyOf<typeof Defaulted>>().toEqualTypeOf<string>();
});

const late = fn(Order, {
  bound: "entity",
  params: { days: edm.int32().default(7) },
  returns: edm.collection(edm.string()),
  handler: (key, { days }, ctx) => {
    expectTypeOf(key).toEqualTypeOf<bigint>();
    expectTypeOf(days).toEqualTypeOf<number>();
    expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
    return [];
  },
});

test("handlers of a set are inferred", () => {
  const orders = entitySet(Order, {
    queryable: () => source,
    getAll: async () => rows,
    applyQuery: (query) => {
      expectTypeOf(query.top).toEqualTypeOf<number | undefined>();
      return { items: rows, count: 1n };
    },
    getByKey: (key) => rows.find((row) => row.id === key) ?? null,
    create: (order, ctx) => {
      expectTypeOf(requireUser(ctx)).toEqualTypeOf<User>();
      for (const line of order.lines ?? []) expectTypeOf(line.text).toEqualTypeOf<string | null>();
      expectTypeOf(order.customer?.name).toEqualTypeOf<string | undefined>();
      if (order.total === "0") return odataError(409, "DuplicateName", "…");
      return { ...order, version: 1, placedAt: new Date() };
    },
    replace: (key, order) => ({ ...order, id: key, version: 1 }),
    patch: (key, delta, ctx) => {
      expectTypeOf(ctx.expected?.version).toEqualTypeOf<number | undefined>();
      const old = rows.find((row) => row.id === key);
      return applyDelta(Order, old, delta) ?? null;
    },
    delete: () => true,
    search: ({ text }) => {
      expectTypeOf(text).toEqualTypeOf<string>();
      return rows;
    },
    etag: ["version"],
    maxTop: null,
    filterEnabled: undefined,
    filterProperties: ["status", "customer"],
    expandProperties: ["customer"],
    groupByProperties: ["status", "customer"],
    aggregateProperties: [],
    applyEnabled: true,
    computeEnabled: undefined,
    navigation: {
      customer: hasRequired(Customer, {
        on: { customerId: "id" },
        target: "Customers",
        get: (key) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
          return null;
        },
        getBatch: (keys) => new Map(keys.map((key) => [key, { id: 1, name: "x" }])),
        setRef: (key, id) => {
          expectTypeOf({ key, id }).toEqualTypeOf<{ key: bigint; id: string }>();
        },
        removeRef: async (key) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
        },
      }),
      lines: hasMany(() => Line, {
        on: { id: "orderId" },
        get: (key) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
          return [];
        },
        create: (key, line) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
          expectTypeOf(line).toEqualTypeOf<BodyOf<typeof Line>>();
          return line;
        },
        addRef: (key, id) => {
          expectTypeOf({ key, id }).toEqualTypeOf<{ key: bigint; id: string }>();
        },
      }),
      parent: hasOptional(() => Order, { on: { id: "id" } }),
      tagged: hasMany(Customer, {
        through: { table: "tagged", from: { id: "order_id" }, to: { customer_id: "id" } },
      }),
    },
    functions: {
      late,
      total: fn({
        returns: edm.decimal(),
        bound: "entity",
        handler: (key, _parameters) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
          return "9.99";
        },
      }),
      top: fn({
        returns: edm.collection(Order),
        params: { n: edm.int32() },
        bound: "collection",
        composable: true,
        handler: ({ n }, ctx) => {
          expectTypeOf(n).toEqualTypeOf<number>();
          expectTypeOf(ctx.request.headers).toEqualTypeOf<Headers>();
          return rows;
        },
      }),
    },
    actions: {
      approve: action({
        bound: "entity",
        params: { note: edm.string() },
        handler: (key, { note }) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
          expectTypeOf(note).toEqualTypeOf<string>();
        },
      }),
      import: action({
        bound: "collection",
        params: { rows: edm.collection(edm.complex(Address)) },
        returns: edm.int32(),
        handler: ({ rows }) => rows.length,
      }),
    },
    authorization: {
      all: authenticated(),
      update: [role("editor"), resource((user, order) => order.ownerId === user.id)],
      read: anyOf(
        role("reader"),
        resource((user, order) => order.ownerId === user.id),
      ),
      rows: (user, order) => {
        if (user.id === undefined) return noRows;
        const mine = order.ownerId.eq(user.id).or(order.total.gt("5"));
        return user.id === "admin" ? allRows : mine.and(order.customer.name.startsWith("A").not());
      },
    },
  });
  expectTypeOf(orders.entityType).toEqualTypeOf(Order);
  const options: ServiceOptions = {
    name: "v1",
    entitySets: [orders, entitySet(Customer, {})],
    functions: {
      greet: fn({
        params: { who: edm.string().default("you") },
        returns: edm.string(),
        handler: ({ who }) => `hello ${who}`,
      }),
    },
    actions: { ping: action({ handler: () => {} }) },
    defaults: { maxTop: 10, maxNodeCount: null },
    authenticate: (request) => (request.headers.has("x") ? { id: "x" } : null),
    onStatement: ({ sql, parameters, ms, rows, error, request: { id, method, target } }) => {
      expectTypeOf([sql, id, method, target]).toEqualTypeOf<string[]>();
      expectTypeOf([ms, rows]).toEqualTypeOf<number[]>();
      expectTypeOf(parameters).toEqualTypeOf<readonly unknown[]>();
      expectTypeOf(error).toBeUnknown();
    },
  };
  const shop = odataService(options);
  expectTypeOf(shop).toHaveProperty("fetch");
  odataService({
    entitySets: [orders],
    functions: {
      greet: fn({
        params: { who: edm.string() },
        returns: edm.string(),
        handler: ({ who }, ctx) => who + ctx.request.url,
      }),
    },
    authenticate: () => null,
  });
});

test("rules of a set know its user, entities and rows", () => {
  entitySet(Order, {
    navigation: {
      customer: hasRequired(Customer, { on: { customerId: "id" } }),
      parent: hasOptional(() => Order),
      lines: hasMany(Line),
    },
    authorization: {
      all: [authenticated(), role("reader")],
      read: undefined,
      create: resource((user, order, ctx) => {
        expectTypeOf(user).toEqualTypeOf<User>();
        expectTypeOf(order).toEqualTypeOf<Order>();
        expectTypeOf(ctx.user).toEqualTypeOf<User | null>();
        return Promise.resolve(true);
      }),
      update: anyOf(
        role("editor"),
        anyOf(resource(async (user, { ownerId, margin }) => ownerId === user.id && margin !== "0")),
      ),
      delete: [],
      invoke: role("admin"),
      rows: (user, row) => {
        expectTypeOf(user).toEqualTypeOf<User>();
        expectTypeOf<Parameters<typeof row.status.eq>[0]>().toEqualTypeOf<"Draft" | "Paid" | "Shipped">();
        expectTypeOf<Parameters<typeof row.id.in>[0]>().toEqualTypeOf<readonly bigint[]>();
        expectTypeOf<Parameters<typeof row.shipDate.eq>[0]>().toEqualTypeOf<string | null>();
        expectTypeOf<Parameters<typeof row.note.startsWith>[0]>().toEqualTypeOf<string>();
        expectTypeOf<Parameters<typeof row.margin.isNull>>().toEqualTypeOf<[]>();
        expectTypeOf<Parameters<typeof row.customer.id.ge>[0]>().toEqualTypeOf<number>();
        expectTypeOf(row.parent.ownerId.eq("x").or(noRows).and(allRows).not()).toEqualTypeOf<RowPredicate>();
        expectTypeOf(row).not.toHaveProperty("lines");
        return row.version.gt(1);
      },
      properties: {
        status: { create: role("clerk"), update: [authenticated(), role("clerk")] },
        note: { read: anyOf(role("a"), role("b")), create: [], update: undefined },
      },
    },
  });
  entitySet(Order, { authorization: undefined });
});

test("operations and registrations have rules without an entity", () => {
  const rules = [authenticated(), anyOf(role("a"), role("b"))];
  odataService({
    entitySets: [],
    authorization: rules,
    functions: {
      greet: fn({ params: { who: edm.string() }, returns: edm.string(), authorization: role("a"), handler: () => "" }),
    },
    actions: {
      ping: action({ authorization: rules, handler: () => {} }),
      open: action({ authorization: [], handler: () => {} }),
    },
  });
});

test("applyDelta returns an entity, and null without one", () => {
  expectTypeOf(applyDelta(Order, rows[0]!, {})).toEqualTypeOf<Order>();
  expectTypeOf(applyDelta(Order, rows[0], {})).toEqualTypeOf<Order | null>();
});

test("two declarations in two modules", () => {
  const people = entitySet(Customer, { navigation: { orders: hasMany(() => Order, { on: { id: "customerId" } }) } });
  expectTypeOf(people.entityType.name).toEqualTypeOf<"Customer">();
});

test("wrong uses do not compile", () => {
  // @ts-expect-error -- wrong source property
  entitySet(Order, { navigation: { c: hasRequired(Customer, { on: { custId: "id" } }) } });
  // @ts-expect-error -- wrong target property
  entitySet(Order, { navigation: { c: hasRequired(Customer, { on: { customerId: "idd" } }) } });
  entitySet(Order, {
    // @ts-expect-error -- not a navigation
    expandProperties: ["nope"],
    navigation: { c: hasRequired(Customer, { on: { customerId: "id" } }) },
  });
  // @ts-expect-error -- not a navigation
  entitySet(Order, { expandProperties: ["nope"] });
  // @ts-expect-error -- wrong result
  entitySet(Order, { functions: { t: fn({ returns: edm.boolean(), bound: "entity", handler: () => 1 }) } });
  // @ts-expect-error -- the key of the set comes first
  entitySet(Order, { actions: { t: action({ bound: "entity", handler: (key: string) => void key }) } });
  // @ts-expect-error -- a parameter that is not declared
  entitySet(Order, { actions: { t: action({ bound: "entity", handler: (_key, { note }) => void note }) } });
  // @ts-expect-error -- row predicate of wrong type
  entitySet(Order, { authorization: { rows: (_user, order) => order.ownerId.eq(5) } });
  // @ts-expect-error -- not a rule
  entitySet(Order, { authorization: { all: "admin" } });
  // @ts-expect-error -- a rule that is not called
  entitySet(Order, { authorization: { all: authenticated } });
  // @ts-expect-error -- a rule without its category
  entitySet(Order, { authorization: role("admin") });
  // @ts-expect-error -- a mistyped category
  entitySet(Order, { authorization: { updat: role("admin") } });
  // @ts-expect-error -- a mistyped property
  entitySet(Order, { authorization: { properties: { statu: { read: role("admin") } } } });
  // @ts-expect-error -- a rule that properties do not have
  entitySet(Order, { authorization: { properties: { status: { write: role("admin") } } } });
  // @ts-expect-error -- a rule of a property without its name
  entitySet(Order, { authorization: { properties: { status: role("admin") } } });
  // @ts-expect-error -- an unknown property in a check
  entitySet(Order, { authorization: { update: resource((user, order) => order.owner === user.id) } });
  // @ts-expect-error -- a check without a result
  entitySet(Order, { authorization: { update: resource(() => {}) } });
  // @ts-expect-error -- a row rule returns a predicate, not true
  entitySet(Order, { authorization: { rows: () => true } });
  // @ts-expect-error -- a row rule is synchronous
  entitySet(Order, { authorization: { rows: async () => allRows } });
  // @ts-expect-error -- a user may have no id, and undefined is not a value
  entitySet(Order, { authorization: { rows: (user, order) => order.ownerId.eq(user.id) } });
  // @ts-expect-error -- null for a property that is not nullable
  entitySet(Order, { authorization: { rows: (_user, order) => order.ownerId.eq(null) } });
  // @ts-expect-error -- startsWith of a number
  entitySet(Order, { authorization: { rows: (_user, order) => order.version.startsWith("1") } });
  const ofOrder = {
    customer: hasRequired<typeof Order, typeof Customer>(Customer, { on: { customerId: "id" }, target: "Customers" }),
    lines: hasMany<typeof Order, typeof Line>(Line, { target: "Lines" }),
  };
  entitySet(Order, { navigation: ofOrder, authorization: { rows: inherit("customer") } });
  entitySet(Order, {
    navigation: { customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }) },
    authorization: { rows: inherit("customer") },
  });
  // @ts-expect-error -- a mistyped navigation
  entitySet(Order, { navigation: ofOrder, authorization: { rows: inherit("custmer") } });
  // @ts-expect-error -- a navigation to several entities
  entitySet(Order, { navigation: ofOrder, authorization: { rows: inherit("lines") } });
  // @ts-expect-error -- a set without navigations
  entitySet(Order, { authorization: { rows: inherit("customer") } });
  // @ts-expect-error -- roles have names
  role(5);
  // @ts-expect-error -- a rule of an operation is not a string
  action({ authorization: "admin", handler: () => {} });
  // @ts-expect-error -- an operation has no categories
  fn({ returns: edm.string(), authorization: { all: authenticated() }, handler: () => "" });
  // @ts-expect-error -- a bound function of another set
  entitySet(Customer, { functions: { late } });
  // @ts-expect-error -- missing property in a result
  entitySet(Customer, { getByKey: (id) => ({ id }) });
  // @ts-expect-error -- a type of the result
  entitySet(Customer, { getByKey: (id) => ({ id, name: 5 }) });
  // @ts-expect-error -- unknown property in an allowlist
  entitySet(Customer, { filterProperties: ["nane"] });
  // @ts-expect-error -- unknown property in an allowlist of $apply
  entitySet(Customer, { groupByProperties: ["nane"] });
  // @ts-expect-error -- unknown property in an allowlist of $apply
  entitySet(Customer, { aggregateProperties: ["nane"] });
  // @ts-expect-error -- no option that applyQuery can apply
  entitySet(Customer, { applyQueryOptions: ["aply"] });
  // @ts-expect-error -- unknown property in etag
  entitySet(Customer, { etag: ["nane"] });
  // @ts-expect-error -- a mistyped setting
  entitySet(Customer, { maxTopp: 5 });
  // @ts-expect-error -- "no limit" is null, not a string
  entitySet(Customer, { maxTop: "none" });
  // @ts-expect-error -- a default of the wrong type
  edm.int32().default("5");
  // @ts-expect-error -- not a member of the enumeration
  edm.enum(Status).default("Lost");
  // @ts-expect-error -- enumerations without isFlags have one member
  edm.enum(Status).default("Draft,Paid");
  // @ts-expect-error -- a facet that the type does not have
  edm.string({ precision: 5 });
  // @ts-expect-error -- create belongs to hasMany
  entitySet(Order, { navigation: { c: hasRequired(Customer, { create: () => null }) } });
  // @ts-expect-error -- setRef belongs to hasOptional and hasRequired
  entitySet(Order, { navigation: { c: hasMany(Customer, { setRef: () => {} }) } });
  // @ts-expect-error -- a delta never has the key
  applyDelta(Customer, { id: 1, name: "x" }, { id: 2 });
  // @ts-expect-error -- a complex type instead of an entity type
  entitySet(Address, {});
  const unbound: ServiceOptions["functions"] = {
    // @ts-expect-error -- an entity-bound function instead of an unbound function
    f: fn({ bound: "entity", returns: edm.string(), handler: () => "x" }),
  };
  expectTypeOf(unbound).not.toBeNever();
});
