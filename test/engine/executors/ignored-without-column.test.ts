import { sql } from "kysely";
import {
  action,
  complexType,
  edm,
  entityType,
  hasOptional,
  odataService,
  resource,
  type Authorization,
  type Context,
  type EntitySet,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "./engines.ts";

/** Only rules and navigations need the columns of ignored properties. Row rules cannot compare collections. */

const ORIGIN = "http://service.example";
const O = entityType("O", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 20 }),
  parent: edm.int32().nullable(),
  extra: edm.string().nullable().ignored(),
  labels: edm.collection(edm.string()).ignored(),
});
const Other = entityType("Other", { id: edm.int32().key(), parent: edm.int32().nullable() });

describe.each(ENGINES)("ignored properties without a column over $title", (engine) => {
  let open: OpenDatabase;
  beforeAll(async () => {
    open = await engine.open();
    await sql`create table os (id int primary key, name varchar(20) not null, parent int null)`.execute(open.db);
    await sql`create table ruled (id int primary key, name varchar(20) not null, parent int null, extra varchar(20) null)`.execute(
      open.db,
    );
  });
  afterAll(() => open.close());
  beforeEach(async () => {
    const rows = [1, 2].map((id) => ({ id, name: `n${String(id)}`, parent: id === 2 ? 1 : null }));
    for (const name of ["os", "ruled"]) {
      await open.db.deleteFrom(name).execute();
      await open.db.insertInto(name).values(rows).execute();
    }
  });

  const errors: unknown[] = [];

  const rows: Authorization<typeof O>["rows"] = (_user, row) => row.name.ne("zz");

  function table(name: "os" | "ruled" = "os", authorization: Authorization<typeof O> = {}) {
    return sqlEntitySet(O, {
      name: "Os",
      db: open.db,
      table: name,
      operations: ["read", "create", "replace", "patch", "delete"],
      authorization,
      navigation: { up: hasOptional(O, { on: { parent: "id" }, target: "Os" }) },
      actions: { touch: action({ bound: "entity", handler: (_id) => undefined }) },
    });
  }

  function serviceOf(set = table(), script?: (ctx: Context) => Promise<unknown>, others: readonly EntitySet[] = []) {
    errors.length = 0;
    const run = action({
      authorization: [],
      handler: async (_none, ctx) => {
        await script?.(ctx);
      },
    });
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [set, ...others],
      actions: { run },
      authenticate: () => ({ id: "ann" }),
      logger: {
        error: (_message, { err }) => errors.push(err),
        warn: () => undefined,
        info: () => undefined,
      },
    });
    return async (method: string, path: string, body?: unknown) => {
      const headers = { "Content-Type": "application/json" };
      const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
      const response = await service.fetch(new Request(`${ORIGIN}/${path}`, init));
      return { status: response.status, text: await response.text() };
    };
  }

  const reference = { "@odata.id": `${ORIGIN}/Os(1)` };

  test.each([
    ["POST", "Os(2)/touch", {}],
    ["PUT", "Os(2)/up/$ref", reference],
    ["DELETE", "Os(2)/up/$ref", undefined],
    ["PATCH", "Os(2)", { parent: 1 }],
    ["PUT", "Os(2)", { name: "new", parent: 1 }],
    ["DELETE", "Os(2)", undefined],
    ["GET", "Os(2)/up", undefined],
  ] as const)("%s %s does not read them", async (method, path, body) => {
    for (const set of [table(), table("ruled", { rows })]) {
      const { status } = await serviceOf(set)(method, path, body);
      expect(errors).toEqual([]);
      expect(status).toBeLessThan(300);
    }
  });

  test.each([
    ["no row rule", "os", {}],
    ["a row rule", "ruled", { rows }],
  ] as const)("ctx.sets returns null or an empty collection for them: %s", async (_title, name, authorization) => {
    const set = table(name, authorization);
    const found: unknown[] = [];
    const send = serviceOf(set, async ({ sets }) => {
      found.push(await sets(set).query({ orderBy: ["id"] }));
      found.push(await sets(set).get(2));
      found.push(await sets(set).create({ id: 3, name: "n3" }));
      found.push(await sets(set).patch(3, { name: "new" }));
    });
    expect(await send("POST", "run", {})).toMatchObject({ status: 204 });
    expect(errors).toEqual([]);
    const nothing = { parent: null, extra: null, labels: [] };
    const first = { ...nothing, id: 1, name: "n1" };
    const second = { ...nothing, id: 2, name: "n2", parent: 1 };
    expect(found).toEqual([
      [first, second],
      second,
      { id: 3, name: "n3", ...nothing },
      { id: 3, name: "new", ...nothing },
    ]);
  });

  const missing = (field: string) => expect.objectContaining({ message: expect.stringContaining(field) as unknown });
  const noLabels = () => expect.objectContaining({ message: expect.not.stringContaining("`labels`") as unknown });

  test("a rule that receives them needs their columns", async () => {
    const isOpen = resource<typeof O>((_user, { extra }) => extra === null);
    expect(await serviceOf(table("os", { rows, delete: isOpen }))("GET", "Os")).toMatchObject({ status: 500 });
    expect(errors).toEqual([missing("`extra`")]);
    expect(errors).toEqual([missing("`labels`")]);
  });

  test("a row rule, which may compare them, needs their columns", async () => {
    expect(await serviceOf(table("os", { rows }))("GET", "Os")).toMatchObject({ status: 500 });
    expect(errors).toEqual([missing("Os.extra: The table `os` has no column `extra`.")]);
    expect(errors).toEqual([noLabels()]);
  });

  test("a row rule over a query needs their columns", async () => {
    const from = { sql: "select id, name, parent from os", parameters: [] };
    const options = { name: "Os", db: open.db, from, operations: ["read"] } as const;
    expect(await serviceOf(sqlEntitySet(O, options) as never)("GET", "Os")).toMatchObject({ status: 200 });
    const ruled = sqlEntitySet(O, { ...options, authorization: { rows } });
    expect(await serviceOf(ruled as never)("GET", "Os")).toMatchObject({ status: 500 });
    expect(errors).toEqual([missing("`extra`")]);
    expect(errors).toEqual([noLabels()]);
  });

  test("the row rule of another set, which may follow a navigation to them, needs their columns", async () => {
    const others = sqlEntitySet(Other, {
      name: "Others",
      db: open.db,
      table: "os",
      operations: ["read"],
      navigation: { up: hasOptional(O, { on: { parent: "id" }, target: "Os" }) },
      authorization: { rows: (_user, row) => row.up.name.ne("zz") },
    });
    expect(await serviceOf(table("os"), undefined, [others])("GET", "Os")).toMatchObject({ status: 500 });
    expect(errors).toEqual([missing("Os.extra")]);
    const answer = await serviceOf(table("ruled"), undefined, [others])("GET", "Others");
    expect(errors).toEqual([]);
    expect(answer.status).toBe(200);
  });
});

