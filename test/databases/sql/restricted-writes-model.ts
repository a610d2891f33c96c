import { sql } from "kysely";
import { allRows, authenticated, edm, entityType, hasMany, hasOptional, noRows, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** A customer belongs to a tenant, which clients never see. An order is visible if it and its customer are. */
export const Customer = entityType("Customer", {
  id: edm.int32().key(),
  tenant: edm.string().nullable(),
  name: edm.string(),
});
export const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  owner: edm.string().nullable(),
  secret: edm.int32().nullable().ignored(),
  text: edm.string(),
  version: edm.int32().computed(),
});
export const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32().nullable(), text: edm.string() });
export const Badge = entityType("Badge", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  tenant: edm.string(),
});
export const Tag = entityType("Tag", { name: edm.string().key(), tenant: edm.string() });

const TABLES: Readonly<Record<string, string>> = {
  customers: "id int primary key, tenant varchar(20) null, name varchar(20) not null",
  orders:
    "id int primary key, customer_id int null, owner varchar(20) null, secret int null, text varchar(20) not null, version int not null",
  lines: "id int primary key, order_id int null, text varchar(20) not null",
  badges: "id int primary key, customer_id int null, tenant varchar(20) not null",
  tags: "name varchar(20) primary key, tenant varchar(20) not null",
  order_tags: "order_id int not null, tag varchar(20) not null, primary key (order_id, tag)",
};

/** The rows before each test: customers 1 and 3, with their orders, belong to tenant a, customer 2 to tenant b. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  customers: ["1, 'a', 'Ann'", "2, 'b', 'Bob'", "3, 'a', 'Cai'"],
  orders: [
    "1, 1, 'u', null, 'mine', 1",
    "2, 2, 'u', null, 'of b', 1",
    "3, 1, 'v', null, 'of v', 1",
    "4, 3, 'u', 7, 'secret', 1",
    "5, 3, 'u', null, 'mine too', 1",
  ],
  lines: ["1, 1, 'mine'", "2, 3, 'of v'", "3, null, 'nowhere'"],
  badges: ["1, null, 'a'", "2, 1, 'b'", "3, null, 'b'", "4, null, 'a'"],
  tags: ["'x', 'a'", "'y', 'b'", "'z', 'a'"],
  order_tags: ["1, 'x'", "1, 'y'"],
};

/** Creates the tables. */
export async function createTables(db: AnyDatabase): Promise<void> {
  for (const [table, columns] of Object.entries(TABLES)) {
    await sql.raw(`create table ${quoted(db, table)} (${columns})`).execute(db);
  }
}

function quoted(db: AnyDatabase, name: string): string {
  return sql`${sql.id(name)}`.compile(db).sql;
}

/** Inserts the rows. */
export async function resetRows(db: AnyDatabase): Promise<void> {
  for (const [table, rows] of Object.entries(ROWS)) {
    await sql`delete from ${sql.id(table)}`.execute(db);
    for (const row of rows) await sql.raw(`insert into ${quoted(db, table)} values (${row})`).execute(db);
  }
}

/** All rows of all tables. */
export async function allOf(db: AnyDatabase): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {};
  for (const table of Object.keys(TABLES)) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.id(table)}`.execute(db);
    found[table] = rows.map((row) => Object.values(row).map(String).join(",")).toSorted();
  }
  return found;
}

/** The options of a service besides its sets. */
export interface ServiceSettings {
  readonly isGuarded?: boolean;
  /** Whether anonymous requests are accepted; row rules show them nothing. */
  readonly isOpen?: boolean;
  /** Restricts the orders to a base query of the application. */
  readonly ownOrders?: (db: AnyDatabase) => object;
  /** Receives the options of the set of orders. */
  readonly noteOrders?: (options: Readonly<Record<string, unknown>>) => void;
  /** Unbound actions. */
  readonly actions?: Parameters<typeof odataService>[0]["actions"];
}

/** Sets whose rows are visible to the users of one tenant, orders to their owners: the user `a-u` is named u in tenant a. */
export function guardedService(
  db: AnyDatabase,
  { isGuarded = true, isOpen = false, ownOrders, noteOrders, actions = {} }: ServiceSettings = {},
): ReturnType<typeof odataService> {
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const tenantOf = ({ id = "" }: { readonly id?: string }): string => id.slice(0, 1);
  const ownerOf = ({ id = "" }: { readonly id?: string }): string => id.slice(2);
  const orders = sqlEntitySet(Order, {
    db,
    table: "orders",
    operations,
    columns: { customerId: "customer_id" },
    rowVersion: "version",
    etag: ["version"],
    allowDeepInsert: true,
    idempotentDelete: false,
    ...ownOrders?.(db),
    navigation: {
      customer: hasOptional(Customer, { on: { customerId: "id" }, target: "Customers" }),
      lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }),
      tags: hasMany(Tag, {
        through: { table: "order_tags", from: { id: "order_id" }, to: { tag: "name" } },
        target: "Tags",
      }),
    },
    authorization: isGuarded
      ? {
          rows: (user, row) => {
            if (tenantOf(user) === "*") return allRows;
            return row.customer.tenant
              .eq(tenantOf(user))
              .and(row.owner.eq(ownerOf(user)))
              .and(row.secret.isNull());
          },
        }
      : {},
  });
  noteOrders?.(orders.options as Readonly<Record<string, unknown>>);
  const silent = (): void => undefined;
  return odataService({
    namespace: "Guarded",
    actions,
    authorization: isOpen ? [] : authenticated(),
    logger: { error: silent, warn: silent, info: silent },
    authenticate: ({ headers }) => {
      const id = headers.get("x-user");
      return id === null || id === "" ? null : { id };
    },
    entitySets: [
      sqlEntitySet(Customer, {
        db,
        table: "customers",
        operations,
        allowDeepInsert: true,
        allowUpsert: true,
        navigation: {
          orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders" }),
          badge: hasOptional(Badge, { on: { id: "customerId" }, target: "Badges" }),
        },
        authorization: isGuarded
          ? {
              rows: (user, row) => {
                if (tenantOf(user) === "*") return allRows;
                return tenantOf(user) === "-" ? noRows : row.tenant.eq(tenantOf(user));
              },
            }
          : {},
      }),
      orders,
      sqlEntitySet(Line, {
        db,
        table: "lines",
        operations,
        columns: { orderId: "order_id" },
        navigation: { order: hasOptional(Order, { on: { orderId: "id" }, target: "Orders" }) },
        authorization: isGuarded
          ? {
              rows: (user, row) =>
                row.order.owner.eq(ownerOf(user)).and(row.text.ne("unseen")).or(row.text.eq("nowhere")),
            }
          : {},
      }),
      sqlEntitySet(Badge, {
        db,
        table: "badges",
        operations,
        columns: { customerId: "customer_id" },
        authorization: isGuarded ? { rows: (user, row) => row.tenant.eq(tenantOf(user)) } : {},
      }),
      sqlEntitySet(Tag, {
        db,
        table: "tags",
        operations,
        authorization: isGuarded ? { rows: (user, row) => row.tenant.eq(tenantOf(user)) } : {},
      }),
    ],
  });
}
