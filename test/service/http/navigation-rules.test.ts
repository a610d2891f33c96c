import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, hasRequired, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError, url } from "./doors.ts";
import { shop } from "./navigation-model.ts";

const invalid = (target: string, message: string) => ({ status: 400, code: "InvalidQueryOption", target, message });
const unsupported = (target: string, message: string) => ({
  ...invalid(target, message),
  code: "UnsupportedQueryOption",
});

const Person = entityType("Person", { id: edm.int32().key(), name: edm.string(), secret: edm.string() });
const people = [{ id: 1, name: "Ada", secret: "x", boss: null, others: [] }];

/** Two sets of one type; each declares its own navigations and permitted options. */
function office(settings: { readonly people?: object; readonly staff?: object } = {}) {
  return odataService({
    prefix: "/o",
    namespace: "Office",
    entitySets: [
      entitySet(Person, {
        name: "People",
        getAll: () => people,
        ...settings.people,
        navigation: {
          boss: hasOptional(Person, { target: "Staff" }),
          others: hasMany(Person, { target: "Staff" }),
          friend: hasOptional(Person, { get: () => ({ id: 2, name: "Ben", secret: "x" }) }),
          lost: hasMany(Person, {}),
        },
      }),
      entitySet(Person, {
        name: "Staff",
        getAll: () => people,
        ...settings.staff,
        navigation: { deputy: hasOptional(Person, { target: "People", get: () => null }) },
      }),
      entitySet(Person, { name: "Hidden", create: (person) => person as never }),
    ],
    logger: {
      error: (message, fields) => void expect.fail(`${message} ${JSON.stringify(fields)}`),
      warn() {},
      info() {},
    },
  });
}

