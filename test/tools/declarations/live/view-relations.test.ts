import { sql } from "kysely";
import { odataService, type ODataService } from "odatakit";
import { type DescribedService, introspectDatabase } from "odatakit/introspect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../../engine/executors/engines.ts";
import { noFailures } from "../../../service/http/model.ts";

const STATEMENTS = [
  "create table country (code text primary key, name text not null)",
  "create table customer (id integer primary key, name text not null, country_code text references country)",
  `create table orders (id integer primary key, customer_id integer not null references customer, follows integer references orders,
    total integer not null)`,
  "create view big_orders as select id, customer_id, total from orders where total >= 10",
  "create view renamed_orders as select o.id as number, o.customer_id as buyer, o.total from orders o",
  `create view order_countries as select o.id, o.total, c.country_code from orders o join customer c on c.id = o.customer_id`,
  `create view customer_totals as select c.id, c.country_code, max(o.total) as most from customer c
    left join orders o on o.customer_id = c.id group by c.id`,
  `create view pairs as select o.id, f.customer_id as first_customer, o.customer_id from orders o left join orders f on f.id = o.follows`,
  "create view shifted as select id, customer_id + 0 as customer_id from orders",
  "insert into country values ('PT', 'Portugal'), ('BR', 'Brazil')",
  "insert into customer values (1, 'ann', 'PT'), (2, 'bob', null)",
  "insert into orders values (1, 1, null, 5), (2, 1, 1, 15), (3, 2, 2, 25)",
];

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("navigations of views over $title", ({ open }) => {
  let database: OpenDatabase;
  let described: DescribedService;
  let service: ODataService;

  beforeAll(async () => {
    database = await open();
    const { db } = database;
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
    const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
    const found = await introspectDatabase(db, { schemas: rows.map((row) => row.name) });
    ({ described } = found);
    service = odataService({ logger: noFailures, entitySets: found.entitySets });
  });
  afterAll(() => database.close());

  const navigationsOf = (set: string): readonly string[] =>
    (described.sets.find(({ setName }) => setName === set)?.navigations ?? []).map(
      ({ name, targetSet, base }) => `${name} ${targetSet}${base === undefined ? "" : ` of ${base.name}`}`,
    );

  test.each<readonly [set: string, navigations: readonly string[]]>([
    ["BigOrders", ["Customer Customers of orders"]],
    ["RenamedOrders", ["Customer Customers of orders"]],
    ["OrderCountries", ["Country Countries of customer"]],
    ["CustomerTotals", ["Country Countries of customer"]],
    ["Pairs", ["Customer Customers of orders", "FirstCustomerCustomer Customers of orders"]],
    ["Shifteds", []],
  ])("%s", (set, navigations) => {
    expect(navigationsOf(set)).toEqual(navigations);
  });

  test("lead back from the tables", () => {
    expect(navigationsOf("Countries")).toEqual([
      "Customers Customers",
      "CustomerTotals CustomerTotals of customer",
      "OrderCountries OrderCountries of customer",
    ]);
    expect(described.warnings.filter(({ code }) => code === "foreign-key")).toEqual([]);
  });

  const get = async (path: string): Promise<readonly [number, unknown]> => {
    const response = await service.fetch(
      new Request(`http://x/${encodeURI(path)}`, { headers: { Accept: "application/json;odata.metadata=none" } }),
    );
    return [response.status, ((await response.json()) as { readonly value?: unknown }).value];
  };

  test("are read", async () => {
    expect(await get("BigOrders?$expand=Customer($select=Name)&$select=Id&$orderby=Id")).toEqual([
      200,
      [
        { Id: 2, Customer: { Name: "ann" } },
        { Id: 3, Customer: { Name: "bob" } },
      ],
    ]);
    expect(await get("Pairs?$expand=FirstCustomerCustomer($select=Name)&$select=Id&$orderby=Id")).toEqual([
      200,
      [
        { Id: 1, FirstCustomerCustomer: null },
        { Id: 2, FirstCustomerCustomer: { Name: "ann" } },
        { Id: 3, FirstCustomerCustomer: { Name: "ann" } },
      ],
    ]);
    expect(await get("CustomerTotals?$filter=Country/Name eq 'Portugal'&$select=Id,Most")).toEqual([
      200,
      [{ Id: 1, Most: 15 }],
    ]);
    expect(await get("Customers?$expand=BigOrders($select=Id)&$select=Id&$orderby=Id")).toEqual([
      200,
      [
        { Id: 1, BigOrders: [{ Id: 2 }] },
        { Id: 2, BigOrders: [{ Id: 3 }] },
      ],
    ]);
  });
});
