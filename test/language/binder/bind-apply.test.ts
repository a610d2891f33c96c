import { describe, expect, test } from "vitest";
import type { BoundQuery } from "../../../src/language/query/clauses.ts";
import { applySummary, typeSummary } from "./apply-summary.ts";
import { bindCollection, errorOf, type Settings } from "./requests.ts";
import { summary } from "./summary.ts";

const ENABLED = { applyEnabled: true, computeEnabled: true } as const;

function apply(query: string, settings: Settings = {}): BoundQuery {
  return bindCollection(query, {
    ...settings,
    capabilities: { ...ENABLED, ...settings.capabilities },
    others: { ...ENABLED, ...settings.others },
  });
}

function stepsOf(query: string): readonly string[] {
  const { shape } = apply(`$apply=${query}`);
  return shape.apply === undefined ? [] : applySummary(shape.apply);
}

describe("the steps", () => {
  test.each<[string, readonly string[]]>([
    ["identity", ["order Id"]],
    ["filter(Price gt 5)", ["filter (Price gt ?0:Decimal):Decimal", "order Id"]],
    ["orderby(Name desc)/orderby(Price)", ["order Price, Name desc, Id"]],
    ["orderby(Name)/top(3)", ["top ?0:Int64 by Name, Id", "order Name, Id"]],
    ["orderby(Name)/topcount(3,Price)/skip(1)", ["top ?0:Int64 by Price desc, Id", "skip ?1:Int64 by Id", "order Id"]],
    ["orderby(Name)/skip(1)/top(2)", ["skip ?0:Int64 top ?1:Int64 by Name, Id", "order Name, Id"]],
    [
      "skip(1)/orderby(Name)/top(2)/top(1)",
      ["skip ?0:Int64 by Id", "top ?1:Int64 by Name, Id", "top ?2:Int64 by Name, Id", "order Name, Id"],
    ],
    ["skip(1)/topcount(2,Price)", ["skip ?0:Int64 by Id", "top ?1:Int64 by Price desc, Id", "order Id"]],
    ["bottomcount(1,length(Name))", ["top ?0:Int64 by length(Name):Int32, Id", "order Id"]],
    [
      "aggregate(Price with sum as Total,$count as N)",
      ["group () Total: sum(Price) Edm.Decimal; N: count() Edm.Decimal"],
    ],
    ["groupby((Color,Name))", ["group (Color=Color,Name=Name)", "order Color, Name"]],
    [
      "groupby((Supplier/Name,Supplier/Id,Address/Location/Latitude),aggregate(Price with max as Most))",
      [
        "group (Supplier=Supplier{Name=Supplier/Name,Id=Supplier/Id},Address=Address{Location=Address/Location{Latitude=Address/Location/Latitude}}) Most: max(Price) Edm.Decimal",
        "order (Supplier ne null):Supplier, Supplier/Name, Supplier/Id, (Address ne null):Address, (Address/Location ne null):Geo, Address/Location/Latitude",
      ],
    ],
    [
      "filter(Price gt 1)/groupby((Name),aggregate(Price with sum as Total))/filter(Total gt 5)/orderby(Total desc)/top(4)",
      [
        "filter (Price gt ?0:Decimal):Decimal",
        "group (Name=Name) Total: sum(Price) Edm.Decimal",
        "filter (Total gt ?1:Decimal):Decimal",
        "top ?2:Int64 by Total desc, Name",
        "order Total desc, Name",
      ],
    ],
    [
      "groupby((Name),filter(Price gt 1)/filter(Active)/aggregate($count as N))",
      ["group (Name=Name) N: count() Edm.Decimal if ((Price gt ?0:Decimal):Decimal and Active)", "order Name"],
    ],
    ["orderby(Price)/groupby((Name),filter(Active))", ["filter Active", "order Price, Id"]],
    [
      "groupby((Name),filter(Active)/topcount(2,Price))",
      ["filter Active", "top ?0:Int64 by Price desc, Id in each Name=Name", "order Id"],
    ],
    [
      "groupby((Name),top(2)/filter(Active)/aggregate(Price with sum as S))",
      ["top ?0:Int64 by Id in each Name=Name", "group (Name=Name) S: sum(Price) Edm.Decimal if Active", "order Name"],
    ],
    [
      "groupby((Name),groupby((Color),aggregate(Price with sum as S))/topcount(1,S))",
      [
        "group (Name=Name,Color=Color) S: sum(Price) Edm.Decimal",
        "top ?0:Int64 by S desc, Name, Color in each Name=Name",
        "order Name, Color",
      ],
    ],
    [
      "compute(Price mul 2 as Twice,year(Date) as Year)/filter(Twice gt 4)/groupby((Year),aggregate(Twice with sum as T))",
      [
        "filter ((Price mul ?0:Decimal):Decimal gt ?1:Decimal):Decimal",
        "group (Year=year(Date):Int32) T: sum((Price mul ?0:Decimal):Decimal) Edm.Decimal",
        "order Year",
      ],
    ],
    ["compute(Price mul 2 as Twice)", ["$compute/Twice = (Price mul ?0:Decimal):Decimal", "order Id"]],
    [
      "concat(aggregate($count as N),groupby((Name))/concat(aggregate($count as M),top(2)))",
      [
        "group () N: count() Edm.Decimal",
        "concat",
        "group (Name=Name)",
        "group () M: count() Edm.Decimal",
        "concat",
        "group (Name=Name)",
        "top ?0:Int64 by Name",
        "order Name",
      ],
    ],
    [
      "aggregate(Price with sum as Price)/aggregate(Price with max as Price)",
      ["group () Price: sum(Price) Edm.Decimal", "group () Price: max(Price) Edm.Decimal"],
    ],
    ["aggregate(price with sum as Price)", ["group () Price: sum(Price) Edm.Decimal"]],
    [
      " groupby ( ( Name , Color ) , aggregate ( Price with sum as S ) ) / top ( 1 ) ",
      ["group (Name=Name,Color=Color) S: sum(Price) Edm.Decimal", "top ?0:Int64 by Name, Color", "order Name, Color"],
    ],
  ])("%s", (query, expected) => {
    expect(stepsOf(query)).toEqual(expected);
  });
});

