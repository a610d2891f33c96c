import { sql, type CreateTableBuilder, type Kysely } from "kysely";

export interface Tables {
  users: { token: string; id: string; role: "clerk" | "manager"; region: string | null };
  regions: { code: string; name: string };
  customers: { id: number; name: string; email: string; region: string };
  products: { id: number; name: string; price: number; cost: number; stock: number; version: number };
  counters: { name: string; value: number };
  orders: {
    number: number;
    customerId: number;
    region: string;
    status: string;
    placed: number;
    note: string | null;
    total: number;
    version: number;
  };
  lines: { orderNumber: number; position: number; productId: number; quantity: number; price: number };
  audit: { id: string; at: number; userId: string; orderNumber: number; change: string };
}

/** Creates the tables that do not exist, and fills an empty database. These types are those of every database. */
export async function createTables(db: Kysely<Tables>): Promise<void> {
  const create = (name: keyof Tables, columns: Readonly<Record<string, string>>): CreateTableBuilder<string, string> =>
    Object.entries(columns).reduce<CreateTableBuilder<string, string>>(
      (table, [column, type]) => table.addColumn(column, sql.raw(type)),
      db.schema.createTable(name).ifNotExists(),
    );
  const id = "integer not null primary key";
  const text = "varchar(80) not null";
  const integer = "integer not null";
  // Money is stored as whole cents, an instant as milliseconds since 1970.
  const whole = "bigint not null";
  await create("users", { token: `${text} primary key`, id: text, role: text, region: "varchar(80)" }).execute();
  await create("regions", { code: `${text} primary key`, name: text }).execute();
  await create("customers", { id, name: text, email: text, region: text })
    .addForeignKeyConstraint("customers_region", ["region"], "regions", ["code"])
    .execute();
  await create("products", {
    id,
    name: text,
    price: whole,
    cost: whole,
    stock: `${integer} check (stock >= 0)`,
    version: integer,
  }).execute();
  await create("counters", { name: `${text} primary key`, value: integer }).execute();
  const order = { number: id, customerId: integer, region: text, status: text, placed: whole };
  await create("orders", { ...order, note: "varchar(200)", total: "bigint default 0 not null", version: integer })
    .addForeignKeyConstraint("orders_customer", ["customerId"], "customers", ["id"])
    .execute();
  await create("lines", {
    orderNumber: integer,
    position: integer,
    productId: integer,
    quantity: integer,
    price: whole,
  })
    .addPrimaryKeyConstraint("lines_key", ["orderNumber", "position"])
    .addForeignKeyConstraint("lines_order", ["orderNumber"], "orders", ["number"], (key) => key.onDelete("cascade"))
    .addForeignKeyConstraint("lines_product", ["productId"], "products", ["id"])
    .execute();
  const entry = { userId: text, orderNumber: integer, change: "text not null" };
  await create("audit", { id: `${text} primary key`, at: whole, ...entry }).execute();
  if ((await db.selectFrom("counters").select("name").execute()).length === 0) await fill(db);
}

async function fill(db: Kysely<Tables>): Promise<void> {
  // Example tokens: an application makes random ones, and stores their hashes.
  const users: ReadonlyArray<Tables["users"]> = [
    { token: "example-ann", id: "ann", role: "clerk", region: "north" },
    { token: "example-bob", id: "bob", role: "clerk", region: "south" },
    { token: "example-eve", id: "eve", role: "manager", region: null },
  ];
  const regions: ReadonlyArray<Tables["regions"]> = [
    { code: "north", name: "North" },
    { code: "south", name: "South" },
  ];
  const customers: ReadonlyArray<Tables["customers"]> = [
    { id: 1, name: "Fjord Cafe", email: "buyer@fjord.example", region: "north" },
    { id: 2, name: "Harbour Inn", email: "buyer@harbour.example", region: "north" },
    { id: 3, name: "Vineyard", email: "buyer@vineyard.example", region: "south" },
  ];
  const products: ReadonlyArray<Tables["products"]> = [
    { id: 1, name: "Chair", price: 4950, cost: 2500, stock: 40, version: 1 },
    { id: 2, name: "Table", price: 19_900, cost: 12_000, stock: 3, version: 1 },
    { id: 3, name: "Lamp", price: 2425, cost: 990, stock: 100, version: 1 },
  ];
  await db.transaction().execute(async (transaction) => {
    await transaction.insertInto("users").values(users).execute();
    await transaction.insertInto("regions").values(regions).execute();
    await transaction.insertInto("customers").values(customers).execute();
    await transaction.insertInto("products").values(products).execute();
    await transaction.insertInto("counters").values({ name: "order", value: 1000 }).execute();
  });
}
