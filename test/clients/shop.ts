import { Kysely, sql } from "kysely";
import { sqlEntitySet } from "../../src/databases/kysely/index.ts";
import { sqliteDialect } from "../../src/databases/sqlite/driver/sqlite-dialect.ts";
import {
  action,
  edm,
  entityType,
  enumType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  type ODataService,
  type ServiceOptions,
} from "../../src/index.ts";

const Category = entityType("Category", { id: edm.int32().key(), name: edm.string() });
const PRODUCT = {
  id: edm.int32().key().computed(),
  name: edm.string({ maxLength: 40 }),
  price: edm.decimal({ precision: 10, scale: 2 }),
  isInStock: edm.boolean(),
  categoryId: edm.int32().nullable(),
  version: edm.int32().computed(),
};
const Product = entityType("Product", { ...PRODUCT, released: edm.date().nullable() });
/** The library of Breeze cannot read `Edm.Date`, functions and actions. */
const PlainProduct = entityType("Product", PRODUCT);

const Status = enumType("Status", { New: 0, Paid: 1, Shipped: 2 });
/** The types whose values each client writes in its own form: an enumeration, dates, times, and numbers beyond JavaScript's. */
const Order = entityType("Order", {
  id: edm.int32().key().computed(),
  customer: edm.string({ maxLength: 40 }),
  number: edm.int64(),
  status: edm.enum(Status),
  orderedAt: edm.dateTimeOffset(),
  dueOn: edm.date(),
  opensAt: edm.timeOfDay(),
  version: edm.int32().computed(),
});

interface Tables {
  readonly products: Row;
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly price: number;
}

const ALL = ["read", "create", "replace", "patch", "delete"] as const;

interface ShopOptions {
  readonly isPlain: boolean;
  readonly paging?: "offset" | "keyset";
  readonly pageSize?: number;
  readonly cors?: ServiceOptions["cors"];
  readonly enumsAsStrings?: boolean;
}

/** The service that the clients use, and its database. */
export interface Shop {
  readonly service: ODataService;
  /** Returns the names of the products in the database, by their ids. */
  readonly names: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

/**
 * Opens a shop of 3 categories, 60 products and 6 orders over SQLite, as an application for such clients declares it.
 * @param isPlain whether the model has no dates, functions, actions and orders
 * @param paging the form of next links
 * @param pageSize the most products of one page
 * @param cors the option of the service
 * @param enumsAsStrings the option of the service
 */
export async function openShop({
  isPlain,
  paging = "offset",
  pageSize = 1000,
  cors,
  enumsAsStrings = false,
}: ShopOptions): Promise<Shop> {
  const db = await openDatabase();
  const service = odataService({
    prefix: "/odata",
    namespace: "Shop",
    profile: "standard",
    cors,
    enumsAsStrings,
    secret: "only for tests: 0123456789",
    defaults: { paging, maxTop: pageSize },
    ...(isPlain
      ? { entitySets: plainSets(db) }
      : { entitySets: sets(db), functions: functions(db), actions: actions(db) }),
  });
  return {
    service,
    names: async () => (await sql<Row>`select name from products order by id`.execute(db)).rows.map(({ name }) => name),
    close: () => db.destroy(),
  };
}

async function openDatabase(): Promise<Kysely<Tables>> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(":memory:") });
  await sql`create table categories (id integer primary key, name text not null)`.execute(db);
  await sql`create table products (id integer primary key, name text not null, price text not null, is_in_stock integer not null, released text, category_id integer references categories (id), version integer not null default 1)`.execute(
    db,
  );
  await sql`insert into categories values (1, 'Chairs'), (2, 'Tables'), (3, 'Lamps & more')`.execute(db);
  await sql`insert into products (id, name, price, is_in_stock, released, category_id)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 60)
    select i, 'Product ' || printf('%02d', i), printf('%d.50', i), i % 3 > 0, '2026-01-' || printf('%02d', 1 + i % 28), 1 + i % 3 from n`.execute(
    db,
  );
  await sql`create table orders (id integer primary key, customer text not null, number integer not null, status text not null, ordered_at text not null, due_on text not null, opens_at text not null, version integer not null default 1)`.execute(
    db,
  );
  await sql`insert into orders (id, customer, number, status, ordered_at, due_on, opens_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 6)
    select i, 'Customer ' || i, 9007199254740990 + i, case i % 3 when 0 then 'New' when 1 then 'Paid' else 'Shipped' end, '2026-03-0' || i || 'T10:30:00.000Z', '2026-04-0' || i, '08:0' || i || ':00' from n`.execute(
    db,
  );
  return db;
}

