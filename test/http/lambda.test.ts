import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  type Expression,
  odataService,
  type ResultOf,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError, type Send, url } from "./doors.ts";
import { idsOf, noFailures } from "./model.ts";

const Mode = enumType("Mode", { Foot: 0, Bus: 1, Train: 2 });
const Service = enumType("Service", { None: 0, Food: 1, Sleep: 2 }, { isFlags: true });
const Leg = complexType("Leg", { km: edm.decimal(), mode: edm.enum(Mode), notes: edm.collection(edm.string()) });
const Stop = complexType("Stop", {
  city: edm.string().nullable(),
  legs: edm.collection(edm.complex(Leg)),
  secret: edm.string().ignored(),
});
const Plan = complexType("Plan", { tags: edm.collection(edm.string()) });
const Trip = entityType("Trip", {
  id: edm.int32().key(),
  name: edm.string(),
  distance: edm.decimal(),
  limit: edm.int64(),
  tags: edm.collection(edm.string().nullable()),
  numbers: edm.collection(edm.int64()),
  prices: edm.collection(edm.decimal()),
  ratios: edm.collection(edm.double()),
  days: edm.collection(edm.date()),
  moments: edm.collection(edm.dateTimeOffset()),
  spans: edm.collection(edm.duration()),
  guids: edm.collection(edm.guid()),
  octets: edm.collection(edm.binary()),
  flags: edm.collection(edm.boolean().nullable()),
  modes: edm.collection(edm.enum(Mode)),
  services: edm.collection(edm.enum(Service)),
  stops: edm.collection(edm.complex(Stop)),
  maybeStops: edm.collection(edm.complex(Stop).nullable()),
  plan: edm.complex(Plan).nullable(),
});
type Row = ResultOf<typeof Trip>;

const EMPTY = {
  tags: [],
  numbers: [],
  prices: [],
  ratios: [],
  days: [],
  moments: [],
  spans: [],
  guids: [],
  octets: [],
  flags: [],
  modes: [],
  services: [],
  stops: [],
  maybeStops: [],
} as const;
const GUID = "0B0B0B0B-0000-4000-8000-00000000000A";

const TRIPS: readonly Row[] = [
  {
    ...EMPTY,
    id: 1,
    name: "north",
    distance: "10.0",
    limit: 5n,
    tags: ["x", "y", "north"],
    numbers: [5n, 9_007_199_254_740_993n],
    prices: ["1.10", "2"],
    ratios: [0.5, Number.NaN],
    days: ["2024-02-29", "2024-12-31"],
    moments: ["2024-02-29T10:00:00+02:00", new Date("2024-03-01T00:00:00Z")],
    spans: ["PT36H"],
    guids: [GUID],
    octets: [Uint8Array.of(1, 2, 3)],
    flags: [true, true],
    modes: ["Bus", "Train"],
    services: ["Food,Sleep"],
    stops: [
      { city: "Oslo", legs: [{ km: "12.5", mode: "Train", notes: ["late"] }], secret: "s" },
      {
        city: "Bergen",
        legs: [
          { km: "4", mode: "Foot", notes: [] },
          { km: "11", mode: "Bus", notes: ["x"] },
        ],
      },
    ],
    maybeStops: [null, { city: "Oslo", legs: [] }],
    plan: { tags: ["x"] },
  },
  {
    ...EMPTY,
    id: 2,
    name: "south",
    distance: "100",
    limit: -1n,
    tags: ["x", null],
    numbers: [-1n],
    prices: ["1.1"],
    flags: [true, null, false],
    modes: ["Foot"],
    services: ["None", "Food"],
    stops: [
      { city: null, legs: [{ km: "99.5", mode: "Bus", notes: ["late", "south"] }] },
      { city: "Rome", legs: [] },
    ],
    plan: { tags: [] },
  },
  { ...EMPTY, id: 3, name: "none", distance: "0", limit: 0n, plan: null },
  // Collections and complex values that a handler leaves out.
  { id: 4, name: "bare", distance: "0", limit: 0n, tags: null } as unknown as Row,
];

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

type Case = readonly [filter: string, ids: readonly number[]];

