import { sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noFailures } from "../../service/http/model.ts";
import { ENGINES, type OpenDatabase } from "./engines.ts";

const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  productCode: edm.string().nullable(),
  country: edm.string().nullable(),
  city: edm.string().nullable(),
});

const TABLES = [
  "create table customers (id int primary key)",
  "create table products (code varchar(20) primary key)",
  "create table places (country varchar(20), city varchar(20), primary key (country, city))",
  `create table orders (
    id int primary key, customer_id int not null, product_code varchar(20), country varchar(20), city varchar(20),
    foreign key (customer_id) references customers (id), foreign key (product_code) references products (code),
    foreign key (country, city) references places (country, city))`,
  "insert into customers values (1)",
  "insert into products values ('chair')",
  "insert into places values ('no', 'oslo')",
];

const COLUMNS = { customerId: "customer_id", productCode: "product_code" };

/** No navigation declares these foreign keys. */
describe.each(ENGINES)("a foreign key to a missing row in $title", ({ open }) => {
  let opened: OpenDatabase;
  let service: ODataService;
  beforeAll(async () => {
    opened = await open();
    for (const each of TABLES) await sql.raw(each).execute(opened.db);
    service = odataService({
      logger: noFailures,
      entitySets: [
        sqlEntitySet(Order, {
          db: opened.db,
          table: "orders",
          columns: COLUMNS,
          operations: ["read", "create", "patch"],
        }),
      ],
    });
  });
  afterAll(() => opened.close());

  const send = async (method: string, path: string, body: object): Promise<unknown> => {
    const init = { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const response = await service.fetch(new Request(`http://service.example${path}`, init));
    const text = await response.text();
    return [response.status, text === "" ? null : (JSON.parse(text) as { readonly error?: unknown }).error];
  };
  const missing = (target: string): unknown => [
    409,
    {
      code: "Conflict",
      message: "This value refers to an entity that does not exist. Create the entity first, or use another value.",
      target,
    },
  ];

  test.each<readonly [body: object, target: string]>([
    [{ CustomerId: 9 }, "CustomerId"],
    [{ CustomerId: 9, ProductCode: "chair", Country: "no", City: "oslo" }, "CustomerId"],
    [{ CustomerId: 1, ProductCode: "table" }, "ProductCode"],
    [{ CustomerId: 1, Country: "no", City: "rome" }, "Country"],
  ])("POST %j names the property", async (body, target) => {
    expect(await send("POST", "/Orders", { Id: 1, ...body })).toEqual(missing(target));
  });

  test("PATCH names the property", async () => {
    expect(await send("POST", "/Orders", { Id: 2, CustomerId: 1, Country: "no" })).toEqual([201, undefined]);
    expect(await send("PATCH", "/Orders(2)", { CustomerId: 9 })).toEqual(missing("CustomerId"));
    expect(await send("PATCH", "/Orders(2)", { ProductCode: "table" })).toEqual(missing("ProductCode"));
    expect(await send("PATCH", "/Orders(2)", { Country: null, ProductCode: "chair" })).toEqual([200, undefined]);
  });
});