describe("the rows that $filter, $orderby and $select apply to", () => {
  test.each<[string, string, readonly string[]]>([
    ["$apply=groupby((Name),aggregate(Price with sum as T))", "Name:String,T:Decimal", ["Name", "T"]],
    ["$apply=groupby((Supplier/Name,Supplier/Id))", "Supplier(Name:String,Id:Int32)", ["Supplier(Name,Id)"]],
    [
      "$apply=groupby((Supplier/Name,Supplier/Id))&$select=Supplier/Name",
      "Supplier(Name:String,Id:Int32)",
      ["Supplier(Name)"],
    ],
    ["$apply=groupby((Name),aggregate($count as N))&$select=N", "Name:String,N:Decimal", ["N"]],
    [
      "$apply=concat(aggregate(Price with sum as P),groupby((Name),aggregate(Price with sum as P)))",
      "P:Decimal,Name:String",
      ["P"],
    ],
    ["$apply=concat(aggregate($count as N),groupby((Name)))", "N:Decimal,Name:String", []],
    ["$apply=groupby((Name))&$compute=length(Name) as L", "Name:String", ["Name", "L"]],
  ])("%s", (query, type, context) => {
    const { shape } = apply(query);
    expect(typeSummary(shape.entityType)).toBe(type);
    expect(shape.selectExpand.contextSelect).toEqual(context);
  });

  test("names of computed values are copies of their expressions", () => {
    const { shape, values } = apply(
      "$compute=Price mul 2 as Twice&$filter=Twice gt 5&$orderby=Twice desc&$select=Name,Twice",
    );
    expect(summary(shape.filter?.expression ?? { kind: "null", type: null })).toBe(
      "((Price mul ?0:Decimal):Decimal gt ?1:Decimal):Decimal",
    );
    expect(shape.selectExpand.contextSelect).toEqual(["Name", "Twice"]);
    expect(
      shape.selectExpand.selected.map(({ property, computed }) => [property.name, computed === undefined]),
    ).toEqual([
      ["Name", true],
      ["Twice", false],
    ]);
    expect(values).toEqual(["2", "5"]);
  });
});

test("a search belongs to the query, and its text to no shape", () => {
  const cache = new Map();
  const first = apply("$apply=search(don't (a OR b))/groupby((Name))", {
    cache,
    capabilities: { searchEnabled: true },
  });
  const second = apply("$apply=search(other)/groupby((Name))", { cache, capabilities: { searchEnabled: true } });
  expect(first.search?.text).toBe("don't (a OR b)");
  expect(second.search?.text).toBe("other");
  expect(second.shape).toBe(first.shape);
});

