import { sql } from "kysely";
import { edm, entityType, hasMany, odataError, odataService, type ODataService, resource } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";

const Order = entityType("Order", {
  id: edm.int32().key(),
  text: edm.string(),
  total: edm.int32().nullable(),
  version: edm.int32().computed().nullable(),
});
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), amount: edm.int32() });
const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

/** Count the writes of an order, add its lines, and refuse some values, at the end of the transaction. */
const TRIGGERS = [
  `create function count_order() returns trigger language plpgsql as $$ begin
    if new.text = 'bad' then raise exception 'bad' using errcode = 'check_violation'; end if;
    update orders set version = coalesce(version, 0) + 1 where id = new.id; return null; end $$`,
  `create function add_line() returns trigger language plpgsql as $$ begin
    update orders set total = coalesce(total, 0) + new.amount where id = new.order_id; return null; end $$`,
  `create constraint trigger t1 after insert on orders deferrable initially deferred for each row execute function count_order()`,
  `create constraint trigger t2 after update on orders deferrable initially deferred for each row
    when (old.text is distinct from new.text) execute function count_order()`,
  `create constraint trigger t3 after insert on order_lines deferrable initially deferred for each row execute function add_line()`,
];

interface Judged {
  readonly current: () => Promise<unknown>;
}

const POSTGRES = ENGINES.filter(({ name }) => name === "postgres");

