import { sql } from "kysely";
import {
  action,
  applyDelta,
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasRequired,
  odataService,
  role,
  type Context,
  type EntityOf,
  type ODataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase, DatabaseEngine } from "../../engine/executors/engines.ts";

/** Customers with a masked property, and orders with virtual ones. */

export const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 40 }),
  iban: edm.string({ maxLength: 40 }).nullable(),
  version: edm.int32().computed(),
});
export const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  price: edm.int32(),
  cost: edm.int32().ignored(),
  note: edm.string({ maxLength: 40 }).nullable(),
});

type Customers = EntityOf<typeof Customer>[];
type Orders = EntityOf<typeof Order>[];

/** The entities of each call, by property. */
export interface Calls {
  readonly ibans: (readonly object[])[];
  readonly margins: (readonly object[])[];
  readonly labels: (readonly object[])[];
}

export const customersAtFirst = (): Customers => [
  { id: 1, name: "Ann", iban: "DE0011112222", version: 1 },
  { id: 2, name: "Bob", iban: null, version: 1 },
  { id: 3, name: "Cyd", iban: "FR9933334444", version: 1 },
];
export const ordersAtFirst = (): Orders => [
  { id: 10, customerId: 1, price: 100, cost: 60, note: "a" },
  { id: 11, customerId: 1, price: 50, cost: 45, note: null },
  { id: 12, customerId: 3, price: 70, cost: 10, note: "c" },
];

/** What the functions of the application return; a test may replace it. */
export interface Behaviour {
  margins: (rows: readonly { readonly price: number; readonly cost: number }[], ctx: Context) => unknown;
}

export interface VirtualShop {
  readonly service: ODataService;
  readonly calls: Calls;
  readonly behaviour: Behaviour;
  readonly failures: string[];
}

function virtualOf(calls: Calls, behaviour: Behaviour) {
  const iban = {
    needs: ["iban"],
    read: (rows: readonly { readonly iban: string | null }[]): readonly (string | null)[] => {
      calls.ibans.push(rows);
      return rows.map((row) => (row.iban === null ? null : `****${row.iban.slice(-4)}`));
    },
  } as const;
  const margin = {
    type: edm.int32(),
    needs: ["price", "cost"],
    read: (rows: readonly { readonly price: number; readonly cost: number }[], ctx: Context): Promise<number[]> => {
      calls.margins.push(rows);
      return Promise.resolve(behaviour.margins(rows, ctx) as number[]);
    },
  } as const;
  const label = {
    type: edm.string().nullable(),
    needs: ["note"],
    read: (rows: readonly { readonly note: string | null }[]): readonly (string | null)[] => {
      calls.labels.push(rows);
      return rows.map(({ note }) => (note === null ? null : `note ${note}`));
    },
  } as const;
  return { iban, margin, label };
}

const startOf = (): Pick<VirtualShop, "calls" | "behaviour" | "failures"> => ({
  calls: { ibans: [], margins: [], labels: [] },
  behaviour: { margins: (rows) => rows.map(({ price, cost }) => price - cost) },
  failures: [],
});

type Sets = Parameters<typeof odataService>[0]["entitySets"];

function serviceOf(sets: Sets, failures: string[]): ODataService {
  return odataService({
    entitySets: sets,
    defaults: { applyEnabled: true, computeEnabled: true },
    batch: { json: true, multipart: true },
    logger: {
      error: (_message, { err }) => void failures.push(err instanceof Error ? err.message : String(err)),
      warn: () => {},
      info: () => {},
    },
    authenticate: (request) => {
      const roles = request.headers.get("x-roles");
      return { id: "u", roles: roles === null ? [] : roles.split(",") };
    },
  });
}

const RULES = { properties: { margin: { read: role("boss") } } } as const;

