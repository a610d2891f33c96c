// Statements: docs/guides/tenants.md#a-database-per-tenant
// Statements: docs/guides/tenants.md#faults
import { Kysely, sql } from "kysely";
import {
  authenticated,
  complexType,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasRequired,
  odataError,
  odataService,
  type ODataService,
  type ServiceOptions,
} from "odatakit";
import { type FindTenant, sqlEntitySet, type SqlEntitySetOptions, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../executors/engines.ts";

const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), text: edm.string({ maxLength: 50 }) });
const Order = entityType("Order", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 50 }),
  owner: edm.string({ maxLength: 20 }).nullable(),
  version: edm.int32().computed(),
});
const ALL = ["read", "create", "replace", "patch", "delete"] as const;

const ended: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

async function openTenant(open: () => Promise<OpenDatabase>, id: string): Promise<AnyDatabase> {
  const { db, close } = await open();
  ended.push(close);
  await sql`create table orders (id int primary key, name varchar(50) not null, owner varchar(20), version int not null)`.execute(
    db,
  );
  await sql`create table order_lines (id int primary key, order_id int not null references orders (id), text varchar(50) not null)`.execute(
    db,
  );
  for (const key of [1, 2, 3]) {
    await sql`insert into orders values (${key}, ${`${id} ${String(key)}`}, ${key === 2 ? "ann" : null}, 1)`.execute(
      db,
    );
    await sql`insert into order_lines values (${key * 10}, ${key}, ${`${id} line`})`.execute(db);
  }
  return db;
}

const openFile = (): Promise<OpenDatabase> => {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  return Promise.resolve({ db, close: () => db.destroy() });
};

interface Logged {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

type Settings = Pick<SqlEntitySetOptions<typeof Order>, "authorization">;

function shop(db: FindTenant, settings: Settings = {}, options: Partial<ServiceOptions> = {}) {
  const logged: Logged[] = [];
  const log = (level: string) => (message: string, fields: object) => {
    logged.push({ level, message, fields: { ...fields } });
  };
  const service = odataService({
    logger: { error: log("error"), warn: log("warn"), info: log("info") },
    secret: "a secret of the tests of tenants",
    batch: { json: true },
    authenticate: ({ headers }) => {
      const [id, tenant] = (headers.get("authorization") ?? "").split("@");
      return id === undefined || id === "" ? null : { id, tenant };
    },
    entitySets: [
      sqlEntitySet(Order, {
        db,
        table: "orders",
        operations: ALL,
        rowVersion: "version",
        etag: ["version"],
        allowDeepInsert: true,
        search: ["name"],
        paging: "keyset",
        maxTop: 2,
        navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
        ...settings,
      }),
      sqlEntitySet(Line, {
        db,
        table: "order_lines",
        operations: ALL,
        columns: { orderId: "order_id" },
        navigation: { order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }) },
      }),
    ],
    ...options,
  });
  return { service, logged };
}

