import type { Kysely, Transaction } from "kysely";
import {
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasRequired,
  type EntitySource,
  type RuleContext,
  type ServiceOptions,
} from "odatakit";
import { type FindTenant, sqlEntitySet, sqlSource } from "odatakit/kysely";
import { expectTypeOf, test } from "vitest";

const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Bill = entityType("Bill", {
  id: edm.int32().key(),
  status: edm.enum(Status).nullable(),
  paid: edm.boolean(),
  code: edm.string(),
  tags: edm.collection(edm.string()),
});
const Address = complexType("Address", { street: edm.string(), city: edm.string().nullable() });
const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Order = entityType("Order", {
  id: edm.int64().key(),
  customerId: edm.int32(),
  total: edm.decimal({ precision: 12, scale: 2 }),
  placedAt: edm.dateTimeOffset({ precision: 3 }),
  shipTo: edm.complex(Address).nullable(),
  tags: edm.collection(edm.string()),
  margin: edm.decimal().ignored(),
  version: edm.int32().computed(),
});

interface Database {
  readonly orders: { readonly id: number; readonly customer_id: number };
}
declare const db: Kysely<Database>;
declare const transaction: Transaction<Database>;

test("a set over a table accepts every column option, setting and handler", () => {
  const orders = sqlEntitySet(Order, {
    db,
    table: "orders",
    operations: ["read", "patch"],
    columns: {
      customerId: "customer_id",
      total: { storage: "scaled" },
      placedAt: { name: "placed_at", storage: "epoch" },
      shipTo: { columns: { street: "ship_street", city: { name: "ship_city" } } },
      tags: { storage: "json" },
      margin: { name: "margin" },
    },
    rowVersion: "version",
    etag: ["version"],
    maxTop: 50,
    navigation: { customer: hasRequired(Customer, { on: { customerId: "id" } }) },
    functions: { late: fn({ bound: "entity", returns: edm.boolean(), handler: (id) => id > 5n }) },
    getByKey: (id, ctx) => {
      expectTypeOf(id).toEqualTypeOf<bigint>();
      expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
      return null;
    },
  });
  expectTypeOf(orders).toExtend<ServiceOptions["entitySets"][number]>();
  sqlEntitySet(Customer, { db: transaction, table: "customers", operations: ["read"] });
});

test("a function finds the database of a tenant", () => {
  sqlEntitySet(Customer, {
    db: (context) => {
      expectTypeOf(context).toEqualTypeOf<RuleContext>();
      return { id: context.user?.id ?? "", db };
    },
    table: "customers",
    operations: ["read"],
  });
  const find: FindTenant = () => ({ id: "a", db });
  expectTypeOf(sqlSource(Order, { db: find, from: "orders" })).toEqualTypeOf<EntitySource<typeof Order>>();
  // @ts-expect-error -- without an id
  sqlEntitySet(Customer, { db: () => ({ db }), table: "customers", operations: ["read"] });
  // @ts-expect-error -- a promise
  sqlEntitySet(Customer, { db: async () => ({ id: "a", db }), table: "customers", operations: ["read"] });
});

test("a source accepts a table, a query or a string", () => {
  expectTypeOf(sqlSource(Order, { db, from: "orders" })).toEqualTypeOf<EntitySource<typeof Order>>();
  entitySet(Order, { queryable: () => sqlSource(Order, { db, from: db.selectFrom("orders").selectAll() }) });
  entitySet(Order, {
    queryable: () =>
      sqlSource(Order, {
        db,
        from: { sql: "select * from orders where id > ?", parameters: [5] },
        columns: { id: "no" },
      }),
  });
});

