import { noRows, role } from "odatakit";
import { afterAll, describe, expect, test } from "vitest";
import { expectError, nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";
import { FORMS, openSales } from "./sales-model.ts";

type Row = Readonly<Record<string, { eq(value: unknown): unknown; ne(value: unknown): unknown }>>;
const authenticate = (request: {
  readonly headers: Headers;
}): { readonly id: string; readonly roles: readonly string[] } => {
  const name = request.headers.get("authorization") ?? "ann";
  return { id: name, roles: name === "boss" ? ["boss"] : [] };
};
const ruled = {
  authenticate,
  sales: {
    authorization: {
      rows: (user: { readonly id: string }, row: Row) => (user.id === "none" ? noRows : row["city"]?.ne("Rome")),
      properties: { amount: { read: role("boss") } },
    },
  },
  items: { authorization: { rows: (_user: unknown, row: Row) => row["id"]?.ne(1) } },
};
const opened = await Promise.all(FORMS.map(async (form) => ({ form, ...(await openSales(form, ruled)) })));
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

const N = '"N@odata.type":"#Decimal","N":';
const CASES: ReadonlyArray<
  readonly [sentence: string, user: string, options: Readonly<Record<string, string>>, context: string, rows: string]
> = [
  [
    "hidden rows are in no group",
    "ann",
    { $apply: "groupby((City),aggregate($count as N))" },
    "Sales(City,N)",
    `{"City":null,${N}1},{"City":"Oslo",${N}2},{"City":"oslo",${N}1}`,
  ],
  [
    "hidden rows are in no aggregate",
    "ann",
    { $apply: "aggregate(Units with sum as U,$count as N)" },
    "Sales(U,N)",
    `{"U@odata.type":"#Int64","U":8,${N}4}`,
  ],
  [
    "a hidden entity is null along a path",
    "ann",
    { $apply: "groupby((Item/Name),aggregate($count as N))" },
    "Sales(Item(Name),N)",
    `{"Item":null,${N}3},{"Item":{"Name":"Pot"},${N}1}`,
  ],
  [
    "a hidden entity is null in a computed value",
    "ann",
    { $compute: "Item/Name as P", $select: "Id,P", $filter: "Id ne 4" },
    "Sales(Id,P)",
    '{"Id":1,"P":null},{"Id":3,"P":null},{"Id":5,"P":"Pot"}',
  ],
  [
    "a user without rows gets the aggregate of none",
    "none",
    { $apply: "aggregate(Units with sum as U,$count as N)" },
    "Sales(U,N)",
    `{"U":null,${N}0}`,
  ],
  [
    "the rows of concat are those that the user sees",
    "none",
    { $apply: "concat(groupby((City)),aggregate($count as N))" },
    "Sales",
    `{${N}0}`,
  ],
  [
    "an unreadable property is missing in the entities of concat",
    "ann",
    { $apply: "concat(bottomcount(1,Id),aggregate($count as N))" },
    "Sales",
    `{"Id":1,"City":"Oslo","Units":3,"Stock":9007199254740993,"Weight":0.5,"Status":"Open","At":"2024-01-01T10:00:00Z","Day":"2024-01-01","Took":"PT1H","Paid":true,"ItemId":1,"Place":{"Street":"Main","Zip":"01"}},{${N}4}`,
  ],
  [
    "a star does not select it",
    "ann",
    { $apply: "concat(bottomcount(1,Id),aggregate($count as N))", $select: "*", $compute: "1 add 1 as B" },
    "Sales(B)",
    `{"Id":1,"City":"Oslo","Units":3,"Stock":9007199254740993,"Weight":0.5,"Status":"Open","At":"2024-01-01T10:00:00Z","Day":"2024-01-01","Took":"PT1H","Paid":true,"ItemId":1,"Place":{"Street":"Main","Zip":"01"},"B@odata.type":"#Int64","B":2},{${N}4,"B@odata.type":"#Int64","B":2}`,
  ],
  [
    "a user who may read it aggregates it",
    "boss",
    { $apply: "aggregate(Amount with max as A)" },
    "Sales(A)",
    '{"A@odata.type":"#Decimal","A":99.99}',
  ],
];

/** Requests that would reveal values of a property that the user may not read. */
const FORBIDDEN = [
  { $apply: "aggregate(Amount with max as A)" },
  { $apply: "groupby((Amount))" },
  { $apply: "filter(Amount gt 1)/groupby((City))" },
  { $apply: "topcount(1,Amount)" },
  { $apply: "orderby(Amount)/top(1)" },
  { $apply: "compute(Amount add 1 as B)/groupby((B))" },
  { $apply: "groupby((City),filter(Amount gt 1)/aggregate($count as N))" },
  { $apply: "concat(aggregate($count as N),aggregate(Amount with max as A))" },
  { $apply: "groupby((City),aggregate(Amount mul 2 with sum as A))" },
  { $apply: "concat(identity,aggregate($count as N))", $filter: "Amount gt 1" },
  { $apply: "concat(identity,aggregate($count as N))", $orderby: "Amount" },
  { $apply: "concat(identity,aggregate($count as N))", $select: "Amount" },
  { $apply: "concat(identity,aggregate($count as N))", $compute: "Amount add 1 as B" },
  { $compute: "Amount add 1 as B" },
  { $compute: "Amount add 1 as B", $select: "Id", $filter: "B gt 1" },
  { $compute: "Amount add 1 as B", $select: "Id", $orderby: "B" },
];

describe.each(opened)("$form", ({ service }) => {
  const send = door.to(service);
  test.each(CASES)("%s", async (_sentence, user, options, context, rows) => {
    const { status, text } = await send(url("/s/Sales", options), { authorization: user });
    expect({ status, text }).toEqual({
      status: 200,
      text: `{"@odata.context":"${ORIGIN}/s/$metadata#${context}","value":[${rows}]}`,
    });
  });
  test.each(FORBIDDEN)("%o names a property that the user may not read", async (options) => {
    expectError(await send(url("/s/Sales", options)), {
      status: 403,
      code: "Forbidden",
      target: "Amount",
    });
  });
  test.each([["Sales(4)"]])("an entity does not compute of it: %s", async (path) => {
    expectError(await send(url(`/s/${path}`, { $compute: "Amount add 1 as B" })), {
      status: 403,
      code: "Forbidden",
      target: "Amount",
    });
  });
});

/** Uses of a name for a property, which the clause may not use itself. */
const RENAMED: ReadonlyArray<readonly [options: Readonly<Record<string, string>>, target: string, property: string]> = [
  [{ $compute: "Units as X", $filter: "X gt 1" }, "$filter", "Units"],
  [{ $compute: "City as X", $orderby: "X" }, "$orderby", "City"],
  [{ $apply: "compute(Units add 1 as X)/filter(X eq 3)" }, "$apply", "Units"],
  [{ $apply: "compute(City as X)/compute(X as Y)/orderby(Y)" }, "$apply", "City"],
  [{ $apply: "compute(City as X)/topcount(1,X)" }, "$apply", "City"],
  [{ $apply: "compute(Units as X)/groupby((X))" }, "$apply", "Units"],
  [{ $apply: "compute(City as X)/aggregate(X with max as Y)" }, "$apply", "City"],
  [{ $compute: "Item/Name as X", $filter: "X eq 'Cup'" }, "$filter", "Name"],
];

test("a clause may not use a property by another name", async () => {
  const { service } = await openSales("arraySource", {
    sales: {
      filterProperties: ["city", "item"],
      orderByProperties: ["units"],
      groupByProperties: ["city"],
      aggregateProperties: ["units"],
    },
    items: { filterProperties: ["id"] },
  });
  const send = door.to(service);
  for (const [options, target, property] of RENAMED) {
    const answer = await send(url("/s/Sales", options));
    expectError(answer, { status: 400, code: "InvalidQueryOption", target });
    expect(answer.text).toContain(`The property '${property}' is not allowed in ${target}.`);
  }
  const allowed = { $apply: "compute(City as X,Units as Y)/filter(X eq 'Rome')/topcount(1,Y)", $select: "Id,X" };
  expect((await send(url("/s/Sales", allowed))).json.value).toEqual([{ Id: 2, X: "Rome" }]);
});
