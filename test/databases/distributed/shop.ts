import { sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, hasRequired, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import type { Spread } from "./spread-database.ts";
import type { Placements, TablePlacement } from "./table-placement.ts";

const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string(), countryCode: edm.string() });
const Order = entityType("Order", {
  customerId: edm.int32().key(),
  id: edm.int32().key(),
  total: edm.int32(),
});
const Line = entityType("Line", {
  customerId: edm.int32().key(),
  orderId: edm.int32().key(),
  number: edm.int32().key(),
  productId: edm.int32().nullable(),
  price: edm.int32(),
});
const Product = entityType("Product", { id: edm.int32().key(), name: edm.string() });
const Account = entityType("Account", { code: edm.string().key(), owner: edm.string().nullable() });
const Invoice = entityType("Invoice", { id: edm.guid().key(), account: edm.string().key(), amount: edm.int32() });

/** The tables: orders and lines are on the machines of their customers, and invoices on those of their accounts. */
export const SHOP: readonly Spread[] = [
  { table: "customers", columns: `id int primary key, name text not null, "countryCode" text not null`, by: "id" },
  {
    table: "orders",
    columns: `"customerId" int, id int, total int not null, primary key ("customerId", id)`,
    by: "customerId",
    with: "customers",
  },
  {
    table: "lines",
    columns: `"customerId" int, "orderId" int, number int, "productId" int, price int not null,
      primary key ("customerId", "orderId", number)`,
    by: "customerId",
    with: "orders",
  },
  { table: "products", columns: "id int primary key, name text not null" },
  {
    table: "gifts",
    columns: `customer_id int, order_id int, product_id int, primary key (customer_id, order_id, product_id)`,
    by: "customer_id",
    with: "orders",
  },
  { table: "accounts", columns: "code text primary key, owner text", by: "code" },
  {
    table: "invoices",
    columns: "id uuid, account text, amount int not null, primary key (account, id)",
    by: "account",
    with: "accounts",
  },
];

/** The same, for the checker of statements. */
export const SHOP_PLACEMENTS: Placements = new Map<string, TablePlacement>([
  ["customers", { column: "id", group: "customers" }],
  ["orders", { column: "customerId", group: "customers" }],
  ["lines", { column: "customerId", group: "customers" }],
  ["products", "reference"],
  ["gifts", { column: "customer_id", group: "customers" }],
  ["accounts", { column: "code", group: "accounts" }],
  ["invoices", { column: "account", group: "accounts" }],
]);

/** Makes the tables on one machine. */
export async function createShopTables(db: AnyDatabase): Promise<void> {
  for (const { table, columns } of SHOP) {
    await sql`create table ${sql.id(table)} (${sql.raw(columns)})`.execute(db);
  }
}

/** Fills the tables. */
export async function fillShop(db: AnyDatabase): Promise<void> {
  const statements = [
    `insert into customers select i, 'customer ' || i, case when i % 2 = 0 then 'CH' else 'DE' end from generate_series(1, 40) as i`,
    `insert into orders select c, i, (c * i) % 17 from generate_series(1, 38) as c, generate_series(1, 4) as i where (c + i) % 5 > 0`,
    `insert into products select i, 'product ' || i from generate_series(1, 7) as i`,
    `insert into lines select c, i, n, case when n < 3 then (c + i + n) % 9 end, (c * n) % 11
      from generate_series(1, 38) as c, generate_series(1, 4) as i, generate_series(1, 3) as n where (c + i) % 5 > 1`,
    `insert into gifts select c, i, p from generate_series(1, 38) as c, generate_series(1, 4) as i, generate_series(1, 7) as p
      where (c + i * p) % 6 = 0`,
    `insert into accounts select chr(96 + i), null from generate_series(1, 20) as i`,
    `insert into invoices select ('00000000-0000-0000-0000-0000000000' || (10 + i))::uuid, chr(96 + i % 18), i from generate_series(1, 60) as i`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** How the sets say that the database is distributed: each by its column, without details, or not at all. */
export type Declared = "declared" | "unknown" | "none";

/** A service over the tables. */
export function serveShop(db: AnyDatabase, declared: Declared): ODataService {
  const place = { db, operations: ["read", "create", "patch", "delete"] } as const;
  const isDistributed = declared !== "none";
  const by = <const Option>(option: Option): Option | boolean => (declared === "declared" ? option : isDistributed);
  return odataService({
    profile: "standard",
    schemaCheck: false,
    entitySets: [
      sqlEntitySet(Customer, {
        ...place,
        table: "customers",
        distributed: by({ by: "id" }),
        navigation: {
          orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders" }),
          lines: hasMany(Line, { on: { id: "customerId" }, target: "Lines" }),
        },
      }),
      sqlEntitySet(Order, {
        ...place,
        table: "orders",
        distributed: by({ by: "customerId", with: "customers" }),
        navigation: {
          customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }),
          lines: hasMany(Line, { on: { id: "orderId", customerId: "customerId" }, target: "Lines" }),
          gifts: hasMany(Product, {
            through: {
              table: "gifts",
              from: { id: "order_id", customerId: "customer_id" },
              to: { product_id: "id" },
              ...(declared === "declared" ? { distributed: { by: "customer_id", with: "orders" } } : {}),
              ...(declared === "unknown" ? { distributed: true } : {}),
            },
            target: "Products",
          }),
          sameNumber: hasMany(Order, { on: { id: "id" }, target: "Orders" }),
        },
      }),
      sqlEntitySet(Line, {
        ...place,
        table: "lines",
        distributed: by({ by: "customerId", with: "orders" }),
        navigation: {
          order: hasRequired(Order, { on: { orderId: "id", customerId: "customerId" }, target: "Orders" }),
          product: hasOptional(Product, { on: { productId: "id" }, target: "Products" }),
        },
      }),
      sqlEntitySet(Product, {
        ...place,
        table: "products",
        distributed: by("reference"),
        navigation: { lines: hasMany(Line, { on: { id: "productId" }, target: "Lines" }) },
      }),
      sqlEntitySet(Account, {
        ...place,
        table: "accounts",
        distributed: by({ by: "code" }),
        navigation: { invoices: hasMany(Invoice, { on: { code: "account" }, target: "Invoices" }) },
      }),
      sqlEntitySet(Invoice, {
        ...place,
        table: "invoices",
        distributed: by({ by: "account", with: "accounts" }),
        navigation: { owner: hasRequired(Account, { on: { account: "code" }, target: "Accounts" }) },
      }),
    ],
  });
}
