import { Kysely, PostgresAdapter, PostgresQueryCompiler, sql } from "kysely";
import { action, edm, entitySet, entityType, fn, hasMany, hasOptional, odataService, resource } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, type OpenDatabase, openOtherPGlite, openPGlite } from "../../engine/executors/engines.ts";

/** Two databases in this process. One plays the replica: its functions return the results of a replica. */

const SECRET = "a secret of the tests of replicas";
const HEADER = "X-OData-Position";

const TABLES = `
  create table authors (id integer primary key, name text collate "C" not null, version integer not null, owner text collate "C");
  create table books (id integer primary key, title text collate "C" not null, author integer);
`;

/** PostgreSQL finds these functions before its own. */
const STANDBY = `
  create schema standby;
  create table standby.state (replayed pg_lsn);
  insert into standby.state values ('0/0');
  create function standby.pg_is_in_recovery() returns boolean language sql as 'select true';
  create function standby.pg_last_wal_replay_lsn() returns pg_lsn language sql as 'select replayed from standby.state';
  set search_path = standby, public, pg_catalog;
`;

interface Logged extends OpenDatabase {
  readonly statements: string[];
}

let primary: Logged;
let replica: Logged;

async function run(db: AnyDatabase, statements: string): Promise<void> {
  for (const statement of statements.split(";")) if (statement.trim() !== "") await sql.raw(statement).execute(db);
}

const Book = entityType("Book", {
  id: edm.int32().key(),
  title: edm.string(),
  author: edm.int32().nullable(),
});
const Author = entityType("Author", {
  id: edm.int32().key(),
  name: edm.string(),
  version: edm.int32().computed(),
  owner: edm.string().nullable(),
});

function makeService() {
  const place = { db: primary.db, readFrom: replica.db, replicaWait: 50 };
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const authors = sqlEntitySet(Author, {
    ...place,
    table: "authors",
    operations,
    rowVersion: "version",
    etag: ["version"],
    allowUpsert: true,
    authorization: {
      // The rule reads the owner that the database has.
      delete: [resource((user, author) => author.owner === user.id)],
      rows: (_user, row) => row.name.ne("hidden"),
    },
    navigation: {
      books: hasMany(() => Book, { on: { id: "author" }, target: "Books", partner: "writer" }),
    },
  });
  const service = odataService({
    entitySets: [
      authors,
      sqlEntitySet(Book, {
        ...place,
        table: "books",
        operations,
        allowDeepInsert: true,
        search: ["title"],
        navigation: {
          writer: hasOptional(() => Author, { on: { author: "id" }, target: "Authors", partner: "books" }),
        },
      }),
      entitySet(Book, {
        name: "Sourced",
        queryable: () => sqlSource(Book, { ...place, from: "books" }),
      }),
      entitySet(Book, {
        name: "Strayed",
        queryable: () => sqlSource(Book, { ...place, replicaWait: 60, from: "books" }),
      }),
    ],
    functions: {
      NameOf: fn({
        authorization: [],
        params: { id: edm.int32() },
        returns: edm.string(),
        handler: async ({ id }, ctx) => (await ctx.sets(authors).get(id))?.name ?? "",
      }),
    },
    actions: {
      Read: action({
        authorization: [],
        params: { id: edm.int32() },
        returns: edm.string(),
        handler: async ({ id }, ctx) => (await ctx.sets(authors).get(id))?.name ?? "",
      }),
    },
    authenticate: () => ({ id: "ada" }),
    batch: { json: true },
    cors: { origins: ["https://app.example.com"] },
    secret: SECRET,
    schemaCheck: "error",
    logger: {
      error: (message, { err }) => logged.push(`${message} ${String(err)}`),
      warn: (message) => logged.push(message),
      info: () => undefined,
    },
  });
  return { authors, service };
}

const logged: string[] = [];

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The databases that ran statements over tables. */
  readonly places: readonly string[];
}

