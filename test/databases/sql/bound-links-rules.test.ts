import { sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, hasRequired, odataService, resource } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";

const BIND = "@odata.bind";

const Bill = entityType("Bill", {
  tenant: edm.string().ignored(),
  id: edm.int32().key(),
  owner: edm.string(),
  changes: edm.int32().computed(),
});
const Row = entityType("Row", {
  tenant: edm.string().ignored(),
  n: edm.int32().key(),
  billId: edm.int32().nullable(),
  hiddenBill: edm.int32().nullable().ignored(),
  fixedBill: edm.int32().nullable().immutable(),
  text: edm.string(),
});
const Place = entityType("Place", { country: edm.string().key(), city: edm.string().key() });
const Person = entityType("Person", {
  id: edm.int32().key(),
  country: edm.string().nullable(),
  city: edm.string().nullable(),
  birthCity: edm.string().nullable(),
});
const Seat = entityType("Seat", {
  personId: edm.int32().key(),
  n: edm.int32().key(),
});

interface User {
  readonly id?: string;
}

describe.each(ENGINES)("bound links with tenants, rules and shared columns over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let service: ReturnType<typeof odataService>;
  const failures: unknown[] = [];

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    for (const statement of [
      "create table bound_bills (tenant varchar(20) not null, id int not null, owner varchar(20) not null, changes int not null, primary key (id), unique (tenant, id))",
      "create table bound_rows (tenant varchar(20) not null, n int not null, bill_id int null, hidden_bill int null, fixed_bill int null, text varchar(20) not null, primary key (n), foreign key (tenant, bill_id) references bound_bills (tenant, id))",
      "create table bound_places (country varchar(20) not null, city varchar(20) not null, primary key (country, city))",
      "create table bound_people (id int primary key, country varchar(20) null, city varchar(20) null, birth_city varchar(20) null)",
      "create table bound_seats (person_id int not null, n int not null, primary key (person_id, n))",
    ]) {
      await sql.raw(statement).execute(db);
    }
    const operations = ["read", "create", "replace", "patch"] as const;
    const tenant = { create: ({ user }: { readonly user: User }) => (user.id ?? "").split("/")[0] ?? "" };
    const ofTenant = (user: User | null) => (user?.id ?? "").split("/")[0] ?? "";
    const bill = { target: "Bills" } as const;
    service = odataService({
      namespace: "Shop",
      profile: "standard",
      authenticate: ({ headers }) => ({ id: headers.get("X-User") ?? "" }),
      logger: { error: (_message, { err }) => failures.push(err), warn: () => undefined, info: () => undefined },
      entitySets: [
        sqlEntitySet(Bill, {
          db,
          table: "bound_bills",
          operations,
          rowVersion: "changes",
          allowDeepInsert: true,
          set: { tenant },
          authorization: {
            // The user "a/x" sees the bills of x in the tenant a.
            rows: (user: User | null, row) =>
              row.tenant.eq(ofTenant(user)).and(row.owner.eq(user?.id?.split("/")[1] ?? "")),
          },
          navigation: {
            rows: hasMany(Row, { on: { tenant: "tenant", id: "billId" }, target: "Rows", partner: "bill" }),
          },
        }),
        sqlEntitySet(Row, {
          db,
          table: "bound_rows",
          operations,
          columns: { billId: "bill_id", hiddenBill: "hidden_bill", fixedBill: "fixed_bill" },
          set: { tenant },
          authorization: {
            update: resource((_user, row) => row.text !== "kept"),
            rows: (user: User | null, row) => row.tenant.eq(ofTenant(user)),
          },
          navigation: {
            bill: hasOptional(Bill, { on: { tenant: "tenant", billId: "id" }, partner: "rows", ...bill }),
            hidden: hasOptional(Bill, { on: { tenant: "tenant", hiddenBill: "id" }, ...bill }),
            fixed: hasOptional(Bill, { on: { tenant: "tenant", fixedBill: "id" }, ...bill }),
          },
        }),
        sqlEntitySet(Place, { db, table: "bound_places", operations }),
        sqlEntitySet(Person, {
          db,
          table: "bound_people",
          operations,
          columns: { birthCity: "birth_city" },
          allowDeepInsert: true,
          navigation: {
            home: hasOptional(Place, { on: { country: "country", city: "city" }, target: "Places" }),
            birth: hasOptional(Place, { on: { country: "country", birthCity: "city" }, target: "Places" }),
            seats: hasMany(Seat, { on: { id: "personId" }, target: "Seats" }),
          },
        }),
        sqlEntitySet(Seat, {
          db,
          table: "bound_seats",
          operations,
          columns: { personId: "person_id" },
          navigation: { person: hasRequired(Person, { on: { personId: "id" }, target: "Persons" }) },
        }),
      ],
    });
    await service.ready();
  });
  beforeEach(async () => {
    for (const table of ["rows", "bills", "places", "people", "seats"]) {
      await sql`delete from ${sql.table(`bound_${table}`)}`.execute(db);
    }
    await sql`insert into bound_bills values ('a', 1, 'x', 1), ('a', 2, 'y', 1), ('b', 3, 'x', 1)`.execute(db);
    await sql`insert into bound_places values ('it', 'Rome'), ('it', 'Bari'), ('fr', 'Rome')`.execute(db);
    failures.length = 0;
  });
  afterAll(() => opened.close());

  async function send(method: string, path: string, body?: object, user = "a/x") {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { "Content-Type": "application/json", "X-User": user };
    const response = await service.fetch(new Request(`http://shop.example/${path}`, { method, headers, ...init }));
    const text = await response.text();
    const json = text.startsWith("{") ? JSON.parse(text) : null;
    return { status: response.status, json, text };
  }
  const faultOf = ({ status, json }: Awaited<ReturnType<typeof send>>) => [
    status,
    json?.error?.code,
    json?.error?.target,
  ];
  const rows = async (): Promise<readonly string[]> => {
    const { rows: found } = await sql<Record<string, unknown>>`select * from bound_rows order by tenant, n`.execute(db);
    return found.map((each) =>
      [each["tenant"], each["n"], each["bill_id"], each["hidden_bill"], each["fixed_bill"]].join(" "),
    );
  };

  test("hidden entities, also those of other tenants, are missing ones", async () => {
    const texts: string[] = [];
    for (const id of [2, 3, 99]) {
      const answer = await send("POST", "Rows", { N: 1, Text: "t", [`Bill${BIND}`]: `Bills(${id})` });
      expect(faultOf(answer)).toEqual([400, "InvalidBody", `Bill${BIND}`]);
      texts.push(answer.text);
    }
    expect(new Set(texts).size).toBe(1);
    expect(await rows()).toEqual([]);
    expect(failures).toEqual([]);
  });

  test("the tenant of both rows is that of the server, and the rest of the key is bound", async () => {
    expect((await send("POST", "Rows", { N: 1, Text: "t", [`Bill${BIND}`]: "Bills(1)" })).json).toMatchObject({
      BillId: 1,
    });
    expect((await send("POST", "Rows", { N: 11, Text: "t", [`Bill${BIND}`]: "Bills(3)" }, "b/x")).status).toBe(201);
    expect(await rows()).toEqual(["a 1 1  ", "b 11 3  "]);
    expect((await send("PATCH", "Rows(1)", { [`Bill${BIND}`]: null })).status).toBe(200);
    expect((await send("PUT", "Rows(1)", { Text: "u", [`Bill${BIND}`]: "Bills(1)" })).status).toBe(200);
    expect(await rows()).toEqual(["a 1 1  ", "b 11 3  "]);
    expect(failures).toEqual([]);
  });

  test("an ignored foreign key is written by links alone", async () => {
    expect((await send("POST", "Rows", { N: 1, Text: "t", [`Hidden${BIND}`]: "Bills(1)" })).status).toBe(201);
    expect((await send("PATCH", "Rows(1)", { Text: "u" })).status).toBe(200);
    expect(await rows()).toEqual(["a 1  1 "]);
    expect((await send("PATCH", "Rows(1)", { [`Hidden${BIND}`]: null })).status).toBe(200);
    expect(await rows()).toEqual(["a 1   "]);
    expect((await send("PUT", "Rows(1)", { Text: "u", [`Hidden${BIND}`]: "Bills(1)" })).status).toBe(200);
    expect(await rows()).toEqual(["a 1  1 "]);
    expect(failures).toEqual([]);
  });

  test("an immutable foreign key may be repeated, and not changed", async () => {
    await sql`insert into bound_bills values ('a', 4, 'x', 1)`.execute(db);
    expect((await send("POST", "Rows", { N: 1, Text: "t", [`Fixed${BIND}`]: "Bills(1)" })).status).toBe(201);
    for (const [method, body] of [
      ["PATCH", { Text: "u" }],
      ["PUT", { Text: "u" }],
    ] as const) {
      expect((await send(method, "Rows(1)", { ...body, [`Fixed${BIND}`]: "Bills(1)" })).status).toBe(200);
      const other = await send(method, "Rows(1)", { Text: "v", [`Fixed${BIND}`]: "Bills(4)" });
      expect(faultOf(other)).toEqual([400, "InvalidBody", `Fixed${BIND}`]);
      expect(faultOf(await send(method, "Rows(1)", { Text: "v", [`Fixed${BIND}`]: null }))).toEqual([
        400,
        "NullNotAllowed",
        `Fixed${BIND}`,
      ]);
    }
    expect((await send("GET", "Rows(1)")).json.Text).toBe("u");
    expect(await rows()).toEqual(["a 1   1"]);
  });

  test("links of lists change the rows of their tenant, and the count of the parent's changes stays", async () => {
    await send("POST", "Rows", { N: 1, Text: "t" });
    await send("POST", "Rows", { N: 11, Text: "t" }, "b/x");
    const made = await send("POST", "Bills", {
      Id: 5,
      Owner: "x",
      [`Rows${BIND}`]: ["Rows(1)"],
      Rows: [{ N: 2, Text: "n" }],
    });
    expect(made.status).toBe(201);
    const foreign = await send("PATCH", "Bills(5)", { [`Rows${BIND}`]: ["Rows(11)"] });
    expect(faultOf(foreign)).toEqual([400, "InvalidBody", `Rows${BIND}`]);
    expect(await rows()).toEqual(["a 1 5  ", "a 2 5  ", "b 11   "]);
    const nested = [{ N: 3, Text: "n", [`Hidden${BIND}`]: "Bills(1)" }];
    expect((await send("POST", "Bills", { Id: 6, Owner: "x", Rows: nested })).status).toBe(201);
    expect(await rows()).toContain("a 3 6 1 ");
    const own = [{ N: 4, Text: "n", [`Bill${BIND}`]: "Bills(1)" }];
    expect((await send("POST", "Bills", { Id: 7, Owner: "x", Rows: own })).status).toBe(400);
    expect(failures).toEqual([]);
  });

  test("rules of the target set judge the row that a link changes", async () => {
    await send("POST", "Rows", { N: 1, Text: "kept" });
    await send("POST", "Rows", { N: 2, Text: "free" });
    const add = (n: number) => send("PATCH", "Bills(1)", { [`Rows${BIND}`]: [`Rows(${n})`] }, "a/x");
    expect((await add(2)).status).toBe(200);
    expect(faultOf(await add(1))).toEqual([403, "Forbidden", `Rows${BIND}`]);
    expect(await rows()).toEqual(["a 1   ", "a 2 1  "]);
    const both = { Id: 8, Owner: "x", [`Rows${BIND}`]: ["Rows(2)", "Rows(1)"] };
    expect((await send("POST", "Bills", both)).status).toBe(403);
    expect((await send("GET", "Bills(8)")).status).toBe(404);
    expect(await rows()).toEqual(["a 1   ", "a 2 1  "]);
    expect(failures).toEqual([]);
  });

  test("composite keys, and foreign keys that share a column", async () => {
    const home = { [`Home${BIND}`]: "Places(Country='it',City='Rome')" };
    const birth = (country: string) => ({ [`Birth${BIND}`]: `Places(City='Rome',Country='${country}')` });
    const made = await send("POST", "Persons", { Id: 1, ...home, ...birth("it") });
    expect([made.status, made.json.Country, made.json.City, made.json.BirthCity]).toEqual([201, "it", "Rome", "Rome"]);
    expect(faultOf(await send("POST", "Persons", { Id: 2, ...home, ...birth("fr") }))).toEqual([
      400,
      "InvalidBody",
      `Birth${BIND}`,
    ]);
    const moved = await send("PATCH", "Persons(1)", { [`Home${BIND}`]: "Places(Country='it',City='Bari')" });
    expect(moved.json).toMatchObject({ Country: "it", City: "Bari", BirthCity: "Rome" });
  });
});
