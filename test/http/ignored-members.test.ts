import { Kysely, sql } from "kysely";
import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  odataService,
  resource,
  type Authorization,
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

function serviceOf(set: object) {
  const service = odataService({
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
  // A handler may omit what its type declares.
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
    [byMember, 500, missing("addr.locked")],
    [byProperty, 204, []],
  ])("a rule that reads an ignored member of a complex value fails", async (authorization, status, logged) => {
    const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: sqliteDialect(":memory:") });
    const columns = "id integer primary key, addr_city text not null, addr_locked integer, locked integer not null";
    await sql`create table qs (${sql.raw(columns)})`.execute(db);
    await sql`insert into qs values (1, 'Oslo', 1, 0)`.execute(db);
    const send = serviceOf(sqlEntitySet(Q, { db, table: "qs", operations: ["read", "delete"], authorization }));
    expect(await send("DELETE", "Qs(1)")).toMatchObject({ status });
    expect(errors).toEqual(logged);
    await db.destroy();
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
