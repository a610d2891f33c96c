import { arraySource, entitySet, type Expression, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError, type Send, url } from "./doors.ts";
import { idsOf, noFailures } from "./model.ts";
import { LAMBDA_CASES, Trip, TRIPS } from "./trips.ts";

const filterSeen: Expression[] = [];
const NAMES = ["Trips", "ArrayTrips"] as const;
const service = odataService({
  prefix: "/t",
  namespace: "Kit",
  entitySets: [
    entitySet(Trip, { queryable: () => arraySource(Trip, TRIPS) }),
    entitySet(Trip, { name: "ArrayTrips", getAll: () => TRIPS }),
    entitySet(Trip, {
      name: "OwnTrips",
      applyQuery: ({ filter }) => {
        if (filter !== null) filterSeen.push(filter.expression);
        return { items: [] };
      },
    }),
    entitySet(Trip, {
      name: "TagTrips",
      getAll: () => TRIPS,
      filterProperties: ["tags"],
      orderByProperties: ["stops"],
    }),
  ],
  logger: noFailures,
});

const INVALID: readonly (readonly [filter: string, message: string])[] = [
  ["Tags/all()", "expected a range variable"],
  ["Tags/any(t)", "expected a colon"],
  ["Tags/any(t:)", "expected"],
  ["Tags/any(t:t eq 'x'", "expected"],
  ["Tags/any(t:t eq 5)", "'eq' cannot compare Edm.String with Edm.Int32"],
  ["Tags/any(t:t)", "'any' takes a Boolean expression"],
  ["Name/any(n:n eq 'x')", "'any' must follow a collection, not Edm.String"],
  ["Plan/any(p:true)", "'any' must follow a collection, not Kit.Plan"],
  ["Stops/any(s:s eq s)", "cannot compare"],
  ["Stops/any(s:s/Secret eq 's')", "'Stop' has no property 'Secret'"],
  ["Stops/any(s:City eq 'Oslo')", "For the item, write 's/City'"],
  ["Stops/Legs/any()", "cannot follow a collection"],
  ["Stops/City eq 'Oslo'", "cannot follow a collection"],
  ["Tags/any(t:t eq 'x') and t eq 'y'", "has no property 't'"],
  ["any(t:t eq 'x')", "It follows a collection"],
  ["Tags/any(t:t eq 'x')/any()", "nothing can follow"],
  ["5 in Tags", "cannot look for Edm.Int32 in Collection(Edm.String)"],
  ["'x' in Stops", "cannot look for Edm.String in Collection(Kit.Stop)"],
  ["'x' in Name", "takes a collection or a list"],
  ["Tags/any(a:Tags/any(b:Tags/any(c:Tags/any(d:a eq d))))", "nested deeper than 3 levels"],
  ["Tags/any(a:Tags/any(b:Tags/any(c:a in Tags)))", "nested deeper than 3 levels"],
];

async function idsFor(send: Send, set: string, query: string): Promise<readonly number[]> {
  const [filter = "", ...options] = query.split("&");
  const answer = await send([url(`/t/${set}`, { $select: "Id", $filter: filter }), ...options].join("&"));
  expect(answer.status, answer.text).toBe(200);
  return idsOf(answer.json);
}

