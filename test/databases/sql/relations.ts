import { Kysely, sql } from "kysely";
import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import type { PatientReader } from "../../../src/databases/connection/patient-reader.ts";
import type { SynchronousReader } from "../../../src/databases/connection/synchronous-reader.ts";
import type { AnyDatabase, RunStatement } from "./orders.ts";

export const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  countryCode: edm.string().nullable().ignored(),
});
export const Country = entityType("Country", { code: edm.string().key(), name: edm.string() });
export const Card = entityType("Card", { id: edm.int32().key(), owner: edm.int32().nullable(), label: edm.string() });
export const Order = entityType("Order", {
  id: edm.int64().key(),
  customerId: edm.int32().nullable(),
  total: edm.decimal({ precision: 12, scale: 2 }),
  note: edm.string().nullable(),
  price: edm.decimal().nullable(),
});
export const Line = entityType("Line", {
  orderId: edm.int64().key(),
  number: edm.int32().key(),
  productId: edm.guid().nullable(),
  quantity: edm.int32(),
  price: edm.decimal().nullable(),
});
export const Product = entityType("Product", { id: edm.guid().key(), name: edm.string() });
export const Tag = entityType("Tag", { code: edm.string().key(), label: edm.string() });

const TABLES = [
  `create table countries ("code" text primary key, "name" text not null)`,
  `create table customers ("id" integer primary key, "name" text, "country" text)`,
  `create table cards ("id" integer primary key, "owner" integer, "label" text not null)`,
  `create index cards_owner on cards ("owner")`,
  `create table orders ("id" integer primary key, "customer_id" integer, "total" integer not null, "note" text, "price" text)`,
  `create index orders_customer on orders ("customer_id")`,
  `create table lines ("order_id" integer not null, "number" integer not null, "product_id" text, "quantity" integer not null, "price" text, primary key ("order_id", "number")) without rowid`,
  `create index lines_product on lines ("product_id")`,
  `create table products ("id" text primary key, "name" text not null)`,
  `create table tags ("code" text primary key, "label" text not null)`,
  `create table order_tags ("order_id" integer not null, "tag" text not null, primary key ("order_id", "tag")) without rowid`,
];

/** The tables, and their statements since the last check. */
export interface Relations {
  readonly db: AnyDatabase;
  readonly seen: () => readonly RunStatement[];
  /** Returns the query plan of SQLite. */
  readonly planOf: (statement: RunStatement) => string;
}

/** Empty tables in memory. */
export async function relationTables(): Promise<Relations> {
  const dialect = sqliteDialect(":memory:");
  let statements: RunStatement[] = [];
  const db: AnyDatabase = new Kysely({
    dialect: {
      createDriver: () => dialect.createDriver(),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createIntrospector: (instance) => dialect.createIntrospector(instance),
      createAdapter: () => noting(dialect.createAdapter(), (statement) => statements.push(statement)),
    },
  });
  for (const table of TABLES) await sql.raw(table).execute(db);
  return {
    db,
    seen: () => {
      const found = statements;
      statements = [];
      return found;
    },
    planOf: ({ sql: text, parameters }) => {
      const reader = db.getExecutor().adapter as unknown as SynchronousReader;
      const rows = reader.readRows(`explain query plan ${text}`, parameters);
      return rows.map((row) => String(row[3])).join("; ");
    },
  };
}

function noting<A extends object>(adapter: A, note: (statement: RunStatement) => void): A {
  const reader = adapter as unknown as Record<keyof PatientReader, PatientReader["read"]>;
  for (const name of ["readRows", "readOne", "read", "readFirst"] as const) {
    const read = reader[name];
    reader[name] = (text, parameters, patience) => {
      note({ sql: text, parameters });
      return read.call(adapter, text, parameters, patience);
    };
  }
  return adapter;
}

const CUSTOMER = hasOptional(Customer, { on: { customerId: "id" }, target: "Customers" });
const LINES = hasMany(Line, { on: { id: "orderId" }, target: "Lines" });
const ORDERS = hasMany(Order, { on: { id: "customerId" }, target: "Orders" });
const COUNTRY = hasOptional(Country, { on: { countryCode: "code" }, target: "Countries" });
// Several cards may have one owner: the first one counts.
const CARD = hasOptional(Card, { on: { id: "owner" }, target: "Cards" });
const OWNER = hasOptional(Customer, { on: { owner: "id" }, target: "Customers" });
const PRODUCT = hasOptional(Product, { on: { productId: "id" }, target: "Products" });
const ORDER = hasRequired(Order, { on: { orderId: "id" }, target: "Orders" });