function sendTo(service: ODataService) {
  return async (who: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await service.fetch(
      new Request(`http://shop.example/${path}`, {
        method,
        headers: { Authorization: who, "Content-Type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    // Each test checks its own body.
    // oxlint-disable-next-line typescript/no-explicit-any -- see above
    const json: any = text.startsWith("{") ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, json };
  };
}

interface Tenanted {
  readonly tenant?: string;
}

/** A function over databases, with the calls that it got. */
function finderOf(databases: Readonly<Record<string, AnyDatabase>>) {
  const calls: string[] = [];
  const find: FindTenant = ({ user }) => {
    const id = (user as Tenanted | null)?.tenant ?? "";
    calls.push(id);
    const db = databases[id];
    if (db === undefined) throw odataError(403, "NoTenant", `There is no tenant "${id}".`);
    return { id, db };
  };
  return { find, calls };
}

/** PGlite is one database, which opening empties. */
const SEVERAL = ENGINES.filter(({ title }) => title !== "PGlite");

describe.each(SEVERAL)("a database of $title per tenant", (engine) => {
  async function openShop(settings?: Settings) {
    const databases = {
      a: await openTenant(() => engine.open(), "a"),
      b: await openTenant(() => engine.open(), "b"),
    };
    const { find, calls } = finderOf(databases);
    const { service, logged } = shop(find, settings);
    return { send: sendTo(service), calls, logged, databases };
  }

  test("reads show the rows of the tenant on each route, with one call of the function for a request", async () => {
    const { send, calls, logged } = await openShop();
    for (const id of ["a", "b", "a"]) {
      const who = `u@${id}`;
      const reads = [
        ["Orders?$filter=contains(Name,'1')&$expand=Lines($expand=Order)", `${id} 1`],
        ["Orders(2)?$expand=Lines", `${id} 2`],
        ["Orders(3)/Name/$value", `${id} 3`],
        ["Orders(3)/Lines", `${id} line`],
        ["Lines(10)?$expand=Order", `${id} 1`],
        ["Lines?$filter=Order/Name eq '{id} 2'&$expand=Order".replace("{id}", id), `${id} 2`],
        [`Orders?$filter=Lines/any(l:l/Text eq '${id} line')&$count=true`, `"@odata.count":3`],
        ["Orders?$search=2", `${id} 2`],
        ["Lines(20)/Order", `${id} 2`],
      ] as const;
      for (const [path, expected] of reads) {
        calls.length = 0;
        const { status, json } = await send(who, "GET", encodeURI(path));
        const shown = JSON.stringify(json);
        expect([path, status, shown.includes(expected)]).toEqual([path, 200, true]);
        expect(shown).not.toContain(id === "a" ? "b " : "a ");
        expect(calls).toEqual([id]);
      }
      expect((await send(who, "GET", "Orders/$count")).json).toBe("3");
    }
    expect(logged).toEqual([]);
  });

  test("writes change the rows of the tenant alone", async () => {
    const { send, databases, logged } = await openShop();
    const stateOf = async (db: AnyDatabase) => [
      (await sql`select id, name, version from orders order by id`.execute(db)).rows,
      (await sql`select id, order_id, text from order_lines order by id`.execute(db)).rows,
    ];
    const before = await stateOf(databases.b);
    const write = async (...given: Parameters<typeof send> extends [string, ...infer Rest] ? Rest : never) => {
      const answer = await send("u@a", ...given);
      expect([given[0], given[1], answer.status < 300, answer.json]).toEqual([given[0], given[1], true, answer.json]);
      return answer;
    };
    await write("POST", "Orders", { Id: 4, Name: "new", Lines: [{ Id: 40, Text: "nested" }] });
    const etag = (await send("u@a", "GET", "Orders(4)")).headers.get("ETag") ?? "";
    await write("PATCH", "Orders(4)", { Name: "changed" }, { "If-Match": etag });
    expect((await send("u@a", "PATCH", "Orders(4)", { Name: "late" }, { "If-Match": etag })).status).toBe(412);
    await write("PUT", "Orders(3)", { Name: "replaced" });
    await write("POST", "Orders(3)/Lines", { Id: 41, Text: "along" });
    await write("PUT", "Lines(41)/Order/$ref", { "@odata.id": "Orders(1)" });
    await write("POST", "Orders(2)/Lines/$ref", { "@odata.id": "Lines(10)" });
    await write("DELETE", "Lines(20)");
    await write("PUT", "Orders(1)/Name", { value: "one" });
    expect(await stateOf(databases.b)).toEqual(before);
    expect(await stateOf(databases.a)).toEqual([
      [
        { id: 1, name: "one", version: 2 },
        { id: 2, name: "a 2", version: 1 },
        { id: 3, name: "replaced", version: 2 },
        { id: 4, name: "changed", version: 2 },
      ],
      [
        { id: 10, order_id: 2, text: "a line" },
        { id: 30, order_id: 3, text: "a line" },
        { id: 40, order_id: 4, text: "nested" },
        { id: 41, order_id: 1, text: "along" },
      ],
    ]);
    expect(logged).toEqual([]);
  });

  test("a change set of one tenant is one transaction", async () => {
    const { send, databases } = await openShop();
    const operation = (id: string, method: string, url: string, body?: object) => ({
      id,
      atomicityGroup: "g",
      method,
      url,
      headers: { "Content-Type": "application/json" },
      body,
    });
    const batch = async (...requests: object[]) => {
      const { json } = await send("u@b", "POST", "$batch", { requests });
      return (json as { responses: Array<{ status: number }> }).responses.map(({ status }) => status);
    };
    const good = operation("1", "PATCH", "Orders(1)", { Name: "in a set" });
    expect(await batch(good, operation("2", "POST", "Lines", { Id: 99, OrderId: 7, Text: "x" }))).not.toContain(200);
    expect((await sql`select name from orders where id = 1`.execute(databases.b)).rows).toEqual([{ name: "b 1" }]);
    expect(await batch(good, operation("2", "POST", "Lines", { Id: 99, OrderId: 1, Text: "x" }))).toEqual([200, 201]);
    expect((await sql`select name from orders where id = 1`.execute(databases.b)).rows).toEqual([{ name: "in a set" }]);
    expect((await sql`select name from orders where id = 1`.execute(databases.a)).rows).toEqual([{ name: "a 1" }]);
  });

  test("a next link is valid for its tenant alone", async () => {
    const { send } = await openShop();
    const { json } = await send("u@a", "GET", "Orders");
    const link = String(json["@odata.nextLink"]).replace("http://shop.example/", "");
    expect((await send("u@a", "GET", link)).json.value).toMatchObject([{ Name: "a 3" }]);
    const other = await send("u@b", "GET", link);
    expect([other.status, other.json.error.code]).toEqual([400, "InvalidSkipToken"]);
  });

  test("row rules hide rows of each tenant", async () => {
    const { send } = await openShop({
      authorization: { all: authenticated(), rows: (user, row) => row.owner.eq(user.id ?? "") },
    });
    for (const id of ["a", "b"]) {
      expect((await send(`ann@${id}`, "GET", "Orders")).json.value).toMatchObject([{ Name: `${id} 2` }]);
      expect((await send(`ann@${id}`, "GET", "Orders(1)")).status).toBe(404);
      expect((await send(`ann@${id}`, "PATCH", "Orders(1)", { Name: "x" })).status).toBe(404);
      expect((await send(`ann@${id}`, "PATCH", "Orders(2)", { Name: `${id} 2` })).status).toBe(200);
      expect((await send(`ann@${id}`, "PATCH", "Orders(2)", { Owner: "bob" })).status).toBe(403);
    }
  });

  test("a database that differs from the declarations is refused to its tenant alone, until it is corrected", async () => {
    const { send, databases, logged } = await openShop();
    await sql`alter table orders drop column owner`.execute(databases.a);
    const refused = await send("u@a", "GET", "Orders");
    expect([refused.status, refused.json.error.code]).toEqual([500, "InternalServerError"]);
    expect(logged).toMatchObject([{ level: "error", fields: { tenant: "a" } }]);
    expect(String(logged[0]?.fields["err"])).toContain("owner");
    expect((await send("u@b", "GET", "Orders")).status).toBe(200);
    await sql`alter table orders add column owner varchar(20)`.execute(databases.a);
    await expect.poll(async () => (await send("u@a", "GET", "Orders")).status, { timeout: 5000 }).toBe(200);
  });
});

describe.each(SEVERAL)("handlers of the application over databases of $title", (engine) => {
  test("return sources in the database of the tenant", async () => {
    const { find } = finderOf({
      a: await openTenant(() => engine.open(), "a"),
      b: await openTenant(() => engine.open(), "b"),
    });
    const columns = { orderId: "order_id" } as const;
    const all = sqlSource(Line, { db: find, from: "order_lines", columns });
    const Named = complexType("Named", { name: edm.string() });
    const lines = entitySet(Line, {
      queryable: () => all,
      search: ({ text }) =>
        sqlSource(Line, {
          db: find,
          from: { sql: `select * from order_lines where id = ${text}`, parameters: [] },
          columns,
        }),
      functions: {
        names: fn({
          bound: "collection",
          returns: edm.collection(edm.complex(Named)),
          composable: true,
          handler: () => sqlSource(Named, { db: find, from: "orders" }),
        }),
      },
    });
    const narrowed = sqlEntitySet(Order, {
      db: find,
      table: "orders",
      operations: ALL,
      rowVersion: "version",
      queryable: () =>
        sqlSource(Order, { db: find, from: { sql: "select * from orders where id < 3", parameters: [] } }),
    });
    const counted = sqlEntitySet(Line, {
      name: "Counted",
      db: find,
      from: { sql: "select * from order_lines where id > 10", parameters: [] },
      operations: ["read"],
      columns,
    });
    const { service, logged } = shop(find, {}, { entitySets: [lines, narrowed, counted] });
    const send = sendTo(service);
    for (const id of ["a", "b"]) {
      const who = `u@${id}`;
      const textsOf = async (path: string) => {
        const { status, json } = await send(who, "GET", path);
        const rows = json.value as Array<{ readonly Text?: string; readonly Name?: string }>;
        return [status, rows.map(({ Text, Name }) => Text ?? Name)];
      };
      const line = `${id} line`;
      expect(await textsOf("Lines?$filter=Id gt 10&$orderby=Id desc")).toEqual([200, [line, line]]);
      expect(await textsOf("Lines?$search=20")).toEqual([200, [line]]);
      const { json } = await send(who, "GET", "Lines/names()?$filter=contains(Name,'2')");
      expect(json).toBe(`[{"Name":"${id} 2"}]`);
      expect(await textsOf("Counted")).toEqual([200, [line, line]]);
      expect(await textsOf("Orders")).toEqual([200, [`${id} 1`, `${id} 2`]]);
      expect((await send(who, "PATCH", "Orders(3)", { Name: "x" })).status).toBe(404);
      expect((await send(who, "PATCH", "Orders(2)", { Name: `${id} 2` })).status).toBe(200);
    }
    expect(logged).toEqual([]);
  });
});

/** Notes the statements that Kysely compiles for a database. */
function noting(db: AnyDatabase): string[] {
  const compiled: string[] = [];
  const executor = db.getExecutor();
  const compile = executor.compileQuery.bind(executor);
  executor.compileQuery = (...given) => {
    const query = compile(...given);
    compiled.push(query.sql);
    return query;
  };
  return compiled;
}

describe.each(SEVERAL)("the statements of tenants with databases of $title", (engine) => {
  const REQUESTS = [
    ["GET", "Orders?$filter=contains(Name,'1')&$orderby=Name&$count=true&$expand=Lines"],
    ["GET", "Orders(1)?$expand=Lines"],
    ["GET", "Orders(1)/Lines?$top=1"],
    ["GET", "Lines?$filter=Order/Name eq 'x'"],
    ["GET", "Orders?$search=1"],
    ["PATCH", "Orders(1)", { Name: "z" }],
    ["POST", "Lines", { Id: 77, OrderId: 1, Text: "t" }],
    ["DELETE", "Lines(77)"],
  ] as const;

  async function compiledBy(alter?: (db: AnyDatabase) => Promise<unknown>) {
    const a = await openTenant(() => engine.open(), "a");
    const b = await openTenant(() => engine.open(), "b");
    await alter?.(b);
    const texts = [noting(a), noting(b)] as const;
    const { service, logged } = shop(finderOf({ a, b }).find);
    const send = sendTo(service);
    for (const [index, id] of (["a", "b"] as const).entries()) {
      // The first request checks the schema.
      await send(`u@${id}`, "GET", "Orders(9)");
      (texts[index] ?? []).length = 0;
      for (const [method, path, body] of REQUESTS) {
        expect((await send(`u@${id}`, method, encodeURI(path), body)).status).toBeLessThan(300);
      }
    }
    expect(logged).toEqual([]);
    // Names, and how each database compares the texts of its columns, are no statements of requests.
    return texts.map((each) => each.filter((text) => !/^["`]|^select "t0" = /u.test(text)));
  }

  test("are compiled once for all databases with the same schema", async () => {
    const [first, second] = await compiledBy();
    expect(first?.length).toBeGreaterThan(REQUESTS.length - 1);
    expect(second).toEqual([]);
  });

  test("are compiled again for a database with another schema", async () => {
    const [first, second] = await compiledBy((db) => sql`create index other on orders (name)`.execute(db));
    expect(second).toEqual(first);
    expect(second?.length).toBeGreaterThan(REQUESTS.length - 1);
  });
});

test("the statements of a tenant follow the changes of its database", async () => {
  const databases = { a: await openTenant(openFile, "a"), b: await openTenant(openFile, "b") };
  const { service } = shop(finderOf(databases).find);
  const send = sendTo(service);
  const read = async (id: string) => (await send(`u@${id}`, "GET", "Orders?$filter=Owner eq 'ann'")).status;
  expect([await read("a"), await read("b")]).toEqual([200, 200]);
  await sql`alter table orders drop column owner`.execute(databases.a);
  expect([await read("a"), await read("b")]).toEqual([500, 200]);
  await sql`alter table orders add column owner text`.execute(databases.a);
  expect([await read("a"), await read("b")]).toEqual([200, 200]);
});

describe("the function of a database per tenant", () => {
  const errorOf = async (find: FindTenant, method = "GET") => {
    const { service, logged } = shop(find);
    const { status, json } = await sendTo(service)(
      "u@a",
      method,
      "Orders(1)",
      method === "GET" ? undefined : { Name: "x" },
    );
    return { status, json, logged };
  };

  test("may throw or return the error of the response", async () => {
    const { find } = finderOf({});
    const answer = { error: { code: "NoTenant", message: 'There is no tenant "a".' } };
    for (const method of ["GET", "PATCH"]) {
      expect(await errorOf(find, method)).toEqual({ status: 403, json: answer, logged: [] });
      const returned = (() => odataError(403, "NoTenant", 'There is no tenant "a".')) as unknown as FindTenant;
      expect(await errorOf(returned, method)).toEqual({ status: 403, json: answer, logged: [] });
    }
    const { service } = shop(find);
    expect((await sendTo(service)("u@a", "GET", "$metadata")).status).toBe(200);
    await service.ready();
    expect(await service.probe()).toEqual({ ok: true, databases: [] });
  });

  test("that returns anything else is a logged 500 that names the fault", async () => {
    const db = await openTenant(openFile, "a");
    const RETURNED = "The function `db` of a set returned";
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [undefined, `${RETURNED} undefined. Return { id, db }.`],
      [db, `${RETURNED} the \`id\` undefined. Return the stable name of the tenant.`],
      [{ id: "", db }, `${RETURNED} the \`id\` "". Return the stable name of the tenant.`],
      [{ id: 5, db }, `${RETURNED} the \`id\` 5. Return the stable name of the tenant.`],
      [{ id: "a" }, `${RETURNED} no Kysely instance for "a". Return { id, db: new Kysely({ dialect }) }.`],
      [
        Promise.resolve({ id: "a", db }),
        `${RETURNED} a promise. Find the database of the user in \`authenticate\`, and open it without waiting.`,
      ],
    ];
    for (const [given, message] of cases) {
      const { status, json, logged } = await errorOf((() => given) as FindTenant);
      expect([status, json.error.code]).toEqual([500, "InternalServerError"]);
      expect(JSON.stringify(json)).not.toContain("db");
      expect(logged.map(({ fields }) => (fields["err"] as Error).message)).toEqual([message]);
    }
  });

  test("leaves the faults that no dialect allows to the start of the service", () => {
    const { find } = finderOf({});
    const faultsOf = (options: object): readonly string[] => {
      const given = { db: find, table: "orders", operations: ALL, rowVersion: "version", ...options };
      try {
        odataService({ entitySets: [sqlEntitySet(Order, given as Pick<typeof given, "db" | "operations">)] });
      } catch (error) {
        if (error instanceof ConfigurationError) return error.faults.map(({ message }) => message);
        throw error;
      }
      return [];
    };
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ columns: { nope: "x" } })).toEqual([expect.stringContaining("`nope`")]);
    expect(faultsOf({ columns: { owner: "name" } })).toEqual([expect.stringContaining("`name`")]);
    expect(faultsOf({ table: undefined, from: 5 })).toContainEqual(expect.stringContaining("`from`"));
    expect(faultsOf({ unreadable: "x" })).toEqual(['`unreadable` is "x".']);
    expect(faultsOf({ preparedStatements: 1 })).toEqual(["`preparedStatements` is 1."]);
    expect(faultsOf({ readFrom: {} })).toEqual(["`readFrom` cannot be combined with a database per tenant."]);
    expect(faultsOf({ replicaWait: 5 })).toEqual(["`replicaWait` has no effect without `readFrom`."]);
  });

  test("finds at the first request that its dialect does not allow an option", async () => {
    const db = await openTenant(openFile, "a");
    const orders = sqlEntitySet(Order, {
      db: () => ({ id: "a", db }),
      from: { sql: "select * from orders where id = $1", parameters: [1] },
      operations: ["read"],
    });
    const { service, logged } = shop(() => ({ id: "a", db }), {}, { entitySets: [orders] });
    expect((await sendTo(service)("u@a", "GET", "Orders")).status).toBe(500);
    expect(logged).toMatchObject([{ level: "error" }]);
    expect(String(logged[0]?.fields["err"])).toContain("The set of Order cannot use the database of the tenant: ");
  });

  test("that returns one database under two ids is a logged 500", async () => {
    const db = await openTenant(openFile, "a");
    const { service, logged } = shop(({ user }) => ({ id: (user as Tenanted).tenant ?? "", db }));
    expect((await sendTo(service)("u@a", "GET", "Orders")).status).toBe(200);
    expect((await sendTo(service)("u@b", "GET", "Orders")).status).toBe(500);
    expect(String(logged[0]?.fields["err"])).toContain('returned one database for "a" and "b"');
  });

  test("that returns another dialect is a logged 500", async () => {
    const a = await openTenant(openFile, "a");
    const other = ENGINES.find(({ name }) => name === "postgres");
    if (other === undefined) return;
    const b = await openTenant(() => other.open(), "b");
    const { service, logged } = shop(finderOf({ a, b }).find);
    expect((await sendTo(service)("u@a", "GET", "Orders")).status).toBe(200);
    expect((await sendTo(service)("u@b", "GET", "Orders")).status).toBe(500);
    expect(String(logged[0]?.fields["err"])).toContain('returned PostgreSQL for "b", but SQLite before');
  });

  test("a change set over two databases is 501, and changes nothing", async () => {
    const databases = { a: await openTenant(openFile, "a"), b: await openTenant(openFile, "b") };
    const find: FindTenant = ({ request }) => {
      const id = request.url.endsWith("?tenant=b") ? "b" : "a";
      return { id, db: databases[id] };
    };
    const { service } = shop(find);
    const requests = ["a", "b"].map((tenant, index) => ({
      id: String(index),
      atomicityGroup: "g",
      method: "PATCH",
      url: `Orders(1)?tenant=${tenant}`,
      headers: { "Content-Type": "application/json" },
      body: { Name: "x" },
    }));
    const { json } = await sendTo(service)("u@a", "POST", "$batch", { requests });
    const { responses } = json as { responses: Array<{ status: number; body: { error: { code: string } } }> };
    expect(responses.map(({ status }) => status)).toContain(501);
    expect(JSON.stringify(responses)).toContain("NotImplemented");
    for (const [id, db] of Object.entries(databases)) {
      expect((await sql`select name from orders where id = 1`.execute(db)).rows).toEqual([{ name: `${id} 1` }]);
    }
  });

  test("`ctx.inTransaction` writes the database of the tenant", async () => {
    const databases = { a: await openTenant(openFile, "a"), b: await openTenant(openFile, "b") };
    const { find } = finderOf(databases);
    const orders = sqlEntitySet(Order, {
      db: find,
      table: "orders",
      operations: ALL,
      rowVersion: "version",
      delete: async (id, ctx) =>
        ctx.inTransaction(async (inside) => {
          await inside.set.patch(id, { name: "gone" });
          throw odataError(409, "Kept", "Kept.");
        }),
    });
    const lines = sqlEntitySet(Line, {
      db: find,
      table: "order_lines",
      operations: ["read"],
      columns: { orderId: "order_id" },
    });
    const { service } = shop(find, {}, { entitySets: [orders, lines] });
    expect((await sendTo(service)("u@b", "DELETE", "Orders(1)")).status).toBe(409);
    expect((await sendTo(service)("u@b", "GET", "Orders(1)")).json).toMatchObject({ Name: "b 1", Version: 1 });
  });
});