eachDoor((door) => {
  const ask = async (settings: Parameters<typeof office>[0], options: Readonly<Record<string, string>>) =>
    door.to(office(settings))(url("/o/People", options));

  describe("errors name the place", () => {
    const send = door.to(shop().service);

    test.each([
      [
        "Lines/Quantity gt 1",
        "at position 6: '/Quantity' cannot follow a collection: only '$count', 'any(…)' and 'all(…)' can.",
      ],
      [
        "Lines gt 1",
        "at position 6: 'gt' cannot compare Collection(Shop.Line) with Edm.Int32. Compare '/$count' of the collection, or its items within 'any(…)' or 'all(…)'.",
      ],
      [
        "Lines eq null",
        "at position 6: 'eq' cannot compare Collection(Shop.Line) with null. Compare '/$count' of the collection, or its items within 'any(…)' or 'all(…)'.",
      ],
      [
        "Customer gt null",
        "at position 9: 'gt' cannot compare Shop.Customer with null. Compare its properties one by one.",
      ],
      [
        "Customer eq Customer",
        "at position 9: 'eq' cannot compare Shop.Customer with Shop.Customer. Compare its properties one by one.",
      ],
      ["Customer", "at position 0: $filter takes a Boolean expression such as 'Name eq value', not Shop.Customer."],
      ["Customer/$count gt 1", "at position 9: '$count' must follow a collection, not Shop.Customer."],
      ["Customer/any(c:true)", "at position 9: 'any' must follow a collection, not Shop.Customer."],
      ["Customer/Nmae eq 'x'", "at position 9: 'Customer' has no property 'Nmae'. Did you mean 'Name'?"],
      ["Customer/CountryCode eq 'x'", "at position 9: 'Customer' has no property 'CountryCode'."],
      ["Custmer/Name eq 'x'", "at position 0: 'Order' has no property 'Custmer'. Did you mean 'Customer'?"],
      ["Customer/Name/Length eq 1", "at position 14: 'Length' cannot follow Edm.String, which has no properties."],
      [
        "Lines/any(l:Quantity gt 1)",
        "at position 12: 'Order' has no property 'Quantity'. For the item, write 'l/Quantity'.",
      ],
      [
        "Lines/any(l:l gt 1)",
        "at position 14: 'gt' cannot compare Shop.Line with Edm.Int32. Compare its properties one by one.",
      ],
      [
        "Lines/any(l:l/Product)",
        "at position 14: 'any' takes a Boolean expression such as 'Name eq value', not Shop.Product.",
      ],
      [
        "Customer/Id eq 'x'",
        "at position 12: 'eq' cannot compare Edm.Int32 with Edm.String. \"x\" is written as Edm.String where Edm.Int32 is expected: write a number such as 5.",
      ],
      ["$root/Customer(1)/Name eq 'x'", "at position 6: Unknown entity set 'Customer'. Did you mean 'Customers'?"],
      [
        "$root/customers(1)/Name eq 'x'",
        "at position 6: Unknown entity set 'customers'. Did you mean 'Customers'? Names are case-sensitive.",
      ],
      [
        "$root/Lines(1)/Quantity eq 1",
        "at position 11: Each value of this key must be named. Write a key such as $root/Lines(OrderId=5,Number=5).",
      ],
      [
        "$root/Lines(OrderId=1)/Quantity eq 1",
        "at position 11: The key lacks 'Number'. Write a key such as $root/Lines(OrderId=5,Number=5).",
      ],
      ["$root/Customers('x')/Name eq 'x'", expect.stringContaining("at position 16: ") as never],
      ["$root/Customers(@p)/Name eq 'x'", "at position 16: 'Id' takes a literal, as in $root/Customers(5)."],
      ["$root/Customers(1)/Nmae eq 'x'", "at position 19: 'Customer' has no property 'Nmae'. Did you mean 'Name'?"],
    ])("%s", async ($filter, message) => {
      const text: unknown = message;
      const said = typeof text === "string" ? `$filter ${text}` : text;
      expectError(await send(url("/s/Orders", { $filter })), invalid("$filter", said as string));
    });

    test.each(["Lines/$count/Quantity eq 1", "Lines/any()/Quantity eq 1", "Lines/all()", "Lines/any(l)"])(
      "%s",
      async ($filter) => {
        const answer = await send(url("/s/Orders", { $filter }));
        expect([answer.status, answer.json.error.code, answer.json.error.target]).toEqual([
          400,
          "InvalidQueryOption",
          "$filter",
        ]);
      },
    );

    test.each([
      ["Customer", "Entities cannot be ordered by Shop.Customer: name a property with a single value."],
      ["Lines", "Entities cannot be ordered by Collection(Shop.Line): name a property with a single value."],
    ])("$orderby=%s", async ($orderby, message) => {
      expectError(
        await send(url("/s/Orders", { $orderby })),
        invalid("$orderby", `$orderby at position 0: ${message}`),
      );
    });

    test("in $root, a whole set", async () => {
      const message =
        "at position 6: In $filter, '$root' must be followed by one entity with its key, such as $root/Customers(5)/…, not by a whole set.";
      expectError(
        await send(url("/s/Orders", { $filter: "$root/Customers/$count gt 1" })),
        unsupported("$filter", `$filter ${message}`),
      );
      expectError(
        await send(url("/s/Orders", { $filter: "Id in $root/Customers" })),
        unsupported("$filter", `$filter ${message.replace("position 6", "position 12")}`),
      );
      expectError(
        await send(url("/s/Orders", { $filter: "$root/Nothing/$count gt 1" })),
        invalid("$filter", "$filter at position 6: Unknown entity set 'Nothing'."),
      );
    });

    test("keys behind navigations", async () => {
      expectError(
        await send(url("/s/Orders", { $filter: "Lines(1)/Quantity eq 1" })),
        unsupported("$filter", "$filter at position 5: Keys are not supported in $filter."),
      );
    });
  });

  describe("which names may be used", () => {
    test("the first one is a matter of the set, the next of the target set", async () => {
      const lists = { people: { filterProperties: ["boss"] }, staff: { filterProperties: ["name", "deputy"] } };
      for (const $filter of ["Boss/Name eq 'x'", "Boss/Deputy/Boss eq null", "Boss eq null"]) {
        expect((await ask(lists, { $filter })).status).toBe(200);
      }
      expectError(
        await ask(lists, { $filter: "Name eq 'x'" }),
        invalid("$filter", "$filter at position 0: The property 'Name' is not allowed in $filter."),
      );
      expectError(
        await ask(lists, { $filter: "Others/any()" }),
        invalid("$filter", "$filter at position 0: The property 'Others' is not allowed in $filter."),
      );
    });

    test("an excluded property of a target set gets the same response as a missing one", async () => {
      const lists = { staff: { filterProperties: ["name"], orderByProperties: ["name"] } };
      const pairs = [
        ["$filter", "Boss/Secret eq 'x'"],
        ["$filter", "Others/any(o:o/Secret eq 'x')"],
        ["$filter", "$root/Staff(1)/Secret eq 'x'"],
        ["$filter", "Boss/Deputy eq null"],
        ["$orderby", "Boss/Secret"],
        ["$expand", "Boss($filter=$root/Staff(1)/Secret eq 'x')"],
      ] as const;
      for (const [option, text] of pairs) {
        const hidden = await ask(lists, { [option]: text });
        const unknown = await ask(lists, { [option]: text.replace("Secret", "Qwerty").replace("Deputy", "Qwerty") });
        expect(hidden.status).toBe(400);
        const name = text.includes("Deputy") ? "Deputy" : "Secret";
        expect([hidden.status, hidden.headers, hidden.text.replaceAll(name, "Qwerty")]).toEqual([
          unknown.status,
          unknown.headers,
          unknown.text,
        ]);
        expect(hidden.text).toContain(`'Person' has no property '${name}'.`);
      }
      // A near name does not give it away either.
      expect((await ask(lists, { $filter: "Boss/Secre eq 'x'" })).json.error.message).not.toContain("Secret");
      expect((await ask(lists, { $filter: "Others/any(o:Secret eq 'x' or Deputy eq null)" })).text).not.toContain("o/");
    });

    test("each clause has its own lists", async () => {
      const lists = { staff: { filterProperties: ["name"], orderByProperties: ["id"] } };
      expect((await ask(lists, { $filter: "Boss/Name eq 'x'", $orderby: "Boss/Id" })).status).toBe(200);
      expect((await ask(lists, { $orderby: "Boss/Name" })).status).toBe(400);
      expect((await ask(lists, { $expand: "Others($filter=Name eq 'x';$orderby=Id)" })).status).toBe(200);
      expect((await ask(lists, { $expand: "Others($orderby=Name)" })).status).toBe(400);
    });

    test("a target set that has switched the option off", async () => {
      const off = { staff: { filterEnabled: false, orderByEnabled: false } };
      for (const text of ["Boss/Name eq 'x'", "Boss eq null", "Others/any()", "Others/$count gt 1"]) {
        expectError(
          await ask(off, { $filter: text }),
          unsupported(
            "$filter",
            "$filter at position 0: The query option $filter is not enabled for the entity set Staff.",
          ),
        );
      }
      expectError(
        await ask(off, { $filter: "$root/Staff(1)/Name eq 'x'" }),
        unsupported(
          "$filter",
          "$filter at position 6: The query option $filter is not enabled for the entity set Staff.",
        ),
      );
      expectError(
        await ask(off, { $orderby: "Id,Boss/Name" }),
        unsupported(
          "$orderby",
          "$orderby at position 3: The query option $orderby is not enabled for the entity set Staff.",
        ),
      );
      expectError(
        await ask(off, { $expand: "Friend($filter=$root/Staff(1)/Name eq 'x')" }),
        unsupported(
          "$expand",
          "$expand at position 21: The query option $filter is not enabled for the entity set Staff.",
        ),
      );
    });

    test("navigations that only another set of the type declares are unknown", async () => {
      for (const $filter of [
        "Deputy eq null",
        "Boss/Boss eq null",
        "Boss/Others/any()",
        "Friend/Boss eq null",
        "Friend/Friend/Name eq 'x'",
      ]) {
        const answer = await ask({}, { $filter });
        expect([answer.status, answer.json.error.code]).toEqual([400, "InvalidQueryOption"]);
        expect(answer.json.error.message).toMatch(/'Person' has no property '(Deputy|Boss|Others|Friend)'/u);
      }
    });

    test("a navigation without a target set has the defaults of the service, and no further navigations", async () => {
      expect((await ask({}, { $filter: "Friend/Secret eq 'x'" })).json.value).toHaveLength(1);
      const service = office();
      expect((await door.to(service)(url("/o/Staff", { $filter: "Deputy/Friend/Name eq null" }))).status).toBe(200);
    });
  });

  describe("navigations that nothing loads", () => {
    test("a navigation without handler, join and loaded entities", async () => {
      for (const [option, text] of [
        ["$filter", "Lost/any()"],
        ["$orderby", "Lost/$count"],
      ] as const) {
        const message = `Paths through 'Lost' are not supported in ${option}: no handler loads it, and neither does the data source.`;
        expectError(await ask({}, { [option]: text }), unsupported(option, message));
      }
    });

    test("a join by an ignored property that the entities were answered without", async () => {
      const Part = entityType("Part", { id: edm.int32().key(), ownerId: edm.int32().ignored() });
      const parts = (rows: readonly { readonly id: number; readonly ownerId?: number }[]) =>
        odataService({
          prefix: "/p",
          entitySets: [
            entitySet(Part, {
              queryable: () => arraySource(Part, rows),
              navigation: { owner: hasRequired(Part, { target: "Parts", on: { ownerId: "id" } }) },
            }),
          ],
        });
      const $filter = "Owner/Id eq 1";
      const known = await door.to(parts([{ id: 1, ownerId: 1 }]))(url("/p/Parts", { $filter }));
      expect(known.json.value).toEqual([{ Id: 1 }]);
      const unknown = await door.to(parts([{ id: 1, ownerId: 1 }, { id: 2 }]))(url("/p/Parts", { $filter }));
      const message =
        "Paths through 'Owner' are not supported in $filter: no handler loads it, and neither does the data source.";
      expectError(unknown, unsupported("$filter", message));
    });

    test("a set behind $root that cannot be read", async () => {
      expectError(
        await ask({}, { $filter: "$root/Hidden(1)/Name eq 'x'" }),
        unsupported("$filter", "'$root/Hidden' is not supported in $filter: the entity set cannot be read."),
      );
    });
  });

  describe("limits", () => {
    test("navigations in expressions", async () => {
      const Node = entityType("Node", { id: edm.int32().key() });
      const service = odataService({
        prefix: "/n",
        entitySets: [
          entitySet(Node, {
            queryable: () => arraySource(Node, [{ id: 1 }]),
            navigation: { next: hasOptional(Node, { target: "Nodes", get: () => ({ id: 1 }) }) },
          }),
        ],
        defaults: { maxExpandItems: 5 },
      });
      const send = door.to(service);
      const path = (length: number): string => `${"Next/".repeat(length)}Id eq 1`;
      expect((await send(url("/n/Nodes", { $filter: path(5) }))).json.value).toEqual([{ Id: 1 }]);
      expect((await send(url("/n/Nodes", { $filter: `${path(5)} and ${path(5)}` }))).status).toBe(200);
      const message = "Expressions may use at most 5 different navigations and $root paths: use fewer at once.";
      expectError(await send(url("/n/Nodes", { $filter: path(6) })), invalid("$filter", message));
      expectError(await send(url("/n/Nodes", { $orderby: path(6) })), invalid("$orderby", message));
      expectError(await send(url("/n/Nodes", { $expand: `Next($filter=${path(6)})` })), invalid("$expand", message));
      expect((await send(url("/n/Nodes", { $filter: path(150) }))).status).toBe(400);
    });

    test("nested lambda operators, and the number of items that they visit", async () => {
      const { service } = shop();
      const send = door.to(service);
      const nest = (depth: number): string => {
        const open = Array.from({ length: depth }, (_none, level) => `Lines/any(l${String(level)}:`).join("");
        return `${open}true${")".repeat(depth)}`;
      };
      expect((await send(url("/s/Orders", { $filter: nest(3) }))).status).toBe(200);
      expect((await send(url("/s/Orders", { $filter: nest(4) }))).json.error.message).toContain(
        "nested deeper than 3 levels",
      );
    });

    test("related entities count as items too", async () => {
      const Many = entityType("Many", { id: edm.int32().key(), group: edm.int32() });
      const rows = Array.from({ length: 5000 }, (_none, id) => ({ id, group: 1 }));
      const service = odataService({
        prefix: "/m",
        // The items are counted, not the time: with a report of coverage they take long.
        defaults: { queryTimeout: null },
        entitySets: [
          entitySet(Many, {
            queryable: () => arraySource(Many, rows),
            navigation: { peers: hasMany(Many, { target: "Manies", on: { group: "group" } }) },
          }),
        ],
      });
      const send = door.to(service);
      // Lists that all entities share are inspected once when the next level is loaded.
      const nested = await send(url("/m/Manies/$count", { $filter: "Peers/any(p:p/Peers/any(q:q/Peers/any()))" }));
      expect([nested.status, nested.text]).toEqual([200, "5000"]);
      const answer = await send(url("/m/Manies", { $filter: "Peers/any(p:p/Id lt 0)" }));
      expect([answer.status, answer.json.error.code]).toEqual([400, "InvalidQueryOption"]);
      expect(answer.json.error.message).toContain("inspect more than 20000000 items");
    });
  });
});
