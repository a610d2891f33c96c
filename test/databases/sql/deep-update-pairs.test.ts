import { sql } from "kysely";
import { allRows, edm, entityType, hasMany, hasOptional, now, odataError, odataService, resource } from "odatakit";
import { type FindTenant, sqlEntitySet } from "odatakit/kysely";
import { afterEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES } from "../../engine/executors/engines.ts";

const Owner = entityType("Owner", { id: edm.int32().key(), name: edm.string() });
const Bill = entityType("Bill", {
  tenant: edm.string().ignored(),
  id: edm.int32().key(),
  ownerId: edm.int32().nullable(),
  note: edm.string(),
  editor: edm.string().nullable().computed(),
});
const Item = entityType("Item", {
  tenant: edm.string().ignored(),
  id: edm.int32().key(),
  billId: edm.int32(),
  text: edm.string(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable().computed(),
});
const Badge = entityType("Badge", { id: edm.int32().key(), ownerId: edm.int32().nullable() });
const ALL = ["read", "create", "replace", "patch", "delete"] as const;

interface User {
  readonly id?: string;
  readonly tenant?: string;
}

interface Tenanted {
  readonly tenant?: string;
}

const ended: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

const TABLES = [
  "create table pair_owners (id int primary key, name varchar(20) not null)",
  "create table pair_badges (id int primary key, owner_id int null)",
  "create table pair_bills (tenant varchar(20) not null, id int not null, owner_id int null, note varchar(20) not null, editor varchar(20) null, primary key (id), unique (tenant, id), foreign key (owner_id) references pair_owners (id))",
];
const ITEMS =
  "create table pair_items (tenant varchar(20) not null, id int not null, bill_id int not null, text varchar(20) not null, at TIME null, primary key (id), foreign key (tenant, bill_id) references pair_bills (tenant, id))";
const TIMES = { sqlite: "text", postgres: "timestamptz", mariadb: "datetime(3)" } as const;

async function openDatabase(engine: (typeof ENGINES)[number]): Promise<AnyDatabase> {
  const { db, close } = await engine.open();
  ended.push(close);
  for (const statement of [...TABLES, ITEMS.replace("TIME", TIMES[engine.name])]) await sql.raw(statement).execute(db);
  for (const id of [1, 2]) await sql`insert into pair_owners values (${id}, ${`o${String(id)}`})`.execute(db);
  return db;
}

/** The sets: rows belong to the tenant of the user, ETags are made of all values, and the server sets some. */
function serve(db: AnyDatabase | FindTenant) {
  const failures: unknown[] = [];
  const tenant = { create: ({ user }: { readonly user: User }) => user.tenant ?? "" };
  const rows = (user: User | null, row: { readonly tenant: { eq(value: string): unknown } }) =>
    user?.tenant === "root" ? allRows : row.tenant.eq(user?.tenant ?? "");
  const service = odataService({
    namespace: "Shop",
    profile: "standard",
    batch: { json: true },
    defaults: { deepUpdateEnabled: true },
    logger: { error: (_message, { err }) => failures.push(err), warn: () => undefined, info: () => undefined },
    authenticate: ({ headers }) => {
      const [id = "", tenant = ""] = (headers.get("X-User") ?? "").split("@");
      return { id, tenant };
    },
    entitySets: [
      sqlEntitySet(Owner, {
        db: db as never,
        table: "pair_owners",
        operations: ALL,
        etag: "all",
        navigation: {
          bills: hasMany(Bill, { on: { id: "ownerId" }, target: "Bills", partner: "owner" }),
          badge: hasOptional(Badge, { on: { id: "ownerId" }, target: "Badges" }),
        },
      }),
      sqlEntitySet(Badge, {
        db: db as never,
        table: "pair_badges",
        operations: ALL,
        columns: { ownerId: "owner_id" },
        authorization: { update: resource((_user, { id }) => id !== 1) },
      }),
      sqlEntitySet(Bill, {
        db: db as never,
        table: "pair_bills",
        operations: ALL,
        etag: "all",
        columns: { ownerId: "owner_id" },
        authorization: { rows: rows as never },
        set: {
          tenant,
          editor: {
            create: ({ user }: { readonly user: User }) => user.id ?? null,
            update: async ({ user }: { readonly user: User }) => Promise.resolve(user.id ?? null),
          },
        } as never,
        navigation: {
          owner: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners", partner: "bills" }),
          items: hasMany(Item, { on: { tenant: "tenant", id: "billId" }, target: "Items" }),
        },
      }),
      sqlEntitySet(Item, {
        db: db as never,
        table: "pair_items",
        operations: ALL,
        etag: "all",
        columns: { billId: "bill_id" },
        authorization: { rows: rows as never },
        set: { tenant, at: { create: now, update: now } } as never,
      }),
    ],
  });
  const send = async (
    who: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await service.fetch(
      new Request(`http://shop.example/${path}`, {
        method,
        headers: { "X-User": who, "Content-Type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    // oxlint-disable-next-line typescript/no-explicit-any -- each test checks its own body
    const json: any = text.startsWith("{") ? JSON.parse(text) : null;
    return { status: response.status, etag: response.headers.get("ETag"), json };
  };
  return { send, failures };
}

const itemsOf = async (db: AnyDatabase): Promise<readonly unknown[]> =>
  (
    await sql<Record<string, unknown>>`select tenant, id, bill_id, text from pair_items order by id`.execute(db)
  ).rows.map((row) => Object.values(row));

describe.each(ENGINES)(
  "deep updates and links beside tenants, values of the server and ETags of all values over $title",
  (engine) => {
    test("rows of tenants: the tenant follows, and those of others are missing", async () => {
      const db = await openDatabase(engine);
      const { send, failures } = serve(db);
      for (const [who, id] of [
        ["u@a", 1],
        ["u@b", 2],
      ] as const) {
        const made = await send(who, "POST", "Bills", { Id: id, Note: "n", "Owner@odata.bind": "Owners(1)" });
        expect([made.status, made.json.OwnerId]).toEqual([201, 1]);
        const items = [
          { Id: id * 10, Text: "x" },
          { Id: id * 10 + 1, Text: "y" },
        ];
        const deep = await send(who, "PATCH", `Bills(${String(id)})`, { Items: items });
        expect([deep.status, deep.json.Editor]).toEqual([200, "u"]);
      }
      const foreign = await send("u@a", "PATCH", "Bills(1)", { "Items@odata.delta": [{ Id: 20, Text: "z" }] });
      expect(foreign.status).toBe(409);
      expect((await send("u@a", "PATCH", "Bills(1)", { Items: [{ Id: 10, Text: "X" }] })).status).toBe(200);
      expect(await itemsOf(db)).toEqual([
        ["a", 10, 1, "X"],
        ["b", 20, 2, "x"],
        ["b", 21, 2, "y"],
      ]);
      const removed = [{ Id: 10, "@odata.removed": { reason: "deleted" } }];
      expect((await send("u@a", "PATCH", "Bills(1)", { "Items@odata.delta": removed })).status).toBe(200);
      expect((await itemsOf(db)).length).toBe(2);
      expect((await send("u@a", "PATCH", "Owners(1)", { Bills: [] })).status).toBe(200);
      expect((await send("u@b", "GET", "Bills(2)")).json.OwnerId).toBe(1);
      expect((await send("u@a", "GET", "Bills(1)")).json.OwnerId).toBeNull();
      expect(failures).toEqual([]);
    });

    test("ETags of all values: of the outer and of the nested entity", async () => {
      const db = await openDatabase(engine);
      const { send, failures } = serve(db);
      await send("u@a", "POST", "Bills", { Id: 1, Note: "n", OwnerId: 1 });
      await send("u@a", "PATCH", "Bills(1)", { Items: [{ Id: 10, Text: "x" }] });
      const { etag } = await send("u@a", "GET", "Bills(1)");
      const body = { Name: "O", Bills: [{ Id: 1, Note: "m", "@odata.etag": etag }] };
      await sql`update pair_bills set note = 'changed'`.execute(db);
      expect((await send("u@a", "PATCH", "Owners(1)", body)).status).toBe(412);
      const { etag: fresh } = await send("u@a", "GET", "Bills(1)");
      const owner = await send("u@a", "GET", "Owners(1)");
      const good = { Name: "O", Bills: [{ Id: 1, Note: "m", "@odata.etag": fresh }] };
      const done = await send("u@a", "PATCH", "Owners(1)", good, { "If-Match": owner.etag ?? "" });
      expect([done.status, done.json.Name, done.etag]).toEqual([
        200,
        "O",
        (await send("u@a", "GET", "Owners(1)")).etag,
      ]);
      expect((await send("u@a", "PATCH", "Owners(1)", good, { "If-Match": owner.etag ?? "" })).status).toBe(412);
      expect((await send("u@a", "GET", "Bills(1)")).json.Note).toBe("m");
      expect(failures).toEqual([]);
    });

    test("a refusal names the member of the body", async () => {
      const db = await openDatabase(engine);
      const { send, failures } = serve(db);
      for (const id of [1, 2, 3]) await send("u@a", "POST", "Badges", { Id: id, OwnerId: id === 1 ? 1 : null });
      const faultOf = async (path: string, body: object): Promise<readonly unknown[]> => {
        const { status, json } = await send("u@a", "PATCH", path, body);
        return [status, json.error?.code, json.error?.target];
      };
      const bound = { "Badge@odata.bind": "Badges(2)" };
      expect(await faultOf("Owners(1)", bound)).toEqual([403, "Forbidden", "Badge@odata.bind"]);
      expect(await faultOf("Owners(1)", { Badge: { Id: 2 } })).toEqual([403, "Forbidden", "Badge"]);
      expect(await faultOf("Owners(1)", { Badge: null })).toEqual([403, "Forbidden", "Badge"]);
      expect(await faultOf("Owners(2)", { Badge: { Id: 1 } })).toEqual([403, "Forbidden", "Badge"]);
      expect((await send("u@a", "PATCH", "Owners(2)", bound)).status).toBe(200);
      expect((await send("u@a", "PATCH", "Owners(2)", { Badge: { Id: 3 } })).status).toBe(200);
      expect((await send("u@a", "GET", "Badges?$orderby=Id")).json.value).toMatchObject([
        { OwnerId: 1 },
        { OwnerId: null },
        { OwnerId: 2 },
      ]);
      expect(failures).toEqual([]);
    });

    test("consecutive creates of a change set, with links and without, beside a deep update", async () => {
      const db = await openDatabase(engine);
      const { send, failures } = serve(db);
      const post = (id: string, body: object) => ({ id, atomicityGroup: "g", method: "post", url: "Bills", body });
      const requests = [
        post("1", { Id: 1, Note: "a" }),
        post("2", { Id: 2, Note: "b" }),
        post("3", { Id: 3, Note: "c", "Owner@odata.bind": "Owners(2)" }),
        post("4", { Id: 4, Note: "d", "Owner@odata.bind": "Owners(2)" }),
        {
          id: "5",
          atomicityGroup: "g",
          method: "patch",
          url: "Owners(2)",
          body: { "Bills@odata.delta": [{ "@odata.id": "$1" }, { Id: 4, Note: "D" }] },
        },
      ];
      const { json } = await send("u@a", "POST", "$batch", { requests });
      expect(json.responses).toMatchObject([201, 201, 201, 201, 200].map((status) => ({ status })));
      const { json: found } = await send("u@a", "GET", "Owners(2)/Bills?$orderby=Id");
      expect(found.value).toMatchObject([
        { Id: 1, Note: "a" },
        { Id: 3, Note: "c" },
        { Id: 4, Note: "D" },
      ]);
      expect(failures).toEqual([]);
    });
  },
);

/** PGlite is one database, which opening empties. */
const SEVERAL = ENGINES.filter(({ title }) => title !== "PGlite");

describe.each(SEVERAL)("deep updates and links in a database of $title per tenant", (engine) => {
  test("only the database of the tenant changes", async () => {
    const databases: Readonly<Record<string, AnyDatabase>> = {
      a: await openDatabase(engine),
      b: await openDatabase(engine),
    };
    const { send, failures } = serve(({ user }) => {
      const id = (user as Tenanted | null)?.tenant ?? "";
      const db = databases[id];
      if (db === undefined) throw odataError(403, "NoTenant", "There is no such tenant.");
      return { id, db };
    });
    for (const who of ["u@a", "u@b"]) {
      const made = await send(who, "POST", "Bills", { Id: 1, Note: "n", "Owner@odata.bind": "Owners(1)" });
      expect([made.status, made.json.OwnerId]).toEqual([201, 1]);
    }
    const items = [
      { Id: 10, Text: "x" },
      { Id: 11, Text: "y" },
    ];
    expect((await send("u@a", "PATCH", "Owners(2)", { "Bills@odata.bind": ["Bills(1)"] })).status).toBe(200);
    expect(
      (
        await send("u@a", "PATCH", "Owners(2)", {
          Bills: [
            { Id: 1, Items: items },
            { Id: 2, Note: "new" },
          ],
        })
      ).status,
    ).toBe(200);
    expect((await send("u@a", "PATCH", "Bills(1)", { "Items@odata.delta": [{ Id: 11, Text: "Y" }] })).status).toBe(200);
    expect([await itemsOf(databases["a"] as AnyDatabase), await itemsOf(databases["b"] as AnyDatabase)]).toEqual([
      [
        ["a", 10, 1, "x"],
        ["a", 11, 1, "Y"],
      ],
      [],
    ]);
    expect((await send("u@b", "GET", "Bills(1)")).json.OwnerId).toBe(1);
    expect(failures).toEqual([]);
  });
});
