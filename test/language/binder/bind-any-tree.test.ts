import fc from "fast-check";
import { expect, test } from "vitest";
import { ODataError } from "../../../src/base/errors/odata-error.ts";
import { FUNCTION_SIGNATURES, type FunctionSignature } from "../../../src/edm/canonical-functions.ts";
import { isCastable } from "../../../src/edm/cast.ts";
import { PRIMITIVE_TYPES } from "../../../src/edm/primitive-type.ts";
import { bindCondition, bindSortKey } from "../../../src/language/binder/bind-expression.ts";
import { bindParameters } from "../../../src/language/binder/bind-query-options.ts";
import type { BindingContext } from "../../../src/language/binder/binding-scope.ts";
import { castIn } from "../../../src/language/query/cast-call.ts";
import type { QueryParameter } from "../../../src/language/query/clauses.ts";
import type { Expression, VariableExpression } from "../../../src/language/query/expression.ts";
import type { SyntaxNode } from "../../../src/language/syntax/ast.ts";
import type { Literal } from "../../../src/language/syntax/token.ts";
import { caseCount } from "../../cases.ts";
import { Product, entitySet, everything, model } from "./model.ts";
import { bindCollection } from "./requests.ts";

const literals: readonly Literal[] = [
  ["Edm.Int32", "5"],
  ["Edm.Int32", "0"],
  ["Edm.Int64", "3000000000"],
  ["Edm.Decimal", "5.50"],
  ["Edm.Double", "5e0"],
  ["Edm.Double", "NaN"],
  ["Edm.Single", "1.5"],
  ["Edm.String", "Red"],
  ["Edm.String", ""],
  ["Edm.Boolean", "true"],
  ["Edm.Guid", "01234567-89ab-cdef-0123-456789abcdef"],
  ["Edm.Binary", "AQID"],
  ["Edm.Date", "2024-02-29"],
  ["Edm.Date", "2024-02-30"],
  ["Edm.TimeOfDay", "12:30:00"],
  ["Edm.DateTimeOffset", "2024-02-29T12:30:00Z"],
  ["Edm.Duration", "PT1H"],
  ["enum", "Red", "Shop.Color"],
  ["enum", "Read,Write", "Shop.Access"],
  ["enum", "x", "Shop.Nothing"],
  ["enum", "x"],
  ["geo", "POINT(1 2)", "geography"],
].map(([type, text = "", typeName]) => ({ type: type as Literal["type"], text, typeName, position: 0 }));

const names = [
  ...Product.properties.map(({ name }) => name),
  "Supplier",
  "Parts",
  "City",
  "Location",
  "Nothing",
  "name",
];
const position = 0;
const collectionPath = fc
  .constantFrom("Tags", "Places")
  .map((name): SyntaxNode => ({ kind: "member", source: null, name, position }));

const { tree } = fc.letrec<{ tree: SyntaxNode; leaf: SyntaxNode; node: SyntaxNode }>((tie) => ({
  tree: fc.oneof({ maxDepth: 5, withCrossShrink: true }, tie("leaf"), tie("node")),
  leaf: fc.oneof(
    fc
      .nat(literals.length - 1)
      .map((index): SyntaxNode => ({ kind: "literal", index, literal: literals[index]!, position })),
    fc.constantFrom(...names).map((name): SyntaxNode => ({ kind: "member", source: null, name, position })),
    fc.constantFrom<SyntaxNode>(
      { kind: "null", position },
      { kind: "alias", name: "@p", position },
      { kind: "variable", name: "$it", position },
      { kind: "variable", name: "x", position },
      { kind: "root", position },
      { kind: "json", text: "{}", position },
      { kind: "cast", source: null, typeName: "Shop.Product", position },
    ),
  ),
  node: fc.oneof(
    { arbitrary: binary(tie("tree")), weight: 6 },
    { arbitrary: call(tie("tree")), weight: 6 },
    fc
      .tuple(fc.constantFrom("not" as const, "negate" as const), tie("tree"))
      .map(([operator, operand]): SyntaxNode => ({ kind: "unary", operator, operand, position })),
    fc
      .tuple(fc.constantFrom("and" as const, "or" as const), fc.array(tie("tree"), { minLength: 2, maxLength: 3 }))
      .map(([operator, operands]): SyntaxNode => ({ kind: "logical", operator, operands, position })),
    fc.tuple(tie("tree"), fc.array(tie("tree"), { maxLength: 3 })).map(([operand, items]): SyntaxNode => ({
      kind: "in",
      operand,
      list: { kind: "list", items, position },
      position,
    })),
    fc.tuple(tie("tree"), tie("tree")).map(([operand, list]): SyntaxNode => ({ kind: "in", operand, list, position })),
    fc
      .tuple(tie("tree"), fc.constantFrom(...names))
      .map(([source, name]): SyntaxNode => ({ kind: "member", source, name, position })),
    tie("tree").map((source): SyntaxNode => ({ kind: "count", source, position })),
    tie("tree").map((source): SyntaxNode => ({ kind: "key", source, key: { parts: [], position }, position })),
    tie("tree").map((source): SyntaxNode => ({
      kind: "lambda",
      operator: "any",
      source,
      variable: null,
      predicate: null,
      position,
    })),
    {
      arbitrary: fc
        .tuple(
          fc.constantFrom("any" as const, "all" as const),
          fc.oneof(collectionPath, tie("tree")),
          fc.constantFrom("x", "y", "Name"),
          tie("tree"),
        )
        .map(([operator, source, variable, predicate]): SyntaxNode => {
          return { kind: "lambda", operator, source, variable, predicate, position };
        }),
      weight: 3,
    },
  ),
}));

