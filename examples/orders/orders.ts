import { randomUUID } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import {
  action,
  allRows,
  authenticated,
  type Context,
  edm,
  entityType,
  hasMany,
  hasRequired,
  inherit,
  type Messages,
  now,
  odataError,
  odataService,
  type ODataService,
  type Principal,
  resource,
  role,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { Tables } from "./tables.ts";

export interface Mail {
  readonly to: string;
  readonly subject: string;
}

/** What the service needs from its surroundings. */
export interface Surroundings {
  readonly sendMail: (mail: Mail) => void | Promise<void>;
  readonly log: (line: string) => void;
}

/** The user of a request. A clerk works for one region, a manager for all. */
interface Staff extends Principal {
  readonly id: string;
  readonly region: string | null;
}

const money = () => edm.decimal({ precision: 12, scale: 2 });
const instant = () => edm.dateTimeOffset({ precision: 3 });

const Region = entityType("Region", { code: edm.string().key(), name: edm.string() });
const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string(),
  email: edm.string(),
  region: edm.string(),
});
const Product = entityType("Product", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 80 }),
  price: money(),
  cost: money(),
  stock: edm.int32({ minimum: 0 }),
  version: edm.int32().computed(),
});
const Order = entityType("Order", {
  number: edm.int32().key(),
  customerId: edm.int32().immutable(),
  region: edm.string(),
  status: edm.string(),
  placed: instant(),
  note: edm.string({ maxLength: 200 }).nullable(),
  total: money().computed(),
  version: edm.int32().computed(),
});
const Line = entityType("Line", {
  orderNumber: edm.int32().key(),
  position: edm.int32().key(),
  productId: edm.int32().immutable(),
  quantity: edm.int32({ minimum: 1 }),
  price: money(),
});
const Entry = entityType("Entry", {
  id: edm.string().key(),
  at: instant(),
  userId: edm.string(),
  orderNumber: edm.int32(),
  change: edm.string(),
});

/** The sets without orders: what clerks read, managers write and the hooks record. */
function baseSets(db: Kysely<Tables>) {
  const regions = sqlEntitySet(Region, { db, table: "regions", operations: ["read"] });
  const customers = sqlEntitySet(Customer, {
    db,
    table: "customers",
    operations: ["read"],
    authorization: { rows: ofRegion },
  });
  const products = sqlEntitySet(Product, {
    db,
    table: "products",
    operations: ["read", "create", "patch"],
    columns: { price: { storage: "scaled" }, cost: { storage: "scaled" } },
    rowVersion: "version",
    etag: ["version"],
    authorization: {
      create: role("manager"),
      update: role("manager"),
      properties: { cost: { read: role("manager") } },
    },
  });
  const audit = sqlEntitySet(Entry, {
    name: "Audit",
    db,
    table: "audit",
    operations: ["read", "create"],
    columns: { at: { storage: "epoch" } },
    // No client creates entries. The hooks of orders are trusted.
    authorization: { read: role("manager"), create: resource(() => false) },
    set: {
      id: { create: () => randomUUID() },
      at: { create: now },
      userId: { create: ({ user }) => user.id ?? "" },
    },
  });
  return { regions, customers, products, audit };
}

type BaseSets = ReturnType<typeof baseSets>;

/** The row rule of customers and orders. */
function ofRegion<P>(user: Principal, row: { readonly region: { eq(value: string): P } }): P | typeof allRows {
  const { region } = user as Staff;
  return region === null ? allRows : row.region.eq(region);
}

async function regionOf(customerId: number, { customers }: BaseSets, ctx: Context): Promise<string> {
  const customer = await ctx.sets(customers).get(customerId);
  if (customer === null) throw odataError(409, "NoCustomer", "No such customer.", { target: "CustomerId" });
  return customer.region;
}

async function priceOf(productId: number, { products }: BaseSets, ctx: Context): Promise<string> {
  const product = await ctx.sets(products).get(productId);
  if (product === null) throw odataError(409, "NoProduct", "No such product.", { target: "ProductId" });
  return product.price;
}

/** Counts the orders. The row stays locked until the order is committed, so no number is missing. */
async function nextNumber(ctx: Context): Promise<number> {
  const transaction = ctx.transaction as Transaction<Tables>;
  const own = transaction.updateTable("counters").where("name", "=", "order");
  await own.set((counter) => ({ value: counter("value", "+", 1) })).execute();
  const counters = transaction.selectFrom("counters").where("name", "=", "order");
  return (await counters.select("value").executeTakeFirstOrThrow()).value;
}

