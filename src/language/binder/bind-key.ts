import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { attempt } from "../../base/maybe.ts";
import { required } from "../../base/required.ts";
import { fromLiteral } from "../../edm/literal.ts";
import type { EntityType, StructuralProperty, EnumType } from "../../edm/model.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { InvalidValueError, type PrimitiveValue } from "../../edm/value-codec.ts";
import type { ScalarType } from "../query/expression.ts";
import type { KeyPartSyntax, KeyPredicateSyntax, SyntaxNode } from "../syntax/ast.ts";
import { DEFAULT_SYNTAX_LIMITS } from "../syntax/parse-context.ts";
import { parseKeyPredicate } from "../syntax/path-parser.ts";
import { didYouMean, quotedName } from "./binding-scope.ts";
import { isScalarType } from "./operand.ts";

/** A key given in a request. */
interface BoundKey {
  /** In the application's form: the value of a single key, or a frozen object with the values of a composite key. */
  readonly value: unknown;
  /** The values in the order of the type's key. */
  readonly values: readonly PrimitiveValue[];
}

/**
 * Parses the text in the parentheses after an entity set and binds it to the key of the type.
 * @param text decoded, such as `5` or `OrderId=5,Number=1`
 * @param aliases the parameter aliases of the query with their values
 * @param resource the text before the parentheses, for messages
 * @param implied the values of key properties that may be absent, in the application's form
 * @returns the key in the application's form
 * @throws ODataError `InvalidKey`, target `key`
 * @see OData URL Conventions 4.0, section 4.3
 */
export function bindEntityKey(
  text: string,
  entityType: EntityType,
  aliases: ReadonlyMap<string, string>,
  resource: string = "",
  implied: ImpliedValues = NONE_IMPLIED,
): unknown {
  if (text.trim() === "") throw invalidKey("The parentheses must contain a key.", entityType, resource);
  const counters = { tokens: 0, nodes: 0 };
  const context = { limits: DEFAULT_SYNTAX_LIMITS, literals: [], aliases, counters };
  return bindKey(parseKeyPredicate(text, context, { target: "key" }), entityType, resource, implied).value;
}

/**
 * Binds a parsed key predicate to the key of a type. `(Id=1)` means the same as `(1)`.
 * @param resource the text before the parentheses, for messages
 * @throws ODataError `InvalidKey`, target `key`
 */
export function bindKey(
  key: KeyPredicateSyntax,
  entityType: EntityType,
  resource: string = "",
  implied: ImpliedValues = NONE_IMPLIED,
): BoundKey {
  const fail: KeyFault = (problem) => invalidKey(problem, entityType, resource);
  const parts = keyParts(key, entityType, fail, implied);
  const given = new Map(parts.map(([property, node]) => [property, keyValue(node, property, fail)] as const));
  const values = entityType.key.map(
    (property) => given.get(property) ?? required(implied.get(property), property.name),
  );
  const [single] = values;
  if (values.length === 1) return { value: single, values };
  const fields = entityType.key.map((property, index) => [property.field, values[index]] as const);
  return { value: Object.freeze(Object.fromEntries(fields)), values };
}

/** The values of key properties that follow from the path before. */
export type ImpliedValues = ReadonlyMap<StructuralProperty, PrimitiveValue>;

const NONE_IMPLIED: ImpliedValues = new Map();

type KeyFault = (problem: string) => ODataError;

/**
 * Returns the parts of a key predicate in the order of the type's key, each with its property.
 * @param fail makes the error of a missing, unknown or repeated part
 * @param implied the properties that may be absent
 * @throws ODataError the error that `fail` makes
 */
export function keyParts(
  { parts }: KeyPredicateSyntax,
  entityType: EntityType,
  fail: KeyFault,
  implied: ImpliedValues = NONE_IMPLIED,
): readonly (readonly [StructuralProperty, SyntaxNode])[] {
  const [only] = parts;
  const [single, second] = entityType.key.filter((property) => entityType.key.length === 1 || !implied.has(property));
  if (only === undefined) throw fail("The parentheses must contain a key.");
  const isUnnamed = parts.length === 1 && only.name === null && single !== undefined && second === undefined;
  const nodes = isUnnamed ? new Map([[single, only.value]]) : nodesByProperty(parts, entityType, fail);
  return entityType.key.flatMap((property) => {
    const node = nodes.get(property);
    if (node !== undefined) return [[property, node] as const];
    if (implied.has(property)) return [];
    throw fail(`The key lacks '${property.name}'.`);
  });
}

