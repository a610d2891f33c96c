import { createServer } from "node:http";
import { sql } from "kysely";
import {
  authenticated,
  edm,
  entitySet,
  entityType,
  fn,
  hasOptional,
  noRows,
  odataService,
  resource,
  role,
  type ODataService,
  type ServiceOptions,
} from "odatakit";
import { explorerRoute, type ExplorerRouteOptions } from "odatakit/explorer";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ExplorerAbout } from "../../../src/hosts/explorer/about.ts";
import { createTable, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { hangingDatabase } from "../../hanging-database.ts";
import { eachFramework, nodeDoor } from "../../service/http/doors.ts";
import { recordingLogger } from "../../service/http/model.ts";
import { passTime, stopClock, stopTimers, until } from "../../timers.ts";
import { tinyFolder } from "./tiny-files.ts";

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });
const folder = tinyFolder();

const authenticate: NonNullable<ServiceOptions["authenticate"]> = ({ headers }) => {
  const id = headers.get("x-user");
  return id === null ? null : { id, roles: id === "ann" ? ["admin"] : [] };
};

async function aboutOf(service: ODataService, user: string | null = "ann"): Promise<ExplorerAbout> {
  const headers: Record<string, string> = user === null ? {} : { "X-User": user };
  const response = await service.fetch(new Request("http://x/explorer/about.json", { headers }));
  expect(response.status).toBe(200);
  return (await response.json()) as ExplorerAbout;
}