test("requests that differ in literals share a shape", () => {
  const cache = new Map();
  const first = apply("$apply=filter(Price gt 5)/groupby((Name))/top(3)", { cache });
  const second = apply("$apply=filter(Price gt 6)/groupby((Name))/top(4)", { cache });
  expect(second.shape).toBe(first.shape);
  expect([first.values, second.values]).toEqual([
    ["5", 3n],
    ["6", 4n],
  ]);
});

describe("computed values", () => {
  const filterOf = (query: string): string => {
    const { shape } = apply(query);
    return summary(shape.filter?.expression ?? { kind: "null", type: null });
  };

  test("of an expansion, which has its own names", () => {
    const { shape, values } = apply(
      "$expand=Parts($compute=length(Name) mul 2 as L;$filter=L gt 3;$orderby=L;$select=L)",
    );
    const [item] = shape.selectExpand.expanded;
    const length = "(Int64(length(Name):Int32) mul ?0:Int64):Int64";
    expect(summary(item?.filter?.expression ?? { kind: "null", type: null })).toBe(`(${length} gt ?1:Int64):Int64`);
    expect(item?.orderBy.map(({ expression }) => summary(expression))).toEqual([length]);
    expect(item?.selectExpand.selected.map(({ property }) => property.name)).toEqual(["L"]);
    expect(item?.selectExpand.computed?.map(({ property }) => property.field)).toEqual(["$compute/L"]);
    expect(shape.selectExpand.contextSelect).toEqual(["Parts(L)"]);
    expect(values).toEqual([2n, 3n]);
  });

  test("of an expansion without $select are behind all properties", () => {
    const { shape } = apply("$expand=Supplier($compute=length(Name) as L)");
    expect(shape.selectExpand.contextSelect).toEqual(["Supplier(*,L)"]);
  });

  test("requests that differ in literals of an expansion share a shape", () => {
    const cache = new Map();
    const [first, second] = ["2", "3"].map((factor) =>
      apply(`$expand=Supplier($compute=Id mul ${factor} as L)`, { cache }),
    );
    expect(second?.shape).toBe(first?.shape);
    expect([first?.values, second?.values]).toEqual([[2n], [3n]]);
  });

  test("with lambda operators may be used within others", () => {
    expect(filterOf("$compute=Tags/any(t:t eq 'a') as A&$filter=A and Parts/any(p:A and p/Name eq Name)")).toBe(
      "(Tags/any(#0: (#0 eq ?0:String):String) and Parts/any(#0: (Tags/any(#1: (#1 eq ?0:String):String) and (#0/Name eq Name):String)))",
    );
  });

  test("are named exactly, and properties in any letter case", () => {
    expect(filterOf("$compute=Price as price2&$filter=PRICE gt price2")).toBe("(Price gt Price):Decimal");
    expect(errorOf(() => apply("$compute=Price as P2&$filter=p2 gt 1"))).toEqual([
      400,
      "InvalidQueryOption",
      "$filter",
      "$filter at position 0: 'Product' has no property 'p2'. Did you mean 'P2'? Names are case-sensitive.",
    ]);
  });

  test("may have the name of a property in another letter case, which then is the value", () => {
    expect(filterOf("$compute=Price mul 2 as price&$filter=price gt Price")).toBe(
      "((Price mul ?0:Decimal):Decimal gt Price):Decimal",
    );
  });

  test("count as many nodes as their expressions, in all options together", () => {
    const query = "$apply=compute(Price add Price as A)/compute(A add A as B)&$filter=B gt 1 or B lt 2 or A eq 3";
    expect(apply(query, { limits: { maxNodeCount: 50 } }).values).toHaveLength(3);
    expect(errorOf(() => apply(query, { limits: { maxNodeCount: 40 } }))[3]).toBe(
      "$filter at position 20: Each use of 'A' repeats its expression: together they have more than 40 operators, names and values. Use computed names less often.",
    );
  });
});

test("a cached shape is neither parsed nor bound again", () => {
  const cache = new Map();
  const query = "$apply=filter(Price gt 5)/compute(Price mul 2 as T)/groupby((Name),aggregate(T with sum as S))";
  const { shape } = apply(query, { cache });
  const again = apply(query.replace("gt 5", "gt 6"), { cache, capabilities: { filterEnabled: false } });
  expect(again.shape).toBe(shape);
});

test("the same steps before concat are the same objects in each branch", () => {
  const { shape } = apply("$apply=filter(Price gt 5)/groupby((Name))/concat(top(1),aggregate($count as N))");
  const [first, second] = shape.apply?.branches ?? [];
  expect(first?.steps.slice(0, 2).every((step, index) => step === second?.steps[index])).toBe(true);
});