eachDoor((door) => {
  const send = door.to(service);

  test.each(LAMBDA_CASES)("$filter=%s", async (filter, ids) => {
    for (const set of NAMES) expect(await idsFor(send, set, filter), set).toEqual(ids);
  });

  test.each(LAMBDA_CASES.filter(([filter]) => !filter.includes("&")))("/$count?$filter=%s", async ($filter, ids) => {
    expect((await send(url("/t/Trips/$count", { $filter }))).text).toBe(String(ids.length));
  });

  test.each<readonly [string, readonly number[]]>([
    ["Tags/any(t:t eq 'y') desc", [1, 4, 3, 2]],
    ["Tags/any(t:t eq 'y'),Id desc", [4, 3, 2, 1]],
    ["Stops/any(s:s/Legs/all(l:l/Km gt Distance)) desc,Id", [1, 2, 3, 4]],
    ["Stops/all(s:s/City ne null),Id desc", [2, 4, 3, 1]],
    ["'x' in Tags desc,Stops/$count,Id desc", [2, 1, 4, 3]],
  ])("$orderby=%s", async ($orderby, ids) => {
    for (const set of NAMES) {
      expect(idsOf((await send(url(`/t/${set}`, { $orderby, $select: "Id" }))).json), set).toEqual(ids);
    }
  });

  test.each(INVALID)("rejects %s", async ($filter, message) => {
    for (const path of ["/t/Trips", "/t/Trips/$count"]) {
      const answer = await send(url(path, { $filter }));
      expectError(answer, { status: 400, code: "InvalidQueryOption", target: "$filter" });
      expect(answer.json.error.message).toContain(message);
    }
  });

  describe("allowlists apply to every path that begins at the entity", () => {
    test.each([
      ["Tags/any(t:t eq 'x')", true],
      ["Tags/any(t:$it/Tags/any(u:u gt t))", true],
      ["'x' in Tags", true],
      ["Stops/any()", false],
      ["Tags/any(t:t eq Name)", false],
      ["Tags/any(t:t eq $it/Name)", false],
      ["Tags/any(t:Stops/any(s:s/City eq t))", false],
      ["Tags/any(t:t in Plan/Tags)", false],
      ["Name in Tags", false],
    ])("$filter=%s: %s", async ($filter, isAllowed) => {
      const answer = await send(url("/t/TagTrips", { $filter, $select: "Id" }));
      if (isAllowed) expect(answer.status, answer.text).toBe(200);
      else {
        expectError(answer, {
          status: 400,
          code: "InvalidQueryOption",
          target: "$filter",
          message: /not allowed in \$filter/,
        });
      }
    });

    test("allowlists do not apply to the items of a collection", async () => {
      expect((await send(url("/t/TagTrips", { $orderby: "Stops/any(s:s/City eq 'Oslo')" }))).status).toBe(200);
      expectError(await send(url("/t/TagTrips", { $orderby: "Tags/any()" })), {
        status: 400,
        code: "InvalidQueryOption",
        target: "$orderby",
      });
    });
  });

  test("`applyQuery` receives bound operators with their literals", async () => {
    filterSeen.length = 0;
    await send(url("/t/OwnTrips", { $filter: "Stops/any(s:s/Legs/all(l:l/Km gt 5))" }));
    expect(filterSeen).toMatchObject([
      {
        kind: "lambda",
        operator: "any",
        depth: 0,
        collection: { kind: "property", property: { field: "stops" }, source: { kind: "it" } },
        predicate: {
          kind: "lambda",
          operator: "all",
          depth: 1,
          collection: { property: { field: "legs" }, source: { kind: "variable", depth: 0 } },
          predicate: {
            kind: "comparison",
            operator: "gt",
            left: { kind: "property", property: { field: "km" }, source: { kind: "variable", depth: 1 } },
            right: { kind: "literal", value: "5" },
          },
        },
      },
    ]);
  });

  test("requests of one shape each use their own literals", async () => {
    expect(await idsFor(send, "Trips", "Tags/any(t:t eq 'y')")).toEqual([1]);
    expect(await idsFor(send, "Trips", "Tags/any(t:t eq 'x')")).toEqual([1, 2]);
    expect(await idsFor(send, "Trips", "Tags/any(u:u eq 'y')")).toEqual([1]);
  });
});

describe("maxAnyAllDepth", () => {
  const nested = (depth: number) =>
    `${Array.from({ length: depth }, (_none, at) => `Tags/any(v${String(at)}:`).join("")}true${")".repeat(depth)}`;

  function ask(maxAnyAllDepth: number | null) {
    const limited = odataService({
      entitySets: [entitySet(Trip, { getAll: () => TRIPS })],
      defaults: { maxAnyAllDepth },
      logger: noFailures,
    });
    return async ($filter: string): Promise<number> =>
      (await limited.fetch(new Request(`http://service.example${url("/Trips", { $filter })}`))).status;
  }

  test.each([0, 1, 2, 5])("%i", async (limit) => {
    const statusOf = ask(limit);
    expect(await statusOf(nested(limit))).toBe(200);
    expect(await statusOf(nested(limit + 1))).toBe(400);
    if (limit > 0) expect(await statusOf(nested(limit).replace("true", "true and v0 in ('a')"))).toBe(200);
    expect(await statusOf(nested(limit).replace("true", "'a' in Tags"))).toBe(400);
    // A sequence of lambda operators is not nested.
    if (limit > 0) expect(await statusOf(Array.from({ length: 20 }, () => nested(limit)).join(" and "))).toBe(200);
  });

  test("without this limit, the limit on nested expressions applies", async () => {
    const statusOf = ask(null);
    expect(await statusOf(nested(6))).toBe(200);
    expect(await statusOf(nested(150))).toBe(400);
  });
});

test("stops nested operators over long collections by counting their items", async () => {
  const long = odataService({
    entitySets: [
      entitySet(Trip, {
        getAll: () => [{ ...TRIPS[2]!, numbers: Array.from({ length: 300 }, (_none, index) => index) }],
      }),
    ],
    logger: noFailures,
  });
  const statusOf = async ($filter: string): Promise<number> =>
    (await long.fetch(new Request(`http://service.example${url("/Trips", { $filter })}`))).status;
  expect(await statusOf("Numbers/any(a:Numbers/any(b:a eq b and a gt 299))")).toBe(200);
  expect(await statusOf("Numbers/any(a:Numbers/any(b:Numbers/any(c:a eq b and b eq c and false)))")).toBe(400);
});