describe.each(ENGINES)("about.json over $title", ({ name, open }) => {
  let opened: OpenDatabase;
  beforeEach(async () => {
    opened = await open();
    const { db } = opened;
    if (name === "mariadb") await sql`set max_recursive_iterations = 20000`.execute(db);
    for (const table of ["few", "most", "many"]) {
      await createTable(opened, table, { id: "int primary key", name: "varchar(20) not null" });
    }
    const fill = async (table: string, rows: number): Promise<void> => {
      await sql`insert into ${sql.id(table)} (id, name) with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(rows)}) select i, 'x' from n`.execute(
        db,
      );
    };
    await fill("few", 3);
    await fill("most", 10_000);
    await fill("many", 10_001);
    await sql`create view seen as select id, name from few`.execute(db);
  });
  afterEach(() => opened.close());

  const operations = ["read"] as const;

  test("counts the rows of tables up to 10,000, and says that there are more", async () => {
    const { db } = opened;
    const table = (set: string, text: string) =>
      sqlEntitySet(Item, {
        name: set,
        db,
        table: text,
        operations: [...operations],
        orderByProperties: [],
        filterProperties: [],
      });
    const service = odataService({
      logger: recordingLogger(),
      entitySets: [
        table("Few", "few"),
        table("Most", "most"),
        table("Many", "many"),
        table("Seen", "seen"),
        entitySet(Item, { name: "Objects", getAll: () => [{ id: 1, name: "a" }] }),
      ],
      routes: [explorerRoute({ folder })],
    });
    const { rows } = await aboutOf(service, null);
    expect(rows).toEqual({
      Few: { count: 3, kind: "exact" },
      Most: { count: expect.any(Number) as number, kind: expect.any(String) as string },
      Many: { count: expect.any(Number) as number, kind: expect.stringMatching(/^(?:estimate|least)$/) as string },
    });
    // A server may estimate some rows more or less.
    if (name === "sqlite") {
      expect(rows["Most"]).toEqual({ count: 10_000, kind: "exact" });
      expect(rows["Many"]).toEqual({ count: 10_000, kind: "least" });
    }
    expect(rows["Many"]?.count).toBeGreaterThan(5000);
  });

  test("contains no number of rows that a rule or the application hides", async () => {
    const { db } = opened;
    const few = { db, table: "few", operations: [...operations] };
    const service = odataService({
      logger: recordingLogger(),
      authenticate,
      entitySets: [
        sqlEntitySet(Item, { ...few, name: "Open" }),
        sqlEntitySet(Item, { ...few, name: "Ruled", authorization: { rows: (_user, row) => row.id.eq(1) } }),
        sqlEntitySet(Item, { ...few, name: "Known", authorization: { read: authenticated() } }),
        sqlEntitySet(Item, { ...few, name: "Admins", authorization: { read: role("admin") } }),
        sqlEntitySet(Item, {
          ...few,
          name: "Narrowed",
          queryable: () => sqlSource(Item, { db, from: db.selectFrom("few").selectAll().where("id", "=", 1) }),
        }),
        sqlEntitySet(Item, { ...few, name: "Listed", getAll: () => [{ id: 1, name: "x" }] }),
        sqlEntitySet(Item, { ...few, name: "Written", operations: ["create"] }),
        sqlEntitySet(Item, { ...few, name: "Tenants", db: () => ({ id: "one", db }) }),
        sqlEntitySet(Item, {
          db,
          name: "Queried",
          from: db.selectFrom("few").selectAll(),
          operations: [...operations],
        }),
      ],
      routes: [explorerRoute({ folder })],
    });
    const namesFor = async (user: string | null): Promise<readonly string[]> =>
      Object.keys((await aboutOf(service, user)).rows);
    expect(await namesFor(null)).toEqual(["Open"]);
    expect(await namesFor("bob")).toEqual(["Open", "Known"]);
    expect(await namesFor("ann")).toEqual(["Open", "Known", "Admins"]);
  });

  test("counts the rows of a table at most once a minute, for all users together", async () => {
    stopClock();
    const { db } = opened;
    const service = odataService({
      logger: recordingLogger(),
      authenticate,
      entitySets: [sqlEntitySet(Item, { name: "Few", db, table: "few", operations: [...operations] })],
      routes: [explorerRoute({ folder })],
    });
    const countFor = async (user: string | null) => (await aboutOf(service, user)).rows["Few"]?.count;
    expect(await countFor(null)).toBe(3);
    await sql`insert into few (id, name) values (4, 'x')`.execute(db);
    await passTime(60_000);
    expect([await countFor(null), await countFor("ann")]).toEqual([3, 3]);
    await passTime(1);
    expect(await countFor("bob")).toBe(4);
  });

  test.skipIf(name !== "postgres")("contains no number of rows of a table with row-level security", async () => {
    const { db } = opened;
    await sql`alter table few enable row level security`.execute(db);
    const service = odataService({
      logger: recordingLogger(),
      entitySets: [sqlEntitySet(Item, { name: "Few", db, table: "few", operations: [...operations] })],
      routes: [explorerRoute({ folder })],
    });
    expect((await aboutOf(service, null)).rows).toEqual({});
  });

  test("shows the findings of the schema check to users who may read traces", async () => {
    const { db } = opened;
    const items = sqlEntitySet(Item, {
      name: "Many",
      db,
      table: "many",
      operations: [...operations],
      orderByProperties: [],
      filterProperties: ["name"],
    });
    const service = odataService({
      name: "Shop",
      prefix: "",
      logger: recordingLogger(),
      authenticate,
      entitySets: [items],
      routes: [explorerRoute({ folder, sql: role("admin") })],
    });
    const about = await aboutOf(service);
    expect({ ...about, rows: {} }).toEqual({
      title: "Shop",
      rows: {},
      warnings: [
        {
          code: "C11",
          severity: "warning",
          place: "Many.name",
          message:
            "Clients may filter by `name`, but no index of the table `many` begins with it. The table has more than 10000 rows.",
          fix: expect.stringMatching(
            name === "postgres"
              ? /^create index on many \(name(?: collate "C")?\)$/
              : /^create index many_name on many \(name\)$/,
          ) as string,
        },
      ],
      traces: true,
      isAnonymous: false,
      expandsPaths: false,
      access: {},
    });
    const other = await aboutOf(service, "bob");
    expect([other.warnings, other.traces, other.rows["Many"]?.kind === "exact"]).toEqual([[], false, false]);
  });
});