/** A service over the tables. */
export function tablesService(db: AnyDatabase): ReturnType<typeof odataService> {
  const operations = ["read"] as const;
  return odataService({
    propertyNaming: "camelCase",
    entitySets: [
      sqlEntitySet(Country, { db, table: "countries", operations }),
      sqlEntitySet(Customer, {
        db,
        table: "customers",
        operations,
        columns: { countryCode: "country" },
        search: ["name"],
        navigation: { orders: ORDERS, country: COUNTRY, card: CARD },
      }),
      sqlEntitySet(Card, { db, table: "cards", operations, navigation: { holder: OWNER } }),
      sqlEntitySet(Order, {
        db,
        table: "orders",
        operations,
        columns: { customerId: "customer_id", total: { storage: "scaled" } },
        search: ["note"],
        navigation: {
          customer: CUSTOMER,
          lines: LINES,
          tags: hasMany(Tag, {
            target: "Tags",
            through: { table: "order_tags", from: { id: "order_id" }, to: { tag: "code" } },
          }),
        },
      }),
      sqlEntitySet(Line, {
        db,
        table: "lines",
        operations,
        columns: { orderId: "order_id", productId: "product_id" },
        navigation: { order: ORDER, product: PRODUCT },
      }),
      sqlEntitySet(Product, { db, table: "products", operations }),
      sqlEntitySet(Tag, {
        db,
        table: "tags",
        operations,
        search: ["code", "label"],
        navigation: {
          orders: hasMany(Order, {
            target: "Orders",
            through: { table: "order_tags", from: { code: "tag" }, to: { order_id: "id" } },
          }),
        },
      }),
    ],
  });
}

/** The two types with a collection-valued navigation, over arrays. */
export function arraysService(
  customers: readonly { readonly id: number; readonly name: string | null; readonly countryCode: string | null }[],
  cards: readonly { readonly id: number; readonly owner: number | null; readonly label: string }[],
): ReturnType<typeof odataService> {
  return odataService({
    propertyNaming: "camelCase",
    entitySets: [
      entitySet(Customer, { queryable: () => arraySource(Customer, customers), navigation: { card: CARD } }),
      entitySet(Card, { queryable: () => arraySource(Card, cards), navigation: { holder: OWNER } }),
    ],
  });
}

/** The body of a successful response. */
export async function ask(service: ReturnType<typeof odataService>, target: string): Promise<unknown> {
  const response = await service.fetch(new Request(`http://service.example${target}`));
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  return text.startsWith("{") ? (JSON.parse(text) as unknown) : text;
}

/** Fills the tables: three orders per customer, two lines per order, and some rows without related rows. */
export async function fillRelations(db: AnyDatabase, customers: number): Promise<void> {
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${customers})`;
  await sql`insert into countries values ('NO', 'Norway'), ('PT', 'Portugal')`.execute(db);
  await sql`insert into customers ${numbers}
    select i, iif(i % 10 = 0, null, 'name ' || i), iif(i % 3 = 0, null, iif(i % 3 = 1, 'NO', 'PT')) from n`.execute(db);
  await sql`insert into cards ${numbers} select i, i / 2, 'card ' || i from n`.execute(db);
  await sql`insert into orders ${numbers}
    select i * 3 + j, iif(i % 7 = 0, null, i), i * 100 + j, 'note ' || i, i || '.5' from n, (select 0 as j union all select 1 union all select 2)`.execute(
    db,
  );
  await sql`insert into products values ('01234567-89ab-cdef-0123-456789abcdef', 'tea'), ('11234567-89ab-cdef-0123-456789abcdef', 'pot')`.execute(
    db,
  );
  await sql`insert into lines
    select o.id, j, iif(o.id % 5 = 0, null, (o.id % 2) || '1234567-89ab-cdef-0123-456789abcdef'), o.id % 9 + j, j || '.5'
    from orders o, (select 1 as j union all select 2)`.execute(db);
  await sql`insert into tags values ('a', 'first'), ('b', 'second')`.execute(db);
  await sql`insert into order_tags select o.id, t.code from orders o, tags t where o.id % 2 = 0 or t.code = 'a'`.execute(
    db,
  );
  // Without the tags: a database reads a table of two rows without an index.
  for (const table of ["customers", "cards", "orders", "lines", "order_tags"]) {
    await sql`analyze ${sql.table(table)}`.execute(db);
  }
}