/** The shop over lists of handlers: getAll for customers, a source for orders. */
export function listedShop(): VirtualShop {
  const start = startOf();
  const { iban, margin, label } = virtualOf(start.calls, start.behaviour);
  const customers = customersAtFirst();
  const orders = ordersAtFirst();
  const replaceIn = <Row extends { readonly id: number }>(list: Row[], row: Row): Row => {
    list[list.findIndex(({ id }) => id === row.id)] = row;
    return row;
  };
  const customerSet = entitySet(Customer, {
    allowDeepInsert: true,
    getAll: () => customers,
    getByKey: (key) => customers.find(({ id }) => id === key) ?? null,
    create: ({ orders: nested, ...customer }) => {
      const saved = { ...customer, version: 1 };
      customers.push(saved);
      const made = (nested ?? []).map((order) => ({ ...order, customerId: customer.id, cost: 5 }));
      orders.push(...made);
      return nested === null ? saved : { ...saved, orders: made };
    },
    patch: (key, delta) => {
      const old = customers.find(({ id }) => id === key);
      if (old === undefined) return null;
      const changed = applyDelta(Customer, old, delta);
      return changed === null ? null : replaceIn(customers, { ...changed, version: old.version + 1 });
    },
    etag: ["version"],
    virtual: { iban },
    navigation: { orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders", partner: "customer" }) },
    functions: {
      best: fn({ bound: "collection", returns: Customer, handler: () => customers[0] ?? null }),
      all: fn({ bound: "collection", returns: edm.collection(Customer), composable: true, handler: () => customers }),
    },
  });
  const orderSet = entitySet(Order, {
    queryable: () => arraySource(Order, orders),
    getByKey: (key) => orders.find(({ id }) => id === key) ?? null,
    create: (order) => {
      const saved = { ...order, cost: 5 };
      orders.push(saved);
      return saved;
    },
    patch: (key, delta) => {
      const old = orders.find(({ id }) => id === key);
      return old === undefined ? null : replaceIn(orders, { ...old, ...(delta as object) });
    },
    virtual: { margin, label },
    authorization: RULES,
    navigation: {
      customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers", partner: "orders" }),
    },
    actions: {
      touch: action({
        bound: "collection",
        returns: edm.collection(Order),
        handler: () => orders,
      }),
    },
  });
  return { service: serviceOf([customerSet, orderSet], start.failures), ...start };
}

/** The shop over tables, which are made and filled. */
export async function tabledShop(db: AnyDatabase, engine: DatabaseEngine["name"]): Promise<VirtualShop> {
  const text = { sqlite: "text", postgres: "varchar(40)", mariadb: "varchar(40)" }[engine];
  for (const command of [
    "drop table if exists v_orders",
    "drop table if exists v_customers",
    `create table v_customers (id int primary key not null, name ${text} not null, iban ${text}, version int not null)`,
    `create table v_orders (id int primary key not null, customer_id int not null references v_customers (id),
      price int not null, cost int not null default 5, note ${text})`,
  ]) {
    await sql.raw(command).execute(db);
  }
  await db.insertInto("v_customers").values(customersAtFirst()).execute();
  const rows = ordersAtFirst().map(({ customerId, ...row }) => ({ ...row, customer_id: customerId }));
  await db.insertInto("v_orders").values(rows).execute();
  const start = startOf();
  const { iban, margin, label } = virtualOf(start.calls, start.behaviour);
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const customers = sqlEntitySet(Customer, {
    db,
    table: "v_customers",
    operations,
    rowVersion: "version",
    etag: ["version"],
    allowDeepInsert: true,
    virtual: { iban },
    navigation: { orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders", partner: "customer" }) },
    functions: {
      best: fn({ bound: "collection", returns: Customer, handler: () => customersAtFirst()[0] ?? null }),
      all: fn({
        bound: "collection",
        returns: edm.collection(Customer),
        composable: true,
        handler: () => customersAtFirst(),
      }),
    },
  });
  const orders = sqlEntitySet(Order, {
    db,
    table: "v_orders",
    columns: { customerId: "customer_id" },
    operations,
    virtual: { margin, label },
    authorization: RULES,
    navigation: {
      customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers", partner: "orders" }),
    },
    actions: {
      touch: action({
        bound: "collection",
        returns: edm.collection(Order),
        handler: () => ordersAtFirst(),
      }),
    },
  });
  const service = serviceOf([customers, orders], start.failures);
  await service.ready();
  return { service, ...start };
}