test.each([
  ["before its catalogue was read", "error"],
  ["after it", false],
] as const)("about.json does not wait for a database that hangs %s", async (_when, schemaCheck) => {
  const { db, hang } = hangingDatabase();
  hang.hangs = true;
  const service = odataService({
    logger: recordingLogger(),
    authenticate,
    schemaCheck,
    entitySets: [sqlEntitySet(Item, { name: "Items", db, table: "items", operations: ["read"] })],
    routes: [explorerRoute({ folder, sql: role("admin") })],
  });
  stopTimers();
  const asked = aboutOf(service);
  await until(() => vi.getTimerCount() > 0);
  await passTime(5000);
  expect(await asked).toMatchObject({ title: "Default", traces: true, rows: {}, warnings: [] });
});

describe("what the rules deny to the user", () => {
  const Person = entityType("Person", {
    id: edm.int32().key(),
    name: edm.string(),
    salary: edm.int32().nullable(),
    grade: edm.int32().nullable(),
    bossId: edm.int32().nullable(),
  });
  const service = odataService({
    logger: recordingLogger(),
    authenticate,
    entitySets: [
      entitySet(Person, {
        name: "People",
        getAll: () => [],
        getByKey: () => null,
        create: (person) => person,
        patch: () => null,
        delete: () => false,
        navigation: {
          boss: hasOptional(Person, { on: { bossId: "id" }, target: "Bosses" }),
          same: hasOptional(Person, { on: { bossId: "id" }, target: "People" }),
        },
        authorization: {
          delete: role("admin"),
          update: resource((user, { id }) => user.id === String(id)),
          properties: {
            salary: { read: role("admin") },
            grade: { create: authenticated(), update: role("admin") },
            name: { read: [], create: role("admin"), update: [] },
          },
        },
      }),
      entitySet(Person, {
        name: "Bosses",
        getAll: () => [],
        authorization: { all: role("admin"), properties: { grade: { read: role("hr") } } },
      }),
      entitySet(Item, { name: "Items", getAll: () => [], authorization: { rows: () => noRows } }),
    ],
    functions: { total: fn({ returns: edm.int32(), authorization: role("admin"), handler: () => 1 }) },
    routes: [explorerRoute({ folder })],
  });
  const HIDDEN = { read: false, create: false, update: false };

  test.each([
    ["ann", { Bosses: { properties: { Grade: HIDDEN } } }],
    [
      "bob",
      {
        People: {
          delete: false,
          properties: { Salary: HIDDEN, Grade: { update: false }, Name: { create: false }, Boss: { read: false } },
        },
        Bosses: {
          read: false,
          create: false,
          update: false,
          delete: false,
          invoke: false,
          properties: { Grade: HIDDEN },
        },
        total: { invoke: false },
      },
    ],
  ])("is known by set, property and operation: %s", async (user, access) => {
    expect((await aboutOf(service, user)).access).toEqual(access);
  });

  test("depends on no data: what an entity decides is permitted to users, and not to others", async () => {
    const { access, isAnonymous } = await aboutOf(service, null);
    expect(isAnonymous).toBe(true);
    expect(access["People"]).toEqual({
      update: false,
      delete: false,
      properties: {
        Salary: HIDDEN,
        Grade: { create: false, update: false },
        Name: { create: false },
        Boss: { read: false },
      },
    });
  });
});

