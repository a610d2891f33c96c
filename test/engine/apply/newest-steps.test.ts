import { role } from "odatakit";
import { afterAll, describe, expect, test } from "vitest";
import { nodeDoor as door, url } from "../../service/http/doors.ts";
import { FORMS, openSales } from "./sales-model.ts";

type Row = Readonly<Record<string, { ne(value: unknown): unknown }>>;
const authenticate = ({ headers }: { readonly headers: Headers }) => {
  const id = headers.get("authorization") ?? "boss";
  return { id, roles: [id] };
};
const SETTINGS = {
  authenticate,
  batch: { json: true },
  sales: {
    cacheControl: "private, max-age=60",
    etag: ["id"],
    filterProperties: ["id", "city", "amount", "units"],
    orderByProperties: ["id", "units", "amount"],
    groupByProperties: ["id", "city", "amount"],
    aggregateProperties: ["units", "amount"],
    authorization: {
      rows: ({ id }: { readonly id: string }, row: Row) => (id === "ann" ? row["city"]?.ne("Rome") : row["id"]?.ne(0)),
      properties: { amount: { read: role("boss") } },
    },
  },
  items: { cacheControl: "public, max-age=300" },
};
const opened = await Promise.all(FORMS.map(async (form) => ({ form, ...(await openSales(form, SETTINGS as never)) })));
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

/** Steps of each newer kind, by the set whose rows they change. */
const STEPS: ReadonlyArray<readonly [set: string, apply: string]> = [
  ["Sales", "filter(Units ge $these/aggregate(Units with average))"],
  ["Sales", "groupby((City),filter($these/$count gt 1))"],
  ["Sales", "concat(groupby((City),aggregate(Units with sum as U)),aggregate(Units with sum as U))/filter(U gt 3)"],
  ["Sales", "topsum(5,Units)/groupby((City))"],
  ["Sales", "bottompercent(40,Units)/aggregate($count as N)"],
  ["Items", "join(Sales as S)/groupby((Name,S/City),aggregate(S/Units with sum as U))"],
  ["Items", "outerjoin(Sales as S,filter(Units gt 0)/topsum(3,Units))/aggregate($count as N)"],
  ["Items", "aggregate(Sales/Units with sum as T)"],
  ["Items", "groupby((Name),aggregate(Sales/$count as N,Sales/Units with max as M))"],
];

describe.each(opened)("over $form", ({ service }) => {
  const send = door.to(service);

  test.each(STEPS)("%s: %s is the same in a batch as alone", async (set, $apply) => {
    for (const user of ["boss", "ann"]) {
      const alone = await send(url(`/s/${set}`, { $apply }), { authorization: user });
      expect([alone.status, alone.text], $apply).toEqual([200, expect.any(String)]);
      const requests = [{ id: "1", method: "GET", url: `${set}?$apply=${encodeURIComponent($apply)}` }];
      const types = { "content-type": "application/json", accept: "application/json" };
      const response = await send("/s/$batch", { ...types, authorization: user }, "POST", JSON.stringify({ requests }));
      const body = response.json as {
        readonly responses: ReadonlyArray<{ readonly status: number; readonly body: unknown }>;
      };
      expect([response.status, body.responses.map((each) => [each.status, each.body])]).toEqual([
        200,
        [[200, alone.json]],
      ]);
    }
  });

  test.each(STEPS)("%s: %s has the caches of every set that it reads, and has no 304", async (set, $apply) => {
    const { status, headers } = await send(url(`/s/${set}`, { $apply }), { "if-none-match": "*" });
    // Sets with different values have no common one.
    const caches = set === "Items" ? "no-store" : "private, max-age=60";
    expect([status, headers["cache-control"], headers["etag"]]).toEqual([200, caches, undefined]);
  });

  test.each([
    ["Sales", "filter(Amount ge $these/aggregate(Amount with average))", 403],
    ["Sales", "topsum(5,Amount)", 403],
    ["Sales", "concat(identity,aggregate(Amount with sum as T))/filter(T gt 1)", 403],
    ["Items", "aggregate(Sales/Amount with sum as T)", 403],
    ["Items", "join(Sales as S)/topsum(5,S/Amount)", 403],
    ["Items", "outerjoin(Sales as S,topsum(5,Amount))", 403],
    ["Sales", "filter(Units gt $these/aggregate(Weight with max))", 400],
    ["Sales", "groupby((Status))", 400],
    ["Sales", "topsum(5,Weight)", 400],
    ["Items", "aggregate(Sales/Weight with sum as T)", 400],
    ["Items", "join(Sales as S)/groupby((S/Status))", 400],
    ["Items", "join(Sales as S)/aggregate(S/Weight with sum as T)", 400],
    ["Items", "join(Sales as S,filter(Weight gt 1))", 400],
    ["Items", "join(Sales as S,topsum(5,Weight))", 400],
    ["Items", "join(Sales as S)/filter(S/Weight gt 1)", 400],
    ["Sales", "concat(filter(Weight gt 1),identity)/aggregate($count as N)", 400],
  ])("%s: %s obeys property rules and allowlists", async (set, $apply, status) => {
    const found = await send(url(`/s/${set}`, { $apply }), { authorization: "ann" });
    expect([found.status, found.text]).toEqual([status, expect.any(String)]);
  });
});
