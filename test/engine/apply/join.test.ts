import { noRows, role } from "odatakit";
import { afterAll, describe, expect, test } from "vitest";
import { expectError, nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";
import { FORMS, openSales } from "./sales-model.ts";

type Row = Readonly<Record<string, { ne(value: unknown): unknown }>>;
const ruled = {
  authenticate: ({ headers }: { readonly headers: Headers }) => {
    const id = headers.get("authorization") ?? "boss";
    return { id, roles: id === "eve" ? [id] : [id, "reader"] };
  },
  sales: {
    authorization: {
      read: role("reader"),
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
type Case = readonly [path: string, options: Readonly<Record<string, string>>, context: string, rows: string];
const CASES: readonly Case[] = [
  [
    "Items",
    { $apply: "join(Sales as S)", $expand: "S($select=Id,City)", $select: "Id" },
    "Items(Id,S(Id,City))",
    [
      [1, 1, "Oslo"],
      [1, 3, "Oslo"],
      [1, 6, "Rome"],
      [2, 2, "Rome"],
      [3, 5, "oslo"],
    ]
      .map(([item, id, city]) => `{"Id":${String(item)},"S":{"Id":${String(id)},"City":"${String(city)}"}}`)
      .join(),
  ],
  [
    "Items",
    {
      $apply: "outerjoin(Sales as S,filter(Units gt 0)/orderby(Units desc)/top(1))",
      $expand: "S($select=Id)",
      $select: "Name",
    },
    "Items(Name,S(Id))",
    '{"@odata.id":"http://service.example/s/Items(1)","Name":"Cup","S":{"Id":1}},' +
      '{"@odata.id":"http://service.example/s/Items(2)","Name":null,"S":{"Id":2}},' +
      '{"@odata.id":"http://service.example/s/Items(3)","Name":"Pot","S":null}',
  ],
  [
    "Items",
    { $apply: "join(Sales as S)/groupby((Name,S/City),aggregate(S/Units with sum as U,$count as N))" },
    "Items(Name,S(City),U,N)",
    `{"Name":null,"S":{"City":"Rome"},${I("U", 1)},${D("N", 1)}},{"Name":"Cup","S":{"City":"Oslo"},${I("U", 5)},${D("N", 2)}},` +
      `{"Name":"Cup","S":{"City":"Rome"},${I("U", 0)},${D("N", 1)}},{"Name":"Pot","S":{"City":"oslo"},${I("U", -1)},${D("N", 1)}}`,
  ],
  // An item counts once in a sum of its path, and once for each row in a sum of an expression.
  [
    "Sales",
    {
      $apply:
        "join(Item as I)/groupby((I/Name),aggregate(I/Rate with sum as R,I/Rate mul 1 with sum as Q,$count as N))",
    },
    "Sales(I(Name),R,Q,N)",
    `{"I":{"Name":null},${D("R", "0.250")},${D("Q", 0.25)},${D("N", 1)}},{"I":{"Name":"Cup"},${D("R", "1.500")},${D("Q", 4.5)},${D("N", 3)}},` +
      `{"I":{"Name":"Pot"},"R":null,"Q":null,${D("N", 1)}}`,
  ],
  [
    "Sales",
    { $apply: "outerjoin(Item as I)/groupby((I/Kind/Label),aggregate($count as N))" },
    "Sales(I(Kind(Label)),N)",
    `{"I":null,${D("N", 1)}},{"I":{"Kind":null},${D("N", 1)}},{"I":{"Kind":{"Label":null}},${D("N", 1)}},{"I":{"Kind":{"Label":"x"}},${D("N", 3)}}`,
  ],
  [
    "Items",
    {
      $apply: "join(Sales as S)/filter(S/Units gt 1 and S/Item/Name ne null)/compute(S/Units mul 2 as Twice)",
      $count: "true",
      $expand: "S($select=Id;$expand=Item($select=Id))",
      $orderby: "Twice",
      $select: "Id,Twice",
    },
    "Items(Id,Twice,S(Id,Item(Id)))",
    `{"Id":1,${I("Twice", 4)},"S":{"Id":3,"Item":{"Id":1}}},{"Id":1,${I("Twice", 6)},"S":{"Id":1,"Item":{"Id":1}}}`,
  ],
  [
    "Items",
    { $apply: "join(Sales as S,aggregate(Units with sum as U))/compute(S/U add 1 as V)", $select: "Id,V" },
    "Items(Id,V)",
    `{"Id":1,${I("V", 6)}},{"Id":2,${I("V", 2)}},{"Id":3,${I("V", 0)}}`,
  ],
  [
    "Items",
    {
      $apply:
        "join(Sales as S,groupby((City),aggregate(Units with sum as U)))/groupby((Name,S/City),aggregate(S/U with sum as T))",
      $filter: "T gt 0",
    },
    "Items(Name,S(City),T)",
    `{"Name":null,"S":{"City":"Rome"},${D("T", 1)}},{"Name":"Cup","S":{"City":"Oslo"},${D("T", 5)}}`,
  ],
  [
    "Items",
    { $apply: "join(Sales as S,filter($these/aggregate(Units with max) eq Units))/groupby((Id,S/Id))" },
    "Items(Id,S(Id))",
    '{"Id":1,"S":{"Id":1}},{"Id":2,"S":{"Id":2}},{"Id":3,"S":{"Id":5}}',
  ],
  [
    "Items",
    { $apply: "join(Kind as K)/join(Sales as S)/concat(top(1),skip(3))/groupby((K/Label,S/City))" },
    "Items(K(Label),S(City))",
    '{"K":{"Label":null},"S":{"City":"Rome"}},{"K":{"Label":"x"},"S":{"City":"Oslo"}}',
  ],
  [
    "Items",
    { $apply: "outerjoin(Sales as S)/groupby((S/Place/Street),aggregate($count as N))" },
    "Items(S(Place/Street),N)",
    `{"S":{"Place":null},${D("N", 2)}},{"S":{"Place":{"Street":"Main"}},${D("N", 2)}},{"S":{"Place":{"Street":"Via"}},${D("N", 1)}}`,
  ],
  ["Items", { $apply: "join(Sales as S)", $top: "2", $skip: "2", $select: "Id" }, "Items(Id)", '{"Id":1},{"Id":2}'],
];

describe.each(opened)("$form", ({ service }) => {
  const get = door.to(service);
  test.each(CASES)("%s?%o", async (path, options, context, rows) => {
    const response = await get(url(`/s/${path}`, options));
    const count = options["$count"] === undefined ? "" : '"@odata.count":2,';
    expect([response.status, response.text]).toEqual([
      200,
      `{"@odata.context":"${ORIGIN}/s/$metadata#${context}",${count}"value":[${rows}]}`,
    ]);
  });

  test("a join leads to no rows that the user does not see, and to no properties that the user may not read", async () => {
    const rows = async ($apply: string, authorization: string): Promise<unknown> => {
      const { status, json } = await get(url("/s/Items", { $apply }), { authorization });
      return status === 200
        ? (json.value as readonly object[]).map((row) => Object.values(row).at(-1) as unknown)
        : status;
    };
    expect(await rows("join(Sales as S)/groupby((S/Id))", "ann")).toEqual([{ Id: 1 }, { Id: 3 }, { Id: 5 }]);
    expect(await rows("outerjoin(Sales as S)/groupby((Id,S/Id))", "none")).toEqual([null, null, null]);
    expect(await rows("join(Sales as S)/groupby((S/Amount))", "ann")).toBe(403);
    expect(await rows("join(Sales as S)/aggregate(S/Amount with max as M)", "ann")).toBe(403);
    expect(await rows("join(Sales as S,filter(Amount gt 1))/groupby((S/Id))", "ann")).toBe(403);
    expect(await rows("join(Sales as S,aggregate(Amount with sum as M))/groupby((S/M))", "ann")).toBe(403);
    expect(await rows("join(Sales as S,filter(Item/Sales/any(s:s/Amount gt 1)))/groupby((S/Id))", "ann")).toBe(403);
    expect(await rows("join(Sales as S)/groupby((Id))", "eve")).toBe(403);
    const shown = await get(url("/s/Items", { $apply: "join(Sales as S)", $expand: "S", $top: "1" }), {
      authorization: "ann",
    });
    expect(Object.keys(shown.json.value[0].S as object)).not.toContain("Amount");
    expect(shown.json.value[0].S).toMatchObject({ Id: 1, City: "Oslo" });
  });

  test("pages of a join continue behind the last row", async () => {
    const found: unknown[] = [];
    let next: string | undefined = url("/s/Items", { $apply: "join(Sales as S)", $expand: "S($select=Id)" });
    while (next !== undefined) {
      const { json } = await get(next.replace(ORIGIN, ""), { prefer: "odata.maxpagesize=2" });
      found.push(...(json.value as readonly { readonly S: { readonly Id: number } }[]).map(({ S }) => S.Id));
      next = json["@odata.nextLink"] as string | undefined;
    }
    expect(found).toEqual([1, 3, 6, 2, 5]);
  });
});

const REFUSED: readonly (readonly [options: Readonly<Record<string, string>>, status: number, message: string])[] = [
  [
    { $apply: "join(Sales as Name)" },
    400,
    "$apply at position 14: 'Name' is a property of 'Item': choose another name.",
  ],
  [
    { $apply: "join(Name as N)" },
    400,
    "$apply at position 5: 'join' takes a navigation property, as in join(Lines as Line), not Edm.String.",
  ],
  [
    { $apply: "join(Sales)" },
    400,
    '$apply at position 10: expected as and a name, as in join(Lines as Line), found ")".',
  ],
  [
    { $apply: "groupby((Name))/join(Sales as S)" },
    400,
    "$apply at position 21: 'Sales' is not available behind groupby. Available: Name.",
  ],
  [
    { $apply: "join(Sales as S)/join(Kind as S)" },
    400,
    "$apply at position 30: The rows already have the name 'S': choose another one.",
  ],
  [{ $apply: "join(Sales as S,join(Item as I))" }, 501, "$apply at position 16: 'join' within join is not supported."],
  [{ $apply: "groupby((Id),join(Sales as S))" }, 501, "$apply at position 13: 'join' within groupby is not supported."],
  [
    { $apply: "join(Sales as S,compute(Units as U))" },
    501,
    "$apply at position 0: 'compute' within join is not supported: write it behind join.",
  ],
  [
    { $apply: "concat(join(Sales as S),identity)" },
    501,
    "$apply at position 0: join in one part of concat alone is not supported: write it behind.",
  ],
  [{ $apply: "join(Kind as K)/join(K/Items as N)" }, 400, "$apply at position 23: 'Kind' has no property 'Items'."],
  [
    { $apply: "join(Sales as S)/join(S/Item as N)" },
    501,
    "$apply at position 24: 'join' of S/Item is not supported: it takes a navigation property of the entities themselves, to an entity set.",
  ],
  [
    { $apply: "join(Sales as S,aggregate(Units with sum as U))", $expand: "S" },
    501,
    "$expand at position 0: Steps have made the rows of 'S', so that it cannot be expanded: group by its properties.",
  ],
];

test.each(REFUSED)("%o is refused", async (options, status, message) => {
  const [first] = opened;
  if (first === undefined) throw new Error("There is no service.");
  const response = await door.to(first.service)(url("/s/Items", options));
  const code = status === 501 ? "NotImplemented" : "InvalidQueryOption";
  expectError(response, { status, code, message, target: Object.keys(options).at(-1) } as never);
});