describe("the default rule of traces", () => {
  const things = entitySet(Item, { name: "Items", getAll: () => [{ id: 1, name: "a" }] });
  const make = (options: Partial<ServiceOptions> = {}, explorer: ExplorerRouteOptions = {}): ODataService =>
    odataService({
      entitySets: [things],
      connectionFiles: false,
      routes: [explorerRoute({ folder, ...explorer })],
      ...options,
    });
  const LOCAL = { Host: "localhost:3000" };
  const mayRead = async (service: ODataService, headers: Record<string, string>, door = nodeDoor): Promise<unknown> => {
    const send = door.to(service);
    expect((await send("/Items", { ...headers, "X-Request-Id": "a" })).status).toBe(200);
    const { traces } = (await send("/explorer/about.json", headers)).json as ExplorerAbout;
    expect((await send("/explorer/trace/a", headers)).status).toBe(traces ? 200 : 401);
    return traces;
  };

  test.each([{}, { Host: "127.0.0.1" }, { Host: "[::1]:80" }, { Origin: "http://localhost:8080" }])(
    "lets this machine read them: %j",
    async (headers) => {
      expect(await mayRead(make(), { ...LOCAL, ...headers })).toBe(true);
      expect(await mayRead(make({ publicUrl: "http://localhost:3000" }), { ...LOCAL, ...headers })).toBe(true);
    },
  );

  test.each([
    { Host: "evil.example" },
    { Host: "localhost.evil.example" },
    { "X-Forwarded-For": "127.0.0.1" },
    { Forwarded: "for=127.0.0.1" },
    { "X-Real-Ip": "127.0.0.1" },
    { Via: "1.1 proxy" },
    { Origin: "https://evil.example" },
    { Origin: "http://localhost.evil.example" },
    { Origin: "null" },
  ])("lets nobody read them through a proxy, by another name or from another site: %j", async (headers) => {
    expect(await mayRead(make({ cors: { origins: "*" } }), { ...LOCAL, ...headers })).toBe(false);
  });

  eachFramework((door) => {
    test("lets this machine read them, and nobody through a proxy, by another name or from another site", async () => {
      // Hono does not know the address of the socket.
      expect(await mayRead(make(), LOCAL, door)).toBe(door.name !== "hono");
      for (const headers of [
        { Host: "evil.example" },
        { Host: "evil.example", "X-Forwarded-Host": "localhost" },
        { "X-Forwarded-For": "127.0.0.1" },
        { Forwarded: "for=127.0.0.1;host=localhost" },
        { Origin: "https://evil.example" },
      ]) {
        expect(await mayRead(make({ cors: { origins: "*" } }), { ...LOCAL, ...headers }, door)).toBe(false);
      }
      expect(await mayRead(make({ trustProxy: true }), LOCAL, door)).toBe(false);
    });

    test("serves the page, its files and the facts", async () => {
      const send = door.to(make({ prefix: "/odata" }));
      const page = await send("/odata/explorer");
      expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html;charset=utf-8"]);
      expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
      const [, script = ""] = /<script type="module" src="([^"]+)">/.exec(page.text) ?? [];
      const file = await send(`/odata/${script}`);
      expect([file.status, file.headers["cache-control"], file.text]).toEqual([
        200,
        "public, max-age=31536000, immutable",
        "export {};\n",
      ]);
      const about = await send("/odata/explorer/about.json");
      expect([about.status, about.json]).toEqual([200, expect.objectContaining({ title: "Default", traces: false })]);
    });
  });

  test("lets nobody read them behind a proxy, or if the address is unknown", async () => {
    expect(await mayRead(make({ trustProxy: true }), LOCAL)).toBe(false);
    expect(await mayRead(make({ publicUrl: "https://shop.example" }), LOCAL)).toBe(false);
    expect((await aboutOf(make(), null)).traces).toBe(false);
  });

  test("distinguishes users of this machine", async () => {
    const send = nodeDoor.to(make({ authenticate }));
    await send("/Items", { ...LOCAL, "X-Request-Id": "a", "X-User": "ann" });
    expect((await send("/explorer/trace/a", { ...LOCAL, "X-User": "ann" })).json).toEqual({
      request: { id: "a", method: "GET", target: "/Items" },
      statements: [],
      omitted: 0,
      advice: [],
    });
    expect((await send("/explorer/trace/a", { ...LOCAL, "X-User": "bob" })).status).toBe(404);
    expect((await send("/explorer/trace/a", LOCAL)).status).toBe(404);
  });

  test("gives each service of a server its own traces", async () => {
    const services = ["/a", "/b"].map((prefix) => make({ name: prefix.slice(1), prefix }));
    const { toNodeHandler } = await import("odatakit/node");
    const server = createServer(toNodeHandler(services));
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const get = (path: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${String(port)}${path}`, { headers: { "X-Request-Id": "a" } });
    expect((await get("/a/Items")).status).toBe(200);
    expect((await get("/a/explorer/trace/a")).status).toBe(200);
    expect((await get("/b/explorer/trace/a")).status).toBe(404);
    for (const prefix of ["/a", "/b"]) expect((await get(`${prefix}/explorer`)).status).toBe(200);
  });
});
