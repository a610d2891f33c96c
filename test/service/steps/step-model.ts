import { sql } from "kysely";
import {
  action,
  applyDelta,
  authenticated,
  complexType,
  edm,
  type EntityOf,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
  requireUser,
  type ServiceOptions,
  singleton,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { ENGINES } from "../../engine/executors/engines.ts";
import type { Service } from "../http/doors.ts";
import { noFailures } from "../http/model.ts";

const Address = complexType("Address", { city: edm.string() });
export const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 40 }),
  nick: edm.string({ maxLength: 40 }).nullable(),
  home: edm.complex(Address),
  version: edm.int32().computed(),
});
export const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  title: edm.string({ maxLength: 40 }),
});
export const Line = entityType("Line", {
  orderId: edm.int32().key(),
  number: edm.int32().key(),
  qty: edm.int32(),
});

type CustomerRow = EntityOf<typeof Customer>;
type OrderRow = EntityOf<typeof Order>;
type LineRow = EntityOf<typeof Line>;

const CUSTOMERS: readonly CustomerRow[] = [
  { id: 1, name: "Ann", nick: null, home: { city: "Rome" }, version: 1 },
  { id: 2, name: "Ben", nick: "B", home: { city: "Oslo" }, version: 1 },
  { id: 3, name: "hidden from 1", nick: null, home: { city: "Bern" }, version: 1 },
];
const ORDERS: readonly OrderRow[] = [
  { id: 10, customerId: 1, title: "tea" },
  { id: 11, customerId: 1, title: "milk" },
  { id: 12, customerId: 2, title: "bread" },
  { id: 13, customerId: null, title: "free" },
  { id: 14, customerId: 3, title: "secret" },
  { id: 15, customerId: 1, title: "not for 1" },
];
const LINES: readonly LineRow[] = [
  { orderId: 10, number: 1, qty: 5 },
  { orderId: 10, number: 2, qty: 6 },
  { orderId: 11, number: 1, qty: 7 },
  { orderId: 15, number: 1, qty: 8 },
];

/** Rows with their service, until it is closed. */
export interface Running {
  readonly service: Service;
  /** Whether no transaction joins several writes. */
  readonly isMemory?: boolean;
  readonly close: () => Promise<void>;
}

/** Where the rows are. */
export interface Place {
  readonly title: string;
  readonly start: (options?: Partial<ServiceOptions>) => Promise<Running>;
}

const common = (options: Partial<ServiceOptions>): Omit<ServiceOptions, "entitySets"> => ({
  prefix: "/odata",
  namespace: "Shop",
  profile: "standard",
  logger: noFailures,
  authenticate: ({ headers }) => {
    const id = headers.get("authorization");
    return id === null ? null : { id, roles: [] };
  },
  batch: { multipart: true, json: true },
  ...options,
});

const FUNCTIONS = {
  greet: fn(Customer, {
    bound: "entity",
    params: { word: edm.string() },
    returns: edm.string(),
    handler: (key, { word }) => `${word} ${String(key)}`,
  }),
};
const CUSTOMER_RULES = {
  all: authenticated(),
  rows: (one: { readonly id: string }, row: never) => {
    const { name } = row as { readonly name: { readonly ne: (value: string) => never } };
    return name.ne(`hidden from ${one.id}`);
  },
} as const;

