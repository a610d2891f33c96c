import { edm, entityType, entitySet, hasMany, hasOptional } from "odatakit";
import { describe, expect, test } from "vitest";
import { bindAnnotations } from "../../../src/definition/annotations/bind-annotations.ts";
import { buildServiceDefinition } from "../../../src/definition/startup/build-service-definition.ts";
import { PRIMITIVE_TYPES } from "../../../src/edm/primitive-type.ts";
import { ROW_RULES } from "../../../src/engine/reads/gate.ts";
import { bindCollectionQuery, type QueryTarget } from "../../../src/language/binder/bind-query-options.ts";
import type { BoundQuery } from "../../../src/language/query/clauses.ts";
import type { Expression } from "../../../src/language/query/expression.ts";
import { mentionsOf, type NavigationMention } from "../../../src/language/query/mentions.ts";
import { fillParameters, childrenOf, mapChildren } from "../../../src/language/query/walk-expression.ts";
import { parseQueryOptions } from "../../../src/language/syntax/query-options-parser.ts";
import { errorOf } from "./requests.ts";
import { parameterSummary, summary } from "./summary.ts";

const Region = entityType("Region", { code: edm.string().key(), name: edm.string() });
const Owner = entityType("Owner", { id: edm.int32().key(), name: edm.string(), tags: edm.collection(edm.string()) });
const Item = entityType("Item", {
  year: edm.int16().key(),
  number: edm.decimal().key(),
  name: edm.string(),
  size: edm.int32(),
});

const silent = { error: () => {}, warn: () => {}, info: () => {} };
const definition = buildServiceDefinition(
  {
    namespace: "Shop",
    entitySets: [
      entitySet(Region, { getAll: () => [] }),
      entitySet(Owner, {
        getAll: () => [],
        navigation: {
          region: hasOptional(Region, { target: "Regions" }),
          items: hasMany(Item, { target: "Items" }),
          // No target set is declared.
          twin: hasOptional(Owner, {}),
        },
      }),
      entitySet(Item, {
        getAll: () => [],
        navigation: {
          owner: hasOptional(Owner, { target: "Owners" }),
          parts: hasMany(Item, { target: "Items" }),
        },
      }),
    ],
  },
  silent,
  ROW_RULES,
  bindAnnotations,
);

function targetOf(name: string): QueryTarget {
  const set = definition.entitySets.get(name);
  if (set === undefined) throw new Error(`There is no set ${name}.`);
  const { model, limits, defaultCapabilities, entitySets } = definition;
  return {
    model,
    entitySet: set.entitySet,
    capabilities: set.capabilities,
    capabilitiesOf: (other) => entitySets.get(other?.name ?? "")?.capabilities ?? defaultCapabilities,
    limits,
  };
}

function bind(query: string, set = "Items"): BoundQuery {
  return bindCollectionQuery(parseQueryOptions(query), targetOf(set), new Map());
}

function filter(text: string): string {
  const clause = bind(`$filter=${text}`).shape.filter;
  return clause === null ? "" : summary(clause.expression);
}

/** The tree of navigations as `Owner(Region,Items)`. */
function tree(mentions: readonly NavigationMention[]): string {
  return mentions
    .map(({ navigationProperty: { name }, below }) => (below.length === 0 ? name : `${name}(${tree(below)})`))
    .join(",");
}

