import { Kysely, sql } from "kysely";
import { arraySource, edm, entityType, hasMany, odataError, odataService, type Context } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key(), tenant: edm.string(), text: edm.string() });

// oxlint-disable-next-line typescript/no-explicit-any -- the tables are not described
const db: Kysely<any> = new Kysely({ dialect: sqliteDialect(":memory:") });
await sql`create table notes (id integer primary key, tenant text not null, text text not null)`.execute(db);
afterAll(() => db.destroy());

const tenantOf = ({ request }: Context): string => request.headers.get("tenant") ?? "";
const own = (context: Context) =>
  sqlSource(Note, { db, from: db.selectFrom("notes").where("tenant", "=", tenantOf(context)) });

const service = odataService({
  entitySets: [
    sqlEntitySet(Note, {
      db,
      table: "notes",
      operations: ["read", "create", "replace", "patch", "delete"],
      idempotentDelete: false,
      etag: ["text"],
      queryable: async (context) => Promise.resolve(own(context)),
      navigation: { others: hasMany(() => Note, { on: { tenant: "tenant" }, target: "Notes" }) },
    }),
  ],
});

async function ask(method: string, target: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
  const request = new Request(`http://service.example${target}`, {
    method,
    headers: { tenant: "a", ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await service.fetch(request);
  return { status: response.status, text: await response.text() };
}

async function stored() {
  return (await db.selectFrom("notes").selectAll().orderBy("id").execute()) as readonly unknown[];
}

beforeEach(async () => {
  await sql`delete from notes`.execute(db);
  await sql`insert into notes values (1, 'a', 'mine'), (2, 'b', 'yours')`.execute(db);
});

describe("rows that queryable of a table hides", () => {
  const whole = { Tenant: "a", Text: "taken" };

  test.each<[string, string, object | undefined, number]>([
    ["GET", "/Notes(2)", undefined, 404],
    ["GET", "/Notes(2)/Text", undefined, 404],
    ["GET", "/Notes(2)/Text/$value", undefined, 404],
    ["GET", "/Notes(2)?$expand=Others", undefined, 404],
    ["PUT", "/Notes(2)", whole, 404],
    ["PATCH", "/Notes(2)", { Text: "taken" }, 404],
    ["PUT", "/Notes(2)/Text", { value: "taken" }, 404],
    ["DELETE", "/Notes(2)", undefined, 404],
  ])("%s %s", async (method, target, body, status) => {
    const before = await stored();
    const answer = await ask(method, target, body);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain("yours");
    expect(await stored()).toEqual(before);
  });

  test.each(["PATCH", "PUT", "DELETE"])("%s with If-Match is 412", async (method) => {
    const before = await stored();
    const body = method === "DELETE" ? undefined : whole;
    expect((await ask(method, "/Notes(2)", body, { "If-Match": "*" })).status).toBe(412);
    expect(await stored()).toEqual(before);
  });

  test("reads and writes the other rows", async () => {
    expect(await ask("GET", "/Notes(1)/Text/$value")).toEqual({ status: 200, text: "mine" });
    expect((await ask("PATCH", "/Notes(1)", { Text: "new" })).status).toBe(200);
    expect((await ask("PUT", "/Notes(1)", { Tenant: "a", Text: "newer" })).status).toBe(200);
    expect((await ask("POST", "/Notes", { Id: 3, Tenant: "a", Text: "third" })).status).toBe(201);
    expect((await ask("GET", "/Notes(3)?$select=Text")).text).toContain('"Text":"third"');
    expect((await ask("DELETE", "/Notes(1)")).status).toBe(204);
    expect(await stored()).toEqual([
      { id: 2, tenant: "b", text: "yours" },
      { id: 3, tenant: "a", text: "third" },
    ]);
  });
});

test("reads getAll of the application instead of the table", async () => {
  const all = odataService({
    entitySets: [
      sqlEntitySet(Note, {
        db,
        table: "notes",
        operations: ["read"],
        getAll: () => [{ id: 9, tenant: "c", text: "made" }],
      }),
    ],
  });
  const response = await all.fetch(new Request("http://service.example/Notes?$select=Id"));
  expect(await response.json()).toMatchObject({ value: [{ Id: 9 }] });
});

test("reports the missing handlers of a queryable that returns no source of a database", async () => {
  const failures: unknown[] = [];
  const logger = { error: (_message: string, fields: object) => void failures.push(fields), warn() {}, info() {} };
  const made = odataService({
    logger,
    entitySets: [
      sqlEntitySet(Note, { db, table: "notes", operations: ["read"], queryable: () => arraySource(Note, []) }),
    ],
  });
  const response = await made.fetch(new Request("http://service.example/Notes(1)"));
  expect(response.status).toBe(500);
  expect(failures).toMatchObject([{ err: { message: expect.stringContaining("also supply getByKey") } }]);
});

test("an error that queryable returns is the response to reads and writes by key", async () => {
  const made = odataService({
    entitySets: [
      sqlEntitySet(Note, {
        db,
        table: "notes",
        operations: ["read", "patch", "delete"],
        idempotentDelete: false,
        queryable: () => odataError(403, "Forbidden", "Not today."),
      }),
    ],
  });
  const before = await stored();
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const response = await made.fetch(
      new Request("http://service.example/Notes(1)", {
        method,
        ...(method === "PATCH" ? { headers: { "Content-Type": "application/json" }, body: '{"Text":"new"}' } : {}),
      }),
    );
    expect([method, response.status]).toEqual([method, 403]);
  }
  expect(await stored()).toEqual(before);
});

test("a table that only allows deletion deletes only the rows of queryable", async () => {
  const made = odataService({
    entitySets: [
      sqlEntitySet(Note, { db, table: "notes", operations: ["delete"], idempotentDelete: false, queryable: own }),
    ],
  });
  const remove = async (key: number): Promise<number> => {
    const request = new Request(`http://service.example/Notes(${String(key)})`, {
      method: "DELETE",
      headers: { tenant: "a" },
    });
    return (await made.fetch(request)).status;
  };
  expect([await remove(2), await remove(1)]).toEqual([404, 204]);
  expect(await stored()).toEqual([{ id: 2, tenant: "b", text: "yours" }]);
});