describe("the places of statements", () => {
  let service: ReturnType<typeof makeService>["service"];
  let authors: ReturnType<typeof makeService>["authors"];
  let etag = "";
  let checked: readonly string[] = [];

  beforeAll(async () => {
    const logs: readonly [string[], string[]] = [[], []];
    primary = { ...(await openPGlite(({ query }) => void logs[0].push(query.sql))), statements: logs[0] };
    replica = { ...(await openOtherPGlite(({ query }) => void logs[1].push(query.sql))), statements: logs[1] };
    await Promise.all([run(primary.db, TABLES), run(replica.db, TABLES + STANDBY)]);
    ({ authors, service } = makeService());
    await service.ready();
    checked = [...replica.statements];
  });
  afterAll(() => Promise.all([primary.close(), replica.close()]));
  beforeEach(async () => {
    for (const [{ db }, name] of [
      [primary, "of the primary"],
      [replica, "of the replica"],
    ] as const) {
      await run(db, "delete from books; delete from authors");
      await sql`insert into authors values (1, ${name}, 1, 'ada'), (2, 'second', 1, null), (3, 'hidden', 1, null)`.execute(
        db,
      );
      await sql`insert into books values (10, ${name}, 1)`.execute(db);
    }
    await sql`update standby.state set replayed = '0/0'`.execute(replica.db);
    etag = (await send("/Authors(1)")).headers.get("ETag") ?? "";
  });

  async function send(target: string, method: string = "GET", body?: object, headers: object = {}): Promise<Sent> {
    primary.statements.splice(0);
    replica.statements.splice(0);
    const response = await service.fetch(
      new Request(new URL(target, "http://localhost"), {
        method,
        body: body === undefined ? null : JSON.stringify(body),
        headers: { "Content-Type": "application/json", ...headers },
      }),
    );
    const text = await response.text();
    const isOfTables = (statement: string): boolean => /authors|books/.test(statement);
    const places = [
      ...(primary.statements.some(isOfTables) ? ["primary"] : []),
      ...(replica.statements.some(isOfTables) ? ["replica"] : []),
    ];
    return { status: response.status, headers: response.headers, text, places };
  }

  test.each([
    "/Authors",
    "/Authors?$filter=Books/any(b:startswith(b/Title,'of'))&$count=true&$orderby=Name desc&$top=1",
    "/Authors?$expand=Books($expand=Writer;$count=true)",
    "/Authors?$expand=Books($search=replica)",
    "/Authors/$count",
    "/Authors(1)",
    "/Authors(1)?$expand=Books",
    "/Authors(1)/Name",
    "/Authors(1)/Name/$value",
    "/Authors(1)/Books",
    "/Authors(1)/Books/$ref",
    "/Books(10)/Writer",
    "/Books?$search=replica",
    "/NameOf(id=1)",
    "/Sourced",
    "/Sourced?$filter=Title ne 'x'",
  ])("GET %s reads the replica", async (target) => {
    const { status, places, headers } = await send(target);
    expect({ status, places, position: headers.get(HEADER) }).toEqual({
      status: 200,
      places: ["replica"],
      position: null,
    });
  });

  test.each(["/Authors(1)", "/Authors"])("HEAD %s reads the replica", async (target) => {
    expect(await send(target, "HEAD")).toMatchObject({ status: 200, places: ["replica"] });
  });

  test("a query in the body of POST reads the replica", async () => {
    const { status, places } = await send("/Authors/$query", "POST", undefined, { "Content-Type": "text/plain" });
    expect({ status, places }).toEqual({ status: 200, places: ["replica"] });
  });

  test.each<[method: string, target: string, body: object | undefined, status: number, headers?: object]>([
    ["POST", "/Authors", { Id: 5, Name: "new" }, 201],
    ["POST", "/Books?$expand=Writer", { Id: 11, Title: "new", Author: 1 }, 201],
    ["POST", "/Books", { Id: 12, Title: "new", Writer: { Id: 6, Name: "nested" } }, 201],
    ["PATCH", "/Authors(1)?$expand=Books", { Name: "new" }, 200],
    ["PATCH", "/Authors(1)", { Name: "new" }, 200, { "If-Match": "the ETag" }],
    ["PUT", "/Authors(9)", { Name: "new" }, 201],
    ["PUT", "/Authors(1)", { Name: "new" }, 200],
    ["PUT", "/Authors(1)/Name", { value: "new" }, 204],
    ["DELETE", "/Authors(1)", undefined, 204],
    ["DELETE", "/Books(10)/Writer/$ref", undefined, 204],
    ["POST", "/Read", { id: 1 }, 200],
  ])("%s %s reads and writes the primary", async (method, target, body, status, headers = {}) => {
    const given = "If-Match" in headers ? { "If-Match": etag } : headers;
    const sent = await send(target, method, body, given);
    expect({ ...sent, headers: null }).toEqual({ ...sent, headers: null, status, places: ["primary"] });
    expect(sent.headers.get(HEADER)).toMatch(/^[\w-]{40,}$/);
    const asked = primary.statements.filter((each) => each.includes("pg_current_wal_insert_lsn"));
    expect(asked).toHaveLength(1);
  });

  test.each<[method: string, target: string, body: object | undefined, status: number]>([
    ["PUT", "/Authors", {}, 405],
    ["DELETE", "/Authors(2)", undefined, 403],
    ["PATCH", "/Authors(1)", { Nam: "x" }, 400],
  ])("%s %s fails without a position", async (method, target, body, status) => {
    const sent = await send(target, method, body);
    expect({ status: sent.status, position: sent.headers.get(HEADER) }).toEqual({ status, position: null });
    expect(sent.places).not.toContain("replica");
  });

  test("work without a request reads the primary", async () => {
    replica.statements.splice(0);
    const found = await service.run({ id: "ada" }, (ctx) => ctx.sets(authors).get(1));
    expect(found).toMatchObject({ name: "of the primary" });
    expect(replica.statements).toEqual([]);
  });

  test("the schema check reads the primary", () => {
    expect(checked.filter((each) => !/^\s*(?:create|insert|set) /.test(each))).toEqual([]);
  });

  test("reads of a batch read one place: the replica until the first write", async () => {
    const requests = [
      { id: "1", method: "GET", url: "Authors(1)" },
      {
        id: "2",
        method: "PATCH",
        url: "Authors(2)",
        headers: { "content-type": "application/json" },
        body: { Name: "new" },
      },
      { id: "3", method: "GET", url: "Authors(1)" },
    ];
    const { text } = await send("/$batch", "POST", { requests });
    const { responses } = JSON.parse(text) as {
      responses: ReadonlyArray<{ readonly body: { readonly Name: string } }>;
    };
    expect(responses.map(({ body }) => body.Name)).toEqual(["of the replica", "new", "of the primary"]);
  });

  test("the replica counts from the position that it has replayed", async () => {
    const written = await send("/Authors(1)", "PATCH", { Name: "new" });
    const position = { [HEADER]: written.headers.get(HEADER) ?? "" };
    expect(await send("/Authors(1)", "GET", undefined, position)).toMatchObject({ places: ["primary"] });
    expect(await send("/Authors(1)")).toMatchObject({ places: ["replica"] });
    await sql`update standby.state set replayed = 'FFFFFFFF/0'`.execute(replica.db);
    expect(await send("/Authors(1)", "GET", undefined, position)).toMatchObject({ places: ["replica"] });
  });

  test("pages of other origins may send and read positions", async () => {
    const Origin = "https://app.example.com";
    const asked = {
      Origin,
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "x-odata-position",
    };
    const preflight = await send("/Authors(1)", "OPTIONS", undefined, asked);
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toBe("x-odata-position");
    const { headers } = await send("/Authors(1)", "PATCH", { Name: "new" }, { Origin });
    expect(headers.get("Access-Control-Expose-Headers")?.split(", ")).toContain(HEADER);
  });

  test("a position that cannot be read takes reads to the primary", async () => {
    await sql.raw("create schema broken").execute(primary.db);
    await sql
      .raw(
        "create function broken.pg_current_wal_insert_lsn() returns pg_lsn language plpgsql as 'begin raise exception ''no''; end'",
      )
      .execute(primary.db);
    await sql.raw("set search_path = broken, public, pg_catalog").execute(primary.db);
    logged.splice(0);
    try {
      const written = await send("/Authors(1)", "PATCH", { Name: "new" });
      const position = { [HEADER]: written.headers.get(HEADER) ?? "" };
      expect(written.status).toBe(200);
      expect(logged).toEqual(["The position after a write cannot be read: reads that need it use the primary."]);
      expect(await send("/Authors(1)", "GET", undefined, position)).toMatchObject({ status: 200, places: ["primary"] });
    } finally {
      await sql.raw("set search_path = public").execute(primary.db);
      await sql.raw("drop schema broken cascade").execute(primary.db);
    }
  });

  test("a source whose replica no set has is refused", async () => {
    logged.splice(0);
    expect(await send("/Strayed")).toMatchObject({ status: 500, places: [] });
    expect(logged).toEqual([expect.stringContaining("A sqlSource has a `readFrom` that no set of the service has")]);
  });

  test.each([
    ["GET", "/Authors(1)"],
    ["PATCH", "/Authors(1)"],
    ["POST", "/$batch"],
  ])("%s %s rejects a header that is not a position", async (method, target) => {
    const body = method === "GET" ? undefined : { requests: [] };
    const { status, text, places } = await send(target, method, body, { [HEADER]: "0/16B3748" });
    expect({ status, places, error: JSON.parse(text) as unknown }).toEqual({
      status: 400,
      places: [],
      error: {
        error: {
          code: "InvalidParameter",
          message:
            "X-OData-Position is not a position of this service: return the header of the last response to a write unchanged, or omit it.",
          target: HEADER,
        },
      },
    });
  });
});

