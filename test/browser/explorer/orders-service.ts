import { Kysely, sql } from "kysely";
import { edm, entityType, hasMany, hasRequired, odataService, type ODataService, type ServiceOptions } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  /** In a column without a time zone. */
  placedAt: edm.dateTimeOffset({ precision: 3 }),
  /** Midnights in a column without a time zone. */
  dueOn: edm.dateTimeOffset({ precision: 3 }),
  /** An instant. */
  paidAt: edm.dateTimeOffset({ precision: 3 }).nullable(),
  customerId: edm.int32(),
  vintageYear: edm.int32(),
  quantity: edm.int32(),
  total: edm.decimal({ precision: 12, scale: 2 }),
});

/** Any database of the tests. */
type OrdersDatabase = Kysely<Record<string, Record<string, unknown>>>;

/** Makes a database of orders: each day of 2024 has one, placed half an hour before its end in UTC. */
export async function openOrders(): Promise<OrdersDatabase> {
  const db: OrdersDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table customers (id integer primary key, name text not null)`.execute(db);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 25)
    insert into customers select i, 'Customer ' || char(64 + i) from n`.execute(db);
  await sql`create table orders (id integer primary key, placedAt text not null, dueOn text not null, paidAt integer,
    customerId integer not null, vintageYear integer not null, quantity integer not null, total text not null)`.execute(
    db,
  );
  await sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < 365)
    insert into orders select 10001 + i, datetime('2024-01-01 23:30:00', '+' || i || ' days'),
      datetime('2024-02-01 00:00:00', '+' || i || ' days'),
      case when i % 7 > 0 then 1704067200000 + i * 86400000 + 45000000 end,
      1 + i % 25, 1990 + i % 30, 1000 + i, printf('%.2f', 1000.5 + (i % 25) * 10) from n`.execute(db);
  return db;
}

/** Makes a service over the orders. */
export function ordersService(db: OrdersDatabase, options: Partial<ServiceOptions> = {}): ODataService {
  const operations = ["read"] as const;
  return odataService({
    prefix: "/odata",
    defaults: { applyEnabled: true, computeEnabled: true },
    entitySets: [
      sqlEntitySet(Customer, {
        db,
        table: "customers",
        operations,
        navigation: { orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders", partner: "customer" }) },
      }),
      sqlEntitySet(Order, {
        db,
        table: "orders",
        operations,
        columns: {
          placedAt: { storage: "sqlite-datetime" },
          dueOn: { storage: "sqlite-datetime" },
          paidAt: { storage: "epoch" },
        },
        navigation: {
          customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers", partner: "orders" }),
        },
      }),
    ],
    ...options,
  });
}
