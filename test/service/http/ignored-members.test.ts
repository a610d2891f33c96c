import { Kysely, sql } from "kysely";
import {
  action,
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  odataService,
  resource,
  type Authorization,
  type EntityOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { beforeEach, describe, expect, test } from "vitest";

/** A rule never passes because an ignored value that it reads was not loaded. */

const A = complexType("A", { city: edm.string(), locked: edm.boolean().ignored() });
const Q = entityType("Q", {
  id: edm.int32().key(),
  addr: edm.complex(A),
  locked: edm.boolean().ignored(),
});
const errors: unknown[] = [];
beforeEach(() => {
  errors.length = 0;
});

function serviceOf(
  set: object,
  schemaCheck: "error" | false = "error",
  actions: Parameters<typeof odataService>[0]["actions"] = {},
) {
  const service = odataService({
    schemaCheck,
    actions,
    propertyNaming: "camelCase",
    entitySets: [set as ReturnType<typeof overHandlers>],
    authenticate: () => ({ id: "ann" }),
    logger: { error: (_message, { err }) => errors.push(err), warn: () => undefined, info: () => undefined },
  });
  return async (method: string, path: string) => {
    const response = await service.fetch(new Request(`http://service.example/${path}`, { method }));
    return { status: response.status, text: await response.text() };
  };
}

type Rules = Authorization<typeof Q>;
const byMember: Rules = { delete: resource<typeof Q>((_user, { addr }) => !addr.locked) };
const byProperty: Rules = { delete: resource<typeof Q>((_user, { locked }) => !locked) };
const byOther: Rules = { delete: resource<typeof Q>((_user, { addr }) => addr.city === "Oslo") };

function overHandlers(stored: object, authorization: Rules) {
  // A handler may omit declared members.
  const entity = stored as { id: number; addr: { city: string; locked: boolean }; locked: boolean };
  return entitySet(Q, {
    queryable: () => arraySource(Q, [entity]),
    getByKey: () => entity,
    delete: () => true,
    authorization,
  });
}

const missing = (name: string): unknown[] => [
  expect.objectContaining({ message: `The handlers of Qs return no \`${name}\`, which a rule reads.` }),
];

describe("rules over handlers", () => {
  test.each([
    [true, 403],
    [false, 204],
  ])("a rule sees an ignored member of a complex value: %s", async (locked, status) => {
    const send = serviceOf(overHandlers({ id: 1, addr: { city: "Oslo", locked }, locked: false }, byMember));
    expect(await send("DELETE", "Qs(1)")).toMatchObject({ status });
    expect(errors).toEqual([]);
    expect((await send("GET", "Qs")).text).not.toContain("locked");
    expect((await send("GET", "Qs(1)")).text).not.toContain("locked");
    expect((await send("GET", "$metadata")).text).not.toContain("locked");
  });

  test("a rule that reads an omitted value fails", async () => {
    const stored = { id: 1, addr: { city: "Oslo" } };
    expect(await serviceOf(overHandlers(stored, byProperty))("DELETE", "Qs(1)")).toMatchObject({ status: 500 });
    expect(errors).toEqual(missing("locked"));
    errors.length = 0;
    expect(await serviceOf(overHandlers(stored, byMember))("DELETE", "Qs(1)")).toMatchObject({ status: 500 });
    expect(errors).toEqual(missing("addr.locked"));
  });

  test("other rules do not", async () => {
    const send = serviceOf(overHandlers({ id: 1, addr: { city: "Oslo" } }, byOther));
    expect(await send("DELETE", "Qs(1)")).toMatchObject({ status: 204 });
    expect(errors).toEqual([]);
  });
});

describe("rules over a table", () => {
  test.each([
    [byMember, 1, 403],
    [byMember, 2, 204],
    [byProperty, 1, 204],
  ])("a rule sees ignored properties and members", async (authorization, id, status) => {
    const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: sqliteDialect(":memory:") });
    const columns =
      "id integer primary key, addr_city text not null, addr_locked integer not null, locked integer not null";
    await sql`create table qs (${sql.raw(columns)})`.execute(db);
    await sql`insert into qs values (1, 'Oslo', 1, 0), (2, 'Oslo', 0, 0)`.execute(db);
    const send = serviceOf(sqlEntitySet(Q, { db, table: "qs", operations: ["read", "delete"], authorization }));
    expect(await send("DELETE", `Qs(${String(id)})`)).toMatchObject({ status });
    expect(errors).toEqual([]);
    await db.destroy();
  });

  test.each([
    [byMember, "addr.locked"],
    [byProperty, "locked"],
  ])("a rule that reads null in place of a value fails", async (authorization, path) => {
    const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: sqliteDialect(":memory:") });
    await sql`create table qs (id integer primary key, addr_city text not null, addr_locked integer, locked integer)`.execute(
      db,
    );
    await sql`insert into qs values (1, 'Oslo', null, null)`.execute(db);
    const set = sqlEntitySet(Q, { db, table: "qs", operations: ["read", "delete"], authorization });
    expect(await serviceOf(set, false)("DELETE", "Qs(1)")).toMatchObject({ status: 500 });
    expect(errors).toEqual(missing(path));
    await db.destroy();
  });
});