describe("$filter binds to", () => {
  test.each([
    ["Owner/Name eq 'x'", "(Owner/Name eq ?0:String):String"],
    ["$it/owner/NAME eq 'x'", "(Owner/Name eq ?0:String):String"],
    ["Owner/Region/Name eq 'x'", "(Owner/Region/Name eq ?0:String):String"],
    ["Owner/Twin/Name eq 'x'", "(Owner/Twin/Name eq ?0:String):String"],
    ["Owner eq null", "(Owner eq null):Owner"],
    ["null ne Owner/Region", "(Owner/Region ne null):Region"],
    ["Parts/any()", "Parts/any()"],
    ["Parts/$count gt 2", "(Parts/$count gt ?0:Int64):Int64"],
    ["Owner/Items/$count gt 2", "(Owner/Items/$count gt ?0:Int64):Int64"],
    ["Parts/any(p:p/Size gt Size)", "Parts/any(#0: (#0/Size gt Size):Int32)"],
    ["Parts/all(p:p/Owner/Name eq $it/Name)", "Parts/all(#0: (#0/Owner/Name eq Name):String)"],
    ["Parts/any(p:p/Parts/any(q:q/Size gt p/Size))", "Parts/any(#0: #0/Parts/any(#1: (#1/Size gt #0/Size):Int32))"],
    ["Parts/any(p:p/Parts/$count eq 0)", "Parts/any(#0: (#0/Parts/$count eq ?0:Int64):Int64)"],
    ["Parts/any(p:p/Owner eq null)", "Parts/any(#0: (#0/Owner eq null):Owner)"],
    ["Name in Owner/Tags", "Owner/Tags/any(#0: (Name eq #0):String)"],
    ["Parts/any(p:p/Name in p/Owner/Tags)", "Parts/any(#0: #0/Owner/Tags/any(#1: (#0/Name eq #1):String))"],
    ["$root/Owners(5)/Name eq Name", "($root/Owners(?0:Int32)/Name eq Name):String"],
    ["$root/Owners(Id=5)/Region/Code eq 'x'", "($root/Owners(?0:Int32)/Region/Code eq ?1:String):String"],
    // In the order of the key, whatever the order of the request.
    ["$root/Items(Number=2,Year=1)/Size eq 3", "($root/Items(?0:Int16,?1:Decimal)/Size eq ?2:Int32):Int32"],
    ["$root/Items(Number=2,Year=1) ne null", "($root/Items(?0:Int16,?1:Decimal) ne null):Item"],
    ["$root/Owners(5)/Items/any(i:i/Size eq Size)", "$root/Owners(?0:Int32)/Items/any(#0: (#0/Size eq Size):Int32)"],
    ["Name in $root/Owners(5)/Tags", "$root/Owners(?0:Int32)/Tags/any(#0: (Name eq #0):String)"],
  ])("%s", (text, bound) => {
    expect(filter(text)).toBe(bound);
  });
});

test("the parts of a key are parameters of its types", () => {
  const { shape, values } = bind("$filter=$root/Items(Number=2,Year=1)/Size eq 3");
  expect(parameterSummary(shape.parameters)).toEqual(["1:Int16", "0:Decimal", "2:Int32"]);
  expect(values).toEqual([1, "2", 3]);
  expect(errorOf(() => bind("$filter=$root/Items(Number=2,Year=99999)/Size eq 3")).slice(0, 3)).toEqual([
    400,
    "InvalidQueryOption",
    "$filter",
  ]);
});

test("a navigation has its declaring set and its target set", () => {
  const mentions = mentionsOf(bind("$filter=Owner/Region/Name eq 'x' or Owner/Twin/Name eq 'x'").shape);
  const all = mentions?.allNavigations.map(({ entitySet: declaring, navigationProperty, target }) => {
    return [declaring.name, navigationProperty.name, target?.name ?? null];
  });
  expect(all).toEqual([
    ["Items", "Owner", "Owners"],
    ["Owners", "Region", "Regions"],
    ["Owners", "Twin", null],
  ]);
  expect(mentions?.entitySets.map(({ name }) => name)).toEqual(["Owners", "Regions"]);
});

describe("the mentions of a query", () => {
  test.each([
    ["$filter=Name eq 'x'&$orderby=Size", null],
    ["$filter=Owner/Name eq 'x' and Owner/Id eq 1", "Owner"],
    ["$filter=Owner eq null", "Owner"],
    ["$filter=Parts/any()", "Parts"],
    ["$filter=Parts/$count gt 1", "Parts"],
    ["$orderby=Owner/Region/Name,Parts/$count", "Owner(Region),Parts"],
    ["$filter=Owner/Id eq 1&$orderby=Owner/Region/Name", "Owner(Region)"],
    // A range variable is an item of its collection.
    ["$filter=Parts/any(p:p/Owner/Region eq null)", "Parts(Owner(Region))"],
    ["$filter=Parts/any(p:p/Parts/any(q:q/Owner/Id eq p/Owner/Id))", "Parts(Parts(Owner),Owner)"],
    ["$filter=Parts/any(p:$it/Owner/Id eq 1)", "Parts,Owner"],
    ["$filter=Owner/Tags/any(t:Owner/Name eq t)", "Owner"],
    ["$filter=Name in Owner/Tags", "Owner"],
    ["$filter=not contains(concat(Owner/Name,'x'),'y') and -Owner/Id lt 2 add Owner/Id", "Owner"],
    ["$filter=Owner/Name in ('a','b')", "Owner"],
    ["$filter=$root/Owners(1)/Region/Name eq 'x' and Parts/any()", "Parts;$root/Owners(Region)"],
    ["$filter=Parts/any(p:$root/Owners(1)/Name eq p/Name)", "Parts;$root/Owners()"],
  ])("%s", (query, mentioned) => {
    const { shape } = bind(query);
    const mentions = mentionsOf(shape);
    const roots = mentions?.roots.map(({ expression, below }) => `;$root/${expression.entitySet.name}(${tree(below)})`);
    expect(mentions === null ? null : `${tree(mentions.navigations)}${roots?.join("") ?? ""}`).toBe(mentioned);
    expect(mentionsOf(shape)).toBe(mentions);
  });
});