function nodesByProperty(
  parts: readonly KeyPartSyntax[],
  entityType: EntityType,
  fail: KeyFault,
): ReadonlyMap<StructuralProperty, SyntaxNode> {
  const nodes = new Map<StructuralProperty, SyntaxNode>();
  for (const part of parts) {
    if (part.name === null) {
      const problem =
        entityType.key.length === 1 ? "The key has only one value." : "Each value of this key must be named.";
      throw fail(problem);
    }
    const named = keyProperty(part.name, entityType, fail);
    if (nodes.has(named)) throw fail(`'${named.name}' appears twice in the key.`);
    nodes.set(named, part.value);
  }
  return nodes;
}

function keyProperty(name: string, entityType: EntityType, fail: KeyFault): StructuralProperty {
  const member = entityType.members.get(name) ?? entityType.membersIgnoringCase.get(name.toLowerCase());
  const property = entityType.key.find((known) => known === member);
  if (property !== undefined) return property;
  const names = entityType.key.map((known) => known.name);
  throw fail(`The key has no property ${quotedName(name)}.${didYouMean(name, names)}`);
}

function keyValue(node: SyntaxNode, property: StructuralProperty, fail: KeyFault): PrimitiveValue {
  const { name, type } = property;
  if (!isScalarType(type)) throw new Error(`The key property ${name} is not primitive.`);
  if (node.kind === "alias") {
    throw fail(`The parameter alias ${quotedName(node.name)} has no value in the query.`);
  }
  if (node.kind === "null") throw fail(`'${name}' must not be null.`);
  if (node.kind !== "literal") throw fail(`'${name}' takes one literal.`);
  const { literal } = node;
  const value = attempt(() => fromLiteral(literal, type), InvalidValueError);
  if (value instanceof InvalidValueError) throw fail(`'${name}': ${value.message}`);
  return value;
}

function invalidKey(problem: string, entityType: EntityType, resource: string): ODataError {
  return protocolError("InvalidKey", `${problem} Write a key such as ${keyExample(entityType, resource)}.`, {
    target: "key",
  });
}

/** Returns an example of a key of a type, such as `Orders(5)`. */
export function keyExample(entityType: EntityType, resource: string): string {
  const examples = entityType.key.map(({ name, type }) => {
    const value = isScalarType(type) ? literalExample(type) : "value";
    return entityType.key.length === 1 ? value : `${name}=${value}`;
  });
  return `${resource}(${examples.join(",")})`;
}

const EXAMPLES: Readonly<Record<PrimitiveTypeName, string>> = {
  "Edm.Boolean": "true",
  "Edm.Byte": "5",
  "Edm.SByte": "5",
  "Edm.Int16": "5",
  "Edm.Int32": "5",
  "Edm.Int64": "5",
  "Edm.Single": "1.5",
  "Edm.Double": "1.5",
  "Edm.Decimal": "9.99",
  "Edm.String": "'text'",
  "Edm.Guid": "01234567-89ab-cdef-0123-456789abcdef",
  "Edm.Binary": "binary'T0RhdGE'",
  "Edm.Date": "2024-01-31",
  "Edm.TimeOfDay": "13:30:00",
  "Edm.DateTimeOffset": "2024-01-31T13:30:00Z",
  "Edm.Duration": "duration'PT90M'",
};

/** Returns an example of a literal of a type, for messages. @see OData URL Conventions 4.0, ABNF primitiveLiteral */
function literalExample(type: ScalarType): string {
  return type.kind === "PrimitiveType" ? EXAMPLES[type.name] : enumExample(type);
}

function enumExample(type: EnumType): string {
  const [member = "Member"] = type.members.keys();
  return `'${member}'`;
}
