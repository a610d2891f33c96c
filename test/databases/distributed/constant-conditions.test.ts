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
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { sentStatements } from "../sql/sent-statements.ts";
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
  // The database computes these for all rows at once, with the values that are bound.
  "Orders?$filter=Total gt 99999999999&$orderby=Customer/Name",
  "Orders?$filter=Total lt -99999999999&$orderby=Customer/Name",
  "Orders?$filter=Total eq 99999999999&$orderby=Customer/Name",
  "Orders?$filter=99999999999 le Total and Id eq 1&$orderby=Customer/Name",
  "Orders?$filter=Total in (99999999999)&$orderby=Customer/Name",
  "Orders?$filter=Total in (99999999999,null)&$orderby=Customer/Name",
  "Orders?$filter=not (Total ne 99999999999)&$orderby=Customer/Name",
  "Orders?$filter=not (Total in (99999999999) or Id ne null)&$orderby=Customer/Name",
  "Orders?$filter=Total add NaN gt 5&$orderby=Customer/Name",
  "Orders?$filter=Total mul 1.5 eq NaN&$orderby=Customer/Name",
  "Orders?$filter=Total add null gt 5&$orderby=Customer/Name",
  "Orders?$filter=not (Id ne null or Total eq 5)&$orderby=Customer/Name",
  "Orders?$filter=(Total eq 5 or true) eq false&$orderby=Customer/Name",
  "Orders?$filter=(Total eq 5 and null) ne true&$orderby=Customer/Name",
  "Orders?$filter=false eq (false or Id eq null)&$orderby=Customer/Name",
  "Orders?$filter=Customer/Name eq 'Ann' and false&$orderby=Customer/Name",
  "Orders?$filter=not (Customer/Name eq 'Ann' or true)&$orderby=Customer/Name",
  "Orders?$filter=null and Id eq 1&$orderby=Customer/Name",
  "Orders?$filter=startswith(null,'a')&$orderby=Customer/Name",
  "Orders?$filter=not startswith(Customer/Name,null)&$orderby=Customer/Name",
  "Orders?$filter=$root/Customers(1)/Name eq 'Bob' and false&$orderby=Customer/Name",
  "Customers?$filter=Orders/all(o:o/Id ne null)",
  "Customers?$filter=not Orders/all(o:o/Id ne null or o/Total eq 5)",
  "Customers?$filter=Orders/all(o:true)",
  "Customers?$filter=not Orders/all(o:o/Total eq 5 or 1 eq 1)",
  "Customers?$filter=not Orders/any(o:o/Total gt 99999999999)",
  "Customers?$filter=not Orders/any(o:null)",
  "Orders?$filter=not (Customer/Orders/any(o:o/Total in (99999999999)))",
  "Customers?$expand=Orders($filter=false;$orderby=Customer/Name)",
  "Customers?$expand=Orders($filter=Total gt 99999999999;$orderby=Customer/Name;$count=true)",
  "Orders?$expand=Customer($filter=false)&$filter=Customer/Name ne null",
  "Orders?$expand=Customer($filter=Id gt 99999999999)&$filter=Customer/Name ne null",
  "Orders/$count?$filter=Total gt 99999999999 or not Customer/Orders/any()",
  "Customers(1)/Orders?$filter=Total gt 99999999999&$orderby=Customer/Name",
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