test("nested options of an expansion are bound to its target set", () => {
  const { shape } = bind("$expand=Owner($filter=Region/Code eq 'x';$expand=Items($orderby=Owner/Name desc))");
  const [owner] = shape.selectExpand.expanded;
  const [items] = owner?.selectExpand.expanded ?? [];
  expect(owner?.filter && summary(owner.filter.expression)).toBe("(Region/Code eq ?0:String):String");
  expect(items?.orderBy.map(({ expression }) => summary(expression))).toEqual(["Owner/Name"]);
  expect(tree(mentionsOf(items ?? shape)?.navigations ?? [])).toBe("Owner");
  expect(errorOf(() => bind("$expand=Owner($expand=Twin($filter=Region eq null))"))).toEqual([
    400,
    "InvalidQueryOption",
    "$expand",
    expect.stringMatching(/^\$expand at position \d+: 'Owner' has no property 'Region'\.$/u),
  ]);
});

describe("every kind of expression", () => {
  const texts = [
    "Owner/Name eq 'x' and not (Size add -1 mul 2 gt 3 or Name eq null)",
    "Parts/any(p:p/Parts/all(q:q/Size gt p/Size)) and Parts/any() and Parts/$count gt 2",
    "$root/Owners(5)/Name eq Name and $it/Name eq tolower('X') and Name in ('a','b')",
    "'x' in Owner/Tags and round(Number) eq 2 and Size sub Size lt 9",
  ];
  const bound = texts.flatMap((text) => bind(`$filter=${text}`).shape.filter?.expression ?? []);
  const [operand = { kind: "null", type: null }] = bound;
  const type = PRIMITIVE_TYPES["Edm.Boolean"];
  const expressions: readonly Expression[] = [...bound, { kind: "has", operand, flags: operand, type }];

  function walk(expression: Expression): readonly Expression[] {
    return [expression, ...childrenOf(expression).flatMap(walk)];
  }

  test("has its children replaced in order, and is equal if no child changes", () => {
    for (const expression of expressions.flatMap(walk)) {
      const seen: Expression[] = [];
      const same = mapChildren(expression, (child) => {
        seen.push(child);
        return child;
      });
      expect(same).toEqual(expression);
      expect(seen).toEqual(childrenOf(expression));
    }
  });

  test("contains the values of its parameters, and throws without them", () => {
    const { shape, values } = bind("$filter=Size eq 3 and Name in ('a','b')");
    const filter = shape.filter?.expression;
    if (filter === undefined) throw new Error("There is no filter.");
    const literals = walk(fillParameters(filter, values)).flatMap((each) =>
      each.kind === "literal" ? [each.value] : [],
    );
    expect(literals).toEqual([3, "a", "b"]);
    expect(() => fillParameters(filter, [3])).toThrow("Parameter 1 has no value.");
  });

  test("refuses other expressions instead of a path", () => {
    const wrong: Expression = { kind: "null", type: null };
    const places = expressions.flatMap(walk).filter(({ kind }) => /^(?:navigation|property|count|root)$/u.test(kind));
    for (const expression of places) expect(() => mapChildren(expression, () => wrong)).toThrow(/of kind null/u);
    expect(places.length).toBeGreaterThan(10);
  });
});