describe("faults of the declarations", () => {
  const sqlite: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  afterAll(() => sqlite.destroy());
  // No instance connects before its first statement.
  const pg = (): AnyDatabase =>
    new Kysely({
      dialect: { createAdapter, createDriver: unused, createIntrospector: unused, createQueryCompiler: unused },
    });

  const compiling = (): AnyDatabase =>
    new Kysely({
      dialect: {
        createAdapter,
        createDriver: unused,
        createIntrospector: unused,
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });

  test.each<[name: string, options: () => object, message: string]>([
    ["another value", () => ({ db: pg(), readFrom: "replica" }), "`readFrom` is not a Kysely instance."],
    [
      "SQLite",
      () => ({ db: sqlite, readFrom: pg() }),
      "`db` is SQLite, but `readFrom` needs a streaming replica of PostgreSQL.",
    ],
    [
      "a replica in SQLite",
      () => ({ db: pg(), readFrom: sqlite }),
      "`readFrom` is SQLite, but `readFrom` needs a streaming replica of PostgreSQL.",
    ],
    [
      "the same instance",
      () => {
        const db = pg();
        return { db, readFrom: db };
      },
      "`readFrom` is the same database as `db`.",
    ],
    [
      "the same database",
      () => {
        const db = pg();
        return { db, readFrom: db.withSchema("x") };
      },
      "`readFrom` is the same database as `db`.",
    ],
    [
      "another schema of a replica",
      () => ({ db: pg(), readFrom: compiling().withSchema("x") }),
      "`readFrom` has a plugin of Kysely that names tables in queries, but not in SQL fragments, such as `withSchema`: the statements would use another table.",
    ],
    [
      "a distributed database",
      () => ({ db: pg(), readFrom: pg(), distributed: true }),
      "`readFrom` cannot be combined with `distributed`.",
    ],
    [
      "a wait without a replica",
      () => ({ db: pg(), replicaWait: 5 }),
      "`replicaWait` has no effect without `readFrom`.",
    ],
    ["a negative wait", () => ({ db: pg(), readFrom: pg(), replicaWait: -1 }), "`replicaWait` is -1."],
    [
      "a wait that never ends",
      () => ({ db: pg(), readFrom: pg(), replicaWait: Infinity }),
      "`replicaWait` is Infinity.",
    ],
  ])("%s", (_name, options, message) => {
    const declared = sqlEntitySet(Author, { table: "authors", operations: ["read"], ...options() } as never);
    expect(() => odataService({ entitySets: [declared], secret: SECRET })).toThrow(message);
    expect(() => sqlSource(Author, { from: "authors", ...options() } as never)).toThrow(message);
  });

  test.each<[name: string, service: () => unknown, message: string]>([
    [
      "sets that disagree",
      () => {
        const db = pg();
        const one = sqlEntitySet(Author, { db, readFrom: pg(), table: "authors", operations: ["read"] });
        const other = sqlEntitySet(Book, { db, table: "books", operations: ["read"] });
        return odataService({ entitySets: [one, other], secret: SECRET });
      },
      "The sets Authors and Books have the same `db`, but another `readFrom` or `replicaWait`.",
    ],
    [
      "no secret",
      () => odataService({ entitySets: [replicated()] }),
      "`readFrom` of an entity set needs the `secret` of odataService, which seals positions.",
    ],
    [
      "a store without a replica",
      () =>
        odataService({
          entitySets: [sqlEntitySet(Author, { db: pg(), table: "authors", operations: ["read"] })],
          positions: { read: () => null, write: () => undefined },
        }),
      "`positions` of odataService has no effect: no set has `readFrom`.",
    ],
    [
      "a store without a function",
      () => odataService({ entitySets: [replicated()], secret: SECRET, positions: { read: () => null } as never }),
      "`positions` of odataService has no function write.",
    ],
  ])("%s", (_name, service, message) => {
    expect(service).toThrow(message);
  });

  function replicated() {
    return sqlEntitySet(Author, { db: pg(), readFrom: pg(), table: "authors", operations: ["read"] });
  }
});

function createAdapter(): never {
  return new PostgresLike() as never;
}

class PostgresLike extends PostgresAdapter {}

function unused(): never {
  return {} as never;
}
