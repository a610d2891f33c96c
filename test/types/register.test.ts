import { join } from "node:path";
import { expect, test } from "vitest";
import { declarationPaths } from "../house/declarations.ts";
import { ROOT } from "../house/source-files.ts";
import { compileProgram } from "./compile-program.ts";

const USE = `
import { action, edm, entitySet, entityType, requireUser, type Context, type Transaction, type User } from "odatakit";
import { allRows, noRows, resource, type ServiceOptions } from "odatakit";

interface Me { readonly id: string; readonly roles: readonly string[]; readonly tenant: string }
declare module "odatakit" {
  interface Register { user: Me; transaction: { run(sql: string): void } }
}
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const user: Same<User, Me> = true;
export const transaction: Same<Transaction, { run(sql: string): void }> = true;
export const inContext: Same<Context["user"], Me | null> = true;

const Order = entityType("Order", { id: edm.int32().key(), tenant: edm.string() });
export const orders = entitySet(Order, {
  getAll: (ctx) => (requireUser(ctx).tenant === "x" ? [] : [{ id: 1, tenant: ctx.user?.tenant ?? "" }]),
  getByKey: (_key, ctx) => { ctx.transaction?.run("select"); return null; },
  create: async (order, ctx) => ctx.inTransaction(async (inner) => {
    inner.transaction.run("select");
    // @ts-expect-error -- no transaction is open outside of the work
    ctx.transaction.run("select");
    return inner.set.create(order);
  }),
  actions: { go: action({ bound: "entity", handler: (_key, _parameters, ctx) => { ctx.user?.roles.includes("x"); } }) },
  authorization: {
    update: resource((user, order, ctx) => order.tenant === user.tenant && ctx.user?.tenant === user.tenant),
    // @ts-expect-error -- a user of this application has no such claim
    delete: resource((user) => user.email === ""),
    rows: (user, order) => (user.roles.includes("admin") ? allRows : user.tenant === "" ? noRows : order.tenant.eq(user.tenant)),
  },
});
export const options: ServiceOptions = { entitySets: [orders], authenticate: () => ({ id: "a", roles: [], tenant: "x" }) };
// @ts-expect-error -- a user without the tenant
export const wrong: ServiceOptions = { entitySets: [orders], authenticate: () => ({ id: "a", roles: [] }) };
`;

test("the application declares its user and transaction in one place", async () => {
  expect(compileProgram({ "register.ts": USE }, { paths: await declarationPaths() }).errors).toEqual([]);
});

const PLAIN = `
import type { Principal, Transaction, User } from "odatakit";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const user: Same<User, Principal> = true;
export const transaction: Same<Transaction, unknown> = true;
`;

test("without this declaration the user is a Principal", async () => {
  expect(compileProgram({ "plain.ts": PLAIN }, { paths: await declarationPaths() }).errors).toEqual([]);
});

const UNION = `
import type { Kysely, Transaction as Opened } from "kysely";
import { action, edm, entityType } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";

interface Sales { orders: { id: number } }
interface Files { docs: { id: number } }
interface Others { logs: { id: number } }
declare module "odatakit" {
  interface Register { transaction: Opened<Sales> | Opened<Files> }
}
declare const sales: Kysely<Sales>;
declare const others: Kysely<Others>;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_same: Same<A, B>): void => undefined;
const Order = entityType("Order", { id: edm.int32().key() });
export const orders = sqlEntitySet(Order, {
  db: sales,
  table: "orders",
  operations: ["read"],
  getByKey: (_key, ctx) => {
    same<typeof ctx.transaction, Opened<Sales> | undefined>(true);
    return null;
  },
  actions: { go: action({ bound: "entity", handler: (_key, _given, ctx) => same<typeof ctx.transaction, Opened<Sales> | Opened<Files> | undefined>(true) }) },
});
export const logs = sqlEntitySet(Order, {
  db: others,
  table: "logs",
  operations: ["read"],
  getByKey: (_key, ctx) => {
    same<typeof ctx.transaction, Opened<Sales> | Opened<Files> | undefined>(true);
    return null;
  },
});
`;

test("a set over one of several registered databases has the transaction of that one", async () => {
  const paths = { ...(await declarationPaths()), kysely: [join(ROOT, "node_modules/kysely/dist/index.d.ts")] };
  expect(compileProgram({ "union.ts": UNION }, { paths }).errors).toEqual([]);
});