/** Orders with their lines. */
function orderSets(db: Kysely<Tables>, base: BaseSets, sendMail: Surroundings["sendMail"]) {
  const record = async (ctx: Context, orderNumber: number, before: object | null, after: object | null) => {
    await ctx.sets(base.audit, { trusted: true }).create({ orderNumber, change: JSON.stringify({ before, after }) });
  };
  const orders = sqlEntitySet(Order, {
    db,
    table: "orders",
    operations: ["read", "create", "patch", "delete"],
    columns: { placed: { storage: "epoch" }, total: { storage: "scaled" } },
    rowVersion: "version",
    etag: ["version"],
    allowDeepInsert: true,
    // Calls of `confirm` may be part of a change set.
    transactional: true,
    navigation: {
      customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }),
      lines: hasMany(Line, { on: { number: "orderNumber" }, target: "Lines", partner: "order" }),
    },
    authorization: { delete: role("manager"), rows: ofRegion },
    set: {
      number: { create: async ({ ctx }) => nextNumber(ctx) },
      region: { create: async ({ input, ctx }) => regionOf(input.customerId, base, ctx) },
      status: { create: () => "open" },
      placed: { create: now },
    },
    before: {
      patch: async ({ key, delta, current, ctx }) => record(ctx, key, await current(), delta),
      delete: async ({ key, current, ctx }) => record(ctx, key, await current(), null),
    },
    after: { create: ({ entity, ctx }) => record(ctx, entity.number, null, entity) },
    actions: {
      confirm: action({
        bound: "entity",
        handler: async (number, _parameters, ctx): Promise<void> =>
          ctx.inTransaction(async (inner) => confirm(number, inner)),
      }),
    },
  });

  async function confirm(number: number, ctx: Context): Promise<void> {
    const order = await ctx.sets(orders).get(number, { forUpdate: true });
    if (order === null) throw odataError(404, "NotFound", "There is no such order.");
    if (order.status !== "open") throw odataError(409, "NotOpen", "The order is not open.");
    // Locking products in the order of their keys avoids deadlocks.
    const products = ctx.sets(base.products, { trusted: true });
    const ordered = await ctx
      .sets(lines)
      .query({ filter: (line) => line.orderNumber.eq(number), orderBy: "productId" });
    for (const { productId, quantity } of ordered) {
      const product = await products.get(productId, { forUpdate: true });
      const { name, stock } = product ?? { name: "", stock: 0 };
      const parameters = { name, stock };
      if (stock < quantity) throw odataError(409, "SoldOut", `Only ${stock} of ${name} are left.`, { parameters });
      await products.patch(productId, { stock: stock - quantity });
    }
    await ctx.sets(orders, { trusted: true }).patch(number, { status: "confirmed" });
    const customer = await ctx.sets(base.customers).get(order.customerId);
    const subject = `Order ${number} is confirmed: ${order.total}`;
    ctx.afterCommit(() => sendMail({ to: customer?.email ?? "", subject }));
  }

  /** Keeps the total of an order, and its lines once it is no longer open. */
  async function sumUp({ entity, ctx }: { entity: { orderNumber: number }; ctx: Context }): Promise<void> {
    const { orderNumber } = entity;
    const order = await ctx.sets(orders).get(orderNumber, { forUpdate: true });
    if (order?.status !== "open") throw odataError(409, "NotOpen", "The order is not open.");
    const own = await ctx.sets(lines).query({ filter: (line) => line.orderNumber.eq(orderNumber) });
    const cents = own.reduce((sum, { price, quantity }) => sum + Math.round(Number(price) * 100) * quantity, 0);
    await ctx.sets(orders, { trusted: true, hooks: false }).patch(orderNumber, { total: (cents / 100).toFixed(2) });
  }
  const lines = sqlEntitySet(Line, {
    db,
    table: "lines",
    operations: ["read", "create", "patch", "delete"],
    columns: { price: { storage: "scaled" } },
    navigation: {
      order: hasRequired(Order, { on: { orderNumber: "number" }, target: "Orders", partner: "lines" }),
      product: hasRequired(Product, { on: { productId: "id" }, target: "Products" }),
    },
    authorization: { rows: inherit("order") },
    set: { price: { create: async ({ input, ctx }) => priceOf(input.productId, base, ctx) } },
    after: { create: sumUp, patch: sumUp, delete: sumUp },
  });
  return { orders, lines };
}

const german: Readonly<Record<string, string>> = {
  MaxLength: "Geben Sie höchstens {maxLength} Zeichen ein.",
  Minimum: "Der Wert muss mindestens {minimum} sein.",
  SoldOut: "Von {name} sind nur noch {stock} vorrätig.",
};
const messages: Messages = (code, parameters, language) =>
  language.startsWith("de")
    ? german[code]?.replaceAll(/\{(\w+)\}/g, (_hole, name: string) => String(parameters[name]))
    : undefined;

/** Finds the user of a bearer token. */
async function findUser(db: Kysely<Tables>, headers: { get(name: string): string | null }): Promise<Staff | null> {
  const token = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (token === undefined) return null;
  const user = await db.selectFrom("users").selectAll().where("token", "=", token).executeTakeFirst();
  if (user === undefined) throw odataError(401, "InvalidToken", "The token is not known.");
  return { id: user.id, roles: [user.role], region: user.region };
}

/** The service, and its nightly job. The tables must exist. */
export function openOrders(db: Kysely<Tables>, { sendMail, log }: Surroundings): OrderSystem {
  const base = baseSets(db);
  const { orders, lines } = orderSets(db, base, sendMail);
  const service = odataService({
    prefix: "/odata",
    namespace: "Orders",
    defaults: { applyEnabled: true },
    batch: { json: true },
    entitySets: [...Object.values(base), orders, lines],
    authenticate: ({ headers }) => findUser(db, headers),
    authorization: authenticated(),
    messages,
    onResponse: ({ request, status, user, set }) => log(`${user?.id ?? "-"} ${request.method} ${set ?? "-"} ${status}`),
  });
  const nightly: Staff = { id: "nightly", roles: ["manager"], region: null };
  const cancelOpen = (placedBefore: string): Promise<number> =>
    service.run(nightly, (ctx) =>
      ctx.inTransaction(async (inner) => {
        const late = await inner
          .sets(orders)
          .query({ filter: (order) => order.status.eq("open").and(order.placed.lt(placedBefore)) });
        const trusted = inner.sets(orders, { trusted: true });
        for (const { number } of late) await trusted.patch(number, { status: "cancelled" });
        return late.length;
      }),
    );
  return { service, cancelOpen };
}

export interface OrderSystem {
  readonly service: ODataService;
  /** Cancels the open orders placed before an instant, and returns their number. */
  readonly cancelOpen: (placedBefore: string) => Promise<number>;
}