const CASES: readonly Case[] = [
  // Without a predicate: whether there is an item.
  ["Tags/any()", [1, 2]],
  ["not Tags/any()", [3, 4]],
  ["Stops/any()", [1, 2]],
  ["Plan/Tags/any()", [1]],
  ["$it/Tags/any()", [1, 2]],
  ["tags/any()", [1, 2]],
  ["Tags/any( )", [1, 2]],
  // Items of each kind.
  ["Tags/any(t:t eq 'y')", [1]],
  ["Tags/any( t : t eq 'y' )", [1]],
  ["Tags/any(t:tolower(t) eq 'x' and length(t) eq 1)", [1, 2]],
  ["Tags/any(t:startswith(t,'nor'))", [1]],
  ["Tags/any(Tags:Tags eq 'y')", [1]],
  ["Tags/any(Name:Name eq 'y')", [1]],
  ["Numbers/any(n:n eq 9007199254740993)", [1]],
  ["Numbers/any(n:n eq 9007199254740992)", []],
  ["Numbers/any(n:n add 1 eq 0)", [2]],
  ["Numbers/any(n:n eq Limit)", [1, 2]],
  ["Prices/any(p:p eq 1.1)", [1, 2]],
  ["Prices/any(p:p mul 2 eq 4)", [1]],
  ["Ratios/any(r:r ne r)", [1]],
  ["Ratios/any(r:r lt 1)", [1]],
  ["Days/any(d:d gt 2024-06-01)", [1]],
  ["Days/all(d:year(d) eq 2024)", [1, 2, 3, 4]],
  ["Moments/any(m:m eq 2024-02-29T08:00:00Z)", [1]],
  ["Moments/any(m:m eq 2024-03-01T00:00:00Z)", [1]],
  ["Moments/any(m:m gt now())", []],
  ["Moments/any(m:m eq 2024-03-01)", [1]],
  ["Spans/any(s:s eq duration'P1DT12H')", [1]],
  ["Guids/any(g:g eq 0b0b0b0b-0000-4000-8000-00000000000a)", [1]],
  ["Octets/any(o:o eq binary'AQID')", [1]],
  ["Flags/any(f:f)", [1, 2]],
  ["Flags/any(f:not f)", [2]],
  ["Flags/any(f:f eq null)", [2]],
  ["Modes/any(m:m eq 'Train')", [1]],
  ["Modes/any(m:m eq Kit.Mode'Foot')", [2]],
  ["Services/any(s:s has 'Food')", [1, 2]],
  ["Services/any(s:s has Kit.Service'Food,Sleep')", [1]],
  // all, and what has no items.
  ["Tags/all(t:t eq 'x' or t eq null)", [2, 3, 4]],
  ["Tags/all(t:false)", [3, 4]],
  ["Tags/any(t:true)", [1, 2]],
  ["Plan/Tags/all(t:false)", [2, 3, 4]],
  ["not Plan/Tags/any(t:t eq 'x')", [2, 3, 4]],
  // A predicate that is null is not true.
  ["Flags/all(f:f)", [1, 3, 4]],
  ["Tags/all(t:length(t) ge 1)", [1, 3, 4]],
  ["Tags/any(t:not contains(t,'x'))", [1]],
  ["Tags/all(t:null)", [3, 4]],
  ["Tags/any(t:t eq null)", [2]],
  ["Tags/any(t:t ne 'x')", [1, 2]],
  // Complex items.
  ["Stops/any(s:s/City eq 'Oslo')", [1]],
  ["Stops/any(s:s/city eq null)", [2]],
  ["Stops/all(s:s/City ne null)", [1, 3, 4]],
  ["Stops/any(s:s/Legs/$count gt 1)", [1]],
  ["Stops/any(s:s/Legs/$count eq 0)", [2]],
  ["MaybeStops/any(s:s eq null)", [1]],
  ["MaybeStops/all(s:s ne null)", [2, 3, 4]],
  ["MaybeStops/any(s:s/City eq null)", [1]],
  ["MaybeStops/any(s:s/Legs/any())", []],
  ["MaybeStops/all(s:s/Legs/all(l:false))", [1, 2, 3, 4]],
  ["MaybeStops/any(s:s/Legs/$count eq null)", [1]],
  // Nested, with the outer variables and the entity in reach.
  ["Stops/all(s:s/Legs/any(l:l/Km gt 5 and l/Km gt Distance))", [1, 3, 4]],
  ["Stops/any(s:s/Legs/any(l:l/Mode eq 'Bus' and l/Notes/any(n:n eq $it/Name)))", [2]],
  ["Stops/any(s:s/Legs/any(l:l/Notes/any(n:n eq 'x' and s/City eq 'Bergen' and l/Km eq 11)))", [1]],
  ["Stops/any(s:s/Legs/all(l:l/Notes/any() and s/City eq null))", [2]],
  ["Stops/any(s:Tags/any(t:t eq 'x' and s/City eq 'Rome'))", [2]],
  ["Stops/any(x:x/Legs/any(x:x/Km eq 4) and x/City eq 'Bergen')", [1]],
  ["Tags/any(a:Tags/any(b:a lt b))", [1]],
  // Beside other operators.
  ["Tags/any(t:t eq 'x') and Stops/any(s:s/City eq 'Rome') or Id eq 4", [2, 4]],
  ["Tags/any(t:t eq 'y') eq true", [1]],
  ["Tags/any(t:t eq 'y') ne Flags/any(f:not f)", [1, 2]],
  ["Tags/any(t:t in ('y','z',null))", [1, 2]],
  ["(Tags/any(t:(t eq 'y')))", [1]],
  ["Tags/any(t:t eq @p)&@p='y'", [1]],
  // in with a collection.
  ["'y' in Tags", [1]],
  ["null in Tags", [2]],
  ["Name in Tags", [1]],
  ["Limit in Numbers", [1, 2]],
  ["5 in Numbers", [1]],
  ["1.10 in Prices", [1, 2]],
  ["'Train' in Modes", [1]],
  ["Stops/any(s:'south' in Tags or s/City in Plan/Tags)", []],
  ["Stops/any(s:s/Legs/any(l:'south' in l/Notes))", [2]],
  ["not ('x' in Plan/Tags)", [2, 3, 4]],
];

