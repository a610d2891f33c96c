import { sql } from "kysely";
import {
  edm,
  entityType,
  hasMany,
  hasOptional,
  noRows,
  odataService,
  type ODataService,
  type RowPredicate,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../executors/engines.ts";
import { sentStatements } from "../kysely/sent-statements.ts";
import { watching } from "./watched-database.ts";

const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Order = entityType("Order", { id: edm.int32().key(), customerId: edm.int32().nullable(), total: edm.int32() });

async function createTables(db: AnyDatabase): Promise<void> {
  await sql`create table customers (id int primary key, name varchar(20) not null)`.execute(db);
  await sql`insert into customers values (1, 'Ann'), (2, 'Bob')`.execute(db);
  await sql`create table orders (id int primary key, ${sql.id("customerId")} int, total int not null)`.execute(db);
  await sql`insert into orders values (1, 1, 5), (2, 1, 7), (3, null, 9)`.execute(db);
}

/** Users who are not named `ann` see no orders. */
const rows = (
  user: { readonly id?: string | undefined },
  row: { readonly total: { gt(value: number): RowPredicate } },
) => (user.id === "ann" ? row.total.gt(5) : noRows);

function serve(db: AnyDatabase, distributed: boolean, isPlaced: boolean): ODataService {
  const place = { db, operations: ["read"] } as const;
  const by = isPlaced ? ({ by: "id" } as const) : distributed;
  const near = isPlaced ? ({ by: "customerId", with: "customers" } as const) : distributed;
  return odataService({
    profile: "standard",
    schemaCheck: false,
    authenticate: (request) => {
      const id = request.headers.get("x-user");
      return id === null ? null : { id };
    },
    entitySets: [
      sqlEntitySet(Customer, {
        ...place,
        table: "customers",
        distributed: by,
        navigation: {
          orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders" }),
          hidden: hasMany(Order, { on: { id: "customerId" }, target: "Hidden" }),
        },
      }),
      sqlEntitySet(Order, {
        ...place,
        table: "orders",
        distributed: near,
        navigation: { customer: hasOptional(Customer, { on: { customerId: "id" }, target: "Customers" }) },
      }),
      sqlEntitySet(Order, {
        ...place,
        name: "Hidden",
        table: "orders",
        distributed: near,
        navigation: { customer: hasOptional(Customer, { on: { customerId: "id" }, target: "Customers" }) },
        authorization: { rows },
      }),
    ],
  });
}

const CONSTANTS = [
  "Customers?$filter=false and not Orders/any()",
  "Customers?$filter=1 eq 2 and not Orders/any()&$count=true",
  "Customers?$filter=1 eq 1 and not Orders/any()",
  "Customers?$filter=Id eq null and not Orders/any()",
  "Customers?$filter=(false or 2 in (1)) and not Orders/any()",
  "Customers?$filter=not Orders/any(o:false)",
  "Customers?$filter=not Orders/any(o:true and o/Id ne null)",
  "Customers?$filter=Orders/all(o:o/Id eq null)",
  "Orders?$filter=startswith('ab','b')&$orderby=Customer/Name",
  "Orders?$filter=not (Customer/Id eq null)&$orderby=Customer/Name",
  "Orders?$filter=length('abc') eq 4&$orderby=Customer/Name",
];

/** Requests of users who see no orders, and those of the first user. */
const RESTRICTED = [
  "Customers?$filter=Hidden/any()",
  "Customers?$filter=not Hidden/any()&$expand=Hidden",
  "Customers?$orderby=Hidden/$count desc,Id",
  "Customers(1)?$expand=Hidden($count=true)",
  "Hidden?$orderby=Customer/Name&$count=true&$expand=Customer",
  "Hidden?$filter=not (Customer/Name eq 'Ann')",
  "Hidden/$count",
  "Hidden(2)?$expand=Customer",
  "Hidden(2)/Customer",
  "Customers(1)/Hidden?$orderby=Customer/Name&$count=true",
];

describe.each(ENGINES)("constant conditions over $title", (engine) => {
  let one: OpenDatabase;
  let plain: ODataService;
  beforeAll(async () => {
    one = await engine.open();
    await createTables(one.db);
    plain = serve(one.db, false, false);
  });
  afterAll(() => one.close());

  async function answers(service: ODataService, targets: readonly string[], user: string | null): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const target of targets) {
      const headers = user === null ? {} : { "x-user": user };
      const response = await service.fetch(new Request(`http://service.example/${target}`, { headers }));
      found.push([target, response.status, await response.text()]);
    }
    return found;
  }

  test("a rule that hides every row sends no statement", async () => {
    const targets = ["Hidden?$orderby=Customer/Name", "Hidden?$count=true&$top=1", "Hidden/$count", "Hidden(2)"];
    const sent = await sentStatements(one.db, () => answers(plain, targets, "bob"));
    expect(sent).toEqual([]);
    expect(await answers(plain, targets, "bob")).toMatchObject([
      [targets[0], 200, expect.stringContaining('"value":[]')],
      [targets[1], 200, expect.stringContaining('"@odata.count":0,"value":[]')],
      [targets[2], 200, "0"],
      [targets[3], 404, expect.any(String)],
    ]);
  });

  test.runIf(engine.name === "postgres").each([false, true])(
    "give the same as over one machine, if placements are declared: %s",
    async (isPlaced) => {
      const all: unknown[] = [];
      for (const user of [null, "bob", "ann"]) all.push(await answers(plain, [...CONSTANTS, ...RESTRICTED], user));
      const constant = all[0] as ReadonlyArray<readonly unknown[]>;
      expect(constant.slice(0, CONSTANTS.length).filter(([, status]) => status !== 200)).toEqual([]);
      const { db, close } = await watching(engine, isPlaced ? PLACEMENTS : undefined)();
      await createTables(db);
      const spread = serve(db, true, isPlaced);
      const found: unknown[] = [];
      for (const user of [null, "bob", "ann"]) found.push(await answers(spread, [...CONSTANTS, ...RESTRICTED], user));
      await close();
      expect(found).toEqual(all);
    },
  );
});

const PLACEMENTS = new Map([
  ["customers", { column: "id", group: "customers" }],
  ["orders", { column: "customerId", group: "customers" }],
]);
