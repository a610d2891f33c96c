import { afterAll, describe, expect, test } from "vitest";
import { nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";
import { FORMS, openSales } from "./sales-model.ts";

const opened = await Promise.all(FORMS.map(async (form) => ({ form, ...(await openSales(form)) })));
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

type Options = Readonly<Record<string, string>>;
/** A sentence, the options of the request, the fragment of the context URL, and the rows as JSON. */
type Case = readonly [sentence: string, options: Options | string, context: string, rows: string];

const N = '"N@odata.type":"#Decimal","N":';
const CASES: readonly Case[] = [
  [
    "rows with the greatest values are kept until their sum reaches a number",
    { $apply: "topsum(100,Amount)", $select: "Id" },
    "Sales(Id)",
    '{"Id":2},{"Id":4}',
  ],
  [
    "rows with the smallest values are kept until their sum reaches a number",
    { $apply: "bottomsum(-5.2,Amount)", $select: "Id" },
    "Sales(Id)",
    "",
  ],
  [
    "the row that reaches the sum is kept, and rows without a value are not",
    { $apply: "bottomsum(0.5,Amount)", $select: "Id" },
    "Sales(Id)",
    '{"Id":1},{"Id":2},{"Id":3},{"Id":6}',
  ],
  [
    "a percentage is that of the sum of all rows",
    { $apply: "toppercent(80,Amount)", $select: "Id" },
    "Sales(Id)",
    '{"Id":2},{"Id":4}',
  ],
  [
    "all percent are all rows with values above the end",
    { $apply: "bottompercent(100,Units mul 1)", $select: "Id" },
    "Sales(Id)",
    '{"Id":1},{"Id":2},{"Id":3},{"Id":4},{"Id":5},{"Id":6}',
  ],
  [
    "each group has a sum",
    { $apply: "groupby((City),topsum(2,Units))", $select: "Id" },
    "Sales(Id)",
    '{"Id":1},{"Id":2},{"Id":4},{"Id":5},{"Id":6}',
  ],
  [
    "groups are kept until the sum of their totals reaches a number",
    "groupby((City),aggregate(Units with sum as U))/topsum(6.5,U)/aggregate(U with sum as V,$count as N)",
    "Sales(V,N)",
    `{"V@odata.type":"#Decimal","V":9,${N}2}`,
  ],
  [
    "sums of Doubles end rows, too",
    { $apply: "filter(Weight gt 0)/toppercent(50.5,Weight)", $select: "Id" },
    "Sales(Id)",
    '{"Id":1},{"Id":4}',
  ],
  [
    "a literal with a name has the type of each place",
    "compute(5 as C)/filter(C add Amount gt 0 and C mul Weight lt 9 and round(C) eq 5)/aggregate(C mul Amount with sum as S,C with average as A)",
    "Sales(S,A)",
    '{"S@odata.type":"#Decimal","S":652.95,"A":5}',
  ],
  [
    "a literal with a name in $compute has the type of each place",
    {
      $compute: "9223372036854775807 as C",
      $filter: "C sub Amount gt 9223372036854775800.5 and Id lt 3",
      $select: "Id,C",
    },
    "Sales(Id,C)",
    '{"Id":1,"C@odata.type":"#Int64","C":9223372036854775807}',
  ],
  [
    "groups have one row each, null is a group, and letters differ by case",
    "groupby((City))",
    "Sales(City)",
    '{"City":null},{"City":"Oslo"},{"City":"Rome"},{"City":"oslo"}',
  ],
  [
    "Decimals are summed exactly, and null is left out",
    "groupby((City),aggregate(Amount with sum as Total))",
    "Sales(City,Total)",
    '{"City":null,"Total@odata.type":"#Decimal","Total":99.99},{"City":"Oslo","Total@odata.type":"#Decimal","Total":0.30},' +
      '{"City":"Rome","Total@odata.type":"#Decimal","Total":25.25},{"City":"oslo","Total":null}',
  ],
  [
    "sums and averages have the type of their operand",
    "aggregate(Units with sum as A,Stock with sum as B,Amount with sum as C,Weight with sum as D,Took with sum as E)",
    "Sales(A,B,C,D,E)",
    '{"A@odata.type":"#Int64","A":9,"B@odata.type":"#Decimal","B":18014398509481994,"C@odata.type":"#Decimal","C":125.54,' +
      '"D":-0.5,"E@odata.type":"#Duration","E":"PT1H31M30.5S"}',
  ],
  [
    "averages leave null out of the divisor",
    "aggregate(Units with average as A,Stock with average as B,Amount with average as C,Weight with average as D,Took with average as E)",
    "Sales(A,B,C,D,E)",
    '{"A":1.5,"B":3602879701896398.5,"C@odata.type":"#Decimal","C":25.108,"D":-0.1,' +
      '"E@odata.type":"#Duration","E":"PT30M30.166666666667S"}',
  ],
  [
    "min and max have the type of their operand, and enumerations are ordered by value",
    "aggregate(Status with min as A,Status with max as B,At with min as C,At with max as D,City with min as E,City with max as F,Day with max as G,Took with min as H,Amount with max as I,Stock with max as J)",
    "Sales(A,B,C,D,E,F,G,H,I,J)",
    '{"A@odata.type":"#Default.Status","A":"Void","B@odata.type":"#Default.Status","B":"Open",' +
      '"C@odata.type":"#DateTimeOffset","C":"2023-12-31T23:59:59.000Z","D@odata.type":"#DateTimeOffset","D":"2024-01-01T10:00:00.500Z",' +
      '"E":"Oslo","F":"oslo","G@odata.type":"#Date","G":"2024-02-29","H@odata.type":"#Duration","H":"PT1M30.5S",' +
      '"I@odata.type":"#Decimal","I":99.99,"J@odata.type":"#Int64","J":9007199254740993}',
  ],
  [
    "counts are Decimals; null is not counted as a value",
    "aggregate($count as N,City with countdistinct as C,Stock with countdistinct as S,At with countdistinct as T)",
    "Sales(N,C,S,T)",
    `{${N}6,"C@odata.type":"#Decimal","C":3,"S@odata.type":"#Decimal","S":4,"T@odata.type":"#Decimal","T":3}`,
  ],
  [
    "without input, an aggregate is one row of nulls and zeros",
    "filter(Id gt 99)/aggregate(Amount with sum as S,Units with average as A,City with min as M,City with countdistinct as C,$count as N)",
    "Sales(S,A,M,C,N)",
    `{"S":null,"A":null,"M":null,"C@odata.type":"#Decimal","C":0,${N}0}`,
  ],
  ["without input there are no groups", "filter(Id gt 99)/groupby((City),aggregate($count as N))", "Sales(City,N)", ""],
  [
    "a missing entity and a missing value are different groups",
    "groupby((Item/Name,Item/Kind/Label),aggregate($count as N))",
    "Sales(Item(Name,Kind(Label)),N)",
    `{"Item":null,${N}1},{"Item":{"Name":null,"Kind":{"Label":null}},${N}1},` +
      `{"Item":{"Name":"Cup","Kind":{"Label":"x"}},${N}3},{"Item":{"Name":"Pot","Kind":null},${N}1}`,
  ],
  [
    "a missing complex value and a missing member are different groups",
    "groupby((Place/Zip),aggregate($count as N))",
    "Sales(Place/Zip,N)",
    `{"Place":null,${N}3},{"Place":{"Zip":null},${N}1},{"Place":{"Zip":"01"},${N}2}`,
  ],
  [
    "a filter within groupby keeps groups that lose all rows",
    "groupby((City),filter(Units gt 1)/aggregate($count as N,Units with sum as U))",
    "Sales(City,N,U)",
    `{"City":null,${N}1,"U@odata.type":"#Int64","U":4},{"City":"Oslo",${N}2,"U@odata.type":"#Int64","U":5},` +
      `{"City":"Rome",${N}0,"U":null},{"City":"oslo",${N}0,"U":null}`,
  ],
  [
    "a filter before groupby loses the groups",
    "filter(Units gt 1)/groupby((City),aggregate($count as N))",
    "Sales(City,N)",
    `{"City":null,${N}1},{"City":"Oslo",${N}2}`,
  ],
  [
    "a filter behind groupby is about the groups",
    "groupby((City),aggregate($count as N))/filter(N gt 1)",
    "Sales(City,N)",
    `{"City":"Oslo",${N}2},{"City":"Rome",${N}2}`,
  ],
  [
    "groups can be grouped again",
    "groupby((City,Paid),aggregate(Units with sum as U))/groupby((Paid),aggregate($count as N,U with max as M))",
    "Sales(Paid,N,M)",
    `{"Paid":false,${N}3,"M@odata.type":"#Int64","M":4},{"Paid":true,${N}1,"M@odata.type":"#Int64","M":5}`,
  ],
  [
    "an expression is computed for each row",
    "aggregate(Units mul 2 add 1 with sum as S,Item/Rate mul 1 with sum as R)",
    "Sales(S,R)",
    '{"S@odata.type":"#Decimal","S":24,"R@odata.type":"#Decimal","R":4.75}',
  ],
  [
    "an aggregate may replace its operand",
    "groupby((Paid),aggregate(Amount with sum as Amount,Units with max as Units))",
    "Sales(Paid,Amount,Units)",
    '{"Paid":false,"Amount":125.24,"Units":4},{"Paid":true,"Amount":0.30,"Units":3}',
  ],
  [
    "an aggregate that replaces its operand by another type says so",
    "aggregate(Units with sum as Units)",
    "Sales(Units)",
    '{"Units@odata.type":"#Int64","Units":9}',
  ],
  [
    "a computed value can be a group",
    "compute(Units gt 1 as Many,year(Day) as Year)/groupby((Year,Many),aggregate($count as N))",
    "Sales(Year,Many,N)",
    `{"Year":null,"Many":false,${N}1},{"Year":null,"Many":true,${N}2},{"Year@odata.type":"#Int32","Year":2023,"Many":false,${N}1},` +
      `{"Year@odata.type":"#Int32","Year":2024,"Many":false,${N}1},{"Year@odata.type":"#Int32","Year":2024,"Many":true,${N}1}`,
  ],
  [
    "values can be computed of aggregates",
    "groupby((Paid),aggregate(Units with sum as U,$count as N))/compute(U mul 2 as V)/filter(V gt 8)",
    "Sales(Paid,U,N,V)",
    `{"Paid":true,"U@odata.type":"#Int64","U":5,${N}2,"V@odata.type":"#Int64","V":10}`,
  ],
  [
    "orderby behind groupby is followed by the grouping paths",
    "groupby((City,Paid))/orderby(Paid desc)",
    "Sales(City,Paid)",
    '{"City":"Oslo","Paid":true},{"City":null,"Paid":false},{"City":"Rome","Paid":false},{"City":"oslo","Paid":false}',
  ],
  [
    "top takes by the order before it",
    "groupby((City),aggregate(Units with sum as U))/orderby(U desc)/skip(1)/top(2)",
    "Sales(City,U)",
    '{"City":null,"U@odata.type":"#Int64","U":4},{"City":"Rome","U@odata.type":"#Int64","U":1}',
  ],
  [
    "topcount takes the greatest, and its rows are in the order of the groups",
    "groupby((City),aggregate(Units with sum as U))/topcount(2,U)",
    "Sales(City,U)",
    '{"City":null,"U@odata.type":"#Int64","U":4},{"City":"Oslo","U@odata.type":"#Int64","U":5}',
  ],
  [
    "the rows of concat are those of its parts in their order",
    "concat(groupby((Paid))/orderby(Paid desc),aggregate($count as N))",
    "Sales",
    `{"Paid":true},{"Paid":false},{${N}6}`,
  ],
  [
    "concat nests, and its parts limit their rows, as UI5 requests",
    "concat(aggregate(Amount with sum as Amount),groupby((Item/Name),aggregate(Amount with sum as Amount))/orderby(Item/Name)/concat(aggregate($count as UI5__count),top(2)))",
    "Sales",
    '{"Amount":125.54},{"UI5__count@odata.type":"#Decimal","UI5__count":4},{"Item":null,"Amount":99.99},{"Item":{"Name":null},"Amount":30.50}',
  ],
  [
    "the context of concat names what its parts share",
    "concat(groupby((City,Paid)),groupby((City),aggregate($count as N)))",
    "Sales(City)",
    '{"City":null,"Paid":false},{"City":"Oslo","Paid":true},{"City":"Rome","Paid":false},{"City":"oslo","Paid":false},' +
      `{"City":null,${N}1},{"City":"Oslo",${N}2},{"City":"Rome",${N}2},{"City":"oslo",${N}1}`,
  ],
  [
    "it leaves out a value without shared members",
    {
      $apply: "concat(groupby((Item/Name,Paid)),groupby((Item/Kind/Label,Paid)))",
      $filter: "Paid",
      $orderby: "Item/Name",
    },
    "Sales(Paid)",
    '{"Item":{"Kind":{"Label":"x"}},"Paid":true},{"Item":{"Name":"Cup"},"Paid":true}',
  ],
  [
    "$filter, $orderby, $skip and $top apply to the result",
    {
      $apply: "groupby((City),aggregate($count as N))",
      $filter: "N lt 2 or City eq 'Oslo'",
      $orderby: "N desc,City desc",
      $skip: "1",
      $top: "1",
    },
    "Sales(City,N)",
    `{"City":"oslo",${N}1}`,
  ],
  [
    "$select narrows the rows and the context",
    { $apply: "groupby((City,Item/Name,Item/Kind/Label),aggregate($count as N))", $select: "N,Item/Name", $top: "2" },
    "Sales(Item(Name),N)",
    `{"Item":null,${N}1},{"Item":{"Name":"Cup"},${N}2}`,
  ],
  [
    "$compute applies to the result",
    {
      $apply: "groupby((Paid),aggregate($count as N))",
      $compute: "N mul 2 as D",
      $filter: "D gt 4",
      $select: "Paid,D",
    },
    "Sales(Paid,D)",
    '{"Paid":false,"D@odata.type":"#Decimal","D":8}',
  ],
  [
    "$orderby sorts the rows of all parts of concat; what a part does not have is null",
    {
      $apply: "concat(groupby((City),aggregate(Units with sum as U)),aggregate(Units with sum as U))",
      $orderby: "U desc,City",
    },
    "Sales(U)",
    '{"U@odata.type":"#Int64","U":9},{"City":"Oslo","U@odata.type":"#Int64","U":5},{"City":null,"U@odata.type":"#Int64","U":4},' +
      '{"City":"Rome","U@odata.type":"#Int64","U":1},{"City":"oslo","U@odata.type":"#Int64","U":-1}',
  ],
  [
    "$orderby may name what $select leaves out",
    {
      $apply: "concat(groupby((City),aggregate(Units with sum as U)),aggregate(Units with sum as U))",
      $orderby: "U desc",
      $select: "City",
      $top: "2",
    },
    "Sales",
    '{},{"City":"Oslo"}',
  ],
  [
    "$filter and $compute apply to the rows of all parts of concat",
    {
      $apply: "concat(groupby((City),aggregate(Units with sum as U)),aggregate(Units with sum as U))",
      $compute: "U add 1 as V",
      $filter: "City eq null and V gt 5",
    },
    "Sales(U,V)",
    '{"U@odata.type":"#Int64","U":9,"V@odata.type":"#Int64","V":10}',
  ],
  [
    "$skip and $top count the rows of all parts of concat",
    { $apply: "concat(aggregate($count as N),groupby((City)),aggregate($count as N))", $skip: "4", $top: "2" },
    "Sales",
    `{"City":"oslo"},{${N}6}`,
  ],
  [
    "names below a missing entity are null in $filter and $orderby",
    { $apply: "groupby((Item/Name,Item/Kind/Label))", $filter: "Item/Kind/Label eq null", $orderby: "Item/Name desc" },
    "Sales(Item(Name,Kind(Label)))",
    '{"Item":{"Name":"Pot","Kind":null}},{"Item":null},{"Item":{"Name":null,"Kind":{"Label":null}}}',
  ],
  [
    "steps within groupby run in each group",
    "groupby((Paid),topcount(2,Units)/aggregate(Units with sum as U,Id with min as I))",
    "Sales(Paid,U,I)",
    '{"Paid":false,"U@odata.type":"#Int64","U":5,"I@odata.type":"#Int32","I":2},{"Paid":true,"U@odata.type":"#Int64","U":5,"I@odata.type":"#Int32","I":1}',
  ],
  [
    "groups within groups have the paths of both",
    "groupby((Paid),groupby((City),aggregate($count as N))/topcount(1,N))",
    "Sales(Paid,City,N)",
    `{"Paid":false,"City":"Rome",${N}2},{"Paid":true,"City":"Oslo",${N}2}`,
  ],
  [
    "bottomcount takes null first, and ties by key",
    { $apply: "bottomcount(3,Weight)", $select: "Id" },
    "Sales(Id)",
    '{"Id":2},{"Id":3},{"Id":5}',
  ],
  [
    "topcount takes null last",
    { $apply: "topcount(5,Amount)", $select: "Id" },
    "Sales(Id)",
    '{"Id":1},{"Id":2},{"Id":3},{"Id":4},{"Id":6}',
  ],
  [
    "an order is stable: a later one comes first",
    { $apply: "orderby(Units)/orderby(City desc)", $select: "Id" },
    "Sales(Id)",
    '{"Id":5},{"Id":6},{"Id":2},{"Id":3},{"Id":1},{"Id":4}',
  ],
  [
    "a part of concat may have the entities of another one, and $filter follows their paths",
    {
      $apply: "concat(topcount(2,Units),filter(Id lt 3))",
      $filter: "Item/Kind/Label eq 'x' or Item eq null",
      $orderby: "Item/Name desc,Id",
      $select: "Id",
    },
    "Sales(Id)",
    '{"Id":1},{"Id":1},{"Id":4}',
  ],
  [
    "a part of concat has values that another one does not have",
    {
      $apply: "concat(filter(Id lt 2)/compute(Units mul 2 as D),aggregate(Units with sum as S))",
      $select: "Id,D,S",
      $filter: "D gt 1 or S gt 1",
    },
    "Sales",
    '{"Id":1,"D@odata.type":"#Int64","D":6},{"S@odata.type":"#Int64","S":9}',
  ],
  [
    "min and max of aggregates and computed values are those of their type",
    "groupby((City),aggregate(Amount with average as A,At with max as T))/compute(A mul 2 as B)/aggregate(B with max as M,T with min as U,A with sum as S)",
    "Sales(M,U,S)",
    '{"M@odata.type":"#Decimal","M":199.98,"U@odata.type":"#DateTimeOffset","U":"2023-12-31T23:59:59.000Z","S@odata.type":"#Decimal","S":112.765}',
  ],
];

describe.each(opened)("$form", ({ service }) => {
  const send = door.to(service);
  const rowsOf = async (options: Options): Promise<unknown> => (await send(url("/s/Sales", options))).json;

  test.each(CASES)("%s", async (_sentence, given, context, rows) => {
    const options = typeof given === "string" ? { $apply: given } : given;
    const { status, headers, text } = await send(url("/s/Sales", options));
    expect({ status, headers, text }).toEqual({
      status: 200,
      headers: {
        "content-type": "application/json;odata.metadata=minimal",
        "odata-version": "4.0",
        vary: "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
      },
      text: `{"@odata.context":"${ORIGIN}/s/$metadata#${context}","value":[${rows}]}`,
    });
  });

  test.each(CASES)("$count counts the result: %s", async (_sentence, given) => {
    const options = typeof given === "string" ? { $apply: given } : given;
    const { $skip: _skip, $top: _top, $orderby: _order, ...counted } = options;
    const all = (await rowsOf(counted)) as { readonly value: readonly unknown[] };
    const { length } = all.value;
    expect(await rowsOf({ ...counted, $count: "true", $top: "0" })).toMatchObject({
      "@odata.count": length,
      value: [],
    });
    const { $select: _select, ...conditions } = counted;
    const { status, text } = await send(url("/s/Sales/$count", conditions));
    expect({ status, text }).toEqual({ status: 200, text: String(length) });
  });
});
