import { edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type Door,
  eachDoor,
  EMPTY_HEADERS,
  expectAnswer,
  expectError,
  type HeaderTable,
  JSON_HEADERS,
  ORIGIN,
} from "./doors.ts";
import { noFailures } from "./model.ts";
import { tagOf } from "./write-table.ts";

const Part = entityType("Part", { id: edm.int32().key(), name: edm.string(), version: edm.int32().computed() });
const Line = entityType("Line", {
  id: edm.int32().key(),
  orderId: edm.int32(),
  text: edm.string(),
  words: edm.collection(edm.string()),
});
const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  tags: edm.collection(edm.string()),
  version: edm.int32().computed(),
});

const given: unknown[] = [];
beforeEach(() => {
  given.length = 0;
});

interface Loose {
  [name: string]: unknown;
}

/** Returns the entity that the handler saves: the graph of the body, with versions, and lines that refer back. */
function saved(body: object): Loose {
  const order: Loose = { ...body, version: 1 };
  if (Array.isArray(order["lines"])) {
    order["lines"] = (order["lines"] as Loose[]).map((line) => {
      const part = line["part"];
      return { ...line, order, ...(part === null || part === undefined ? {} : { part: { ...part, version: 5 } }) };
    });
  }
  return order;
}

interface Options {
  readonly deep: boolean;
  readonly create?: (body: object) => unknown;
}

function orders(door: Door, { deep, create = saved }: Options) {
  const service = odataService({
    prefix: "/s",
    namespace: "Kit",
    entitySets: [
      entitySet(Order, {
        allowDeepInsert: deep,
        etag: ["version"],
        create: (body) => {
          given.push(structuredClone(body));
          return create(body) as never;
        },
        navigation: {
          lines: hasMany(Line, {
            on: { id: "orderId" },
            target: "Lines",
            get: () => [{ id: 77, orderId: 1, text: "read", words: [] }],
          }),
          customer: hasOptional(Customer, { on: { customerId: "id" }, target: "Customers", get: () => null }),
          loose: hasMany(Line),
        },
      }),
      entitySet(Line, {
        getAll: () => [],
        navigation: { order: hasOptional(Order, { target: "Orders" }), part: hasOptional(Part, { target: "Parts" }) },
      }),
      entitySet(Part, { getAll: () => [], etag: ["version"] }),
      entitySet(Customer, { getAll: () => [] }),
    ],
    logger: noFailures,
  });
  const ask = door.to(service);
  return (body: unknown, headers: HeaderTable = {}, query = "") =>
    ask(`/s/Orders${query}`, { "Content-Type": "application/json", ...headers }, "POST", JSON.stringify(body));
}

const GRAPH = {
  Id: 1,
  Tags: ["a", "b"],
  Lines: [
    { Id: 10, Text: "first", Words: ["x"], Part: { Id: 100, Name: "bolt" } },
    { Id: 11, Text: "second" },
  ],
  Customer: { Id: 7, Name: "Ann" },
};

const url = (path: string): string => `${ORIGIN}/s/${path}`;
const PLAIN = {
  "@odata.context": url("$metadata#Orders/$entity"),
  "@odata.id": url("Orders(1)"),
  "@odata.etag": tagOf({ version: 1 }),
  Id: 1,
  Tags: ["a", "b"],
  Version: 1,
};
const CREATED = {
  ...JSON_HEADERS,
  location: url("Orders(1)"),
  "content-location": url("Orders(1)"),
  etag: tagOf({ version: 1 }),
};