function binary(operand: fc.Arbitrary<SyntaxNode>): fc.Arbitrary<SyntaxNode> {
  const operators = ["eq", "ne", "gt", "ge", "lt", "le", "add", "sub", "mul", "div", "divby", "mod", "has"] as const;
  return fc
    .tuple(fc.constantFrom(...operators), operand, operand)
    .map(([operator, left, right]) => ({ kind: "binary", operator, left, right, position }));
}

function call(argument: fc.Arbitrary<SyntaxNode>): fc.Arbitrary<SyntaxNode> {
  const functions = [...Object.keys(FUNCTION_SIGNATURES), "isof", "nothing", "geo.length", "__proto__"];
  return fc
    .tuple(fc.constantFrom(...functions), fc.array(argument, { maxLength: 3 }), fc.boolean())
    .map(([name, values, isNamed]) => ({
      kind: "call",
      source: null,
      name,
      arguments: values.map((value, index) => ({ name: isNamed && index === 2 ? "p" : null, value })),
      position,
    }));
}

/** Asserts that operands have the types that their node requires. */
function checkTypes(
  expression: Expression,
  parameters: readonly QueryParameter[],
  itemTypes: readonly VariableExpression["type"][] = [],
): void {
  const check = (part: Expression): void => checkTypes(part, parameters, itemTypes);
  switch (expression.kind) {
    case "parameter":
      expect(parameters[expression.index]?.type).toBe(expression.type);
      return;
    case "comparison":
      check(expression.left);
      check(expression.right);
      if (expression.operandType?.kind === "ComplexType" || expression.operandType?.kind === "EntityType") {
        expect(["eq", "ne"]).toContain(expression.operator);
        expect(expression.right).toEqual({ kind: "null", type: null });
      } else {
        expect([expression.left.type, expression.right.type]).toEqual([expression.operandType, expression.operandType]);
      }
      return;
    case "logical":
      for (const operand of expression.operands) {
        check(operand);
        expect(operand.type).toBe(PRIMITIVE_TYPES["Edm.Boolean"]);
      }
      return;
    case "arithmetic": {
      check(expression.left);
      check(expression.right);
      const types = [expression.left.type, expression.right.type];
      const isNumeric = /Int64|Decimal|Single|Double/.test(expression.type.name);
      if (isNumeric) expect(types).toEqual([expression.type, expression.type]);
      else expect(types.map((type) => type?.name).join()).toMatch(/Duration|DateTimeOffset|Date/);
      return;
    }
    case "call": {
      const types = expression.arguments.map((argument) => argument.type?.name);
      for (const argument of expression.arguments) check(argument);
      if (expression.name === "cast") {
        const { source, target } = castIn(expression);
        expect([expression.arguments.length, isCastable(source, target), source === target]).toEqual([1, true, false]);
        return;
      }
      const signatures: readonly FunctionSignature[] = FUNCTION_SIGNATURES[expression.name];
      const signature = signatures.find(({ parameters: wanted }) => wanted.join() === types.join());
      expect(signature?.returns).toBe(expression.type.name);
      return;
    }
    case "in":
      check(expression.operand);
      for (const item of expression.items) {
        check(item);
        expect(item.type).toBe(expression.operand.type);
      }
      return;
    case "has":
      check(expression.operand);
      check(expression.flags);
      expect(expression.flags.type).toBe(expression.operand.type);
      return;
    case "not":
    case "negate":
      check(expression.operand);
      expect(expression.operand.type).toBe(expression.type);
      return;
    case "convert":
      check(expression.operand);
      expect(expression.operand.type).not.toBe(expression.type);
      return;
    case "lambda": {
      const { collection, predicate, depth } = expression;
      check(collection);
      const property = collection.kind === "property" ? collection.property : collection.navigationProperty;
      expect([property.isCollection, depth]).toEqual([true, itemTypes.length]);
      if (predicate === null) return;
      expect(predicate.type).toBe(PRIMITIVE_TYPES["Edm.Boolean"]);
      checkTypes(predicate, parameters, [...itemTypes, collection.type]);
      return;
    }
    case "variable":
      expect(expression.type).toBe(itemTypes[expression.depth]);
      return;
    case "root":
      expect(expression.key.map(({ type }) => type)).toEqual(
        expression.entitySet.entityType.key.map(({ type }) => type),
      );
      for (const part of expression.key) check(part);
      return;
    case "navigation":
      expect(expression.type).toBe(expression.navigationProperty.entityType);
      check(expression.source);
      return;
    case "property":
      check(expression.source);
      break;
    case "count":
      check(expression.collection);
      break;
    case "literal":
    case "null":
    case "it":
  }
}