const PRODUCTS = {
  table: "products",
  operations: ALL,
  columns: { isInStock: "is_in_stock", categoryId: "category_id" },
  rowVersion: "version",
  etag: ["version"],
  search: ["name"],
} as const;

function sets(db: Kysely<Tables>) {
  return [
    sqlEntitySet(Category, {
      db,
      table: "categories",
      operations: ["read", "patch"],
      navigation: { products: hasMany(Product, { target: "Products", on: { id: "categoryId" } }) },
    }),
    sqlEntitySet(Product, {
      ...PRODUCTS,
      db,
      navigation: { category: hasOptional(Category, { target: "Categories", on: { categoryId: "id" } }) },
      functions: {
        PriceAfter: fn({
          bound: "entity",
          params: { percent: edm.int32() },
          returns: edm.decimal({ precision: 10, scale: 2 }),
          handler: async (id, { percent }) => {
            const { rows } = await sql<{
              price: string;
            }>`select printf('%.2f', price * (100 - ${percent}) / 100) as price from products where id = ${id}`.execute(
              db,
            );
            return rows[0]?.price ?? "0";
          },
        }),
        HighestId: fn({
          bound: "collection",
          returns: edm.int32(),
          handler: async () =>
            (await sql<{ id: number }>`select max(id) as id from products`.execute(db)).rows[0]?.id ?? 0,
        }),
      },
      actions: {
        Discount: action({
          bound: "entity",
          params: { percent: edm.int32() },
          handler: async (id, { percent }) => {
            await sql`update products set price = printf('%.2f', price * (100 - ${percent}) / 100), version = version + 1 where id = ${id}`.execute(
              db,
            );
          },
        }),
      },
    }),
    sqlEntitySet(Order, {
      db,
      table: "orders",
      operations: ALL,
      columns: { orderedAt: "ordered_at", dueOn: "due_on", opensAt: "opens_at" },
      rowVersion: "version",
      etag: ["version"],
      search: ["customer"],
    }),
  ];
}

function plainSets(db: Kysely<Tables>) {
  return [
    sqlEntitySet(Category, {
      db,
      table: "categories",
      operations: ["read"],
      navigation: { products: hasMany(PlainProduct, { target: "Products", on: { id: "categoryId" } }) },
    }),
    sqlEntitySet(PlainProduct, {
      ...PRODUCTS,
      db,
      navigation: { category: hasOptional(Category, { target: "Categories", on: { categoryId: "id" } }) },
    }),
  ];
}

function functions(db: Kysely<Tables>) {
  return {
    CountAbove: fn({
      params: { price: edm.decimal({ precision: 10, scale: 2 }) },
      returns: edm.int32(),
      handler: async ({ price }) => {
        const { rows } = await sql<{
          n: number;
        }>`select count(*) as n from products where cast(price as real) > ${Number(price)}`.execute(db);
        return rows[0]?.n ?? 0;
      },
    }),
  };
}

function actions(db: Kysely<Tables>) {
  return {
    Restock: action({
      params: { categoryId: edm.int32() },
      returns: edm.int32(),
      handler: async ({ categoryId }) => {
        const { rows } =
          await sql`update products set is_in_stock = 1, version = version + 1 where category_id = ${categoryId} and is_in_stock = 0 returning id`.execute(
            db,
          );
        return rows.length;
      },
    }),
  };
}