eachDoor((door) => {
  describe("without deep insert", () => {
    test("nested values of navigation properties are null before the handler; other nested values are untouched", async () => {
      const answer = await orders(door, { deep: false })(GRAPH);
      expect(given).toEqual([{ id: 1, customerId: null, tags: ["a", "b"], lines: null, customer: null }]);
      expectAnswer(answer, { status: 201, headers: CREATED, body: { ...PLAIN, CustomerId: null } });
    });

    test("the response omits navigations that the handler populates", async () => {
      const create = (body: object) => ({ ...body, version: 1, lines: [{ id: 1 }], customer: { id: 7 } });
      const { json } = await orders(door, { deep: false, create })({ Id: 1, Tags: ["a", "b"] });
      expect(json).toEqual({ ...PLAIN, CustomerId: null });
    });
  });

  describe("with deep insert", () => {
    test("the whole graph reaches the handler, and comes back inline; keys flow along `on`", async () => {
      const answer = await orders(door, { deep: true })(GRAPH);
      expect(given).toEqual([
        {
          id: 1,
          customerId: 7,
          tags: ["a", "b"],
          lines: [
            { id: 10, orderId: 1, text: "first", words: ["x"], part: { id: 100, name: "bolt" } },
            { id: 11, orderId: 1, text: "second", words: [] },
          ],
          customer: { id: 7, name: "Ann" },
        },
      ]);
      expectAnswer(answer, {
        status: 201,
        headers: CREATED,
        body: {
          ...PLAIN,
          CustomerId: 7,
          Lines: [
            {
              Id: 10,
              OrderId: 1,
              Text: "first",
              Words: ["x"],
              Part: { "@odata.etag": tagOf({ version: 5 }), Id: 100, Name: "bolt", Version: 5 },
            },
            { Id: 11, OrderId: 1, Text: "second", Words: [] },
          ],
          Customer: { Id: 7, Name: "Ann" },
        },
      });
    });

    test("only related entities from the handler are inline: none, an empty list, or more than sent", async () => {
      const nothing = await orders(door, {
        deep: true,
        create: (body) => ({ ...body, lines: null, customer: undefined, version: 1 }),
      })(GRAPH);
      expect(nothing.json).toEqual({ ...PLAIN, CustomerId: 7 });
      const none = await orders(door, {
        deep: true,
        create: (body) => ({ ...body, lines: [], customer: null, version: 1 }),
      })(GRAPH);
      expect(none.json).toEqual({ ...PLAIN, CustomerId: 7, Lines: [] });
      const create = (body: object) => ({ ...body, customer: { id: 9, name: "Bo" }, version: 1 });
      const more = await orders(door, { deep: true, create })({ Id: 1, Tags: ["a", "b"] });
      expect(more.json).toEqual({ ...PLAIN, CustomerId: null, Customer: { Id: 9, Name: "Bo" } });
    });

    test("circles end, whatever way they take", async () => {
      const create = (body: object) => {
        const order: Loose = { ...body, version: 1 };
        const line: Loose = { id: 1, orderId: 1, text: "a", words: [], order };
        order["lines"] = [line, { ...line, order: { ...order, lines: [line] } }];
        return order;
      };
      const { status, json } = await orders(door, { deep: true, create })({ Id: 1, Tags: [] });
      expect(status).toBe(201);
      expect(json.Lines[0].Order).toBe(undefined);
      expect(json.Lines[1].Order).toMatchObject({ Id: 1, Lines: [{ Id: 1 }] });
    });

    test("without a target set entities are inline too, and lead no further", async () => {
      const { json } = await orders(door, { deep: true })({
        Id: 1,
        Tags: [],
        Loose: [{ Id: 5, OrderId: 1, Text: "x" }],
      });
      expect(json.Loose).toEqual([{ Id: 5, OrderId: 1, Text: "x", Words: [] }]);
    });

    test("Prefer: return=minimal: no body, and the handler still has the graph", async () => {
      const answer = await orders(door, { deep: true })(GRAPH, { Prefer: "return=minimal" });
      expectAnswer(answer, {
        status: 204,
        headers: {
          ...EMPTY_HEADERS,
          location: url("Orders(1)"),
          "content-location": url("Orders(1)"),
          "odata-entityid": url("Orders(1)"),
          etag: tagOf({ version: 1 }),
          "preference-applied": "return=minimal",
        },
        body: "",
      });
      expect(given).toMatchObject([{ lines: [{ id: 10 }, { id: 11 }], customer: { id: 7 } }]);
    });

    test("$select and $expand choose the content of the response instead", async () => {
      const send = orders(door, { deep: true });
      const chosen = await send(GRAPH, {}, "?$select=Id");
      expect(chosen.json).toEqual({
        "@odata.context": url("$metadata#Orders(Id)/$entity"),
        "@odata.id": url("Orders(1)"),
        "@odata.etag": tagOf({ version: 1 }),
        Id: 1,
      });
      const expanded = await send(GRAPH, {}, "?$select=Id&$expand=Lines($select=Id)");
      // The handler of the navigation supplies the lines, as in any read.
      expect(expanded.json.Lines).toEqual([{ Id: 77 }]);
      expect(expanded.json.Customer).toBe(undefined);
    });

    test("odata.metadata=full and none hold for nested entities too", async () => {
      const send = orders(door, { deep: true });
      const full = await send(GRAPH, { Accept: "application/json;odata.metadata=full" });
      expect(full.json.Lines[0]).toMatchObject({ "@odata.type": "#Kit.Line", "@odata.id": url("Lines(10)") });
      const none = await send(GRAPH, { Accept: "application/json;odata.metadata=none" });
      expect(none.json.Lines[0].Part).toEqual({ Id: 100, Name: "bolt", Version: 5 });
    });

    test.each([
      ["a line of another type", { ...GRAPH, Lines: [{ Id: "x", Text: "a" }] }, "Lines/0/Id"],
      ["a line that lacks a member", { ...GRAPH, Lines: [{ Id: 1, Text: "a" }, { Id: 2 }] }, "Lines/1/Text"],
      ["an unknown member", { ...GRAPH, Customer: { Id: 7, Name: "A", Age: 5 } }, "Customer/Age"],
      ["no collection", { ...GRAPH, Lines: {} }, "Lines"],
      ["no entity", { ...GRAPH, Customer: [] }, "Customer"],
      ["another order", { ...GRAPH, Lines: [{ Id: 10, OrderId: 2, Text: "a" }] }, "Lines/0/OrderId"],
    ])("%s is 400, and nothing is created", async (_, body, target) => {
      const answer = await orders(door, { deep: true })(body);
      expectError(answer, { status: 400, code: "InvalidBody", target });
      expect(given).toEqual([]);
    });
  });

  describe("@odata.bind", () => {
    const BINDINGS: ReadonlyArray<readonly [string, Loose]> = [
      ["at the top", { Id: 1, Tags: [], "Customer@odata.bind": "Customers(7)" }],
      ["in a child", { Id: 1, Tags: [], Lines: [{ Id: 10, Text: "a", "Part@odata.bind": "Parts(1)" }] }],
      ["deep in what nobody reads", { Id: 1, Tags: [], Version: { a: [{ "x@odata.bind": 1 }] } }],
      ["in a body that is wrong besides", { Nope: 1, "Customer@odata.bind": null }],
      ["for a property that is none", { Id: 1, Tags: [], "Nope@odata.bind": [] }],
    ];
    test.each(BINDINGS)("%s is 501 before any handler, deep insert or not", async (_, body) => {
      for (const deep of [true, false]) {
        const answer = await orders(door, { deep })(body);
        expect([answer.status, answer.json.error.code]).toEqual([501, "NotImplemented"]);
        expect(answer.json.error.message).toMatch(/\$ref.*\bnest/u);
      }
      expect(given).toEqual([]);
    });

    test("as a text it is a text", async () => {
      const answer = await orders(door, { deep: true })({ Id: 1, Tags: ["Customer@odata.bind"] });
      expect(answer.status).toBe(201);
    });
  });

  test("a handler that returns null", async () => {
    expectError(await orders(door, { deep: true, create: () => null })(GRAPH), {
      status: 400,
      code: "InvalidBody",
      message: "Post handler returned null.",
    });
  });
});
