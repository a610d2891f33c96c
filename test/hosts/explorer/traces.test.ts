import { sql } from "kysely";
import {
  allRows,
  edm,
  entityType,
  hasMany,
  odataService,
  resource,
  role,
  type ODataService,
  type ServiceOptions,
  type TracedStatement,
} from "odatakit";
import { explorerRoute } from "odatakit/explorer";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ExplorerTrace } from "../../../src/hosts/explorer/traces.ts";
import { createTable, ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { recordingLogger } from "../../service/http/model.ts";
import { passTime, stopClock } from "../../timers.ts";
import { tinyFolder } from "./tiny-files.ts";

const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 50_000 }),
  ownerId: edm.int32(),
});
const Owner = entityType("Owner", { id: edm.int32().key(), name: edm.string() });
const folder = tinyFolder();

interface Given {
  readonly onStatement?: (statement: TracedStatement) => void;
}

/** `ann` and `eve` may read traces, `bob` may not. `nix` may, but has no id. */
function serviceOver(db: AnyDatabase, { onStatement }: Given = {}): ODataService {
  const operations = ["read", "create"] as const;
  return odataService({
    logger: recordingLogger(),
    batch: { json: true },
    defaults: { maxTop: 10_000 },
    authenticate: ({ headers }) => {
      const id = headers.get("x-user");
      if (id === null) return null;
      return { ...(id === "nix" ? {} : { id }), roles: id === "bob" ? [] : ["admin"] };
    },
    ...(onStatement === undefined ? {} : { onStatement }),
    entitySets: [
      sqlEntitySet(Item, {
        db,
        table: "items",
        columns: { ownerId: "owner_id" },
        operations: [...operations],
        filterProperties: ["name", "id"],
      }),
      sqlEntitySet(Owner, {
        db,
        table: "owners",
        operations: ["read"],
        navigation: { items: hasMany(Item, { target: "Items", on: { id: "ownerId" } }) },
      }),
    ],
    routes: [explorerRoute({ sql: role("admin"), folder })],
  });
}

interface Sent {
  readonly id?: string;
  readonly user?: string | null;
  readonly method?: string;
  readonly body?: object;
}

