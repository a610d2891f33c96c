import { sql } from "kysely";
import {
  action,
  applyDelta,
  authenticated,
  complexType,
  edm,
  type EntitySet,
  entitySet,
  entityType,
  type EntityOf,
  fn,
  hasMany,
  hasOptional,
  odataService,
  requireUser,
  type ServiceOptions,
  singleton,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { ENGINES } from "../../engine/executors/engines.ts";
import type { Service } from "../http/doors.ts";
import { noFailures } from "../http/model.ts";

export const Address = complexType("Address", { city: edm.string(), street: edm.string().nullable() });
export const User = entityType("User", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 40 }),
  email: edm.string({ maxLength: 80 }).nullable(),
  home: edm.complex(Address),
  managerId: edm.int32().nullable(),
  version: edm.int32().computed(),
});
export const Order = entityType("Order", {
  id: edm.int32().key(),
  userId: edm.int32(),
  text: edm.string({ maxLength: 40 }),
});

type UserRow = EntityOf<typeof User>;
type OrderRow = EntityOf<typeof Order>;

const user = (id: number, name: string, managerId: number | null): UserRow => {
  return { id, name, email: null, home: { city: "Rome", street: null }, managerId, version: 1 };
};
const USERS = [user(1, "Ann", 2), user(2, "Ben", null)];
const ORDERS: readonly OrderRow[] = [
  { id: 10, userId: 1, text: "tea" },
  { id: 11, userId: 1, text: "milk" },
  { id: 12, userId: 2, text: "bread" },
];

/** Rows with their service, until it is closed. */
export interface Running {
  readonly service: Service;
  readonly close: () => Promise<void>;
}

/** Where the rows are. */
export interface Place {
  readonly title: string;
  readonly start: (options?: Partial<ServiceOptions>) => Promise<Running>;
}

const FUNCTIONS = {
  greet: fn(User, {
    bound: "entity",
    params: { word: edm.string() },
    returns: edm.string(),
    handler: (key, { word }) => `${word} ${String(key)}`,
  }),
  self: fn(User, { bound: "entity", returns: User, handler: (key) => USERS.find(({ id }) => id === key) ?? null }),
};

function serve(
  users: EntitySet<typeof User>,
  orders: EntitySet<typeof Order>,
  options: Partial<ServiceOptions>,
): Service {
  return odataService({
    prefix: "/odata",
    namespace: "Shop",
    logger: noFailures,
    authenticate: ({ headers }) => {
      const id = headers.get("authorization");
      return id === null ? null : { id, roles: [] };
    },
    entitySets: [users, orders],
    singletons: [
      // The header stands for a session whose user is unknown.
      singleton(User, {
        name: "Me",
        from: users,
        key: (ctx) => (ctx.request.headers.get("x-nobody") === null ? Number(requireUser(ctx).id) : null),
      }),
      singleton(User, { name: "Deputy", from: users, nullable: true, key: async (ctx) => deputyOf(ctx.user?.id) }),
    ],
    ...options,
  });
}

async function deputyOf(id: string | undefined): Promise<number | undefined> {
  await Promise.resolve();
  return id === "1" ? 2 : undefined;
}

const memory: Place = {
  title: "memory",
  start: (options = {}) => {
    let users: readonly UserRow[] = USERS;
    let orders = ORDERS;
    const save = (saved: UserRow): UserRow => {
      users = users.map((each) => (each.id === saved.id ? saved : each));
      return saved;
    };
    const find = (id: number): UserRow | null => users.find((each) => each.id === id) ?? null;
    const userSet = entitySet(User, {
      getAll: () => users,
      getByKey: find,
      patch: (id, delta) => {
        const before = find(id);
        return before === null ? null : save({ ...applyDelta(User, before, delta), version: before.version + 1 });
      },
      replace: (id, body) => {
        const before = find(id);
        return before === null ? null : save({ ...before, ...body, version: before.version + 1 });
      },
      delete: () => true,
      etag: ["version"],
      navigation: {
        orders: hasMany(Order, {
          target: "Orders",
          get: (id) => orders.filter(({ userId }) => userId === id),
          create: (userId, order) => {
            const added = { ...order, userId };
            orders = [...orders, added];
            return added;
          },
        }),
        manager: hasOptional<typeof User, typeof User>(User, {
          target: "Users",
          get: (id) => find(find(id)?.managerId ?? 0),
          setRef: (id, url) => void save({ ...find(id)!, managerId: Number(/\((\d+)\)$/.exec(url)?.[1]) }),
          removeRef: (id) => void save({ ...find(id)!, managerId: null }),
        }),
      },
      functions: FUNCTIONS,
      actions: {
        rename: action(User, {
          bound: "entity",
          params: { name: edm.string() },
          handler: (id, { name }) => void save({ ...find(id)!, name }),
        }),
      },
      authorization: {
        all: authenticated(),
        rows: (one, row) => row.id.lt(100).and(row.name.ne(`hidden from ${String(one.id)}`)),
      },
    });
    const orderSet = entitySet(Order, {
      getAll: () => orders,
      getByKey: (id) => orders.find((each) => each.id === id) ?? null,
    });
    return Promise.resolve({ service: serve(userSet, orderSet, options), close: () => Promise.resolve() });
  },
};

const tables = ENGINES.map(({ title, open }): Place => ({
  title,
  start: async (options = {}) => {
    const { db, close } = await open();
    await sql`create table users (id int primary key, name varchar(40) not null, email varchar(80),
      home_city varchar(40) not null, home_street varchar(40), manager_id int, version int not null)`.execute(db);
    await sql`create table orders (id int primary key, user_id int not null, text varchar(40) not null)`.execute(db);
    for (const { id, name, managerId } of USERS) {
      await sql`insert into users values (${id}, ${name}, null, ${"Rome"}, null, ${managerId}, 1)`.execute(db);
    }
    for (const { id, userId, text } of ORDERS) {
      await sql`insert into orders values (${id}, ${userId}, ${text})`.execute(db);
    }
    const users = sqlEntitySet(User, {
      db,
      table: "users",
      operations: ["read", "create", "replace", "patch", "delete"],
      columns: { managerId: "manager_id" },
      rowVersion: "version",
      etag: ["version"],
      navigation: {
        orders: hasMany(Order, { target: "Orders", on: { id: "userId" } }),
        manager: hasOptional<typeof User, typeof User>(User, { target: "Users", on: { managerId: "id" } }),
      },
      functions: FUNCTIONS,
      actions: {
        rename: action(User, {
          bound: "entity",
          params: { name: edm.string() },
          handler: async (id, { name }, ctx) => {
            await sql`update users set name = ${name} where id = ${id}`.execute((ctx.transaction ?? db) as typeof db);
          },
        }),
      },
      authorization: {
        all: authenticated(),
        rows: (one, row) => row.id.lt(100).and(row.name.ne(`hidden from ${String(one.id)}`)),
      },
    });
    const orders = sqlEntitySet(Order, {
      db,
      table: "orders",
      operations: ["read", "create", "patch"],
      columns: { userId: "user_id" },
    });
    return { service: serve(users, orders, options), close };
  },
}));

/** All places of this run. */
export const PLACES: readonly Place[] = [memory, ...tables];