const memory: Place = {
  title: "memory",
  start: (options = {}) => {
    let customers = CUSTOMERS;
    let orders = ORDERS;
    let lines = LINES;
    const customerBy = (id: number | null) => customers.find((each) => each.id === id) ?? null;
    const orderBy = (id: number) => orders.find((each) => each.id === id) ?? null;
    const isLine = (key: Pick<LineRow, "orderId" | "number">) => (each: LineRow) =>
      each.orderId === key.orderId && each.number === key.number;
    const saveCustomer = (saved: CustomerRow): CustomerRow => {
      customers = customers.map((each) => (each.id === saved.id ? saved : each));
      return saved;
    };
    const saveLine = (saved: LineRow): LineRow => {
      lines = lines.map((each) => (isLine(saved)(each) ? saved : each));
      return saved;
    };
    const Customers = entitySet(Customer, {
      getAll: () => customers,
      getByKey: customerBy,
      patch: (id, delta) => {
        const before = customerBy(id);
        return before === null
          ? null
          : saveCustomer({ ...applyDelta(Customer, before, delta), version: before.version + 1 });
      },
      etag: ["version"],
      navigation: {
        orders: hasMany(Order, {
          target: "Orders",
          get: (id) => orders.filter(({ customerId }) => customerId === id),
          create: (customerId, order) => {
            const added = { ...order, customerId };
            orders = [...orders, added];
            return added;
          },
        }),
      },
      functions: FUNCTIONS,
      actions: {
        rename: action(Customer, {
          bound: "entity",
          params: { name: edm.string() },
          handler: (id, { name }) => void saveCustomer({ ...customerBy(id)!, name }),
        }),
      },
      authorization: CUSTOMER_RULES as never,
    });
    const Orders = entitySet(Order, {
      getAll: () => orders,
      getByKey: orderBy,
      patch: (id, delta) => {
        const before = orderBy(id);
        if (before === null) return null;
        const after = applyDelta(Order, before, delta);
        orders = orders.map((each) => (each.id === id ? after : each));
        return after;
      },
      navigation: {
        customer: hasOptional(Customer, {
          target: "Customers",
          get: (id) => customerBy(orderBy(id)?.customerId ?? null),
        }),
        lines: hasMany(Line, {
          target: "Lines",
          get: (id) => lines.filter(({ orderId }) => orderId === id),
          on: { id: "orderId" },
        }),
      },
      authorization: { all: authenticated(), rows: (one, row) => row.title.ne(`not for ${String(one.id)}`) },
    });
    const Lines = entitySet(Line, {
      getAll: () => lines,
      getByKey: (key) => lines.find(isLine(key)) ?? null,
      patch: (key, delta) => {
        const before = lines.find(isLine(key));
        return before === undefined ? null : saveLine(applyDelta(Line, before, delta));
      },
      replace: (key, line) => (lines.some(isLine(key)) ? saveLine(line) : null),
      delete: (key) => {
        const isKnown = lines.some(isLine(key));
        lines = lines.filter((each) => !isLine(key)(each));
        return isKnown;
      },
      etag: ["qty"],
      navigation: { order: hasRequired(Order, { target: "Orders", get: ({ orderId }) => orderBy(orderId) }) },
      authorization: { all: authenticated() },
    });
    const service = odataService({
      ...common(options),
      entitySets: [Customers, Orders, Lines],
      singletons: [singleton(Customer, { name: "Me", from: Customers, key: (ctx) => Number(requireUser(ctx).id) })],
    });
    return Promise.resolve({ service, isMemory: true, close: () => Promise.resolve() });
  },
};

const tables = ENGINES.map(({ title, open }): Place => ({
  title,
  start: async (options = {}) => {
    const { db, close } = await open();
    await sql`create table customers (id int primary key, name varchar(40) not null, nick varchar(40),
      home_city varchar(40) not null, version int not null)`.execute(db);
    await sql`create table orders (id int primary key, customer_id int, title varchar(40) not null)`.execute(db);
    await sql`create table order_lines (order_id int not null, nr int not null, qty int not null,
      primary key (order_id, nr))`.execute(db);
    for (const { id, name, nick, home } of CUSTOMERS) {
      await sql`insert into customers values (${id}, ${name}, ${nick}, ${home.city}, 1)`.execute(db);
    }
    for (const { id, customerId, title: text } of ORDERS) {
      await sql`insert into orders values (${id}, ${customerId}, ${text})`.execute(db);
    }
    for (const { orderId, number, qty } of LINES) {
      await sql`insert into order_lines values (${orderId}, ${number}, ${qty})`.execute(db);
    }
    const Customers = sqlEntitySet(Customer, {
      db,
      table: "customers",
      operations: ["read", "create", "replace", "patch", "delete"],
      rowVersion: "version",
      etag: ["version"],
      navigation: { orders: hasMany(Order, { target: "Orders", on: { id: "customerId" } }) },
      functions: FUNCTIONS,
      actions: {
        rename: action(Customer, {
          bound: "entity",
          params: { name: edm.string() },
          handler: async (id, { name }, ctx) => {
            await sql`update customers set name = ${name} where id = ${id}`.execute(
              (ctx.transaction ?? db) as typeof db,
            );
          },
        }),
      },
      authorization: CUSTOMER_RULES as never,
    });
    const Orders = sqlEntitySet(Order, {
      db,
      table: "orders",
      columns: { customerId: "customer_id" },
      operations: ["read", "create", "patch"],
      navigation: {
        customer: hasOptional(Customer, { target: "Customers", on: { customerId: "id" } }),
        lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }),
      },
      authorization: { all: authenticated(), rows: (one, row) => row.title.ne(`not for ${String(one.id)}`) },
    });
    const Lines = sqlEntitySet(Line, {
      db,
      table: "order_lines",
      columns: { orderId: "order_id", number: "nr" },
      operations: ["read", "create", "replace", "patch", "delete"],
      etag: ["qty"],
      navigation: { order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }) },
      authorization: { all: authenticated() },
    });
    const service = odataService({
      ...common(options),
      entitySets: [Customers, Orders, Lines],
      singletons: [singleton(Customer, { name: "Me", from: Customers, key: (ctx) => Number(requireUser(ctx).id) })],
    });
    return { service, close };
  },
}));

/** All places of this run. */
export const PLACES: readonly Place[] = [memory, ...tables];
