import { noRows, role } from "odatakit";
import { afterAll, describe, expect, test } from "vitest";
import { expectError, nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";
import { FORMS, openSales } from "./sales-model.ts";

type Row = Readonly<Record<string, { ne(value: unknown): unknown }>>;
const ruled = {
  authenticate: ({ headers }: { readonly headers: Headers }) => {
    const id = headers.get("authorization") ?? "boss";
    return { id, roles: [id] };
  },
  sales: {
    authorization: {
      rows: ({ id }: { readonly id: string }, row: Row) => {
        if (id === "none") return noRows;
        return id === "ann" ? row["city"]?.ne("Rome") : row["id"]?.ne(0);
      },
      properties: { amount: { read: role("boss") } },
    },
  },
};
const opened = await Promise.all(FORMS.map(async (form) => ({ form, ...(await openSales(form, ruled as never)) })));
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

const D = (name: string, value: number | string): string => `"${name}@odata.type":"#Decimal","${name}":${value}`;
const I = (name: string, value: number): string => `"${name}@odata.type":"#Int64","${name}":${value}`;
const UNION = "concat(groupby((City),aggregate(Units with sum as U)),aggregate(Units with sum as U))";
const EXTREMES = "concat(topcount(1,Units),bottomcount(2,Units))";
type Case = readonly [path: string, options: Readonly<Record<string, string>>, context: string, rows: string];
const CASES: readonly Case[] = [
  [
    "Sales",
    { $apply: "groupby((City),filter($these/aggregate(Units with sum as S) gt 0))", $select: "Id" },
    "Sales(Id)",
    '{"Id":1},{"Id":2},{"Id":3},{"Id":4},{"Id":6}',
  ],
  [
    "Sales",
    {
      $apply:
        "groupby((City),filter($these/aggregate(Amount with sum) gt 0.3))/groupby((City),aggregate(Amount with sum as T))",
    },
    "Sales(City,T)",
    `{"City":null,${D("T", 99.99)}},{"City":"Rome",${D("T", 25.25)}}`,
  ],
  [
    "Sales",
    { $apply: "filter(Units ge $these/aggregate(Units with average))", $select: "Id" },
    "Sales(Id)",
    '{"Id":1},{"Id":3},{"Id":4}',
  ],
  [
    "Sales",
    { $apply: "filter(Units eq $these/aggregate(Units with max) or $these/$count gt 10)", $select: "Id" },
    "Sales(Id)",
    '{"Id":4}',
  ],
  [
    "Sales",
    {
      $apply:
        "groupby((City),aggregate(Units with sum as U))/compute(U mul 90 div $these/aggregate(U with sum) as Share)",
    },
    "Sales(City,U,Share)",
    `{"City":null,${I("U", 4)},${D("Share", 40)}},{"City":"Oslo",${I("U", 5)},${D("Share", 50)}},` +
      `{"City":"Rome",${I("U", 1)},${D("Share", 10)}},{"City":"oslo",${I("U", -1)},${D("Share", -10)}}`,
  ],
  [
    "Sales",
    {
      $apply:
        "compute($these/aggregate(Units with sum) as All)/filter(Id lt 3)/groupby((City),aggregate(All with max as M))",
    },
    "Sales(City,M)",
    `{"City":"Oslo",${I("M", 9)}},{"City":"Rome",${I("M", 9)}}`,
  ],
  // The form of OpenUI5, whose table shows a grand total.
  [
    "Sales",
    {
      $apply:
        "groupby((City,Item/Name),filter($these/aggregate(Amount) ge 25 and $these/aggregate(Amount) le 50))/concat(aggregate(Amount with sum as Amount),groupby((City),aggregate(Amount with sum as Amount))/orderby(Amount desc)/concat(aggregate($count as UI5__count),top(1)))",
    },
    "Sales",
    `{"Amount":30.50},{${D("UI5__count", 1)}},{"City":"Rome","Amount":30.50}`,
  ],
  // A total counts the rows that the conditions before it keep; a group without rows remains.
  [
    "Sales",
    {
      $apply: "groupby((City),filter(Units gt 0)/filter($these/aggregate($count) gt 1)/aggregate(Units with sum as U))",
    },
    "Sales(City,U)",
    `{"City":null,"U":null},{"City":"Oslo",${I("U", 5)}},{"City":"Rome","U":null},{"City":"oslo","U":null}`,
  ],
  [
    "Sales",
    { $apply: "groupby((Item/Name),filter($these/aggregate(Item/Rate with max) gt 1))", $select: "Id", $count: "true" },
    "Sales(Id)",
    '{"Id":1},{"Id":3},{"Id":6}',
  ],
  [
    "Items",
    { $apply: "compute(Sales/$count sub $these/aggregate(Sales/$count as N) as Fewer)", $select: "Id,Fewer" },
    "Items(Id,Fewer)",
    `{"Id":1,${D("Fewer", -2)}},{"Id":2,${D("Fewer", -4)}},{"Id":3,${D("Fewer", -4)}}`,
  ],
  [
    "Sales",
    { $apply: `${UNION}/filter(U gt 0)/orderby(U desc)` },
    "Sales(City,U)",
    `{"City":null,${I("U", 9)}},{"City":"Oslo",${I("U", 5)}},{"City":null,${I("U", 4)}},{"City":"Rome",${I("U", 1)}}`,
  ],
  [
    "Sales",
    { $apply: `${UNION}/skip(3)/top(2)` },
    "Sales(City,U)",
    `{"City":"oslo",${I("U", -1)}},{"City":null,${I("U", 9)}}`,
  ],
  [
    "Sales",
    { $apply: `${UNION}/groupby((City),aggregate(U with sum as V))/filter(V gt 4)`, $count: "true" },
    "Sales(City,V)",
    `{"City":null,${D("V", 13)}},{"City":"Oslo",${D("V", 5)}}`,
  ],
  [
    "Sales",
    { $apply: `${UNION}/compute(U mul 2 as Twice)`, $filter: "Twice gt 8", $orderby: "Twice desc", $select: "Twice" },
    "Sales(Twice)",
    [18, 10].map((value) => `{${I("Twice", value)}}`).join(),
  ],
  [
    "Sales",
    { $apply: `${EXTREMES}/aggregate(Units with sum as S,$count as N)` },
    "Sales(S,N)",
    `{${I("S", 3)},${D("N", 3)}}`,
  ],
  [
    "Sales",
    {
      $apply: "concat(topcount(1,Units),filter(Id lt 3),identity)/groupby((Id),aggregate($count as N))/filter(N gt 1)",
    },
    "Sales(Id,N)",
    `{"Id":1,${D("N", 2)}},{"Id":2,${D("N", 2)}},{"Id":4,${D("N", 2)}}`,
  ],
  ["Sales", { $apply: `${EXTREMES}/filter(Item/Name eq null)`, $select: "Id" }, "Sales(Id)", '{"Id":4}'],
  [
    "Sales",
    { $apply: `${EXTREMES}/compute(Item/Name as N)`, $select: "Id,N" },
    "Sales(Id,N)",
    '{"Id":4,"N":null},{"Id":5,"N":"Pot"},{"Id":6,"N":"Cup"}',
  ],
  [
    "Sales",
    { $apply: `${EXTREMES}/concat(top(2),aggregate($count as N))`, $select: "Id,N" },
    "Sales",
    `{"Id":4},{"Id":5},{${D("N", 3)}}`,
  ],
  [
    "Sales",
    {
      $apply:
        "filter(Id gt 1)/concat(concat(top(1),skip(4))/filter(Id gt 2),top(2))/groupby((Id),aggregate($count as N))",
    },
    "Sales(Id,N)",
    [2, 3, 6].map((id) => `{"Id":${id},${D("N", 1)}}`).join(),
  ],
  [
    "Sales",
    { $apply: `${UNION}/filter(U lt $these/aggregate(U with average))`, $select: "U" },
    "Sales(U)",
    [1, -1].map((value) => `{${I("U", value)}}`).join(),
  ],
];

describe.each(opened)("$form", ({ service }) => {
  const get = door.to(service);
  test.each(CASES)("%s?%o", async (path, options, context, rows) => {
    const response = await get(url(`/s/${path}`, options));
    const count = options["$count"] === undefined ? "" : `"@odata.count":${rows.split("},{").length},`;
    expect([response.status, response.text]).toEqual([
      200,
      `{"@odata.context":"${ORIGIN}/s/$metadata#${context}",${count}"value":[${rows}]}`,
    ]);
  });

  test("pages continue behind the last row of concat", async () => {
    const found: unknown[] = [];
    let next: string | undefined = url("/s/Sales", { $apply: `${UNION}/filter(U gt -5)` });
    while (next !== undefined) {
      const { json }: { readonly json: { readonly value: unknown[]; readonly "@odata.nextLink"?: string } } =
        (await get(next.replace(ORIGIN, ""), { prefer: "odata.maxpagesize=2" })) as never;
      found.push(...json.value.map((row) => Reflect.get(row as object, "U")));
      next = json["@odata.nextLink"];
    }
    expect(found).toEqual([4, 5, 1, -1, 9]);
  });

  test("totals contain no rows that the user does not see, and no properties that the user may not read", async () => {
    const ann = { authorization: "ann" };
    const total = "compute($these/aggregate(Units with sum) as All,$these/$count as Count)/groupby((All,Count))";
    const seen = await get(url("/s/Sales", { $apply: total }), ann);
    expect([seen.status, seen.json.value]).toEqual([
      200,
      [{ "All@odata.type": "#Int64", All: 8, "Count@odata.type": "#Decimal", Count: 4 }],
    ]);
    const united = await get(url("/s/Sales", { $apply: `${EXTREMES}/aggregate($count as N)` }), {
      authorization: "none",
    });
    expect([united.status, united.json.value]).toEqual([200, [{ "N@odata.type": "#Decimal", N: 0 }]]);
    for (const $apply of [
      "filter($these/aggregate(Amount with max) gt 1)",
      "compute($these/aggregate(Amount with max) as M)",
      "groupby((City),filter($these/aggregate(Amount with countdistinct) gt 1))",
      "concat(top(1),groupby((Amount)))/aggregate($count as N)",
      "concat(top(1),top(2))/aggregate(Amount with sum as N)",
    ]) {
      expect([$apply, (await get(url("/s/Sales", { $apply }), ann)).status]).toEqual([$apply, 403]);
    }
  });
});

const REFUSED: readonly (readonly [options: Readonly<Record<string, string>>, status: number, message: string])[] = [
  [
    { $apply: "groupby((City),filter($these/aggregate(Amount) gt 0))" },
    501,
    "$apply at position 39: custom aggregates are not supported. Write Amount with sum.",
  ],
  [
    {
      $apply:
        "groupby((City),filter($these/aggregate(T) gt 0))/concat(aggregate(Units with sum as T),aggregate(Units with max as T))",
    },
    501,
    "$apply at position 39: custom aggregates are not supported. Write T with sum.",
  ],
  [
    { $apply: "orderby($these/$count)" },
    501,
    "$apply at position 8: $these is supported in filter and compute of $apply only, as in filter($these/aggregate(Price with sum) gt 5).",
  ],
  [
    { $filter: "Units eq $these/aggregate(Units with max)" },
    501,
    "$filter at position 9: $these is supported in filter and compute of $apply only, as in filter($these/aggregate(Price with sum) gt 5).",
  ],
  [
    { $apply: "filter($these/aggregate($these/$count with max) gt 1)" },
    501,
    "$apply at position 24: $these is supported in filter and compute of $apply only, as in filter($these/aggregate(Price with sum) gt 5).",
  ],
  [
    { $apply: "filter($these/aggregate(City with sum) gt 1)" },
    400,
    "$apply at position 24: 'sum' cannot take Edm.String: it takes numbers and Edm.Duration. Write min, max or countdistinct.",
  ],
  [
    { $apply: "filter($these gt 1)" },
    400,
    '$apply at position 14: expected a slash and aggregate(…) or $count after $these, found "gt".',
  ],
  [
    { $apply: `${EXTREMES}/identity`, $expand: "Item" },
    400,
    "$expand does not apply to the rows of concat: send one request for each part, or write the conditions of the parts in one filter.",
  ],
];

test.each(REFUSED)("%o is refused", async (options, status, message) => {
  const [{ service }] = opened as never as readonly [(typeof opened)[number]];
  const response = await door.to(service)(url("/s/Sales", options));
  const code = status === 501 ? "NotImplemented" : "InvalidQueryOption";
  expectError(response, { status, code, message, target: Object.keys(options).at(-1) } as never);
});
