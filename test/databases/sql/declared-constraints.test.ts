import { Kysely, sql } from "kysely";
import { action, edm, entitySet, entityType, hasMany, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures, recordingLogger } from "../../service/http/model.ts";

const User = entityType("User", {
  id: edm.int32().key(),
  email: edm.string({ maxLength: 40 }).json("EMail"),
  name: edm.string({ maxLength: 40 }).nullable(),
  age: edm.int32(),
});
const Order = entityType("Order", {
  id: edm.int32().key(),
  userId: edm.int32(),
  number: edm.int32(),
  total: edm.int32(),
});

const CONSTRAINTS = {
  users: {
    users_age_check: { target: "age", message: "Users are at least 18 years old." },
    users_email_key: { target: "email", message: "Another user has this address." },
    "users.name": { target: "name", message: "Give a name." },
    orders_user_id_fkey: { message: "This user has orders." },
  },
  orders: {
    orders_number_key: { target: "number", message: "This user has an order with this number." },
    orders_total_check: { target: "total", message: "The total must be positive." },
    // SQLite reports no name of a foreign key: its column names it.
    "orders.user_id": { target: "userId", message: "There is no such user." },
    orders_user_id_fkey: { target: "userId", message: "There is no such user." },
  },
} as const;

/** The names by which databases report the same constraints to handlers: SQLite and MariaDB report columns of some. */
const FOR_HANDLERS = {
  ...CONSTRAINTS.users,
  "users.email": CONSTRAINTS.users.users_email_key,
  name: CONSTRAINTS.users["users.name"],
};

