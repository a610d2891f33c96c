import fc from "fast-check";
import type { ArgumentSyntax, LogicalSyntax, SyntaxNode } from "../../../src/language/syntax/ast.ts";
import type { BinaryOperator, Literal } from "../../../src/language/syntax/token.ts";
import { anyCharacter } from "../../any-character.ts";

const BINARY: readonly BinaryOperator[] = "eq ne gt ge lt le add sub mul div divby mod has".split(
  " ",
) as BinaryOperator[];
const position = 0;

/** Names other than keywords, literals and canonical functions, although some look like them. */
const name = fc.oneof(
  fc.constantFrom("A", "B", "Name", "eq", "and", "asc", "any", "e1", "_x", "Größe", "in", "TRUEx", "nul", "INFO"),
  fc
    .stringMatching(/^[A-Z][a-z0-9_]{0,6}$/u)
    .filter(
      (text) => !/^(?:true|false|inf|nan|now|day|date|time|trim|cast|isof|year|hour|month|round|floor)$/iu.test(text),
    ),
);
/** Names of lambda variables, which differ from those of members, so that no member is parsed as a variable. */
const variable = fc.constantFrom("x", "y", "z");
const qualifiedName = fc.constantFrom("Ns.Type", "A.B.C", "odata.x");
const digits = fc.stringMatching(/^[0-9]{1,25}$/u);

function literalOf(type: Literal["type"], text: string, typeName?: string): Literal {
  return typeName === undefined ? { type, text, position } : { type, text, typeName, position };
}

/** Literals as the lexer produces them. */
const literal: fc.Arbitrary<Literal> = fc.oneof(
  fc.string({ unit: anyCharacter }).map((text) => literalOf("Edm.String", text)),
  fc.constantFrom("", "'", "''", "a'b", "it''s").map((text) => literalOf("Edm.String", text)),
  fc.boolean().map((value) => literalOf("Edm.Boolean", String(value))),
  fc.integer().map((value) => literalOf("Edm.Int32", String(value))),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => literalOf("Edm.Int64", String(value))),
  fc.tuple(digits, digits).map(([whole, fraction]) => literalOf("Edm.Decimal", `-${whole}.${fraction}`)),
  digits.map((text) => literalOf("Edm.Decimal", text)),
  fc.double().map((value) => literalOf("Edm.Double", doubleText(value))),
  fc.tuple(digits, digits).map(([whole, fraction]) => literalOf("Edm.Single", `${whole}.${fraction}`)),
  fc.uuid().map((text) => literalOf("Edm.Guid", text)),
  fc.constantFrom("2012-02-03", "-10000-12-31", "12345-01-01").map((text) => literalOf("Edm.Date", text)),
  fc.constantFrom("11:22", "11:22:33.456").map((text) => literalOf("Edm.TimeOfDay", text)),
  fc
    .constantFrom("2012-02-03T11:22Z", "-0001-02-03T11:22:33.4-14:00")
    .map((text) => literalOf("Edm.DateTimeOffset", text)),
  fc.constantFrom("P1D", "-PT0.5S", "").map((text) => literalOf("Edm.Duration", text)),
  fc.base64String().map((text) => literalOf("Edm.Binary", text)),
  fc.tuple(qualifiedName, fc.string()).map(([typeName, text]) => literalOf("enum", text, typeName)),
  fc.constantFrom("geography", "geometry").map((prefix) => literalOf("geo", "SRID=0;Point(1 2)", prefix)),
);

function doubleText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "INF" : "-INF";
}

const literalNode: fc.Arbitrary<SyntaxNode> = literal.map((value) => ({
  kind: "literal",
  index: 0,
  literal: value,
  position,
}));
const nullNode = fc.constant<SyntaxNode>({ kind: "null", position });
const aliasNode = name.map((text): SyntaxNode => ({ kind: "alias", name: `@${text}`, position }));
const item = fc.oneof({ weight: 4, arbitrary: literalNode }, { weight: 1, arbitrary: nullNode });
const json = fc
  .constantFrom('{"a": [1,"}"]}', "[[1],[2]]", "{}", '[{"x":null}]')
  .map((text): SyntaxNode => ({ kind: "json", text, position }));
const bracketList = fc.array(item, { maxLength: 3 }).map((items): SyntaxNode => ({ kind: "list", items, position }));
const inList = fc
  .array(fc.oneof(item, aliasNode), { minLength: 1, maxLength: 4 })
  .map((items): SyntaxNode => ({ kind: "list", items, position }));

