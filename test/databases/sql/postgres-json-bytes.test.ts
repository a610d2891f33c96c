import { sql } from "kysely";
import { edm, entityType, hasMany, hasRequired, odataService, type TracedStatement } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { required } from "../../../src/base/required.ts";
import { ENGINES, isSpread } from "../../engine/executors/engines.ts";

/** PostgreSQL writes no JSON of more than 64,000,000 bytes of texts: such pages are rows. */

const Depot = entityType("Depot", { id: edm.int32().key(), note: edm.string() });
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), note: edm.string() });
const Order = entityType("Order", { id: edm.int32().key(), depotId: edm.int32() });
const NOTE = 400_000;
const ORDERS = 200;

const SERVER = ENGINES.find(({ name, title }) => name === "postgres" && title !== "PGlite" && !isSpread());

describe.skipIf(SERVER === undefined)("over a server of PostgreSQL", () => {
  test.each([
    { name: "a repeated parent", target: "Orders?$expand=Depot", statements: 2, parts: ORDERS },
    { name: "lines", target: "Orders?$expand=Lines", statements: 3, parts: ORDERS },
    { name: "fewer lines", target: "Orders?$expand=Lines&$top=100", statements: 1, parts: 100 },
  ])("a page with $name", async ({ target, statements, parts }) => {
    const { db, close } = await required(SERVER, "The tests are skipped without PostgreSQL.").open();
    await sql`create table depots (id integer primary key, note text not null)`.execute(db);
    await sql`create table orders (id integer primary key, depot_id integer not null)`.execute(db);
    await sql`create table lines (id integer primary key, order_id integer not null, note text not null)`.execute(db);
    await sql`insert into depots values (1, repeat('é', ${sql.lit(NOTE / 2)}))`.execute(db);
    await sql`insert into orders select i, 1 from generate_series(1, ${sql.lit(ORDERS)}) as n(i)`.execute(db);
    await sql`insert into lines select i, i, repeat('l', ${sql.lit(NOTE)}) from generate_series(1, ${sql.lit(ORDERS)}) as n(i)`.execute(
      db,
    );
    const traced: TracedStatement[] = [];
    const on = { db, operations: ["read"] } as const;
    const service = odataService({
      entitySets: [
        sqlEntitySet(Depot, { ...on, table: "depots" }),
        sqlEntitySet(Line, { ...on, table: "lines", columns: { orderId: "order_id" } }),
        sqlEntitySet(Order, {
          ...on,
          table: "orders",
          columns: { depotId: "depot_id" },
          navigation: {
            depot: hasRequired(Depot, { on: { depotId: "id" }, target: "Depots" }),
            lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }),
          },
        }),
      ],
      defaults: { queryTimeout: 100_000, maxResponseBytes: null },
      schemaCheck: false,
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
      onStatement: (event) => {
        traced.push(event);
      },
    });
    const response = await service.fetch(new Request(`http://service.example/${target}`));
    const { value } = (await response.json()) as {
      readonly value: ReadonlyArray<{
        readonly Depot?: { readonly Note: string };
        readonly Lines?: readonly object[];
      }>;
    };
    const [first] = value;
    expect([response.status, value.length, traced.length]).toEqual([200, parts, statements]);
    expect(first?.Depot ?? first?.Lines).toEqual(
      first?.Depot === undefined
        ? [{ Id: 1, OrderId: 1, Note: "l".repeat(NOTE) }]
        : { Id: 1, Note: "é".repeat(NOTE / 2) },
    );
    await close();
  });
});