describe.each(ENGINES)("declared constraints over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    const name = engine.name === "sqlite" ? sql`text` : sql`varchar(40)`;
    await sql`
      create table users (
        id int not null primary key, email ${name} not null, name ${name} not null, age int not null,
        constraint users_age_check check (age >= 18)
      )`.execute(db);
    await sql`create unique index users_email_key on users (email)`.execute(db);
    await sql`
      create table orders (
        id int not null primary key, user_id int not null, number int not null, total int not null,
        constraint orders_total_check check (total > 0),
        constraint orders_user_id_fkey foreign key (user_id) references users (id)
      )`.execute(db);
    await sql`create unique index orders_number_key on orders (user_id, number)`.execute(db);
  });
  beforeEach(async () => {
    await sql`delete from orders`.execute(db);
    await sql`delete from users`.execute(db);
    await sql`insert into users values (1, 'a@x.example', 'Ann', 30), (2, 'b@x.example', 'Bob', 40)`.execute(db);
    await sql`insert into orders values (1, 1, 7, 100)`.execute(db);
  });
  afterAll(() => opened.close());

  const tables = (profile: "specification" | "standard" = "specification", logger: typeof noFailures = noFailures) => {
    const writes = ["read", "create", "replace", "patch", "delete"] as const;
    const orders = sqlEntitySet(Order, {
      db,
      table: "orders",
      operations: writes,
      columns: { userId: "user_id" },
      constraints: CONSTRAINTS.orders,
      navigation: { user: hasRequired(User, { target: "Users", on: { userId: "id" } }) },
    });
    const users = sqlEntitySet(User, {
      db,
      table: "users",
      operations: writes,
      allowDeepInsert: true,
      constraints: CONSTRAINTS.users,
      navigation: { orders: hasMany(Order, { target: "Orders", on: { id: "userId" } }) },
    });
    return odataService({ profile, entitySets: [users, orders], logger, batch: { json: true } });
  };

  /** Handlers that run statements, in place of a table. */
  const handlers = (logger: typeof noFailures = noFailures) => {
    const columnsOf = (user: Readonly<Record<string, unknown>>): Record<string, unknown> => ({ ...user });
    const users = entitySet(User, {
      constraints: FOR_HANDLERS,
      create: async (user) => {
        await db.insertInto("users").values(columnsOf(user)).execute();
        return user;
      },
      patch: async (id, delta) => {
        await db.updateTable("users").set(columnsOf(delta)).where("id", "=", id).execute();
        return { id, email: "", name: null, age: 18, ...delta };
      },
      replace: async (id, user) => {
        const { id: _id, ...others } = user;
        try {
          await db.updateTable("users").set(others).where("id", "=", id).execute();
        } catch (cause) {
          throw new Error("The statement failed.", { cause });
        }
        return user;
      },
      delete: async (id) => {
        await db.deleteFrom("users").where("id", "=", id).execute();
        return true;
      },
      actions: {
        reset: action({
          bound: "entity",
          handler: async (id) => {
            await db.updateTable("users").set({ age: 1 }).where("id", "=", id).execute();
          },
        }),
      },
    });
    return odataService({ entitySets: [users], logger });
  };

  const send = async (service: ReturnType<typeof odataService>, method: string, path: string, body?: object) => {
    const init = {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await service.fetch(new Request(`http://service.example/${path}`, init));
    const text = await response.text();
    return [response.status, text === "" ? null : (JSON.parse(text) as unknown)];
  };
  const error = (status: number, code: string, message: string, target?: string) => [
    status,
    { error: { code, message, ...(target === undefined ? {} : { target }) } },
  ];
  const inUse = error(409, "Conflict", "Another user has this address.", "EMail");
  const tooYoung = error(400, "InvalidBody", "Users are at least 18 years old.", "Age");
  const nameless = error(400, "NullNotAllowed", "Give a name.", "Name");
  const user = { Id: 3, EMail: "c@x.example", Name: "Cid", Age: 50 };

  test.each(["tables", "handlers"] as const)("are errors with the property and its message, for %s", async (kind) => {
    const service = kind === "tables" ? tables() : handlers();
    expect(await send(service, "POST", "Users", { ...user, EMail: "a@x.example" })).toEqual(inUse);
    expect(await send(service, "POST", "Users", { ...user, Age: 3 })).toEqual(tooYoung);
    expect(await send(service, "POST", "Users", { ...user, Name: null })).toEqual(nameless);
    expect(await send(service, "PATCH", "Users(1)", { EMail: "b@x.example" })).toEqual(inUse);
    expect(await send(service, "PATCH", "Users(1)", { Age: 3 })).toEqual(tooYoung);
    expect(await send(service, "PUT", "Users(1)/EMail", { value: "b@x.example" })).toEqual(inUse);
    expect(await send(service, "PUT", "Users(1)", { ...user, Id: 1, Age: 3 })).toEqual(tooYoung);
    // SQLite does not name the foreign key of a row that is deleted.
    const referred = error(409, "Conflict", "This user has orders.");
    const unnamed =
      kind === "tables"
        ? error(409, "Conflict", "Other entities refer to this one: delete or change them first.")
        : null;
    const deleted = await send(kind === "tables" ? service : handlers(recordingLogger()), "DELETE", "Users(1)");
    if (engine.name !== "sqlite") expect(deleted).toEqual(referred);
    else if (unnamed !== null) expect(deleted).toEqual(unnamed);
    else expect(deleted[0]).toBe(500);
    expect((await send(service, "POST", "Users", user))[0]).toBe(201);
  });

  test("of several columns, and of foreign keys", async () => {
    const service = tables();
    const order = { Id: 2, UserId: 1, Number: 8, Total: 5 };
    expect(await send(service, "POST", "Orders", { ...order, Number: 7 })).toEqual(
      error(409, "Conflict", "This user has an order with this number.", "Number"),
    );
    expect(await send(service, "POST", "Orders", { ...order, UserId: 9 })).toEqual(
      error(409, "Conflict", "There is no such user.", "UserId"),
    );
    expect(await send(service, "POST", "Orders", { ...order, Total: 0 })).toEqual(
      error(400, "InvalidBody", "The total must be positive.", "Total"),
    );
  });

  test("of nested entities, with their place in the body", async () => {
    const orders = [
      { Id: 2, Number: 8, Total: 5 },
      { Id: 3, Number: 9, Total: 0 },
    ];
    const body = { ...user, Orders: orders };
    const message = "The total must be positive.";
    expect(await send(tables(), "POST", "Users", body)).toEqual(error(400, "InvalidBody", message, "Orders/1/Total"));
    expect(await send(tables("standard"), "POST", "Users", body)).toEqual(
      error(400, "InvalidBody", message, "Orders(1)/Total"),
    );
    expect(await send(tables(), "POST", "Users(1)/Orders", orders[1])).toEqual(
      error(400, "InvalidBody", message, "Total"),
    );
  });

  test("of a statement of an action, without a target", async () => {
    expect(await send(handlers(), "POST", "Users(1)/reset")).toEqual(
      error(400, "InvalidBody", "Users are at least 18 years old."),
    );
  });

  test("are logged neither as warnings nor as failures", async () => {
    const logger = recordingLogger();
    const warnings: string[] = [];
    const noting = { ...logger, warn: (message: string) => void warnings.push(message) };
    expect(await send(tables("specification", noting as never), "POST", "Users", { ...user, Age: 3 })).toEqual(
      tooYoung,
    );
    expect([warnings, logger.errors]).toEqual([[], []]);
  });

  test("leave other errors of handlers as they are", async () => {
    const logger = recordingLogger();
    const other = entitySet(User, {
      constraints: { other: { message: "Other." } },
      create: async (given) => {
        await db
          .insertInto("users")
          .values({ ...given })
          .execute();
        return given;
      },
    });
    const service = odataService({ entitySets: [other], logger });
    expect((await send(service, "POST", "Users", { ...user, Age: 3 }))[0]).toBe(500);
    expect(logger.errors).toHaveLength(1);
  });

  test.each([
    "CONSTRAINT `c` FOREIGN KEY",
    "for column `a`.`c` at row 1",
    "' for key 'c",
    "' for key 'c'",
    "FOREIGN KEY (c) REFERENCES",
  ])("are not chosen by the value %s of a client", async (value) => {
    const chosen = { message: "Chosen." };
    const constraints = { c: chosen, "a.c": chosen, "users.c": chosen };
    const logger = recordingLogger();
    const shared = { constraints, name: "Users" };
    const byHandler = entitySet(User, {
      ...shared,
      create: async (given) => {
        await db
          .insertInto("users")
          .values({ ...given })
          .execute();
        return given;
      },
    });
    const byTable = sqlEntitySet(User, { ...shared, db, table: "users", operations: ["create"] });
    for (const [set, status] of [
      [byHandler, 500],
      [byTable, 409],
    ] as const) {
      await sql`delete from users where id > 2`.execute(db);
      const service = odataService({ entitySets: [set], logger });
      expect((await send(service, "POST", "Users", { ...user, EMail: value }))[0]).toBe(201);
      const [got, body] = await send(service, "POST", "Users", { ...user, Id: 4, EMail: value });
      expect([got, JSON.stringify(body).includes("Chosen")]).toEqual([status, false]);
    }
  });
});