const INVALID: readonly (readonly [filter: string, message: string])[] = [
  ["Tags/all()", "expected a range variable"],
  ["Tags/any(t)", "expected a colon"],
  ["Tags/any(t:)", "expected"],
  ["Tags/any(t:t eq 'x'", "expected"],
  ["Tags/any(t:t eq 5)", "'eq' cannot compare Edm.String with Edm.Int32"],
  ["Tags/any(t:t)", "'any' takes a Boolean expression"],
  ["Name/any(n:n eq 'x')", "'any' follows a collection, not Edm.String"],
  ["Plan/any(p:true)", "'any' follows a collection, not Kit.Plan"],
  ["Stops/any(s:s eq s)", "cannot compare"],
  ["Stops/any(s:s/Secret eq 's')", "'Stop' has no property 'Secret'"],
  ["Stops/any(s:City eq 'Oslo')", "Of an item it is 's/City'"],
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

  test.each(CASES)("$filter=%s", async (filter, ids) => {
    for (const set of NAMES) expect(await idsFor(send, set, filter), set).toEqual(ids);
  });

  test.each(CASES.filter(([filter]) => !filter.includes("&")))("/$count?$filter=%s", async ($filter, ids) => {
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

  test.each(INVALID)("%s is refused", async ($filter, message) => {
    for (const path of ["/t/Trips", "/t/Trips/$count"]) {
      const answer = await send(url(path, { $filter }));
      expectError(answer, { status: 400, code: "InvalidQueryOption", target: "$filter" });
      expect(answer.json.error.message).toContain(message);
    }
  });

  describe("allowlists hold for every path that begins at the entity", () => {
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

    test("of items they say nothing", async () => {
      expect((await send(url("/t/TagTrips", { $orderby: "Stops/any(s:s/City eq 'Oslo')" }))).status).toBe(200);
      expectError(await send(url("/t/TagTrips", { $orderby: "Tags/any()" })), {
        status: 400,
        code: "InvalidQueryOption",
        target: "$orderby",
      });
    });
  });

  test("a handler that applies the query gets the operators bound, with literals in place", async () => {
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

  test("the literals of one shape are those of its request", async () => {
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
    // One behind another is no nesting.
    if (limit > 0) expect(await statusOf(Array.from({ length: 20 }, () => nested(limit)).join(" and "))).toBe(200);
  });

  test("without one, the nesting of expressions ends it", async () => {
    const statusOf = ask(null);
    expect(await statusOf(nested(6))).toBe(200);
    expect(await statusOf(nested(150))).toBe(400);
  });
});

test("nested operators over long collections are stopped by a count of their items", { timeout: 60_000 }, async () => {
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
