import { sql } from "kysely";
import {
  edm,
  entityType,
  hasMany,
  hasOptional,
  now,
  odataError,
  odataService,
  type ODataService,
  type TracedStatement,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";

/** Values of `set` in the statements of tables without row rules. */

const AT = "2026-03-04T05:06:07.891Z";
const Bill = entityType("Bill", {
  tenant: edm.string({ maxLength: 10 }).key(),
  id: edm.int32().key(),
  title: edm.string(),
  code: edm.string().nullable().ignored(),
  changed: edm.dateTimeOffset({ precision: 3 }),
  version: edm.int32().computed(),
});
const Row = entityType("Row", {
  id: edm.int32().key(),
  tenant: edm.string().ignored(),
  billId: edm.int32().nullable(),
  changed: edm.dateTimeOffset({ precision: 3 }),
});

describe.each(ENGINES)("values that the server sets in statements of $title", ({ name, open }) => {
  let database: OpenDatabase;
  let service: ODataService;
  let tenant: unknown = "one";
  let code: unknown = "c";
  const statements: string[] = [];
  const failures: unknown[] = [];

  beforeAll(async () => {
    database = await open();
    const { db } = database;
    const [text, instant] = {
      sqlite: ["text", "text"],
      postgres: ["varchar(10)", "timestamptz"],
      mariadb: ["varchar(10)", "datetime(3)"],
    }[name];
    for (const command of [
      `create table bills (tenant ${text ?? ""} not null, id int not null, title ${text ?? ""} not null, code ${text ?? ""},
        changed ${instant ?? ""} not null, version int not null, primary key (tenant, id))`,
      `create table bill_rows (id int primary key not null, tenant ${text ?? ""} not null, bill_id int, changed ${instant ?? ""} not null,
        foreign key (tenant, bill_id) references bills (tenant, id))`,
    ]) {
      await sql.raw(command).execute(db);
    }
    const operations = ["read", "create", "replace", "patch", "delete"] as const;
    const changed = { create: now, update: now };
    const bills = sqlEntitySet(Bill, {
      db,
      table: "bills",
      operations,
      rowVersion: "version",
      allowUpsert: true,
      allowDeepInsert: true,
      set: {
        tenant: { create: () => tenant as string },
        code: { create: () => code as string, update: () => code as string },
        changed,
      },
      navigation: { rows: hasMany(Row, { on: { tenant: "tenant", id: "billId" }, target: "Rows", partner: "bill" }) },
    });
    const rows = sqlEntitySet(Row, {
      db,
      table: "bill_rows",
      operations,
      columns: { billId: "bill_id" },
      set: { tenant: { create: () => tenant as string }, changed },
      navigation: {
        bill: hasOptional(Bill, { on: { tenant: "tenant", billId: "id" }, target: "Bills", partner: "rows" }),
      },
    });
    service = odataService({
      entitySets: [bills, rows],
      logger: { error: (_message, { err }) => void failures.push(err), warn: () => {}, info: () => {} },
      onStatement: ({ sql: statement }: TracedStatement) => void statements.push(statement),
    });
    await service.ready();
  });
  beforeEach(async () => {
    for (const table of ["bill_rows", "bills"]) await sql.raw(`delete from ${table}`).execute(database.db);
    [tenant, code] = ["one", "c"];
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(AT) });
    statements.length = 0;
    failures.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(async () => {
    await database.close();
  });

  async function send(request: string, body?: unknown): Promise<readonly [number, unknown]> {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const response = await service.fetch(new Request(`http://shop.example/${path}`, { method, ...init }));
    const text = await response.text();
    return [response.status, text === "" ? null : (JSON.parse(text) as unknown)];
  }

  async function codes(): Promise<readonly unknown[]> {
    const { rows } = await sql
      .raw<{ readonly code: unknown }>("select code from bills order by id")
      .execute(database.db);
    return rows.map(({ code: each }) => each);
  }

  /** The first words of the statements since the last call, without those of transactions. */
  const kinds = (): readonly string[] => {
    const found = statements.splice(0).map((each) => each.slice(0, 6).toLowerCase());
    return found.filter((each) => ["insert", "update", "select", "delete"].includes(each));
  };

  test("are part of the statement that writes the row, without a read before", async () => {
    // MariaDB returns no changed rows: they are locked before, and read afterwards.
    const change = name === "mariadb" ? ["select", "update", "select"] : ["update"];
    expect((await send("POST Bills", { Id: 1, Title: "a" }))[0]).toBe(201);
    expect(kinds()).toEqual(name === "mariadb" ? ["insert", "select"] : ["insert"]);
    code = "d";
    expect((await send("PATCH Bills(Tenant='one',Id=1)", { Title: "b" }))[0]).toBe(200);
    expect(kinds()).toEqual(change);
    expect(await codes()).toEqual(["d"]);
    code = "e";
    statements.length = 0;
    expect((await send("PUT Bills(Tenant='one',Id=1)", { Title: "c" }))[0]).toBe(200);
    expect(kinds().filter((each) => each !== "select")).toEqual(["update"]);
    expect(await codes()).toEqual(["e"]);
  });

  test("make a part of the key, which no URL chooses", async () => {
    const [status, body] = await send("POST Bills", { Id: 1, Title: "a", Tenant: "two" });
    expect([status, body]).toEqual([
      201,
      {
        "@odata.context": "http://shop.example/$metadata#Bills/$entity",
        "@odata.id": "http://shop.example/Bills(Tenant='one',Id=1)",
        Tenant: "one",
        Id: 1,
        Title: "a",
        Changed: AT,
        Version: 1,
      },
    ]);
    expect((await send("PUT Bills(Tenant='two',Id=1)", { Title: "a" }))[0]).toBe(404);
    expect((await send("POST Bills", { Id: 1, Title: "b" }))[0]).toBe(409);
  });

  test("follow from the enclosing row in a deep insert and along a navigation", async () => {
    expect((await send("POST Bills", { Id: 1, Title: "a", Rows: [{ Id: 1 }] }))[0]).toBe(201);
    tenant = "two";
    expect((await send("POST Bills(Tenant='one',Id=1)/Rows", { Id: 2 }))[0]).toBe(201);
    const { rows } = await sql.raw("select tenant, bill_id from bill_rows order by id").execute(database.db);
    expect(rows).toEqual([
      { tenant: "one", bill_id: 1 },
      { tenant: "one", bill_id: 1 },
    ]);
  });

  test("stay as they are when a link names an entity with other values", async () => {
    await send("POST Bills", { Id: 1, Title: "a" });
    tenant = "two";
    await send("POST Bills", { Id: 1, Title: "b" });
    await send("POST Rows", { Id: 1, BillId: 1 });
    const link = (of: string) => ({ "@odata.id": `http://shop.example/Bills(Tenant='${of}',Id=1)` });
    expect((await send("PUT Rows(1)/Bill/$ref", link("two")))[0]).toBe(204);
    expect(await send("PUT Rows(1)/Bill/$ref", link("one"))).toEqual([
      400,
      { error: { code: "NotSupported", message: "The property of the link cannot be written." } },
    ]);
    const { rows } = await sql.raw("select tenant, bill_id from bill_rows").execute(database.db);
    expect(rows).toEqual([{ tenant: "two", bill_id: 1 }]);
  });

  test.each<readonly [string, () => unknown, string]>([
    ["number", () => 5, "returned no value of Edm.String: 5 is not an Edm.String"],
    ["undefined", () => undefined, "returned no value of Edm.String: undefined is not an Edm.String"],
    ["null", () => null, "returned no value of Edm.String: null is not allowed."],
    [
      "text that is too long",
      () => "12345678901",
      'returned no value of Edm.String: "12345678901" is too long: write at most 10 characters.',
    ],
    ["promise", () => Promise.resolve("one"), "returned a promise, but it is no `async` function. Declare it as one"],
    ["rejected promise", () => Promise.reject(new Error("no")), "returned a promise, but it is no `async` function."],
  ])("a %s of a function is a logged 500 that names it", async (_what, make, problem) => {
    tenant = make();
    expect(await send("POST Bills", { Id: 1, Title: "a" })).toEqual([
      500,
      {
        error: {
          code: "InternalServerError",
          message: "The service failed to answer this request. The failure has been logged.",
        },
      },
    ]);
    expect(failures).toEqual([
      expect.objectContaining({
        message: expect.stringContaining(`\`set.tenant.create\` of Bills ${problem}`) as string,
      }),
    ]);
    expect(await codes()).toEqual([]);
  });

  test("a value that the column cannot store is a logged 500 that names it", async () => {
    code = "half a pair: \ud800";
    expect((await send("POST Bills", { Id: 1, Title: "a" }))[0]).toBe(500);
    expect(failures.map(String)).toEqual([
      "Error: The column of `code` in bills cannot store the value that `set` supplies: The value contains half of a surrogate pair, which its column cannot store.",
    ]);
    code = "c";
    expect((await send("POST Bills", { Id: 1, Title: "half a pair: \ud800" }))[0]).toBe(400);
  });

  test("an error that a function returns is that error", async () => {
    tenant = odataError(409, "NoTenant", "Choose a tenant first.");
    expect(await send("POST Bills", { Id: 1, Title: "a" })).toEqual([
      409,
      { error: { code: "NoTenant", message: "Choose a tenant first." } },
    ]);
    expect(failures).toEqual([]);
  });
});
