import { sql } from "kysely";
import {
  action,
  applyDelta,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  now,
  odataService,
  type Context,
  type EntitySet,
  type IncomingRequest,
  type ODataService,
  type RowPredicate,
  type TracedStatement,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { vi } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseEngine } from "../../engine/executors/engines.ts";

/** Orders of tenants, whose tenant, author and times the server sets. */

const Customer = entityType("Customer", { id: edm.int32().key(), tenant: edm.string().ignored(), name: edm.string() });
const Order = entityType("Order", {
  id: edm.guid().key(),
  tenant: edm.string().ignored(),
  title: edm.string(),
  createdBy: edm.string().immutable(),
  createdAt: edm.dateTimeOffset({ precision: 3 }),
  updatedAt: edm.dateTimeOffset({ precision: 0 }),
  day: edm.date().nullable(),
  customerId: edm.int32().nullable(),
});
const Line = entityType("Line", {
  id: edm.int32().key(),
  orderId: edm.guid().nullable(),
  tenant: edm.string().ignored(),
  quantity: edm.int32(),
  changedBy: edm.string().computed(),
  changer: edm.string().nullable().ignored(),
});

interface TestUser {
  readonly id: string;
  readonly tenant: string;
}
export const tenantOf = (user: unknown): string => (user as TestUser).tenant;
const idOf = (user: unknown): string => (user as TestUser).id;

/** `ann of one` is the user `ann` of the tenant `one`. */
export const authenticate = ({ headers }: IncomingRequest): TestUser | null => {
  const [id, tenant] = headers.get("x-user")?.split(" of ") ?? [];
  return id === undefined || tenant === undefined ? null : { id, tenant };
};

let orders = 0;
/** The id of the order with a number. */
export const orderId = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

const tenant = { create: ({ user }: { readonly user: unknown }) => tenantOf(user) };
const changer = {
  create: ({ user }: { readonly user: unknown }) => idOf(user),
  update: ({ user }: { readonly user: unknown }) => idOf(user),
};
const orderValues = {
  id: { create: () => orderId((orders += 1)) },
  tenant,
  createdBy: { create: ({ user }: { readonly user: unknown }) => idOf(user) },
  createdAt: { create: now },
  updatedAt: { create: now, update: now },
  day: { update: now },
};
const lineValues = { tenant, changedBy: changer, changer: { update: changer.update } };