test("declared constraints of a table in an attached database of SQLite are errors with the property", async () => {
  const attached = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
  try {
    await sql`attach ':memory:' as other`.execute(attached);
    await sql`create table other.users (id integer primary key, email text not null, name text, age int not null)`.execute(
      attached,
    );
    await sql`create unique index other.users_email_key on users (email)`.execute(attached);
    await sql`
      create table other.orders (
        id integer primary key, user_id int not null references users (id), number int not null, total int not null
      )`.execute(attached);
    const operations = ["read", "create"] as const;
    const service = odataService({
      logger: noFailures,
      entitySets: [
        sqlEntitySet(User, {
          db: attached,
          table: { schema: "other", name: "users" },
          operations,
          constraints: { users_email_key: { target: "email", message: "Another user has this address." } },
        }),
        sqlEntitySet(Order, {
          db: attached,
          table: { schema: "other", name: "orders" },
          operations,
          columns: { userId: "user_id" },
        }),
      ],
    });
    const post = async (path: string, body: object): Promise<unknown> => {
      const request = new Request(`http://service.example/${path}`, { method: "POST", body: JSON.stringify(body) });
      request.headers.set("Content-Type", "application/json");
      const response = await service.fetch(request);
      return response.status === 201 ? 201 : [response.status, await response.json()];
    };
    const ann = { Id: 1, EMail: "ann@example.com", Age: 20 };
    expect(await post("Users", ann)).toBe(201);
    expect(await post("Users", { ...ann, Id: 2 })).toEqual([
      409,
      { error: { code: "Conflict", message: "Another user has this address.", target: "EMail" } },
    ]);
    expect(await post("Orders", { Id: 1, UserId: 1, Number: 1, Total: 1 })).toBe(201);
    expect(await post("Orders", { Id: 2, UserId: 7, Number: 1, Total: 1 })).toMatchObject([
      409,
      { error: { code: "Conflict", target: "UserId" } },
    ]);
  } finally {
    await attached.destroy();
  }
});