describe("ctx.sets", () => {
  const listed = async (stored: object, script: (entity: EntityOf<typeof Q>) => unknown) => {
    const set = overHandlers(stored, {});
    const results: unknown[] = [];
    const run = action({
      authorization: [],
      handler: async (_none, { sets }) => {
        for (const entity of [await sets(set).get(1), ...(await sets(set).query())]) {
          results.push(entity === null ? null : script(entity));
        }
      },
    });
    return { answer: await serviceOf(set, "error", { run })("POST", "run"), results };
  };

  test.each([
    ["locked", ({ locked }: EntityOf<typeof Q>) => locked],
    ["addr.locked", ({ addr }: EntityOf<typeof Q>) => addr.locked],
  ])("to read a value that handlers omit is an error: %s", async (name, read) => {
    const { answer } = await listed({ id: 1, addr: { city: "Oslo" } }, read);
    expect(answer).toMatchObject({ status: 500 });
    expect(errors).toEqual([
      expect.objectContaining({
        message: `The handlers of Qs return no \`${name}\`, which is read. Return it, or declare it with \`.nullable()\`.`,
      }),
    ]);
  });

  test("other code does not see the field, and may set it", async () => {
    const stored = { id: 1, addr: { city: "Oslo" } };
    const { answer, results } = await listed(stored, (entity) => {
      const before = [JSON.stringify(entity), { ...entity }, Object.keys(entity)];
      Object.assign(entity, { locked: true });
      return [...before, entity.locked];
    });
    expect(errors).toEqual([]);
    expect(answer).toMatchObject({ status: 204 });
    const one = [JSON.stringify(stored), stored, ["id", "addr"], true];
    expect(results).toEqual([one, one]);
  });

  test("an entity without the value may be the result of a handler", async () => {
    const inner = overHandlers({ id: 1, addr: { city: "Oslo" } }, {});
    const R = entityType("R", { id: edm.int32().key(), addr: edm.complex(A), locked: edm.boolean().ignored() });
    const outer = entitySet(R, {
      getAll: ({ sets }) => sets(inner).query(),
      getByKey: (id, { sets }) => sets(inner).get(id),
      authorization: { rows: (_user, { locked }) => locked.eq(false) },
    });
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [inner, outer],
      authenticate: () => ({ id: "ann" }),
      logger: {
        error: (_message, { err }) => errors.push(err),
        warn: (text) => errors.push(text),
        info: () => undefined,
      },
    });
    const answer = await service.fetch(new Request("http://service.example/Rs"));
    expect([answer.status, await answer.json()]).toMatchObject([200, { value: [] }]);
    expect(errors).toEqual([expect.stringContaining("The row rule of Rs uses 'Rs/locked'")]);
  });
});

test("the schema check reports texts of ignored Guids that rules do not find", async () => {
  const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: sqliteDialect(":memory:") });
  await sql`create table ws (id integer primary key, owner text not null)`.execute(db);
  await sql`insert into ws values (1, '0B000000-0000-0000-0000-000000000001')`.execute(db);
  const W = entityType("W", { id: edm.int32().key(), owner: edm.guid().ignored() });
  const rows: Authorization<typeof W>["rows"] = (_user, { owner }) => owner.eq("0b000000-0000-0000-0000-000000000001");
  const set = sqlEntitySet(W, { db, table: "ws", operations: ["read"], authorization: { rows } });
  expect(await serviceOf(set)("GET", "Ws")).toMatchObject({ status: 500 });
  expect(errors).toEqual([
    expect.objectContaining({ message: expect.stringContaining("1 text in upper case") as unknown }),
  ]);
  await db.destroy();
});