export interface Running {
  readonly service: ODataService;
  readonly failures: unknown[];
  readonly statements: string[];
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const orderNavigation = {
  lines: hasMany<typeof Order, typeof Line>(Line, { on: { id: "orderId" }, target: "Lines", partner: "order" }),
  customer: hasOptional<typeof Order, typeof Customer>(Customer, {
    on: { tenant: "tenant", customerId: "id" },
    target: "Customers",
  }),
};
const lineNavigation = {
  order: hasOptional<typeof Line, typeof Order>(Order, { on: { orderId: "id" }, target: "Orders", partner: "lines" }),
};

type Sets = readonly [customers: EntitySet, orders: EntitySet, lines: EntitySet];

function running(sets: Sets, beside: Pick<Running, "reset" | "close">): Running {
  const failures: unknown[] = [];
  const statements: string[] = [];
  const [, orderSet, lineSet] = sets;
  const call = async (run: (ctx: Context) => Promise<unknown>, ctx: Context) => {
    try {
      return JSON.stringify(await run(ctx));
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : "";
    }
  };
  const access = (ctx: Context, trusted: boolean) => ({
    orders: ctx.sets(orderSet as EntitySet<typeof Order>, { trusted }),
    lines: ctx.sets(lineSet as EntitySet<typeof Line>, { trusted }),
  });
  const service = odataService({
    entitySets: [...sets],
    authenticate,
    batch: { json: true, changeSets: "sequential" },
    actions: {
      stored: action({
        authorization: [],
        params: { set: edm.string() },
        returns: edm.string(),
        handler: async ({ set }, ctx) => {
          const found = sets.find(({ options }) => (options as { readonly name?: string }).name === set);
          return JSON.stringify(found === undefined ? [] : await ctx.sets(found, { trusted: true }).query());
        },
      }),
      change: action({
        authorization: [],
        params: { trusted: edm.boolean(), set: edm.string(), key: edm.string().nullable(), values: edm.string() },
        returns: edm.string(),
        handler: ({ trusted, set, key, values }, ctx) =>
          call(async (context) => {
            const { orders: some, lines } = access(context, trusted);
            const given = JSON.parse(values) as never;
            if (set === "Lines") return key === null ? lines.create(given) : lines.patch(Number(key), given);
            return key === null ? some.create(given) : some.patch(key, given);
          }, ctx),
      }),
    },
    logger: { error: (_message, { err }) => void failures.push(err), warn: () => {}, info: () => {} },
    onStatement: ({ sql: text }: TracedStatement) => void statements.push(text),
  });
  const reset = async (): Promise<void> => {
    orders = 0;
    failures.length = 0;
    await beside.reset();
    statements.length = 0;
  };
  return { service, failures, statements, ...beside, reset };
}

const OPERATIONS = ["read", "create", "replace", "patch", "delete"] as const;
const rows = (user: unknown, row: { readonly tenant: { eq(value: string): RowPredicate } }): RowPredicate =>
  row.tenant.eq(tenantOf(user));

async function startTables({ name, open }: DatabaseEngine): Promise<Running> {
  const { db, close } = await open();
  const [text, guid] = name === "mariadb" ? ["varchar(50)", "uuid"] : ["text", name === "sqlite" ? "text" : "uuid"];
  const [milliseconds = "", seconds = ""] = {
    sqlite: ["text", "text"],
    postgres: ["timestamptz", "timestamptz(0)"],
    mariadb: ["datetime(3)", "datetime"],
  }[name];
  for (const command of [
    `create table customers (id int primary key not null, tenant ${text} not null, name ${text} not null)`,
    `create table orders (id ${guid} primary key not null, tenant ${text} not null, title ${text} not null,
      created_by ${text} not null, created_at ${milliseconds} not null, updated_at ${seconds} not null,
      day ${name === "sqlite" ? "text" : "date"}, customer_id int references customers (id))`,
    `create table order_lines (id int primary key not null, order_id ${guid} references orders (id), tenant ${text} not null,
      quantity int not null, changed_by ${text} not null, changer ${text})`,
  ]) {
    await sql.raw(command).execute(db);
  }
  const customers = sqlEntitySet(Customer, {
    db,
    table: "customers",
    name: "Customers",
    operations: OPERATIONS,
    set: { tenant },
    authorization: { rows },
  });
  const orderSet = sqlEntitySet(Order, {
    db,
    table: "orders",
    name: "Orders",
    operations: OPERATIONS,
    columns: { createdBy: "created_by", createdAt: "created_at", updatedAt: "updated_at", customerId: "customer_id" },
    allowDeepInsert: true,
    etag: ["updatedAt"],
    set: orderValues,
    navigation: orderNavigation,
    authorization: { rows },
  });
  const lines = sqlEntitySet(Line, {
    db,
    table: "order_lines",
    name: "Lines",
    operations: OPERATIONS,
    columns: { orderId: "order_id", changedBy: "changed_by" },
    allowUpsert: true,
    set: lineValues,
    navigation: lineNavigation,
    authorization: { rows },
  });
  return running([customers, orderSet, lines], {
    reset: () => emptyTables(db),
    close,
  });
}

async function emptyTables(db: AnyDatabase): Promise<void> {
  for (const table of ["order_lines", "orders", "customers"]) await sql.raw(`delete from ${table}`).execute(db);
}

interface StoredLine {
  readonly id: number;
  readonly orderId: string | null;
  readonly tenant?: string;
  readonly quantity: number;
  readonly changedBy: string;
}

function startArrays(): Promise<Running> {
  const store = {
    customers: [] as Array<{ id: number; name: string }>,
    orders: [] as Array<{ id: string; [field: string]: unknown }>,
    lines: [] as StoredLine[],
  };
  const replaceIn = <Row extends { readonly id: unknown }>(
    list: Row[],
    key: unknown,
    make: (row: Row) => Row,
  ): Row | null => {
    const index = list.findIndex(({ id }) => id === key);
    const row = list[index];
    return row === undefined ? null : (list[index] = make(row));
  };
  const removeFrom = (list: Array<{ readonly id: unknown }>, key: unknown): boolean => {
    const index = list.findIndex(({ id }) => id === key);
    if (index >= 0) list.splice(index, 1);
    return index >= 0;
  };
  const addLine = (line: object): StoredLine => {
    store.lines.push(line as StoredLine);
    return line as StoredLine;
  };
  const customers = entitySet(Customer, {
    name: "Customers",
    getAll: () => store.customers,
    getByKey: (key) => store.customers.find(({ id }) => id === key) ?? null,
    create: (customer) => {
      store.customers.push(customer);
      return customer;
    },
    set: { tenant },
    authorization: { rows },
  });
  const orderSet = entitySet(Order, {
    name: "Orders",
    getAll: () => store.orders as never,
    getByKey: (key) => (store.orders.find(({ id }) => id === key) as never) ?? null,
    create: ({ lines = null, customer: _none, ...order }) => {
      store.orders.push(order);
      const added = (lines ?? []).map((line) => addLine({ ...line, orderId: order.id }));
      return (lines === null ? order : { ...order, lines: added }) as never;
    },
    replace: (key, order) => replaceIn(store.orders, key, () => ({ ...order, id: key })) as never,
    patch: (key, delta) => replaceIn(store.orders, key, (row) => applyDelta(Order, row as never, delta)) as never,
    delete: (key) => removeFrom(store.orders, key),
    allowDeepInsert: true,
    etag: ["updatedAt"],
    set: orderValues,
    navigation: {
      ...orderNavigation,
      lines: hasMany<typeof Order, typeof Line>(Line, {
        on: { id: "orderId" },
        target: "Lines",
        partner: "order",
        create: (key, line) => addLine({ ...line, orderId: key }),
      }),
    },
    authorization: { rows },
  });
  const lines = entitySet(Line, {
    name: "Lines",
    getAll: () => store.lines,
    getByKey: (key) => store.lines.find(({ id }) => id === key) ?? null,
    create: (line) => addLine(line),
    replace: (key, line) => replaceIn(store.lines, key, () => ({ ...line, id: key }) as never),
    patch: (key, delta) => replaceIn(store.lines, key, (row) => applyDelta(Line, row as never, delta) as never),
    delete: (key) => removeFrom(store.lines, key),
    allowUpsert: true,
    set: lineValues,
    navigation: lineNavigation,
    authorization: { rows },
  });
  return Promise.resolve(
    running([customers as never, orderSet as never, lines as never], {
      reset: () => {
        for (const list of Object.values(store)) list.length = 0;
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    }),
  );
}

/** The same service over arrays, and over tables of each database. */
export const STORES: ReadonlyArray<{
  readonly title: string;
  readonly isTable: boolean;
  readonly start: () => Promise<Running>;
}> = [
  { title: "arrays", isTable: false, start: startArrays },
  ...ENGINES.map((engine) => ({ title: engine.title, isTable: true, start: () => startTables(engine) })),
];

/** Stops `Date` at an instant, until the next call. Timers go on. */
export function stopAt(instant: string): void {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(instant) });
}