test("wrong uses do not compile", () => {
  // @ts-expect-error -- operations are required: a table is never writable by omission
  sqlEntitySet(Customer, { db, table: "customers" });
  // @ts-expect-error -- an unknown operation
  sqlEntitySet(Customer, { db, table: "customers", operations: ["drop"] });
  // @ts-expect-error -- an unknown property
  sqlEntitySet(Customer, { db, table: "customers", operations: ["read"], columns: { nope: "x" } });
  // @ts-expect-error -- an unknown storage
  sqlEntitySet(Customer, { db, table: "customers", operations: ["read"], columns: { name: { storage: "blob" } } });
  // @ts-expect-error -- an unknown member of a complex property
  sqlEntitySet(Order, { db, table: "orders", operations: ["read"], columns: { shipTo: { columns: { nope: "x" } } } });
  // @ts-expect-error -- a source of another type
  entitySet(Order, { queryable: () => sqlSource(Customer, { db, from: "customers" }) });
});

test("storage and conversions follow the type of the property", () => {
  const bill = { db, table: "bills", operations: ["read"] } as const;
  sqlEntitySet(Bill, {
    ...bill,
    columns: {
      status: { storage: { values: { Draft: "D", Paid: "P" } } },
      paid: { name: "is_paid", storage: { true: 1, false: 0 } },
      tags: {
        convert: {
          fromDatabase: (cell) => {
            expectTypeOf(cell).toBeUnknown();
            return String(cell).split(";");
          },
          toDatabase: (tags) => {
            expectTypeOf(tags).toEqualTypeOf<readonly string[]>();
            return tags.join(";");
          },
        },
      },
    },
  });
  // @ts-expect-error: every member needs a cell
  sqlEntitySet(Bill, { ...bill, columns: { status: { storage: { values: { Draft: "D" } } } } });
  // @ts-expect-error: an enumeration is not a Boolean
  sqlEntitySet(Bill, { ...bill, columns: { status: { storage: { true: 1, false: 0 } } } });
  // @ts-expect-error: a string has no members
  sqlEntitySet(Bill, { ...bill, columns: { code: { storage: { values: { Draft: 0 } } } } });
});

test("ctx.transaction has the type of the database of the set", () => {
  type Opened = Transaction<Database>;
  sqlEntitySet(Customer, {
    db,
    table: "customers",
    operations: ["read", "create", "patch"],
    getByKey: (_id, ctx) => {
      expectTypeOf(ctx.transaction).toEqualTypeOf<Opened | undefined>();
      return null;
    },
    set: {
      name: {
        create: async ({ ctx }) => {
          expectTypeOf(ctx.transaction).toEqualTypeOf<Opened | undefined>();
          return ctx.inTransaction(async (within) => {
            expectTypeOf(within.transaction).toEqualTypeOf<Opened>();
            return "a";
          });
        },
      },
    },
    validate: {
      create: ({ ctx }) => {
        expectTypeOf(ctx.transaction).toEqualTypeOf<Opened | undefined>();
      },
    },
    before: {
      patch: async ({ ctx }) => {
        expectTypeOf(ctx.transaction).toEqualTypeOf<Opened | undefined>();
        await ctx.inTransaction((within) => expectTypeOf(within.transaction).toEqualTypeOf<Opened>(), { timeout: 5 });
        const other = entitySet(Customer, { getAll: () => [] });
        await ctx.inTransaction((within) => expectTypeOf(within.transaction).toEqualTypeOf<unknown>(), { over: other });
        ctx.afterCommit((later) => expectTypeOf(later.transaction).toEqualTypeOf<Opened | undefined>());
        // @ts-expect-error -- a table that the database does not have
        await ctx.transaction?.selectFrom("bills").execute();
      },
    },
    after: {
      create: ({ ctx }) => {
        expectTypeOf(ctx.transaction).toEqualTypeOf<Opened | undefined>();
      },
    },
  });
  const find: FindTenant<Kysely<Database>> = () => ({ id: "a", db });
  sqlEntitySet(Customer, {
    db: find,
    table: "customers",
    operations: ["read"],
    getAll: (ctx) => {
      expectTypeOf(ctx.transaction).toEqualTypeOf<Opened | undefined>();
      return [];
    },
  });
});