async function send(service: ODataService, path: string, { id = "r", user = "ann", method = "GET", body }: Sent = {}) {
  const headers = {
    "X-Request-Id": id,
    ...(user === null ? {} : { "X-User": user }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await service.fetch(new Request(`http://x${encodeURI(path)}`, init));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Returns the trace of a request, read with a different id. */
async function traceOf(service: ODataService, id = "r", user = "ann"): Promise<ExplorerTrace> {
  const { status, text } = await send(service, `/explorer/trace/${id}`, { id: "reader", user });
  expect([status, text]).toEqual([200, text]);
  return JSON.parse(text) as ExplorerTrace;
}

async function fill(opened: OpenDatabase, name: string): Promise<void> {
  await createTable(opened, "items", {
    id: "int primary key",
    name: "varchar(15000) not null",
    owner_id: "int not null",
  });
  await createTable(opened, "owners", { id: "int primary key", name: "varchar(50) not null" });
  const { db } = opened;
  if (name === "mariadb") await sql`set max_recursive_iterations = 20000`.execute(db);
  await sql`insert into items (id, name, owner_id) with recursive n(i) as (select 1 union all select i + 1 from n where i <= 10000) select i, 'x', 1 from n`.execute(
    db,
  );
  await db
    .insertInto("owners")
    .values([{ id: 1, name: "a" }])
    .execute();
}

describe.each(ENGINES)("the trace of a request over $title", ({ name, open }) => {
  let opened: OpenDatabase;
  beforeEach(async () => {
    opened = await open();
    await fill(opened, name);
  });
  afterEach(() => opened.close());

  test("lists its statements with parameters, rows, time and plan", async () => {
    const seen: TracedStatement[] = [];
    const service = serviceOver(opened.db, { onStatement: (statement) => void seen.push(statement) });
    await service.ready();
    expect((await send(service, "/Items?$filter=Id gt 9999&$select=Id")).status).toBe(200);
    expect(seen.map((each) => Object.keys(each).toSorted())).toEqual([["ms", "parameters", "request", "rows", "sql"]]);
    const { status, headers, text } = await send(service, "/explorer/trace/r", { id: "reader" });
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toEqual({
      "content-length": String(text.length),
      "cache-control": "no-store",
      "content-type": "application/json",
      "odata-version": "4.0",
      vary: "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
      "x-content-type-options": "nosniff",
      "x-request-id": "reader",
    });
    const trace = JSON.parse(text) as ExplorerTrace;
    expect(trace).toEqual({
      request: { id: "r", method: "GET", target: "/Items?$filter=Id%20gt%209999&$select=Id" },
      statements: [
        {
          sql: seen[0]?.sql,
          parameters: seen[0]?.parameters.map((each) => (typeof each === "bigint" ? String(each) : each)),
          pasted: { sql: expect.stringContaining("9999") as string, omits: [] },
          rows: 2,
          ms: expect.any(Number) as number,
          plan: expect.any(Array) as string[],
        },
      ],
      omitted: 0,
      advice: [],
    });
    expect(trace.statements[0]?.parameters.map(String)).toContain("9999");
    expect(trace.statements[0]?.plan?.join("\n")).toMatch(
      name === "mariadb" ? /^id {2}select_type {2}table[^]*SIMPLE/ : /items/,
    );
    expect(trace.statements[0]?.plan?.every((line) => line.trim() !== "" && !line.includes("[object"))).toBe(true);
  });

  test("advises the indexes that its statements lack, and no others", async () => {
    const service = serviceOver(opened.db);
    await service.ready();
    const on = (column: string): string => (name === "postgres" ? "" : ` items_${column}`);
    const index = {
      owner: `create index${on("owner_id")} on items (owner_id)`,
      name: expect.stringMatching(/^create index.* on items \(name/),
    };
    const fixes = async (path: string): Promise<readonly unknown[]> => {
      expect((await send(service, path)).status).toBe(200);
      return (await traceOf(service)).advice.map(({ fix }) => fix);
    };
    expect(await fixes("/Items?$top=1")).toEqual([]);
    expect(await fixes("/Items?$filter=Name eq 'y'&$top=1")).toEqual([index.name]);
    expect(await fixes("/Items?$orderby=Name&$top=1&$select=Id")).toEqual([index.name]);
    expect(await fixes("/Items?$select=Name&$top=1")).toEqual([]);
    expect(await fixes("/Owners?$expand=Items($top=1)")).toEqual([index.owner]);
    expect(await fixes("/Owners?$filter=Name eq 'y'")).toEqual([]);
  });

  test("advises an index only where the condition can use it, and otherwise says what would help", async () => {
    const service = serviceOver(opened.db);
    await service.ready();
    const advice = async (query: string): Promise<readonly unknown[]> => {
      const { status, text } = await send(service, `/Items?$top=1&$select=Id&${query}`);
      expect([query, status, status === 200 ? "" : text]).toEqual([query, 200, ""]);
      return (await traceOf(service)).advice.map(({ message, fix }) =>
        fix.startsWith("create index")
          ? "index"
          : /^No index can serve (.*): the database reads all rows of `items`\.$/.exec(message)?.[1],
      );
    };
    for (const served of [
      "Name eq 'y'",
      "'y' eq Name",
      "Name in ('y','z')",
      "Name gt 'y'",
      "startswith(Name,'y')",
      "Name eq 'y' and contains(Name,'z')",
      "Name eq 'y' or Name eq 'z'",
      "Name eq 'y' or Id eq 1 and contains(Name,'z')",
      "not contains(Name,'x') and Name gt 'y'",
    ]) {
      expect([served, await advice(`$filter=${served}`)]).toEqual([served, ["index"]]);
    }
    for (const [scanned, ...what] of [
      ["contains(Name,'y')", "`contains` of `name`"],
      ["contains(tolower(Name),'y')", "`contains` of `name`"],
      ["endswith(Name,'y')", "`endswith` of `name`"],
      ["tolower(Name) eq 'y'", "`tolower` of `name`"],
      ["trim(tolower(Name)) eq 'y'", "`tolower` of `name`"],
      ["length(Name) gt 3", "`length` of `name`"],
      ["indexof(Name,'y') eq 0", "`indexof` of `name`"],
      ["Name ne 'y'", "`ne` of `name`"],
      ["not (Name eq 'y')", "`not` of `name`"],
      ["not contains(Name,'y')", "`contains` of `name`"],
      ["Id add 1 eq 2", "a value computed from `id`"],
      ["Name eq 'y' or contains(Name,'z')", "`contains` of `name`"],
      ["Id eq 7 or contains(Name,'z')", "`or` of `id`", "`contains` of `name`"],
    ] as const) {
      expect([scanned, new Set(await advice(`$filter=${scanned}`))]).toEqual([scanned, new Set(what)]);
    }
    // Neither computed orders nor totals find rows.
    expect(await advice("$orderby=tolower(Name)")).toEqual([]);
  });

  test("contains all operations of a batch once, and each long page", async () => {
    const seen: TracedStatement[] = [];
    for (const onStatement of [undefined, (statement: TracedStatement) => void seen.push(statement)]) {
      const service = serviceOver(opened.db, onStatement === undefined ? {} : { onStatement });
      const requests = ["Items(1)", "Items(2)", "Owners(1)"].map((url, at) => ({ id: String(at), method: "GET", url }));
      expect((await send(service, "/$batch", { method: "POST", body: { requests } })).status).toBe(200);
      const { request, statements } = await traceOf(service);
      expect(request).toEqual({ id: "r", method: "POST", target: "/$batch" });
      expect(statements.map(({ rows, plan }) => [rows, Array.isArray(plan)])).toEqual(requests.map(() => [1, true]));
      expect(seen.map(({ request: { target } }) => target)).toEqual(
        onStatement === undefined ? [] : ["/Items(1)", "/Items(2)", "/Owners(1)"],
      );
      seen.length = 0;
      // The database returns a long page in parts, while it is sent.
      expect((await send(service, "/Items?$top=5000")).status).toBe(200);
      const rows = (await traceOf(service)).statements.map((each) => each.rows ?? 0);
      const read = rows.reduce((sum, each) => sum + each, 0);
      // Servers first look whether the page is short.
      expect([5000, 6001]).toContain(read);
      if (onStatement !== undefined) expect(seen.reduce((sum, each) => sum + each.rows, 0)).toBe(read);
      seen.length = 0;
    }
  });

  test("has no plan for a write, and names the error of the database", async () => {
    const service = serviceOver(opened.db);
    const body = { Id: 1, Name: "twice", OwnerId: 1 };
    expect((await send(service, "/Items", { method: "POST", body })).status).toBe(409);
    const { statements } = await traceOf(service);
    const written = statements.filter(({ sql: text }) => /^insert/i.test(text));
    expect(written.map((each) => ({ ...each, parameters: each.parameters.map(String) }))).toEqual([
      {
        sql: expect.stringMatching(/^insert into/i) as string,
        parameters: ["1", "twice", "1"],
        rows: 0,
        ms: expect.any(Number) as number,
        error: expect.stringMatching(/unique|duplicate/i) as string,
      },
    ]);
  });

  test("has the plan of a read whose names are words of a write, also within a transaction that is over", async () => {
    await createTable(opened, "update", { id: "int primary key", "delete from": "int not null" });
    const { db } = opened;
    const Word = entityType("Word", { id: edm.int32().key(), count: edm.int32() });
    const words = sqlEntitySet(Word, {
      db,
      table: "update",
      columns: { count: "delete from" },
      operations: ["read", "create"],
      before: {
        create: async ({ ctx }) => {
          await ctx.set.get(5);
        },
      },
    });
    const service = odataService({
      logger: recordingLogger(),
      authenticate: () => ({ id: "ann", roles: ["admin"] }),
      entitySets: [words],
      routes: [explorerRoute({ sql: role("admin"), folder })],
    });
    const plansOf = async (): Promise<readonly boolean[]> =>
      (await traceOf(service)).statements
        .filter(({ sql: text }) => /^(?:set statement .*? for )?(?:select|with)\b/i.test(text))
        .map(({ plan }) => plan !== undefined && plan.length > 0);
    expect((await send(service, "/Words?$filter=Count eq 1")).status).toBe(200);
    expect(await plansOf()).toEqual([true]);
    const created = await send(service, "/Words", { method: "POST", body: { Id: 1, Count: 1 } });
    expect([created.status, created.text]).toEqual([201, created.text]);
    // The hook read first. A database without `returning` may then read the written row, as part of the write.
    expect((await plansOf())[0]).toBe(true);
  });

  const hidden = (service: ODataService, path: string, given: Sent = {}) =>
    send(service, path, given).then(async ({ status }) => {
      const { statements } = await traceOf(service);
      return { status, facts: statements.map((each) => Object.keys(each).toSorted().join()) };
    });

  test("tells nothing about rows that a rule hides", async () => {
    const { db } = opened;
    const setWith = (authorization: Parameters<typeof sqlEntitySet<typeof Owner>>[1]["authorization"]) =>
      odataService({
        logger: recordingLogger(),
        authenticate: () => ({ id: "ann", roles: ["admin"] }),
        entitySets: [
          sqlEntitySet(Owner, { db, table: "owners", operations: ["read", "create", "patch"], authorization }),
        ],
        routes: [explorerRoute({ sql: role("admin"), folder })],
      });
    const service = setWith({ rows: (_user, row) => row.name.eq("b") });
    // One of both entities exists.
    const [there, absent] = [await hidden(service, "/Owners(1)"), await hidden(service, "/Owners(7)")];
    expect(there).toEqual({ status: 404, facts: ["ms,parameters,pasted,sql"] });
    expect(absent).toEqual(there);
    const patched = await hidden(service, "/Owners(1)", { method: "PATCH", body: { Name: "c" } });
    expect([patched.status, new Set(patched.facts)]).toEqual([404, new Set(["ms,parameters,sql"])]);
    const created = await hidden(service, "/Owners", { method: "POST", body: { Id: 1, Name: "b" } });
    expect([created.status, new Set(created.facts)]).toEqual([409, new Set(["ms,parameters,sql"])]);
    const refused = await hidden(setWith({ read: resource(() => false), rows: () => allRows }), "/Owners(1)");
    expect(refused).toEqual({ status: 403, facts: ["ms,parameters,pasted,sql"] });
    const all = await hidden(setWith({ rows: () => allRows }), "/Owners(1)");
    expect(all).toEqual({ status: 200, facts: ["ms,parameters,pasted,plan,rows,sql"] });
    const seen = await hidden(setWith({ read: resource(({ id }) => id === "ann"), rows: () => allRows }), "/Owners(1)");
    expect(seen.facts[0]).toBe("ms,parameters,pasted,plan,rows,sql");
  });

  test("omits a statement whose values have no text, which runs as without traces", async () => {
    const endless: { self?: unknown } = {};
    endless.self = endless;
    const { db } = opened;
    const resultWith = async (routes: NonNullable<ServiceOptions["routes"]>): Promise<readonly unknown[]> => {
      const logger = recordingLogger();
      const service = odataService({
        logger,
        authenticate: () => ({ id: "ann", roles: ["admin"] }),
        schemaCheck: false,
        entitySets: [
          sqlEntitySet(Item, {
            db,
            columns: { ownerId: "owner_id" },
            from: db.selectFrom("items").selectAll().where("name", "=", endless),
            operations: ["read"],
          }),
        ],
        routes,
      });
      const { status } = await send(service, "/Items?$top=1");
      if (routes.length > 0) {
        const { statements, omitted } = await traceOf(service);
        expect(statements).toEqual([]);
        if (status === 200) expect(omitted).toBeGreaterThan(0);
      }
      return [status, ...logger.errors.map(({ fields }) => String(fields["err"]))];
    };
    expect(await resultWith([explorerRoute({ sql: role("admin"), folder })])).toEqual(await resultWith([]));
  });

  test("cuts long parameters, and omits statements beyond its limits", async () => {
    const service = serviceOver(opened.db);
    const long = "y".repeat(12_000);
    await send(service, `/Items?$filter=Name eq '${long}'`);
    const [statement] = (await traceOf(service)).statements;
    expect(statement?.parameters).toContain(`${"y".repeat(1000)}… (12000 characters)`);
    expect(statement?.plan).toBeUndefined();
    const each = Array.from({ length: 51 }, (_, at) => ({
      id: String(at),
      method: "GET",
      url: "Items?$count=true&$top=1",
    }));
    const most = Array.from({ length: 2 }, (_, at) => ({
      id: `m${String(at)}`,
      method: "GET",
      url: `Items?$filter=Name eq '${"z".repeat(900)}'`,
    }));
    await send(service, "/$batch", { method: "POST", body: { requests: [...each, ...most] } });
    const { statements, omitted } = await traceOf(service);
    expect(statements.length + omitted).toBeGreaterThanOrEqual(53);
    expect(statements.length).toBeLessThanOrEqual(100);
  });
});

describe("who reads a trace", () => {
  let opened: OpenDatabase;
  let service: ODataService;
  beforeEach(async () => {
    opened = await (ENGINES[0] as (typeof ENGINES)[number]).open();
    await fill(opened, ENGINES[0]?.name ?? "");
    service = serviceOver(opened.db);
  });
  afterEach(() => opened.close());

  const errorOf = (text: string): unknown => (JSON.parse(text) as { error: unknown }).error;
  const missing = { code: "NotFound", message: "The service does not have this resource, or no longer has it." };

  test("only users whom the rule lets pass", async () => {
    await send(service, "/Items(1)", { user: "bob" });
    await send(service, "/Items(1)", { user: null });
    const bob = await send(service, "/explorer/trace/r", { user: "bob" });
    expect([bob.status, errorOf(bob.text)]).toEqual([
      403,
      { code: "Forbidden", message: "The user of this request may not read traces." },
    ]);
    const nobody = await send(service, "/explorer/trace/r", { user: null });
    expect([nobody.status, nobody.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    // A user without an id has no traces that others could not read.
    await send(service, "/Items(1)", { user: "nix" });
    expect((await send(service, "/explorer/trace/r", { user: "nix" })).status).toBe(403);
    expect((await send(service, "/explorer/trace/r")).status).toBe(404);
  });

  test("the same id of another user neither shows nor replaces a trace", async () => {
    await send(service, "/Items(1)", { user: "ann" });
    const other = await send(service, "/explorer/trace/r", { user: "eve" });
    expect([other.status, errorOf(other.text)]).toEqual([404, missing]);
    await send(service, "/Owners(1)", { user: "eve" });
    expect((await traceOf(service, "r", "ann")).request.target).toBe("/Items(1)");
    expect((await traceOf(service, "r", "eve")).request.target).toBe("/Owners(1)");
  });

  test("users of two tenants, by their values or by the host, have the same id and traces of their own", async () => {
    const tenants = odataService({
      logger: recordingLogger(),
      authenticate: ({ headers }) => ({ id: "ann", roles: ["admin"], org: { tenant: headers.get("x-user") } }),
      entitySets: [sqlEntitySet(Owner, { db: opened.db, table: "owners", operations: ["read"] })],
      routes: [explorerRoute({ sql: role("admin"), folder })],
    });
    await send(tenants, "/Owners(1)", { user: "first" });
    expect((await traceOf(tenants, "r", "first")).request.target).toBe("/Owners(1)");
    const other = await send(tenants, "/explorer/trace/r", { user: "second" });
    expect([other.status, errorOf(other.text)]).toEqual([404, missing]);
    const url = "http://second.example/explorer/trace/r";
    const elsewhere = await tenants.fetch(new Request(url, { headers: { "X-User": "first" } }));
    expect([elsewhere.status, errorOf(await elsewhere.text())]).toEqual([404, missing]);
  });

  test("a later request with the same id replaces the trace of the same user", async () => {
    await send(service, "/Items(1)");
    await send(service, "/Items(2)");
    expect((await traceOf(service)).request.target).toBe("/Items(2)");
  });

  test("requests that read no data leave no trace", async () => {
    for (const path of ["/", "/$metadata", "/explorer", "/explorer/about.json", "/explorer/trace/other"]) {
      await send(service, path, { id: "plain" });
    }
    expect((await send(service, "/explorer/trace/plain")).status).toBe(404);
    expect((await send(service, "/explorer/trace/")).status).toBe(404);
    expect((await send(service, "/explorer/trace/a/b")).status).toBe(404);
    expect((await send(service, "/explorer/trace/a", { method: "POST", body: {} })).status).toBe(405);
  });

  test("the last 200 requests of the last ten minutes have one", async () => {
    stopClock();
    await service.ready();
    await send(service, "/Items(1)", { id: "first" });
    for (let at = 0; at < 200; at += 1) await send(service, "/Items(1)", { id: `n${String(at)}` });
    expect((await send(service, "/explorer/trace/first")).status).toBe(404);
    expect((await send(service, "/explorer/trace/n0")).status).toBe(200);
    await passTime(600_001);
    expect((await send(service, "/explorer/trace/n0")).status).toBe(404);
    expect((await send(service, "/explorer/trace/n199")).status).toBe(404);
  });
});
