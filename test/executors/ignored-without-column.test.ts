import { sql } from "kysely";
import { action, edm, entityType, hasOptional, odataService, resource, type Context, type EntityOf } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "./engines.ts";

/** Only rules and navigations need the columns of ignored properties. */

const ORIGIN = "http://service.example";
const O = entityType("O", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 20 }),
  parent: edm.int32().nullable(),
  extra: edm.string().nullable().ignored(),
  labels: edm.collection(edm.string()).ignored(),
});
type O = EntityOf<typeof O>;

describe.each(ENGINES)("ignored properties without a column over $title", (engine) => {
  let open: OpenDatabase;
  beforeAll(async () => {
    open = await engine.open();
    await sql`create table os (id int primary key, name varchar(20) not null, parent int null)`.execute(open.db);
  });
  afterAll(() => open.close());
  beforeEach(async () => {
    await open.db.deleteFrom("os").execute();
    const rows = [1, 2].map((id) => ({ id, name: `n${String(id)}`, parent: id === 2 ? 1 : null }));
    await open.db.insertInto("os").values(rows).execute();
  });

  const errors: unknown[] = [];

  function table(isJudged = false) {
    return sqlEntitySet(O, {
      db: open.db,
      table: "os",
      operations: ["read", "create", "replace", "patch", "delete"],
      authorization: {
        rows: (_user, row) => row.name.ne("zz"),
        ...(isJudged ? { delete: resource((_user, { extra }) => extra === null) } : {}),
      },
      navigation: { up: hasOptional(O, { on: { parent: "id" }, target: "Os" }) },
      actions: { touch: action({ bound: "entity", handler: (_id) => undefined }) },
    });
  }

  function serviceOf(set = table(), script?: (ctx: Context) => Promise<unknown>) {
    errors.length = 0;
    const run = action({
      authorization: [],
      handler: async (_none, ctx) => {
        await script?.(ctx);
      },
    });
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [set],
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
    const { status } = await serviceOf()(method, path, body);
    expect(errors).toEqual([]);
    expect(status).toBeLessThan(300);
  });

  test("ctx.sets returns null or an empty collection for them", async () => {
    const set = table();
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

  test("a rule that receives them needs their columns", async () => {
    expect(await serviceOf(table(true))("GET", "Os")).toMatchObject({ status: 500 });
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining("extra") as unknown })]);
  });
});