function keyOf(source: SyntaxNode): fc.Arbitrary<SyntaxNode> {
  const value = fc.oneof(literalNode, aliasNode);
  const single = value.map((part): readonly ArgumentSyntax[] => [{ name: null, value: part }]);
  const named = fc.array(fc.record({ name, value }), { minLength: 1, maxLength: 3 });
  // Names after a qualified name are arguments of a function.
  const parts: fc.Arbitrary<readonly ArgumentSyntax[]> = source.kind === "cast" ? single : fc.oneof(single, named);
  return parts.map((list) => ({ kind: "key", source, key: { parts: list, position }, position }));
}

/** Whether a key may follow. After `/any`, a parenthesis belongs to the lambda operator. */
function isKeyed(node: SyntaxNode): boolean {
  return node.kind === "cast" || (node.kind === "member" && node.name !== "any");
}

/** Syntax trees as the parser produces them: each is the tree of some text. */
export const { tree: syntaxTree } = fc.letrec<{ tree: SyntaxNode; path: SyntaxNode; step: SyntaxNode }>((tie) => {
  const tree = tie("tree");
  const path = tie("path");
  const named = fc.array(fc.record({ name, value: tree }), { maxLength: 2 });
  const source = path.filter((node) => node.kind !== "root");
  const start: fc.Arbitrary<SyntaxNode> = fc.oneof(
    name.map((text): SyntaxNode => ({ kind: "member", source: null, name: text, position })),
    fc.constant<SyntaxNode>({ kind: "variable", name: "$it", position }),
    qualifiedName.map((typeName): SyntaxNode => ({ kind: "cast", source: null, typeName, position })),
  );
  const step: fc.Arbitrary<SyntaxNode> = fc.oneof(
    fc
      .record({ source: path, name: fc.oneof(name, fc.constantFrom("not", "true", "null", "INF")) })
      .map((parts): SyntaxNode => ({ kind: "member", ...parts, position })),
    fc.record({ source, typeName: qualifiedName }).map((parts): SyntaxNode => ({ kind: "cast", ...parts, position })),
    fc
      .record({ source: fc.option(source), name: qualifiedName, arguments: named })
      .map((parts): SyntaxNode => ({ kind: "call", ...parts, position })),
    path.filter(isKeyed).chain(keyOf),
    name.map((text): SyntaxNode => ({ kind: "member", source: { kind: "root", position }, name: text, position })),
  );
  return {
    path: fc.oneof({ maxDepth: 4, depthSize: "small" }, start, step),
    step,
    tree: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      { weight: 3, arbitrary: fc.oneof(literalNode, nullNode, aliasNode) },
      { weight: 3, arbitrary: path },
      fc.oneof(json, bracketList),
      source.map((node): SyntaxNode => ({ kind: "count", source: node, position })),
      fc
        .record({ source, operator: fc.constantFrom("any" as const, "all" as const), variable, predicate: tree })
        .map((parts): SyntaxNode => ({ kind: "lambda", ...parts, position })),
      source.map((node): SyntaxNode => ({
        kind: "lambda",
        operator: "any",
        source: node,
        variable: null,
        predicate: null,
        position,
      })),
      fc
        .record({
          name: fc.constantFrom("contains", "geo.length", "now", "isof"),
          arguments: fc.array(
            tree.map((value) => ({ name: null, value })),
            { maxLength: 3 },
          ),
        })
        .map((parts): SyntaxNode => ({ kind: "call", source: null, ...parts, position })),
      fc
        .record({ operator: fc.constantFrom("not" as const, "negate" as const), operand: tree })
        .map((parts): SyntaxNode => ({ kind: "unary", ...parts, position })),
      fc
        .record({ operator: fc.constantFrom(...BINARY), left: tree, right: tree })
        .map((parts): SyntaxNode => ({ kind: "binary", ...parts, position })),
      fc
        .record({
          operator: fc.constantFrom("and" as const, "or" as const),
          operands: fc.array(tree, { minLength: 2, maxLength: 4 }),
        })
        .map(flat),
      fc
        .record({
          operand: tree,
          list: fc.oneof(
            inList,
            aliasNode,
            path.filter((node) => node.kind !== "root"),
          ),
        })
        .map((parts): SyntaxNode => ({ kind: "in", ...parts, position })),
    ),
  };
});

/** A chain of `and` or `or` does not contain a chain of the same operator. */
function flat({ operator, operands }: { operator: "and" | "or"; operands: readonly SyntaxNode[] }): LogicalSyntax {
  const inner = operands.flatMap((node) =>
    node.kind === "logical" && node.operator === operator ? node.operands : [node],
  );
  return { kind: "logical", operator, operands: inner, position };
}

/** Facts about the text of a tree. */
const IN_TEXT: ReadonlySet<string> = new Set(["position", "index", "isEnclosed"]);

/** Returns a tree without positions, indexes and redundant parentheses, which differ between equivalent texts. */
export function withoutPlaces(node: SyntaxNode): unknown {
  return JSON.parse(JSON.stringify(node, (key, value: unknown) => (IN_TEXT.has(key) ? undefined : value)));
}
