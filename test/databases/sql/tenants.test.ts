import {
  CamelCasePlugin,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryId,
  sql,
  type TableNode,
} from "kysely";
import {
  authenticated,
  complexType,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  enumType,
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
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";

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

type Settings = Pick<SqlEntitySetOptions<typeof Order>, "authorization" | "set">;

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

  test("values that the server sets come from the user, and are stored in the database of the tenant alone", async () => {
    const { send, databases, logged } = await openShop({
      set: {
        owner: {
          create: ({ user }) => `${user.id ?? ""} of ${(user as Tenanted).tenant ?? ""}`,
          update: ({ user }) => `${user.id ?? ""} of ${(user as Tenanted).tenant ?? ""}`,
        },
      },
    });
    const ownersOf = async (db: AnyDatabase) =>
      (await sql`select id, name, owner from orders where id not in (2, 3) order by id`.execute(db)).rows;
    for (const who of ["bob@b", "ann@a"]) {
      const created = await send(who, "POST", "Orders", { Id: 4, Name: who, Owner: "eve" });
      expect([created.status, created.json.Owner]).toEqual([201, who.replace("@", " of ")]);
    }
    expect((await send("eve@a", "PATCH", "Orders(1)", { Name: "changed" })).json.Owner).toBe("eve of a");
    const requests = [1, 2].map((id) => ({
      id: String(id),
      atomicityGroup: "g",
      method: id === 1 ? "PUT" : "POST",
      url: id === 1 ? "Orders(4)" : "Orders",
      headers: { "Content-Type": "application/json" },
      body: id === 1 ? { Name: "in a set" } : { Id: 5, Name: "in a set" },
    }));
    expect((await send("zoe@b", "POST", "$batch", { requests })).json).toMatchObject({
      responses: [
        { status: 200, body: { Owner: "zoe of b" } },
        { status: 201, body: { Owner: "zoe of b" } },
      ],
    });
    expect(await ownersOf(databases.a)).toEqual([
      { id: 1, name: "changed", owner: "eve of a" },
      { id: 4, name: "ann@a", owner: "ann of a" },
    ]);
    expect(await ownersOf(databases.b)).toEqual([
      { id: 1, name: "b 1", owner: null },
      { id: 4, name: "in a set", owner: "zoe of b" },
      { id: 5, name: "in a set", owner: "zoe of b" },
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
    await expect.poll(async () => (await send("u@a", "GET", "Orders")).status).toBe(200);
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

/** Names the tables of a tenant by a prefix, as a plugin of an application does. */
class Prefixed extends OperationNodeTransformer {
  readonly #prefix: string;

  constructor(prefix: string) {
    super();
    this.#prefix = prefix;
  }

  protected override transformTable(node: TableNode, queryId?: QueryId): TableNode {
    const { table, ...others } = super.transformTable(node, queryId);
    const { identifier } = table;
    return {
      ...others,
      table: { ...table, identifier: { ...identifier, name: `${this.#prefix}_${identifier.name}` } },
    };
  }
}

function prefixed(prefix: string): KyselyPlugin {
  const transformer = new Prefixed(prefix);
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: ({ result }) => Promise.resolve(result),
  };
}

describe.each(SEVERAL)("tenants whose tables of $title a plugin names", (engine) => {
  test.each([undefined, false] as const)(
    "read and write their own tables with schemaCheck: %s",
    async (schemaCheck) => {
      const bases: AnyDatabase[] = [];
      for (const id of ["a", "b"]) {
        const { db, close } = await engine.open();
        ended.push(close);
        bases.push(db);
        // The schemas are equal: each database has the tables of both tenants.
        for (const owner of ["a", "b"]) {
          await sql`create table ${sql.id(`${owner}_notes`)} (id int primary key, text varchar(50) not null)`.execute(
            db,
          );
          await sql`insert into ${sql.id(`${owner}_notes`)} values (1, ${`${owner} in ${id}`})`.execute(db);
        }
      }
      const [a, b] = bases as [AnyDatabase, AnyDatabase];
      const { find } = finderOf({ a: a.withPlugin(prefixed("a")), b: b.withPlugin(prefixed("b")) });
      const Note = entityType("Note", { id: edm.int32().key(), text: edm.string({ maxLength: 50 }) });
      const notes = sqlEntitySet(Note, { db: find, table: "notes", operations: ALL });
      const { service, logged } = shop(
        find,
        {},
        { entitySets: [notes], ...(schemaCheck === false && { schemaCheck }) },
      );
      const send = sendTo(service);
      for (const id of ["a", "b", "a"]) {
        const who = `u@${id}`;
        expect((await send(who, "GET", "Notes?$filter=Id lt 9&$count=true")).json.value).toEqual([
          { Id: 1, Text: `${id} in ${id}` },
        ]);
        expect((await send(who, "GET", "Notes(1)/Text/$value")).json).toBe(`${id} in ${id}`);
        expect((await send(who, "POST", "Notes", { Id: 2, Text: "new" })).status).toBe(201);
        expect((await send(who, "PATCH", "Notes(2)", { Text: "changed" })).status).toBe(200);
        expect((await send(who, "DELETE", "Notes(2)")).status).toBe(204);
      }
      for (const [db, id] of [
        [a, "a"],
        [b, "b"],
      ] as const) {
        const found = await sql`select text from a_notes union all select text from b_notes order by text`.execute(db);
        expect(found.rows).toEqual([{ text: `a in ${id}` }, { text: `b in ${id}` }]);
      }
      expect(logged).toEqual([]);
    },
  );
});

const Person = entityType("Person", { id: edm.int32().key(), number: edm.string({ maxLength: 20 }) });

describe.each(SEVERAL)("several functions over one database of $title", (engine) => {
  async function openPeople(): Promise<AnyDatabase> {
    const { db, close } = await engine.open();
    ended.push(close);
    await sql`create table people (id int primary key, number varchar(20) not null)`.execute(db);
    await sql`insert into people values (1, '123-45-6789')`.execute(db);
    return db;
  }

  const converting = (show: (text: string) => string) => ({
    convert: { fromDatabase: (cell: unknown) => show(String(cell)), toDatabase: (value: string) => value },
  });

  test("read with the conversions of each set", async () => {
    for (const kind of ["two functions", "one function", "a database and a function"] as const) {
      const db = await openPeople();
      const find = (): FindTenant => () => ({ id: "a", db });
      const first = kind === "a database and a function" ? db : find();
      const second = kind === "one function" ? first : find();
      const set = (name: string, from: AnyDatabase | FindTenant, show: (text: string) => string) =>
        sqlEntitySet(Person, {
          name,
          db: from,
          table: "people",
          columns: { number: converting(show) },
          operations: ["read"],
        });
      const entitySets = [
        set("Staff", first, (text) => text),
        set("Public", second, (text) => `***${text.slice(-4)}`),
        set("Hidden", second, () => "-"),
      ];
      const { service } = shop(find(), {}, { entitySets });
      const send = sendTo(service);
      for (const [name, expected] of [
        ["Staff", "123-45-6789"],
        ["Public", "***6789"],
        ["Hidden", "-"],
      ]) {
        const { json } = await send("u@a", "GET", `${String(name)}?$select=Number`);
        expect([kind, name, json.value]).toMatchObject([kind, name, [{ Number: expected }]]);
        expect((await send("u@a", "GET", `${String(name)}(1)/Number/$value`)).json).toBe(expected);
      }
    }
  });

  test("compare the sets of each with the database", async () => {
    const a = await openTenant(() => engine.open(), "a");
    const { find } = finderOf({ a });
    await sql`alter table order_lines drop column text`.execute(a);
    const orders = sqlEntitySet(Order, { db: find, table: "orders", operations: ["read"] });
    const lines = sqlEntitySet(Line, {
      db: (context) => find(context),
      table: "order_lines",
      operations: ["read"],
      columns: { orderId: "order_id" },
    });
    const { service, logged } = shop(find, {}, { entitySets: [orders, lines] });
    const send = sendTo(service);
    expect((await send("u@a", "GET", "Orders(1)")).json).toMatchObject({ Name: "a 1" });
    expect(logged).toEqual([]);
    const refused = await send("u@a", "GET", "Lines?$select=Id");
    expect([refused.status, refused.json.error.code]).toEqual([500, "InternalServerError"]);
    expect(logged).toMatchObject([{ level: "error", fields: { tenant: "a" } }]);
    expect(String(logged[0]?.fields["err"])).toContain("text");
    expect((await send("u@a", "GET", "Orders(1)")).status).toBe(200);
  });
});

test("joins between sets of several functions compare texts as the database does", async () => {
  const Code = entityType("Code", { code: edm.string().key(), name: edm.string() });
  const Use = entityType("Use", { id: edm.int32().key(), code: edm.string() });
  for (const kind of ["one function", "two functions", "a database and a function"]) {
    const { db, close } = await openFile();
    ended.push(close);
    await sql`create table codes (code text collate nocase primary key not null, name text not null)`.execute(db);
    await sql`create table uses (id integer primary key, code text collate nocase not null references codes (code))`.execute(
      db,
    );
    await sql`insert into codes values ('ABC', 'first')`.execute(db);
    await sql`insert into uses values (1, 'abc')`.execute(db);
    const find = (): FindTenant => () => ({ id: "a", db });
    const first = kind === "a database and a function" ? db : find();
    const second = kind === "one function" ? first : find();
    const codes = sqlEntitySet(Code, { db: first, table: "codes", operations: ["read"] });
    const uses = sqlEntitySet(Use, {
      db: second,
      table: "uses",
      operations: ["read"],
      navigation: { about: hasRequired(Code, { target: "Codes", on: { code: "code" } }) },
    });
    const { service, logged } = shop(find(), {}, { entitySets: [codes, uses] });
    const { json } = await sendTo(service)("u@a", "GET", "Uses?$filter=About/Name eq 'first'&$select=Id");
    expect([kind, json]).toMatchObject([kind, { value: [{ Id: 1 }] }]);
    expect(logged.filter(({ level }) => level === "error")).toEqual([]);
  }
});

describe("the statements of tenants follow facts of their own database", () => {
  test.each(["attached", "temporary"] as const)("about %s tables of SQLite", async (kind) => {
    const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });
    const open = async (collation: string): Promise<AnyDatabase> => {
      const { db, close } = await openFile();
      ended.push(close);
      if (kind === "attached") await sql`attach ':memory:' as other`.execute(db);
      const table = sql.raw(kind === "attached" ? "other.items" : "temp.items");
      await sql`create table ${table} (id integer primary key, name text ${sql.raw(collation)} not null)`.execute(db);
      await sql`insert into ${table} values (1, 'b'), (2, 'B'), (3, 'a')`.execute(db);
      return db;
    };
    for (const order of [
      ["a", "b"],
      ["b", "a"],
    ]) {
      const { find } = finderOf({ a: await open(""), b: await open("collate nocase") });
      const items = sqlEntitySet(Item, { db: find, table: "items", operations: ["read"] });
      const { service } = shop(find, {}, { entitySets: [items], schemaCheck: false });
      const send = sendTo(service);
      for (const id of order) {
        const idsOf = async (path: string) =>
          ((await send(`u@${id}`, "GET", path)).json.value as Array<{ Id: number }>).map(({ Id }) => Id);
        expect([order, id, await idsOf("Items?$filter=Name eq 'b'")]).toEqual([order, id, [1]]);
        expect([order, id, await idsOf("Items?$orderby=Name")]).toEqual([order, id, [2, 3, 1]]);
      }
    }
  });

  test.each(SEVERAL.filter(({ name }) => name === "postgres"))("about labels of $title", async (engine) => {
    const Level = enumType("Level", { Old: 0, New: 1, Extra: 2 });
    const Item = entityType("Item", { id: edm.int32().key(), level: edm.enum(Level) });
    const columns = { level: { storage: { values: { Old: "Old", New: "New", Extra: "Extra" } } } } as const;
    const open = async (hasExtra: boolean): Promise<AnyDatabase> => {
      const { db, close } = await engine.open();
      ended.push(close);
      await sql`create type level as enum (${sql.raw(hasExtra ? "'Old', 'New', 'Extra'" : "'Old', 'New'")})`.execute(
        db,
      );
      await sql`create table items (id int primary key, level level not null)`.execute(db);
      await sql`insert into items values (1, 'Old'), (2, 'New')`.execute(db);
      if (hasExtra) await sql`insert into items values (3, 'Extra')`.execute(db);
      await sql`create table orders (id int primary key, name varchar(50) not null, owner varchar(20), version int not null)`.execute(
        db,
      );
      return db;
    };
    for (const order of [
      ["a", "b"],
      ["b", "a"],
    ]) {
      const { find } = finderOf({ a: await open(false), b: await open(true) });
      const entitySets = [
        // Its check is that of another table.
        sqlEntitySet(Order, { db: find, table: "orders", operations: ["read"] }),
        entitySet(Item, { queryable: () => sqlSource(Item, { db: find, from: "items", columns }) }),
      ];
      const { service } = shop(find, {}, { entitySets });
      const send = sendTo(service);
      for (const id of order) {
        expect((await send(`u@${id}`, "GET", "Orders")).status).toBe(200);
        const found = await send(`u@${id}`, "GET", "Items?$filter=Level in ('Extra','Old')&$orderby=Id&$select=Id");
        const expected = id === "a" ? [{ Id: 1 }] : [{ Id: 1 }, { Id: 3 }];
        expect([order, id, found.status, found.json.value]).toEqual([order, id, 200, expected]);
      }
    }
  });
});

type Alter = (db: AnyDatabase) => Promise<unknown>;

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

  async function compiledBy({ alter, plugin }: { alter?: Alter; plugin?: () => KyselyPlugin } = {}) {
    const open = async (id: string): Promise<AnyDatabase> => {
      const db = await openTenant(() => engine.open(), id);
      return plugin === undefined ? db : db.withPlugin(plugin());
    };
    const a = await open("a");
    const b = await open("b");
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
    // Names, and comparisons of the columns with texts, are not statements of requests.
    return texts.map((each) => each.filter((text) => !/^["`]|^select "t0" = /u.test(text)));
  }

  test("are compiled once for all databases with the same schema", async () => {
    const [first, second] = await compiledBy();
    expect(first?.length).toBeGreaterThan(REQUESTS.length - 1);
    expect(second).toEqual([]);
  });

  test("are compiled again for a database with another schema", async () => {
    const [first, second] = await compiledBy({ alter: (db) => sql`create index other on orders (name)`.execute(db) });
    expect(second).toEqual(first);
    expect(second?.length).toBeGreaterThan(REQUESTS.length - 1);
  });

  test("are compiled once for databases with the same plugins, and for each of those with others", async () => {
    const plugin = new CamelCasePlugin();
    const [first, second] = await compiledBy({ plugin: () => plugin });
    expect(first?.length).toBeGreaterThan(REQUESTS.length - 1);
    expect(second).toEqual([]);
    const [third, fourth] = await compiledBy({ plugin: () => new CamelCasePlugin() });
    expect(third).toEqual(first);
    expect(fourth).toEqual(first);
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

  test("that returns one database with two plugins under two ids is a logged 500", async () => {
    const db = await openTenant(openFile, "a");
    const { find } = finderOf({ a: db.withPlugin(new CamelCasePlugin()), b: db.withPlugin(new CamelCasePlugin()) });
    const { service, logged } = shop(find);
    expect((await sendTo(service)("u@a", "GET", "Orders(1)")).json).toMatchObject({ Name: "a 1" });
    expect((await sendTo(service)("u@b", "GET", "Orders(1)")).status).toBe(500);
    expect(logged.map(({ fields }) => (fields["err"] as Error).message)).toEqual([
      'The function `db` of a set returned one database for "a" and "b". Return the same `id` for a database each time. The results of `withPlugin` are the same database: make a Kysely instance with its own dialect for each tenant.',
    ]);
  });

  test("that returns a result of `withSchema`, which statements would not follow, is a logged 500", async () => {
    const db = await openTenant(openFile, "a");
    const { service, logged } = shop(() => ({ id: "a", db: db.withSchema("main") }));
    expect((await sendTo(service)("u@a", "GET", "Orders(1)")).status).toBe(500);
    expect(logged.map(({ fields }) => (fields["err"] as Error).message)).toEqual([
      'The function `db` of a set returned a Kysely instance for "a" whose plugins name tables in queries, but not in SQL fragments. `withSchema` is such a plugin: give each tenant a pool with its own `search_path`, or its own database.',
    ]);
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

  test("is checked once for each open database: before its first request, and not for later ones", async () => {
    const databases: Record<string, AnyDatabase> = {
      a: await openTenant(openFile, "a"),
      b: await openTenant(openFile, "b"),
    };
    const { find } = finderOf(databases);
    const { service, logged } = shop(find);
    const send = sendTo(service);
    const statuses = async (): Promise<readonly number[]> => [
      (await send("u@a", "GET", "Orders(1)/Name/$value")).status,
      (await send("u@b", "GET", "Orders(1)/Name/$value")).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    for (const db of Object.values(databases)) await sql`alter table orders drop column owner`.execute(db);
    expect(await statuses()).toEqual([200, 200]);
    databases["a"] = await openTenant(openFile, "a");
    await sql`alter table orders drop column owner`.execute(databases["a"]);
    expect(await statuses()).toEqual([500, 200]);
    expect(logged.map(({ message, fields }) => [message, fields["tenant"]])).toEqual([
      ["The schema check failed, so requests return 500.", "a"],
    ]);
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
