import { Kysely, sql } from "kysely";
import { complexType, edm, entitySet, entityType, enumType, odataService } from "odatakit";
import { sqliteDialect } from "odatakit/sqlite";
import type { SynchronousReader } from "../../../src/databases/connection/synchronous-reader.ts";
import { readPage } from "../../../src/databases/read/read-page.ts";
import { makeReader, type SqlReader } from "../../../src/databases/read/sql-reader.ts";
import { SqlRows } from "../../../src/databases/read/sql-rows.ts";
import type { SourceQuery } from "../../../src/language/query/source.ts";

export const Status = enumType("Status", { Draft: 0, Paid: 1, Shipped: 2 });
export const Access = enumType("Access", { None: 0, Read: 1, Write: 2 }, { isFlags: true });
export const Address = complexType("Address", { street: edm.string(), city: edm.string().nullable() });

/** An order with a column of each storage form. */
export const Order = entityType("Order", {
  id: edm.int64().key(),
  customerId: edm.int32(),
  name: edm.string().nullable(),
  status: edm.enum(Status),
  access: edm.enum(Access).nullable(),
  price: edm.decimal().nullable(),
  total: edm.decimal({ precision: 12, scale: 2 }),
  weight: edm.double().nullable(),
  paid: edm.boolean().nullable(),
  token: edm.guid().nullable(),
  day: edm.date().nullable(),
  time: edm.timeOfDay().nullable(),
  placed: edm.dateTimeOffset({ precision: 3 }),
  changed: edm.dateTimeOffset().nullable(),
  span: edm.duration().nullable(),
  shipTo: edm.complex(Address).nullable(),
  tags: edm.collection(edm.string()),
});

export const ORDER_COLUMNS = {
  customerId: "customer_id",
  total: { storage: "scaled" },
  changed: { storage: "text" },
  shipTo: { columns: { street: "ship_street" } },
} as const;

export const ORDERS_TABLE = `create table "orders" (
  "id" integer primary key, "customer_id" integer not null, "name" text, "status" text not null, "access" integer,
  "price" text, "total" integer not null, "weight" real, "paid" integer, "token" text, "day" text, "time" text,
  "placed" text not null, "changed" text, "span" text, "ship_street" text, "shipTo_city" text, "tags" text
)`;

// oxlint-disable-next-line typescript/no-explicit-any -- the tables are not described
export type AnyDatabase = Kysely<any>;

/** An empty table of orders in memory. */
export async function ordersDatabase(): Promise<AnyDatabase> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql.raw(ORDERS_TABLE).execute(db);
  return db;
}

/** An executed statement. */
export interface RunStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The entities of a page of the service. */
const MOST = 50_000;

/** Makes the function that runs requests on the orders of a database and returns their statements. */
export function recordStatements(
  db: AnyDatabase,
  from: unknown = "orders",
): (options?: Readonly<Record<string, string | number>>, path?: string) => Promise<readonly RunStatement[]> {
  const statements: RunStatement[] = [];
  const reader = recording(readerOf(db, from), db, statements);
  const source = {
    kind: "EntitySource",
    entityType: Order,
    // Statements of rows, whatever the size of the page, and without the limit of the service.
    read: (query: SourceQuery) => {
      const unlimited = query.top === MOST + 1 ? { top: undefined, marked: undefined } : {};
      return readPage(reader, { ...query, json: undefined, ...unlimited });
    },
  } as const;
  const service = odataService({
    propertyNaming: "camelCase",
    namespace: "Test",
    entitySets: [entitySet(Order, { maxTop: null, queryable: () => source })],
    defaults: { maxPageSize: MOST },
  });
  return async (options = {}, path = "") => {
    statements.length = 0;
    const pairs = Object.entries(options).map(([name, value]) => `$${name}=${encodeURIComponent(value)}`);
    const response = await service.fetch(new Request(`http://service.example/Orders${path}?${pairs.join("&")}`));
    if (response.status !== 200) throw new Error(await response.text());
    return [...statements];
  };
}

/** The reader of orders. */
export function readerOf(db: AnyDatabase, from: unknown = "orders"): SqlReader {
  const reader = makeReader(Order, { db, from, columns: ORDER_COLUMNS }, (message) => {
    throw new Error(message);
  });
  if (reader === null) throw new Error("There is no reader.");
  return reader;
}

function recording(reader: SqlReader, db: AnyDatabase, statements: RunStatement[]): SqlReader {
  const adapter = db.getExecutor().adapter as unknown as SynchronousReader;
  const note = (text: string, parameters: readonly unknown[]): void => {
    statements.push({ sql: text, parameters });
  };
  const rows = new SqlRows(
    db,
    {
      readRows: (text, parameters) => {
        note(text, parameters);
        return adapter.readRows(text, parameters);
      },
      readOne: (text, parameters) => {
        note(text, parameters);
        return adapter.readOne(text, parameters);
      },
    },
    reader.profile,
  );
  return { ...reader, rows };
}
