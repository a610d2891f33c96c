import { sql } from "kysely";
import {
  action,
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasRequired,
  isODataError,
  odataService,
  resource,
  role,
  type Context,
  type ServiceOptions,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase, DatabaseEngine } from "../../engine/executors/engines.ts";

const Address = complexType("Address", { street: edm.string().nullable(), city: edm.string().nullable() });
export const Order = entityType("Order", {
  id: edm.int32().key(),
  owner: edm.string({ maxLength: 20 }),
  status: edm.string().default("open"),
  total: edm.decimal({ precision: 12, scale: 2 }),
  placed: edm.dateTimeOffset({ precision: 3 }).nullable(),
  shipTo: edm.complex(Address).nullable(),
  version: edm.int32().computed(),
});
export const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), text: edm.string() });
export const Account = entityType("Account", { id: edm.int32().key(), balance: edm.int64() });
export const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

/** The work of a handler in a test. */
export type Script = (context: Context) => unknown;

/** The sets of the model, and a handler that each test fills. */
export interface Shop {
  readonly orders: ReturnType<typeof declareSets>["orders"];
  readonly lines: ReturnType<typeof declareSets>["lines"];
  readonly accounts: ReturnType<typeof declareSets>["accounts"];
  readonly notes: ReturnType<typeof declareSets>["notes"];
  readonly service: ReturnType<typeof odataService>;
  readonly errors: unknown[];
  /** The contexts that the handlers of Notes received. */
  readonly seen: Context[];
  script: Script;
  /** Returns the response to an action whose handler runs a script, as a user. */
  run(script: Script, user?: string): Promise<Response>;
  /** Returns the result of a script without undefined members: an ODataError as `status code`, any other error as a string. */
  resultOf(script: Script, user?: string): Promise<unknown>;
}

const ALL = ["read", "create", "replace", "patch", "delete"] as const;
const isClerk = role("clerk");

/** Makes the tables of the model. */
export async function createShopTables(db: AnyDatabase, { name }: Pick<DatabaseEngine, "name">): Promise<void> {
  const [amount, time] = {
    sqlite: ["text", "text"],
    postgres: ["numeric(12,2)", "timestamptz"],
    mariadb: ["decimal(12,2)", "datetime(3)"],
  }[name] as [string, string];
  const text = "varchar(50) not null";
  for (const table of [
    `orders (id int primary key, owner ${text}, status ${text}, total ${amount} not null, placed ${time} null, street varchar(50) null, city varchar(50) null, version int not null)`,
    `order_lines (id int primary key, order_id int not null, text ${text}, foreign key (order_id) references orders (id))`,
    "accounts (id int primary key, balance bigint not null check (balance >= 0))",
  ]) {
    await sql`create table ${sql.raw(table)}`.execute(db);
  }
}

function declareSets(db: AnyDatabase, shop: { readonly seen: Context[] }) {
  const notes = new Map<number, { id: number; text: string }>([[1, { id: 1, text: "first" }]]);
  return {
    orders: sqlEntitySet(Order, {
      db,
      table: "orders",
      operations: ALL,
      rowVersion: "version",
      etag: ["version"],
      maxTop: 2,
      allowDeepInsert: true,
      columns: { shipTo: { columns: { street: "street", city: "city" } } },
      navigation: { lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }) },
      authorization: {
        rows: (user, order) => order.owner.eq(user.id ?? ""),
        update: resource((_user, order) => order.status !== "closed"),
        delete: isClerk,
      },
    }),
    lines: sqlEntitySet(Line, {
      db,
      table: "order_lines",
      operations: ALL,
      columns: { orderId: "order_id" },
      navigation: {
        order: hasRequired(Order, { on: { orderId: "id" }, target: "Orders" }),
        account: hasRequired(Account, { on: { orderId: "id" }, target: "Accounts" }),
      },
      authorization: { create: resource((_user, line) => line.text !== "forbidden") },
    }),
    accounts: sqlEntitySet(Account, {
      db,
      table: "accounts",
      operations: ALL,
      authorization: { read: isClerk, update: isClerk },
    }),
    notes: entitySet(Note, {
      queryable: (context) => {
        shop.seen.push(context);
        return arraySource(Note, [...notes.values()]);
      },
      getByKey: (id, context) => {
        shop.seen.push(context);
        return notes.get(id) ?? null;
      },
      create: (note, context) => {
        shop.seen.push(context);
        notes.set(note.id, note);
        return note;
      },
      patch: (id, delta, context) => {
        shop.seen.push(context);
        const note = notes.get(id);
        if (note === undefined) return null;
        const changed = { ...note, ...delta };
        notes.set(id, changed);
        return changed;
      },
      delete: (id) => notes.delete(id),
      maxTop: 1,
    }),
  };
}

/** The service over the tables of the model, with one action that runs the script of a test. */
export function shopOver(db: AnyDatabase, others: Partial<ServiceOptions> = {}): Shop {
  const errors: unknown[] = [];
  const seen: Context[] = [];
  const sets = declareSets(db, { seen });
  const { entitySets = [], ...options } = others;
  const shop: Shop = {
    ...sets,
    errors,
    seen,
    script: () => undefined,
    service: odataService({
      propertyNaming: "camelCase",
      logger: { error: (_message, { err }) => errors.push(err), warn: () => undefined, info: () => undefined },
      authenticate: ({ headers }) => {
        const id = headers.get("x-user");
        return id === null ? null : { id, roles: id === "ann" ? ["clerk"] : [] };
      },
      actions: {
        run: action({
          authorization: [],
          returns: edm.string(),
          handler: async (_parameters, context) => {
            const result = await shop.script(context);
            // An error is returned as it is.
            return result instanceof Error ? (result as never) : show(result);
          },
        }),
      },
      ...options,
      entitySets: [...Object.values(sets), ...entitySets],
    }),
    run: (script, user = "ann") => {
      shop.script = script;
      errors.length = 0;
      seen.length = 0;
      return shop.service.fetch(
        new Request("http://shop.example/run", { method: "POST", headers: { "x-user": user }, body: "{}" }),
      );
    },
    resultOf: async (script, user) => {
      const told: Script = async (context) => {
        try {
          return await script(context);
        } catch (error) {
          return isODataError(error) ? `${String(error.status)} ${error.code}` : String(error);
        }
      };
      const text = await (await shop.run(told, user)).text();
      return JSON.parse(JSON.parse(text) as string);
    },
  };
  return shop;
}

function show(value: unknown): string {
  return JSON.stringify(value ?? null, (_name, each: unknown) =>
    typeof each === "bigint" ? `${String(each)}n` : each,
  );
}
