import { Kysely, sql } from "kysely";
import { arraySource, entitySet, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { beforeAll, describe, expect, test } from "vitest";
import { countStatements } from "../../engine/executors/count-statements.ts";
import { eachDoor, expectError, type Service, url } from "./doors.ts";
import { recordingLogger } from "./model.ts";
import { FILTERS, ORDERS_BY } from "./navigation-cases.ts";
import {
  COUNTRIES,
  Country,
  CUSTOMERS,
  Customer,
  Line,
  LINES,
  Order,
  ORDERS,
  Product,
  PRODUCTS,
} from "./navigation-model.ts";

/** No row of the table needs to be of a type that the compiler knows. */
type Database = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const logger = recordingLogger();
const statements = countStatements(sqliteDialect(":memory:"));
const db = new Kysely<Database>({ dialect: statements.dialect, log: statements.log });
const operations = ["read"] as const;

/** How orders are read, and how their customers are found. */
interface Variant {
  readonly isInMemory?: boolean;
  readonly hasHandler?: boolean;
  readonly others?: object;
}

/** The shop of `navigation-model`, with all but perhaps its orders in a database. */
function shop({ isInMemory = false, hasHandler = false, others = {} }: Variant = {}): Service {
  const orderNavigation = {
    customer: hasOptional(Customer, {
      target: "Customers",
      ...(hasHandler ? { getBatch: () => new Map() } : { on: { customerId: "id" as const } }),
    }),
    lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }),
  };
  return odataService({
    prefix: "/s",
    namespace: "Shop",
    logger,
    entitySets: [
      sqlEntitySet(Country, { db, table: "countries", operations }),
      sqlEntitySet(Customer, {
        db,
        table: "customers",
        operations,
        ...others,
        navigation: {
          country: hasOptional(Country, { target: "Countries", on: { countryCode: "code" } }),
          orders: hasMany(Order, { target: "Orders", on: { id: "customerId" } }),
        },
      }),
      isInMemory
        ? entitySet(Order, { queryable: () => arraySource(Order, ORDERS), navigation: orderNavigation })
        : sqlEntitySet(Order, { db, table: "orders", operations, navigation: orderNavigation }),
      sqlEntitySet(Line, {
        db,
        table: "lines",
        operations,
        navigation: { product: hasOptional(Product, { target: "Products", on: { productId: "id" } }) },
      }),
      sqlEntitySet(Product, { db, table: "products", operations }),
    ],
  });
}

beforeAll(async () => {
  await sql`create table countries (code text primary key, name text not null)`.execute(db);
  await sql`create table customers (id integer primary key, name text, tags text not null, "countryCode" text, secret text not null)`.execute(
    db,
  );
  await sql`create table orders (id integer primary key, "placedAt" text not null, "customerId" integer)`.execute(db);
  await sql`create table lines ("orderId" integer not null, number integer not null, quantity integer not null, "productId" integer, primary key ("orderId", number))`.execute(
    db,
  );
  await sql`create table products (id integer primary key, name text not null, price text not null)`.execute(db);
  for (const { code, name } of COUNTRIES) await sql`insert into countries values (${code}, ${name})`.execute(db);
  for (const { id, name, tags, countryCode, secret } of CUSTOMERS) {
    await sql`insert into customers values (${id}, ${name}, ${JSON.stringify(tags)}, ${countryCode}, ${secret})`.execute(
      db,
    );
  }
  for (const { id, placedAt, customerId } of ORDERS) {
    const text = placedAt.replace("Z", ".000Z");
    await sql`insert into orders values (${id}, ${text}, ${customerId})`.execute(db);
  }
  for (const { orderId, number, quantity, productId } of LINES) {
    await sql`insert into lines values (${orderId}, ${number}, ${quantity}, ${productId})`.execute(db);
  }
  for (const { id, name, price } of PRODUCTS) {
    await sql`insert into products values (${id}, ${name}, ${price})`.execute(db);
  }
});

