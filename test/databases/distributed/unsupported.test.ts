import { sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { COORDINATOR_SETTINGS } from "../../hostile-settings.ts";
import { connectionsOf, hearStatements } from "../sql/sent-statements.ts";

const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  placed: edm.date().nullable(),
  total: edm.int32(),
  tags: edm.collection(edm.string()),
  notes: edm.collection(edm.string()),
});

const MESSAGE = "complex joins are only supported when all distributed tables are co-located";

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("statements that $title refuses", ({ open }) => {
  let opened: OpenDatabase;
  let send: (target: string, init?: RequestInit) => Promise<readonly [number, string]>;
  const logged: unknown[] = [];
  let permit = (): void => undefined;

  beforeAll(async () => {
    opened = await open(undefined, COORDINATOR_SETTINGS);
    const { db } = opened;
    await sql`create table customers (id int primary key, name text not null)`.execute(db);
    await sql`create table orders (id int primary key, "customerId" int, placed date, total int not null,
      tags jsonb not null default '[]', notes jsonb not null default '[]')`.execute(db);
    await sql`insert into customers values (1, 'Ann')`.execute(db);
    await sql`insert into orders values (1, 1, '2024-02-29', 5)`.execute(db);
    const place = { db, operations: ["read"], distributed: true } as const;
    const service = odataService({
      logger: { error: (_message, { err }) => logged.push(err), warn: () => undefined, info: () => undefined },
      entitySets: [
        sqlEntitySet(Customer, {
          ...place,
          table: "customers",
          navigation: { orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders" }) },
        }),
        sqlEntitySet(Order, {
          ...place,
          operations: ["read", "create", "patch", "delete"],
          table: "orders",
          navigation: { customer: hasOptional(Customer, { on: { customerId: "id" }, target: "Customers" }) },
        }),
      ],
    });
    await service.ready();
    send = async (target, init) => {
      const response = await service.fetch(new Request(`http://service.example/${target}`, init));
      const { error } = (await response.json()) as {
        readonly error?: { readonly code: string; readonly message: string };
      };
      return [response.status, error === undefined ? "" : `${error.code}: ${error.message}`];
    };
  });
  afterEach(() => {
    permit();
    logged.length = 0;
  });
  afterAll(() => opened.close());

  async function refuse(code: string, message: string): Promise<void> {
    const connections = await connectionsOf(opened.db);
    permit = hearStatements(connections, () => {
      throw Object.assign(new Error(message), { code });
    });
  }

  test.each([
    ["Customers?$filter=Orders/any(o:o/Total gt 1)", "'Orders/any' in $filter"],
    ["Customers?$filter=Orders/$count gt 1", "'Orders/$count' in $filter"],
    ["Orders?$filter=Customer/Name eq 'Ann'", "'Customer/Name' in $filter"],
    ["Orders?$orderby=Customer/Name", "'Customer/Name' in $orderby"],
    ["Orders?$filter=year(Placed) eq 2024&$orderby=Total div 2", "'year' in $filter or 'div' in $orderby"],
    ["Orders?$filter=Tags/any(t:Notes/any(n:n eq t))", "'Tags/any' in $filter"],
    ["Orders?$filter=not Tags/all(t:Notes/$count gt 1)&$orderby=Id", "'Tags/all' in $filter"],
    ["Orders?$filter=Total eq 1 or $root/Orders(1)/Total eq Total", "'$root/Orders/Total' in $filter"],
  ])("%s is a fault of the option", async (target, fault) => {
    await refuse("0A000", MESSAGE);
    expect(await send(target)).toEqual([
      400,
      `UnsupportedQueryOption: PostgreSQL cannot evaluate ${fault} over the tables of this set, as they are distributed. Omit it, or use properties of the entity itself.`,
    ]);
    expect(logged).toEqual([]);
  });

  test.each([
    ["0A000", MESSAGE, "Orders?$filter=Total gt 1", 500],
    ["0A000", "cached plan must not change result type", "Orders?$filter=year(Placed) eq 2024", 503],
    ["42P01", MESSAGE, "Orders?$filter=year(Placed) eq 2024", 500],
  ])("%s (%s) is a failure for %s", async (code, message, target, status) => {
    await refuse(code, message);
    expect((await send(target))[0]).toBe(status);
    expect(logged).toHaveLength(1);
  });

  test("a database that cannot be reached is logged once for each time", async () => {
    for (const read of ["Orders", "Orders(1)", "Orders?$filter=Total gt 1&$count=true"]) {
      await refuse("ECONNREFUSED", "connect ECONNREFUSED");
      expect((await send(read))[0]).toBe(503);
      expect((await send("Customers"))[0]).toBe(503);
      expect((await send("Orders(9)", { method: "DELETE" }))[0]).toBe(503);
      expect(logged).toHaveLength(1);
      logged.length = 0;
      permit();
      expect((await send(read))[0]).toBe(200);
    }
    expect(logged).toEqual([]);
  });

  test("a lock of rows of several machines names what the key lacks", async () => {
    await refuse("0A000", "could not run distributed query with FOR UPDATE/SHARE commands");
    expect(await send("Orders(1)", { method: "DELETE" })).toEqual([
      501,
      "NotImplemented: The database cannot lock the row before it is written: the key of this set lacks the property that distributes its rows over machines, and no row rule gives the value of this property.",
    ]);
    expect(logged).toHaveLength(1);
  });

  test.each([
    ["POST", "Orders", '{"Id":2,"Total":3}'],
    ["PATCH", "Orders(1)", '{"CustomerId":2}'],
    ["DELETE", "Orders(1)", null],
  ])("0A000 is a write that the database cannot do: %s %s", async (method, target, body) => {
    await refuse("0A000", "modifying the partition value of rows is not allowed");
    const headers = { "Content-Type": "application/json" };
    expect(await send(target, { method, body, headers })).toEqual([
      501,
      "NotImplemented: The tables of this set are distributed over machines, and the database refuses this write to them: for example, it cannot move a row to another machine.",
    ]);
    expect(logged).toHaveLength(1);
  });
});
