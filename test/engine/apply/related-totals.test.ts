import { noRows, role } from "odatakit";
import { afterAll, describe, expect, test } from "vitest";
import { expectError, nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";
import { ENGINES } from "../executors/engines.ts";
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
const statements: string[] = [];
const onStatement = ({ sql }: { readonly sql: string }): unknown => statements.push(sql);
const opened = await Promise.all(
  FORMS.map(async (form) => ({ form, ...(await openSales(form, { ...ruled, onStatement } as never)) })),
);
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

const DECIMAL = "#Decimal";
const totals = (count: number, units: number | null): object => ({
  "N@odata.type": DECIMAL,
  N: count,
  ...(units !== null && { "U@odata.type": "#Int64" }),
  U: units,
  "C@odata.type": DECIMAL,
  C: 1,
});
const D = (name: string, value: number | string): string => `"${name}@odata.type":"#Decimal","${name}":${value}`;
type Case = readonly [path: string, options: Readonly<Record<string, string>>, context: string, rows: string];
const CASES: readonly Case[] = [
  ["Items", { $apply: "aggregate(Sales/Amount with sum as T)" }, "Items(T)", `{${D("T", 25.55)}}`],
  ["Items", { $apply: "aggregate(Sales/$count as N)" }, "Items(N)", `{${D("N", 5)}}`],
  [
    "Items",
    {
      $apply:
        "groupby((Name),aggregate(Sales/Amount with sum as T,Sales/$count as N,$count as C,Sales/City with countdistinct as D,Rate with sum as R))",
    },
    "Items(Name,T,N,C,D,R)",
    `{"Name":null,${D("T", "30.50")},${D("N", 1)},${D("C", 1)},${D("D", 1)},${D("R", "0.250")}},` +
      `{"Name":"Cup",${D("T", -4.95)},${D("N", 3)},${D("C", 1)},${D("D", 2)},${D("R", "1.500")}},` +
      `{"Name":"Pot","T":null,${D("N", 1)},${D("C", 1)},${D("D", 1)},"R":null}`,
  ],
  [
    "Items",
    {
      $apply:
        "groupby((Name),filter(Id gt 1)/aggregate(Sales/Units with sum as U,Sales/City with max as X,Sales/Weight with average as W))",
    },
    "Items(Name,U,X,W)",
    '{"Name":null,"U@odata.type":"#Int64","U":1,"X":"Rome","W":0.25},{"Name":"Cup","U":null,"X":null,"W":null},' +
      '{"Name":"Pot","U@odata.type":"#Int64","U":-1,"X":"oslo","W":-2.5}',
  ],
  [
    "Items",
    { $apply: "groupby((Id),aggregate(Sales/$count as N))/filter(N gt 1)", $count: "true", $orderby: "N desc" },
    "Items(Id,N)",
    `{"Id":1,${D("N", 3)}}`,
  ],
  [
    "Items",
    {
      $apply:
        "topcount(2,Id)/groupby((Kind/Label),aggregate(Sales/Paid with countdistinct as D,Kind/Label with max as L))",
    },
    "Items(Kind(Label),D,L)",
    `{"Kind":null,${D("D", 1)},"L":null},{"Kind":{"Label":null},${D("D", 1)},"L":null}`,
  ],
  [
    "Sales",
    { $apply: "aggregate(Item/Name with max as M,Item/Rate with min as R,Item/Kind/Label with countdistinct as D)" },
    "Sales(M,R,D)",
    `{"M":"Pot",${D("R", "0.250")},${D("D", 1)}}`,
  ],
  // Several sales lead to the same item, and each of its sales counts once.
  [
    "Sales",
    { $apply: "aggregate(Item/Sales/Amount with sum as T,Item/Sales/$count as N,$count as C)" },
    "Sales(T,N,C)",
    `{${D("T", 25.55)},${D("N", 5)},${D("C", 6)}}`,
  ],
  [
    "Items",
    { $apply: "concat(aggregate(Sales/$count as N),groupby((Id),aggregate(Sales/$count as N))/top(1))" },
    "Items(N)",
    `{${D("N", 5)}},{"Id":1,${D("N", 3)}}`,
  ],
];

describe.each(opened)("$form", ({ form, service }) => {
  const get = door.to(service);
  test.each(CASES)("%s?%o", async (path, options, context, rows) => {
    statements.length = 0;
    const response = await get(url(`/s/${path}`, options));
    const total = options["$count"] === undefined ? "" : '"@odata.count":1,';
    expect([response.status, response.text]).toEqual([
      200,
      `{"@odata.context":"${ORIGIN}/s/$metadata#${context}",${total}"value":[${rows}]}`,
    ]);
    if (ENGINES.every(({ title }) => title !== form) || path !== "Items") return;
    const branches = String(options["$apply"]).startsWith("concat") ? 2 : 1;
    // MariaDB gets the limit of time with each statement.
    expect(statements.filter((sql) => /^\(?(?:set statement .*? for )?\(?(?:select|with)\b/u.test(sql))).toHaveLength(
      branches,
    );
  });

  test("totals leave out the related entities that the user does not see", async () => {
    const $apply = "groupby((Id),aggregate(Sales/$count as N,Sales/Units with sum as U,$count as C))";
    const seen = await get(url("/s/Items", { $apply }), { authorization: "ann" });
    expect([seen.status, seen.json.value]).toEqual([
      200,
      [
        { Id: 1, ...totals(2, 5) },
        { Id: 2, ...totals(0, null) },
        { Id: 3, ...totals(1, -1) },
      ],
    ]);
    const none = await get(url("/s/Items", { $apply: "aggregate(Sales/$count as N,$count as C)" }), {
      authorization: "none",
    });
    expect([none.status, none.json.value]).toEqual([
      200,
      [{ "N@odata.type": "#Decimal", N: 0, "C@odata.type": "#Decimal", C: 3 }],
    ]);
  });

  test("a property that the user may not read has no totals", async () => {
    const $apply = "aggregate(Sales/Amount with max as M)";
    const answer = await get(url("/s/Items", { $apply }), { authorization: "ann" });
    expect(answer.status).toBe(403);
  });
});

test("allowlists and flags of the related set apply", async () => {
  const { service, close } = await openSales("tables", {
    sales: { aggregateProperties: ["units"], countEnabled: false },
  });
  const get = door.to(service);
  for (const [$apply, status] of [
    ["aggregate(Sales/Amount with sum as T)", 400],
    ["aggregate(Sales/$count as N)", 501],
    ["aggregate(Sales/Nope with sum as T)", 400],
  ] as const) {
    const answer = await get(url("/s/Items", { $apply }));
    expectError(answer, {
      status,
      code: status === 501 ? "NotImplemented" : "InvalidQueryOption",
      target: "$apply",
      message: answer.json.error.message,
    });
  }
  expect((await get(url("/s/Items", { $apply: "aggregate(Sales/Units with sum as T)" }))).status).toBe(200);
  await close();
});