const Home = complexType("Home", {
  city: edm.string().nullable(),
  note: edm.string().nullable().ignored(),
  marks: edm.collection(edm.string()).ignored(),
});
const P = entityType("P", {
  id: edm.int32().key(),
  home: edm.complex(Home).nullable(),
  extra: edm.string().nullable().ignored(),
});

describe.each(ENGINES)("ignored members without a column over $title", (engine) => {
  let open: OpenDatabase;
  beforeAll(async () => {
    open = await engine.open();
    await sql`create table ps (id int primary key, home_city varchar(20) null)`.execute(open.db);
    await sql`insert into ps values (1, 'Oslo'), (2, null)`.execute(open.db);
  });
  afterAll(() => open.close());

  test.each([
    ["a table", { table: "ps", operations: ["read", "patch"] }],
    ["a query", { from: { sql: "select id, home_city from ps", parameters: [] }, operations: ["read"] }],
  ] as const)("ctx.sets returns null or an empty collection for them: %s", async (_name, options) => {
    const set = sqlEntitySet(P, { db: open.db, ...options });
    const found: unknown[] = [];
    const logged: string[] = [];
    const run = action({
      authorization: [],
      handler: async (_none, { sets }) => {
        found.push(await sets(set).query({ orderBy: ["id"] }), await sets(set).get(1));
        if ("table" in options) found.push(await sets(set).patch(1, { home: { city: "Oslo" } }));
      },
    });
    const service = odataService({
      entitySets: [set],
      actions: { run },
      logger: {
        error: (_message, { err }) => logged.push(String(err)),
        warn: (message) => logged.push(message),
        info: () => undefined,
      },
    });
    const answer = await service.fetch(new Request(`${ORIGIN}/run`, { method: "POST" }));
    expect(answer.status).toBe(204);
    const first = { id: 1, home: { city: "Oslo", note: null, marks: [] }, extra: null };
    const list = [first, { id: 2, home: null, extra: null }];
    expect(found).toEqual("table" in options ? [list, first, first] : [list, first]);
    expect(logged).toHaveLength(3);
    for (const name of ["extra", "home_note", "home_marks"]) expect(logged.join("\n")).toContain(name);
  });

  test("with `schemaCheck: false`, ctx.sets needs their columns", async () => {
    // Declarations with the same columns share the result of one check.
    const set = sqlEntitySet(P, { db: open.db, table: "ps", columns: { id: "id" }, operations: ["read"] });
    const run = action({ authorization: [], handler: async (_none, { sets }) => void (await sets(set).get(1)) });
    const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
    const service = odataService({ schemaCheck: false, entitySets: [set], actions: { run }, logger });
    expect((await service.fetch(new Request(`${ORIGIN}/Ps(1)`))).status).toBe(200);
    expect((await service.fetch(new Request(`${ORIGIN}/run`, { method: "POST" }))).status).toBe(500);
  });
});