describe.each(POSTGRES)("triggers that run at the end of the transaction, over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await sql`create table orders (id int primary key, text varchar(20) not null, total int, version int)`.execute(db);
    await sql`create table order_lines (id int primary key, order_id int not null references orders (id) deferrable initially deferred,
      amount int not null)`.execute(db);
    for (const each of TRIGGERS) await sql.raw(each).execute(db);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await sql`delete from order_lines`.execute(db);
    await sql`delete from orders`.execute(db);
  });

  let reads = 0;
  /** Reads what is committed. */
  const notesOf = async (id: number) => {
    reads += 1;
    const { rows } = await sql<{ text: string }>`select text from orders where id = ${id}`.execute(db);
    const text = rows[0]?.text ?? "none";
    return text === "lost" ? odataError(500, "Lost", "The notes are lost.") : [{ id: 1, text }];
  };

  /** @param hooked whether hooks write after the request, or show other values than are stored */
  const shop = (hooked: boolean | "showing" = false, options: object = {}) => {
    const place = { db, operations: ["read", "create", "replace", "patch", "delete"] } as const;
    const isShowing = hooked === "showing";
    const hide = () => ({ text: "***" });
    const lines = sqlEntitySet(Line, {
      ...place,
      table: "order_lines",
      columns: { orderId: "order_id" },
      after: isShowing ? { create: () => ({ amount: 0 }) } : {},
    });
    const orders = sqlEntitySet(Order, {
      ...place,
      table: "orders",
      etag: ["version"],
      allowDeepInsert: true,
      after: {
        ...(isShowing && { create: hide, replace: hide, patch: hide }),
        ...(hooked === true && {
          patch: async ({ key, ctx }) => {
            const open = ctx.transaction as AnyDatabase;
            await sql`update orders set text = text || '+' where id = ${key}`.execute(open);
          },
        }),
      },
      ...options,
      navigation: {
        lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }),
        notes: hasMany(Note, { get: notesOf }),
      },
    });
    const service = odataService({
      entitySets: [orders, lines],
      batch: { json: true },
      authenticate: () => ({ id: "ann" }),
    });
    return sendTo(service);
  };

  const sendTo =
    (service: ODataService) =>
    async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const type = body === undefined ? {} : { "Content-Type": "application/json" };
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const request = new Request(`http://a.example/${path}`, { method, headers: { ...type, ...headers }, ...init });
      const response = await service.fetch(request);
      const text = await response.text();
      return {
        status: response.status,
        etag: response.headers.get("etag"),
        json: text === "" ? null : (JSON.parse(text) as object),
      };
    };

  const send: ReturnType<typeof shop> = (...given) => shop()(...given);

  test.each([false, true])(
    "POST, PATCH, PUT and the PUT of a property answer with what is stored; hooks: %s",
    async (hooked) => {
      const ask = shop(hooked);
      const created = await ask("POST", "Orders", { Id: 1, Text: "a" });
      const read = await ask("GET", "Orders(1)");
      expect(created).toEqual({
        status: 201,
        etag: read.etag,
        json: { ...read.json, "@odata.id": "http://a.example/Orders(1)" },
      });
      expect(read.json).toMatchObject({ Version: 1 });
      let { etag } = read;
      for (const [method, path, body, status] of [
        ["PATCH", "Orders(1)", { Text: "b" }, 200],
        ["PUT", "Orders(1)", { Text: "c" }, 200],
        ["PUT", "Orders(1)/Text", { value: "d" }, 204],
      ] as const) {
        const written = await ask(method, path, body, { "If-Match": etag ?? "" });
        const stored = await ask("GET", "Orders(1)");
        expect([written.status, written.etag]).toEqual([status, stored.etag]);
        expect(stored.etag).not.toBe(etag);
        if (status === 200) expect(written.json).toEqual(stored.json);
        ({ etag } = stored);
      }
      expect((await ask("DELETE", "Orders(1)", undefined, { "If-Match": etag ?? "" })).status).toBe(204);
    },
  );

  test("a deep insert answers with the order as the triggers of its lines leave it", async () => {
    const lines = [
      { Id: 1, OrderId: 1, Amount: 3 },
      { Id: 2, OrderId: 1, Amount: 4 },
    ];
    const created = await send("POST", "Orders", { Id: 1, Text: "a", Lines: lines });
    const stored = await send("GET", "Orders(1)");
    expect([created.status, created.etag]).toEqual([201, stored.etag]);
    expect(created.json).toMatchObject({ ...stored.json, Total: 7, Version: 1, Lines: lines });
  });

  test.each([
    ["alone", {}],
    ["beside validate", { validate: { patch: async ({ current }: Judged) => void (await current()) } }],
    ["beside a rule", { authorization: { update: resource(() => true) } }],
  ])("hooks that show other values do so with the ETag of the end, %s", async (_name, options) => {
    const ask = shop("showing", options);
    const lines = [{ Id: 1, OrderId: 1, Amount: 3 }];
    const created = await ask("POST", "Orders", { Id: 1, Text: "a", Lines: lines });
    const stored = await ask("GET", "Orders(1)");
    expect(stored.json).toMatchObject({ Text: "a", Total: 3, Version: 1 });
    expect([created.status, created.etag, stored.etag]).toEqual([201, stored.etag, expect.any(String)]);
    const shown = { ...stored.json, Text: "***" };
    expect(created.json).toMatchObject({ ...shown, Lines: [{ Id: 1, Amount: 0 }] });
    for (const [method, path, body, status] of [
      ["PATCH", "Orders(1)", { Text: "b" }, 200],
      ["PUT", "Orders(1)", { Text: "c" }, 200],
      ["PUT", "Orders(1)/Text", { value: "d" }, 204],
      ["PATCH", "Orders(1)?$expand=Lines", { Text: "e" }, 200],
      ["PATCH", "Orders(1)?$select=Text,Version", { Text: "f" }, 200],
    ] as const) {
      const written = await ask(method, path, body);
      const { etag, json } = await ask("GET", path.replace("/Text", ""));
      expect([written.status, written.etag]).toEqual([status, etag]);
      if (status === 200) expect(written.json).toEqual({ ...json, Text: "***" });
    }
    expect((await ask("GET", "Lines(1)")).json).toMatchObject({ Amount: 3 });
  });

  test("expansions are read once, after the transaction, and their errors undo nothing", async () => {
    reads = 0;
    const created = await send("POST", "Orders?$expand=Notes", { Id: 1, Text: "a" });
    expect(created).toMatchObject({ status: 201, json: { Version: 1, Notes: [{ Text: "a" }] } });
    const patched = await send("PATCH", "Orders(1)?$expand=Notes", { Text: "b" });
    expect(patched).toMatchObject({ status: 200, json: { Version: 2, Notes: [{ Text: "b" }] } });
    const replaced = await send("PUT", "Orders(1)?$expand=Notes", { Text: "lost" });
    expect(replaced).toMatchObject({ status: 500, json: { error: { code: "Lost" } } });
    expect(reads).toBe(3);
    expect((await send("GET", "Orders(1)")).json).toMatchObject({ Text: "lost", Version: 3 });
  });

  test("a change set answers with all orders as its end leaves them", async () => {
    const one = (id: string, method: string, url: string, body: object) => ({
      id,
      method,
      url,
      body,
      atomicityGroup: "g",
      headers: { "content-type": "application/json" },
    });
    const answered = await send("POST", "$batch", {
      requests: [
        one("1", "post", "Orders", { Id: 1, Text: "a" }),
        one("2", "post", "Lines", { Id: 1, OrderId: 1, Amount: 3 }),
        one("3", "post", "Orders", { Id: 2, Text: "b" }),
      ],
    });
    const { responses } = answered.json as { responses: ReadonlyArray<{ id: string; body: object; headers: object }> };
    for (const [id, key] of [
      ["1", 1],
      ["3", 2],
    ] as const) {
      const stored = await send("GET", `Orders(${String(key)})`);
      const found = responses.find((each) => each.id === id);
      expect(found?.body).toMatchObject({ ...stored.json, Version: 1, Total: key === 1 ? 3 : null });
      expect(found?.headers).toMatchObject({ etag: stored.etag });
    }
  });

  test("tables that are served without code answer with what is stored", async () => {
    const { entitySets } = await introspectDatabase(db, { operations: () => ["read", "create", "patch"] });
    const ask = sendTo(odataService({ entitySets }));
    const created = await ask("POST", "Orders", { Id: 1, Text: "a" });
    expect(created).toMatchObject({ status: 201, json: { Version: 1 } });
    expect(await ask("PATCH", "Orders(1)", { Text: "b" })).toMatchObject({ status: 200, json: { Version: 2 } });
  });

  test("what the end refuses is refused as before, and undone", async () => {
    const refused = await send("POST", "Orders", { Id: 1, Text: "bad" });
    expect([refused.status, refused.json]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ code: "InvalidBody" }) }),
    ]);
    expect((await send("GET", "Orders(1)")).status).toBe(404);
    const missing = await send("POST", "Lines", { Id: 1, OrderId: 9, Amount: 3 });
    expect(missing.status).toBe(409);
    await send("POST", "Orders", { Id: 1, Text: "a" });
    expect((await send("PATCH", "Orders(1)", { Text: "bad" })).status).toBe(400);
    expect((await send("GET", "Orders(1)")).json).toMatchObject({ Text: "a", Version: 1 });
    const group = await send("POST", "$batch", {
      requests: ["ok", "bad"].map((text, index) => ({
        id: text,
        method: "post",
        url: "Orders",
        body: { Id: 5 + index, Text: text },
        atomicityGroup: "g",
        headers: { "content-type": "application/json" },
      })),
    });
    expect(JSON.stringify(group.json)).toContain("A rule of the database rejects the result of this transaction.");
    expect((await send("GET", "Orders(5)")).status).toBe(404);
  });
});