function bindOrRefuse(bind: (context: BindingContext) => Expression): boolean {
  const parameters: QueryParameter[] = [];
  try {
    const expression = bind({
      model,
      option: "$filter",
      clause: "filter",
      entityType: Product,
      entitySet: entitySet("Products"),
      capabilitiesOf: () => everything,
      allowed: null,
      parameters,
      texts: { count: 0 },
    });
    checkTypes(expression, parameters);
    bindParameters(parameters, literals);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ODataError);
    expect(error).toMatchObject({ status: 400, target: "$filter" });
    return false;
  }
}

test("any tree binds to a well-typed expression, or is refused with a 400", () => {
  fc.assert(
    fc.property(tree, (node) => {
      bindOrRefuse((context) => bindCondition(node, context));
      bindOrRefuse((context) => bindSortKey(node, context));
    }),
    { numRuns: caseCount(3000) },
  );
});

test("any comparison of two leaves", () => {
  let isBound = 0;
  const leaves: readonly SyntaxNode[] = [
    ...literals.map((literal, index): SyntaxNode => ({ kind: "literal", index, literal, position })),
    ...names.map((name): SyntaxNode => ({ kind: "member", source: null, name, position })),
    { kind: "null", position },
  ];
  const operators = ["eq", "lt", "add", "sub", "mul", "div", "mod", "has"] as const;
  for (const operator of operators) {
    for (const left of leaves) {
      for (const right of leaves) {
        const node: SyntaxNode = { kind: "binary", operator, left, right, position };
        isBound += bindOrRefuse((context) => bindSortKey(node, context)) ? 1 : 0;
      }
    }
  }
  expect(isBound).toBeGreaterThan(500);
});

test("trees deeper than any text are refused without a stack overflow", () => {
  let node: SyntaxNode = { kind: "member", source: null, name: "Active", position };
  for (let level = 0; level < 100_000; level += 1) node = { kind: "unary", operator: "not", operand: node, position };
  expect(bindOrRefuse((context) => bindCondition(node, context))).toBe(false);
  let path: SyntaxNode = { kind: "variable", name: "$it", position };
  for (let level = 0; level < 100_000; level += 1) path = { kind: "member", source: path, name: "Address", position };
  expect(bindOrRefuse((context) => bindSortKey(path, context))).toBe(false);
});

test("any words as a filter are bound or refused", () => {
  const vocabulary =
    "Name Price Address / City Tags $count eq gt and not ( ) , in has 'a' 5 5.5 null true " +
    "contains length - @p $it any : 2024-01-01 div 0";
  const words = fc.constantFrom(...vocabulary.split(" "));
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (text) => {
      try {
        bindCollection(`$filter=${text.join(" ")}`);
      } catch (error) {
        expect(error).toBeInstanceOf(ODataError);
      }
    }),
    { numRuns: caseCount(3000) },
  );
});
