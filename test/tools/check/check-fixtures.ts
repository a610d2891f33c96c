import { sql } from "kysely";
import { edm, entityType, hasOptional, odataService, type ODataService } from "odatakit";
import { sqlEntitySet, type SqlOperation } from "odatakit/kysely";
import type { AnyDatabase, DatabaseName } from "../../engine/executors/engines.ts";

export const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string({ maxLength: 40 }) });

export const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  note: edm.string({ maxLength: 40 }).nullable(),
  total: edm.decimal({ precision: 12, scale: 2 }),
  placedAt: edm.dateTimeOffset({ precision: 3 }),
});

/** The type of strings that each database compares as the service does. */
export const TEXT: Readonly<Record<DatabaseName, (length: number) => string>> = {
  sqlite: () => "text",
  postgres: (length) => `varchar(${String(length)}) collate "C"`,
  mariadb: (length) => `varchar(${String(length)}) character set utf8mb4 collate utf8mb4_nopad_bin`,
};

/** The columns of the table `orders` that fit the declaration. */
export function orderColumns(name: DatabaseName): Readonly<Record<string, string>> {
  return {
    id: "integer not null primary key",
    customer_id: "integer references customers (id)",
    note: TEXT[name](40),
    total: `${name === "sqlite" ? "text" : "decimal(12, 2)"} not null`,
    placed_at: `${{ sqlite: "text", postgres: "timestamptz(3)", mariadb: "datetime(3)" }[name]} not null`,
  };
}

/** The tables that fit the declarations. @param changed columns of `orders` that differ; null removes a column */
export function tables(name: DatabaseName, changed: Readonly<Record<string, string | null>> = {}): readonly string[] {
  const columns = Object.entries({ ...orderColumns(name), ...changed }).flatMap(([column, type]) =>
    type === null ? [] : [`${column} ${type}`],
  );
  return [
    `create table customers (id integer not null primary key, name ${TEXT[name](40)} not null)`,
    `create table orders (${columns.join(", ")})`,
    "create index orders_customer_id on orders (customer_id)",
  ];
}

/** Runs statements one after another. */
export async function run(db: AnyDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** The service that the tables fit. */
export function shop(db: AnyDatabase, operations: readonly SqlOperation[] = ["read", "create", "patch"]): ODataService {
  const customer = hasOptional(Customer, { target: "Customers", on: { customerId: "id" } });
  return odataService({
    schemaCheck: false,
    entitySets: [
      sqlEntitySet(Customer, { db, table: "customers", operations }),
      sqlEntitySet(Order, {
        db,
        table: "orders",
        operations,
        columns: { customerId: "customer_id", placedAt: "placed_at" },
        navigation: { customer },
      }),
    ],
  });
}