eachDoor((door) => {
  describe.each([
    ["a database", shop()],
    ["memory, what they lead to a database", shop({ isInMemory: true })],
  ])("orders are in %s", (_place, service) => {
    const send = door.to(service);
    const idsFor = async (options: Readonly<Record<string, string>>): Promise<unknown> => {
      const answer = await send(url("/s/Orders", { $select: "Id", ...options }));
      expect(answer.status, answer.text).toBe(200);
      return (answer.json.value as readonly { readonly Id: number }[]).map(({ Id }) => Id);
    };

    test.each(FILTERS)("$filter=%s", async ($filter, ids) => {
      expect(await idsFor({ $filter })).toEqual(ids);
      const count = await send(url("/s/Orders/$count", { $filter }));
      expect([count.status, count.text]).toEqual([200, String(ids.length)]);
    });

    test.each(ORDERS_BY)("$orderby=%s", async ($orderby, ids) => {
      expect(await idsFor({ $orderby })).toEqual(ids);
    });

    test("nothing of it is a fault", () => {
      expect(logger.errors).toEqual([]);
    });
  });

  test("one statement where the database joins, and one per navigation and level where memory evaluates", async () => {
    const $filter = "Customer/Country/Name eq 'Norway' and Lines/any(l:l/Product/Price gt 10)";
    for (const [isInMemory, count] of [
      [false, 1],
      [true, 4],
    ] as const) {
      const service = shop({ isInMemory });
      const send = door.to(service);
      await service.ready();
      statements.reset();
      expect((await send(url("/s/Orders", { $filter, $select: "Id" }))).json.value).toEqual([{ Id: 1 }, { Id: 5 }]);
      expect(statements.texts()).toHaveLength(count);
    }
  });

  describe("nested options of $expand", () => {
    test.each([
      ["Lines($filter=Product/Name eq 'Pot';$select=Number)", [[2], [], [], [], [1, 2], []]],
      ["Lines($filter=Product eq null;$select=Number)", [[], [1], [], [], [], []]],
      ["Lines($orderby=Product/Price desc,Quantity;$select=Number)", [[2, 1], [1], [], [], [2, 1, 3], []]],
      ["Lines($orderby=Product/Name;$top=1;$select=Number)", [[2], [1], [], [], [1], []]],
      ["Lines($filter=Product/Name eq $root/Products(2)/Name;$select=Number)", [[2], [], [], [], [1, 2], []]],
    ])("%s", async ($expand, numbers) => {
      for (const isInMemory of [false, true]) {
        const send = door.to(shop({ isInMemory }));
        const answer = await send(url("/s/Orders", { $expand, $select: "Id" }));
        expect(answer.status, answer.text).toBe(200);
        const orders = answer.json.value as readonly { readonly Lines: readonly { readonly Number: number }[] }[];
        expect(orders.map(({ Lines }) => Lines.map((line) => line.Number))).toEqual(numbers);
      }
    });

    test("of a single entity, in the statement of its parents", async () => {
      const $expand = "Customer($filter=Country/Code eq 'NO' and Orders/any(o:o/Lines/any());$select=Id)";
      const service = shop();
      await service.ready();
      statements.reset();
      const answer = await door.to(service)(url("/s/Orders", { $expand, $select: "Id" }));
      const orders = answer.json.value as readonly { readonly Customer: unknown }[];
      expect(orders.map((order) => order.Customer)).toEqual([{ Id: 1 }, null, null, null, { Id: 1 }, null]);
      expect(statements.texts()).toHaveLength(1);
    });
  });

  test("a navigation route orders by what its entities lead to", async () => {
    for (const isInMemory of [false, true]) {
      const send = door.to(shop({ isInMemory }));
      const answer = await send(url("/s/Customers(1)/Orders", { $orderby: "Lines/$count desc", $select: "Id" }));
      if (isInMemory) expect(answer.status, answer.text).toBe(404);
      else expect(answer.json?.value, answer.text).toEqual([{ Id: 5 }, { Id: 1 }]);
    }
  });

  describe("navigations that a database cannot join", () => {
    test("a navigation that only a handler knows", async () => {
      const send = door.to(shop({ hasHandler: true }));
      for (const [option, text] of [
        ["$filter", "Customer/Name eq 'Ada'"],
        ["$orderby", "Customer/Name"],
      ] as const) {
        expectError(await send(url("/s/Orders", { [option]: text })), {
          status: 400,
          code: "UnsupportedQueryOption",
          target: option,
          message: `Paths through 'Customer' are not supported in ${option}: the data source of 'Orders' cannot join what it leads to.`,
        });
      }
      expect((await send(url("/s/Orders/$count", { $filter: "Lines/any()" }))).text).toBe("3");
    });

    test("a set that is elsewhere", async () => {
      const elsewhere = { queryable: () => arraySource(Customer, CUSTOMERS) };
      const send = door.to(shop({ others: elsewhere }));
      for (const [path, text] of [
        ["Customer", "Customer/Name eq 'Ada'"],
        ["$root/Customers", "$root/Customers(1)/Name eq 'Ada'"],
      ] as const) {
        const reason = path === "Customer" ? "cannot join what it leads to" : "cannot join it";
        expectError(await send(url("/s/Orders", { $filter: text })), {
          status: 400,
          code: "UnsupportedQueryOption",
          target: "$filter",
          message: `Paths through '${path}' are not supported in $filter: the data source of 'Orders' ${reason}.`,
        });
      }
    });
  });
});
