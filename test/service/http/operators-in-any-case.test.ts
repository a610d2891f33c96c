import { edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";
import { noFailures } from "./model.ts";
import { peopleByHandlers, peopleByTable } from "./profile-model.ts";

/** Queries with operators in other letter cases than the standard's, and the same in lower case. */
const QUERIES: ReadonlyArray<readonly [written: string, lower: string]> = [
  ["$filter=Id EQ 1", "$filter=Id eq 1"],
  ["$filter=Id Ne 1", "$filter=Id ne 1"],
  ["$filter=Id GT 1 OR Name EQ 'Ann'", "$filter=Id gt 1 or Name eq 'Ann'"],
  ["$filter=Id GE 1 AND Id LE 1", "$filter=Id ge 1 and Id le 1"],
  ["$filter=Id IN (2,3)", "$filter=Id in (2,3)"],
  ["$filter=NOT (Id eq 1)", "$filter=not (Id eq 1)"],
  ["$filter=NOT(Id eq 1)", "$filter=not(Id eq 1)"],
  ["$filter=Not contains(Name,'A')", "$filter=not contains(Name,'A')"],
  ["$filter=NOT NOT (Id eq 1)", "$filter=not not (Id eq 1)"],
  ["$filter=(Id ADD 1) MUL 2 EQ 4", "$filter=(Id add 1) mul 2 eq 4"],
  ["$filter=Id MOD 2 EQ 1 AND Id DIV 1 SUB 1 LT 1", "$filter=Id mod 2 eq 1 and Id div 1 sub 1 lt 1"],
  ["$filter=Id DIVBY 2 eq 0.5", "$filter=Id divby 2 eq 0.5"],
  ["$filter=Fans/ANY(f:f/Id EQ 1)", "$filter=Fans/any(f:f/Id eq 1)"],
  ["$filter=Contains(Name,@n) EQ TRUE&@n='A'", "$filter=contains(Name,@n) eq true&@n='A'"],
  ["$filter=@f&@f=Id EQ 2", "$filter=@f&@f=Id eq 2"],
  ["$orderby=Id DESC", "$orderby=Id desc"],
  ["$orderby=Name Desc,Id ASC", "$orderby=Name desc,Id asc"],
  ["$expand=Fans($filter=Id NE 2;$orderby=Id DESC)", "$expand=Fans($filter=Id ne 2;$orderby=Id desc)"],
  ["$apply=filter(Id GT 1)/orderby(Id DESC)", "$apply=filter(Id gt 1)/orderby(Id desc)"],
  ["$compute=Id ADD 1 as Next&$select=Next", "$compute=Id add 1 as Next&$select=Next"],
];

/** Words in another letter case that are no operators, also with the profile of the standard. */
const REFUSED = ["Id EQ", "EQ 1", "NOT", "NOT,Id", "Id eq NULL", "Id eq nan", "Id EQUALS 1", "Id eq 1 XOR Id eq 2"];

const FORMS = [
  ["handlers", peopleByHandlers],
  ["a table", peopleByTable],
] as const;

eachDoor((door) => {
  const pathOf = (query: string) => `/p/People?${query.replaceAll(" ", "%20")}`;

  describe.each(FORMS)("operators in any letter case, over %s", (_, make) => {
    test.each(QUERIES)("%s", async (written, lower) => {
      const send = door.to(await make("standard"));
      const [found, expected] = [await send(pathOf(written)), await send(pathOf(lower))];
      expect(expected.status, expected.text).toBe(200);
      expect([found.status, found.json]).toEqual([200, expected.json]);
    });

    test.each(QUERIES.filter(([written]) => /^\$(?:filter|orderby)=(?!Contains|@f|Fans)/u.test(written)))(
      "%s is 400 by default",
      async (written) => {
        const send = door.to(await make("specification"));
        const target = written.split("=")[0]!;
        expectError(await send(pathOf(written)), { status: 400, code: "InvalidQueryOption", target });
      },
    );

    test.each(REFUSED)("%s stays 400", async ($filter) => {
      const send = door.to(await make("standard"));
      const fault = { status: 400, code: "InvalidQueryOption", target: "$filter" } as const;
      expectError(await send(pathOf(`$filter=${$filter}`)), fault);
    });
  });

  test("properties that are called like operators keep their names", async () => {
    const Word = entityType("Word", { id: edm.int32().key(), not: edm.boolean(), eq: edm.int32(), desc: edm.int32() });
    const rows = [
      { id: 1, not: true, eq: 1, desc: 2 },
      { id: 2, not: false, eq: 2, desc: 1 },
    ];
    const service = odataService({
      prefix: "/w",
      namespace: "W",
      profile: "standard",
      logger: noFailures,
      entitySets: [entitySet(Word, { getAll: () => rows })],
    });
    const send = door.to(service);
    const ids = async (query: string) => {
      const { json, text } = await send(`/w/Words?${query.replaceAll(" ", "%20")}`);
      const items = json.value as ReadonlyArray<{ readonly Id: number }> | undefined;
      return items?.map(({ Id }) => Id) ?? text;
    };
    expect(await ids("$filter=Not")).toEqual([1]);
    expect(await ids("$filter=Not eq true")).toEqual([1]);
    expect(await ids("$filter=Not EQ false")).toEqual([2]);
    expect(await ids("$filter=NOT Not")).toEqual([2]);
    expect(await ids("$filter=not(Not)")).toEqual([2]);
    expect(await ids("$filter=Not AND Eq EQ 1")).toEqual([1]);
    expect(await ids("$filter=Eq EQ Eq")).toEqual([1, 2]);
    expect(await ids("$filter=Desc eq 1")).toEqual([2]);
    expect(await ids("$orderby=Not DESC")).toEqual([1, 2]);
    expect(await ids("$orderby=Not")).toEqual([2, 1]);
    expect(await ids("$orderby=Desc DESC,Not")).toEqual([1, 2]);
    expect(await ids("$orderby=Desc Asc")).toEqual([2, 1]);
    expect((await send("/w/Words?$compute=Eq%20ADD%201%20as%20Next&$select=Not,Next")).json.value).toEqual([
      { Not: true, "Next@odata.type": "#Int64", Next: 2 },
      { Not: false, "Next@odata.type": "#Int64", Next: 3 },
    ]);
    expect((await send("/w/Words?$apply=groupby((Not),aggregate(Eq%20with%20sum%20as%20Or))")).json.value).toEqual([
      { Not: false, "Or@odata.type": "#Int64", Or: 2 },
      { Not: true, "Or@odata.type": "#Int64", Or: 1 },
    ]);
  });
});
