import {
  arraySource,
  type CollectionQuery,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError, targetOf, url } from "./doors.ts";
import { CUSTOMERS, LINES, LOADS, ORDERS, Order, shop } from "./navigation-model.ts";

eachDoor((door) => {
  // Nothing expands a list in memory by its join alone.
  const expanding = LOADS.filter((load) => load !== "queryable" && load !== "getAll");
  describe.each(expanding)("nested options of $expand, related entities from %s", (load) => {
    const { service, logged } = shop({ load });
    const send = door.to(service);

    test.each([
      ["Lines($filter=Product/Name eq 'Pot';$select=Number)", [[2], [], [], [], [1, 2], []]],
      ["Lines($filter=Product eq null;$select=Number)", [[], [1], [], [], [], []]],
      ["Lines($filter=Product/Price gt 1 and Quantity gt 1;$select=Number)", [[2], [], [], [], [1], []]],
      ["Lines($orderby=Product/Price desc,Quantity;$select=Number)", [[2, 1], [1], [], [], [2, 1, 3], []]],
      ["Lines($orderby=Product/Name;$top=1;$select=Number)", [[2], [1], [], [], [1], []]],
      ["Lines($filter=Product/Name eq $root/Products(2)/Name;$select=Number)", [[2], [], [], [], [1, 2], []]],
    ])("%s", async ($expand, numbers) => {
      const answer = await send(url("/s/Orders", { $expand, $select: "Id" }));
      expect(answer.status, answer.text).toBe(200);
      const orders = answer.json.value as readonly { readonly Lines: readonly { readonly Number: number }[] }[];
      expect(orders.map(({ Lines }) => Lines.map((line) => line.Number))).toEqual(numbers);
    });

    test.each([
      ["Lines($filter=$it/Id eq OrderId)", 14],
      ["Lines($filter=Product/Name eq 'Pot' and Quantity gt $it/Id)", 52],
      ["Lines($orderby=$it/Id)", 15],
      ["Lines($expand=Product($filter=$it/Id gt 1))", 30],
    ])("$it is the entity of the resource path, which is not offered: %s", async ($expand, position) => {
      expectError(await send(url("/s/Orders", { $expand })), {
        status: 400,
        code: "UnsupportedQueryOption",
        message: `$expand at position ${position}: '$it', the entity that is expanded, is not supported here: to use the related entity, write its property without '$it/'.`,
        target: "$expand",
      });
    });

    test("the filter on a single entity, and two levels down", async () => {
      const $expand =
        "Customer($filter=Country/Code eq 'NO';$select=Id;$expand=Orders($filter=Lines/any();$select=Id))";
      const answer = await send(url("/s/Orders", { $expand, $select: "Id" }));
      const orders = answer.json.value as readonly { readonly Customer: unknown }[];
      expect(orders.map((order) => order.Customer)).toEqual(
        [1, 2, 3, 4, 5, 6].map((id) => (id === 1 || id === 5 ? { Id: 1, Orders: [{ Id: 1 }, { Id: 5 }] } : null)),
      );
    });

    test("nothing of it is a fault", () => {
      expect(logged).toEqual([]);
    });
  });

  test("one call per level and navigation, whatever the number of parents", async () => {
    const { service, calls } = shop({ load: "getBatch" });
    const $expand = "Lines($filter=Product/Name eq 'Pot';$orderby=Product/Price)";
    await door.to(service)(url("/s/Orders", { $expand, $filter: "Customer/Country/Code ne 'XX'" }));
    expect(calls.take()).toEqual({ customer: 1, country: 1, lines: 1, product: 1 });
  });

  test("a truncated list continues at its route, in the same order", async () => {
    const { service } = shop({ load: "getBatch", defaults: { maxExpandTop: 2 } });
    const send = door.to(service);
    const $expand = "Lines($orderby=Product/Name,Quantity desc;$select=Number)";
    const answer = await send(url("/s/Orders", { $expand, $filter: "Id eq 5", $select: "Id" }));
    const [order] = answer.json.value as readonly Readonly<Record<string, unknown>>[];
    expect(order?.["Lines"]).toEqual([{ Number: 1 }, { Number: 2 }]);
    const next = await send(targetOf(String(order?.["Lines@odata.nextLink"])));
    expect(next.json?.value, next.text).toEqual([{ Number: 3 }]);
  });

  test("a navigation route orders by what its entities lead to", async () => {
    for (const load of ["getBatch", "get", "getLater"] as const) {
      const { service } = shop({ load });
      const send = door.to(service);
      const answer = await send(url("/s/Orders(5)/Lines", { $orderby: "Product/Name desc", $select: "Number" }));
      // The set has no read by key: the handlers decide whether the parent exists.
      expect(answer.json?.value, answer.text).toEqual([{ Number: 3 }, { Number: 2 }, { Number: 1 }]);
    }
  });

  test("a search that returns rows, and a search that returns a source", async () => {
    for (const found of [ORDERS, arraySource(Order, ORDERS)]) {
      const { service } = shop({ orders: { search: () => found } });
      const answer = await door.to(service)(
        url("/s/Orders", {
          $search: "x",
          $filter: "Customer/Name eq 'Ada'",
          $orderby: "Lines/$count desc",
          $select: "Id",
        }),
      );
      expect(answer.json?.value, answer.text).toEqual([{ Id: 5 }, { Id: 1 }]);
    }
  });

  test("a set that is read by getAll", async () => {
    const { service } = shop({ form: "getAll" });
    const send = door.to(service);
    const answer = await send(url("/s/Orders", { $filter: "Customer/Name eq 'Ada'", $select: "Id", $count: "true" }));
    expect([answer.json["@odata.count"], answer.json.value]).toEqual([2, [{ Id: 1 }, { Id: 5 }]]);
  });

  test("a set that applies queries itself gets the expressions, with literals in place", async () => {
    const seen: unknown[] = [];
    const applyQuery = ({ filter, orderBy }: CollectionQuery) => {
      seen.push(filter?.expression, ...orderBy.map(({ expression }) => expression));
      return { items: ORDERS.slice(0, 1) };
    };
    const { service, calls } = shop({ load: "getBatch", orders: { applyQuery } });
    const $filter = "Lines/any(l:l/Quantity gt 4) and $root/Customers(7)/Name eq Customer/Name";
    const answer = await door.to(service)(url("/s/Orders", { $filter, $orderby: "Customer/Country/Code" }));
    expect(answer.json?.value, answer.text).toHaveLength(1);
    const navigation = (name: string, source: unknown, declaring: string, target: string) =>
      expect.objectContaining({
        kind: "navigation",
        source,
        navigationProperty: expect.objectContaining({ name }),
        entitySet: expect.objectContaining({ name: declaring }),
        target: expect.objectContaining({ name: target }),
      });
    const it = expect.objectContaining({ kind: "it" });
    const customer = navigation("Customer", it, "Orders", "Customers");
    const property = (name: string, source: unknown) =>
      expect.objectContaining({ kind: "property", source, property: expect.objectContaining({ name }) });
    const literal = (value: unknown) => expect.objectContaining({ kind: "literal", value });
    const root = expect.objectContaining({
      kind: "root",
      entitySet: expect.objectContaining({ name: "Customers" }),
      key: [literal(7)],
    });
    expect(seen).toEqual([
      expect.objectContaining({
        kind: "logical",
        operands: [
          expect.objectContaining({
            kind: "lambda",
            collection: navigation("Lines", it, "Orders", "Lines"),
            depth: 0,
            predicate: expect.objectContaining({
              left: property("Quantity", expect.objectContaining({ kind: "variable", depth: 0 })),
              right: literal(4),
            }),
          }),
          expect.objectContaining({ left: property("Name", root), right: property("Name", customer) }),
        ],
      }),
      property("Code", navigation("Country", customer, "Customers", "Countries")),
    ]);
    expect(calls.take()).toEqual({});
  });

  test("two paths that lead to one entity at the same time, by handlers that answer new objects each time", async () => {
    const Step = entityType("Step", { id: edm.int32().key(), name: edm.string() });
    const rows = [
      { id: 1, name: "a" },
      { id: 2, name: "b" },
    ];
    const wait = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) await Promise.resolve();
    };
    for (const [slow, fast] of [
      [9, 0],
      [0, 9],
    ] as const) {
      const service = odataService({
        prefix: "/w",
        entitySets: [
          entitySet(Step, {
            getAll: () => rows,
            navigation: {
              same: hasOptional(Step, {
                target: "Steps",
                get: async (key) => rows.find(({ id }) => id === key) ?? null,
              }),
              copy: hasOptional(Step, {
                target: "Steps",
                getBatch: async (keys) => {
                  await wait(keys.length === 2 ? slow : fast);
                  return new Map(keys.map((key) => [key, { id: key, name: `copy ${String(key)}` }]));
                },
              }),
              other: hasOptional(Step, { target: "Steps", get: async (key) => ({ id: key, name: "other" }) }),
              third: hasOptional(Step, { target: "Steps", get: async (key) => ({ id: key, name: "third" }) }),
            },
          }),
        ],
      });
      const $filter = "Copy/Other/Name eq 'other' and Same/Copy/Third/Name eq 'third' and $root/Steps(1)/Copy/Id eq 1";
      const answer = await door.to(service)(url("/w/Steps", { $filter, $select: "Id" }));
      expect(answer.json?.value, answer.text).toEqual([{ Id: 1 }, { Id: 2 }]);
    }
  });

  test("each set is opened once for a request, though it be mentioned again", async () => {
    const Employee = entityType("Employee", { id: edm.int32().key(), bossId: edm.int32().nullable() });
    let opened = 0;
    const service = odataService({
      prefix: "/e",
      entitySets: [
        entitySet(Employee, {
          queryable: async () => {
            opened += 1;
            return arraySource(Employee, [
              { id: 1, bossId: null },
              { id: 2, bossId: 1 },
            ]);
          },
          navigation: {
            boss: hasOptional(Employee, { target: "Employees", on: { bossId: "id" } }),
            staff: hasMany(Employee, { target: "Employees", on: { id: "bossId" } }),
          },
        }),
      ],
    });
    const $filter = "Boss/Staff/any(s:s/Id eq $it/Id) and $root/Employees(1)/Id eq Boss/Id";
    const answer = await door.to(service)(url("/e/Employees", { $filter, $orderby: "Staff/$count" }));
    expect([answer.json?.value, opened], answer.text).toEqual([[{ Id: 2, BossId: 1 }], 1]);
  });

  describe("calls of handlers", () => {
    test("one batch per level and navigation, with distinct keys", async () => {
      const { service, calls } = shop({ load: "getBatch" });
      const send = door.to(service);
      await send(url("/s/Orders", { $filter: "Customer/Country/Name eq 'Norway' or Customer/Name eq 'x'" }));
      expect(calls.take()).toEqual({ customer: 1, country: 1 });
      expect(calls.batches).toEqual([
        [1, 2, 3, 4, 5, 6],
        [1, 2, 3],
      ]);
    });

    test("only for entities that match the other conditions; the order only for entities that match the filter", async () => {
      const { service, calls } = shop({ load: "getBatch" });
      const send = door.to(service);
      await send(
        url("/s/Orders", { $filter: "Customer/Name eq 'Ada' and Id lt 4", $orderby: "Lines/$count,Customer/Name" }),
      );
      expect(calls.batches).toEqual([[1, 2, 3], [1]]);
      expect(calls.take()).toEqual({ customer: 1, lines: 1 });
    });

    test("a count ignores the order", async () => {
      const { service, calls } = shop({ load: "getBatch" });
      await door.to(service)(url("/s/Orders/$count", { $orderby: "Lines/$count", $filter: "Customer ne null" }));
      expect(calls.take()).toEqual({ customer: 1 });
    });

    test("get is called once for each key", async () => {
      const { service, calls } = shop({ load: "getLater" });
      await door.to(service)(url("/s/Orders", { $filter: "Customer/Country/Name eq 'Norway'" }));
      expect(calls.take()).toEqual({ customer: 6, country: 3 });
    });

    test.each(["queryable", "getAll"] as const)(
      "the target is read once by %s where a join is declared",
      async (load) => {
        const { service, calls } = shop({ load });
        await door.to(service)(
          url("/s/Orders", { $filter: "Customer/Country/Name eq 'Norway' and Lines/any()", $orderby: "Lines/$count" }),
        );
        expect(calls.take()).toEqual({ Countries: 1, Customers: 1, Lines: 1 });
      },
    );

    test("none for a query that mentions no navigation", async () => {
      const { service, calls } = shop({ load: "getBatch" });
      await door.to(service)(url("/s/Orders", { $filter: "Id gt 1", $orderby: "Id desc" }));
      expect(calls.take()).toEqual({});
    });

    test("an error of a handler becomes the response", async () => {
      const Parent = entityType("Parent", { id: edm.int32().key() });
      const failing = odataService({
        prefix: "/f",
        entitySets: [
          entitySet(Parent, {
            getAll: () => [{ id: 1 }],
            navigation: {
              parts: hasMany(Parent, { getBatch: () => new Map([[1, 5 as never]]) }),
              others: hasMany(Parent, { getBatch: () => 5 as never }),
            },
          }),
        ],
        logger: { error: () => {}, warn: () => {}, info: () => {} },
      });
      for (const filter of ["Parts/any()", "Others/any()"]) {
        const answer = await door.to(failing)(url("/f/Parents", { $filter: filter }));
        expectError(answer, { status: 500, code: "InternalServerError" });
      }
    });
  });

  test("entities that are loaded count against maxResponseEntities", async () => {
    const { service } = shop({ defaults: { maxResponseEntities: 6 } });
    const send = door.to(service);
    expect((await send(url("/s/Orders", { $filter: "Lines/any()" }))).status).toBe(200);
    const answer = await send(url("/s/Orders", { $filter: "Lines/any() and Customer ne null" }));
    expectError(answer, {
      status: 400,
      code: "InvalidQueryOption",
      target: "$filter",
      message: /^\$filter follows 'Orders\/(Lines|Customer)' to more than 6 entities: add a condition/u,
    });
    expect([LINES.length, CUSTOMERS.length]).toEqual([6, 4]);
  });
});
