import { attempt } from "../base/attempt.ts";
import { fromLiteral } from "../edm/literal.ts";
import type { EnumType, OperationParameter } from "../edm/model.ts";
import type { PrimitiveType } from "../edm/primitive-type.ts";
import { InvalidValueError, type PrimitiveValue } from "../edm/value-codec.ts";
import { valueCodec } from "../edm/value-codecs.ts";
import { ODataError, protocolError } from "../errors/odata-error.ts";
import { JsonLimitError, JsonSyntaxError } from "../json/json-errors.ts";
import { parseJson, type ParseJsonOptions } from "../json/parse-json.ts";
import type { CallArgument } from "../query/call-argument.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import { isIdentifier } from "../syntax/characters.ts";
import { parseKeyPredicate } from "../syntax/key-predicate-parser.ts";
import { DEFAULT_SYNTAX_LIMITS } from "../syntax/parse-context.ts";
import { quotedName } from "./binding-error.ts";

/** The parts of a request that values of arguments are read with. */
export interface ArgumentContext {
  readonly aliases: ReadonlyMap<string, string>;
  /** Bounds of one JSON value. */
  readonly json: ParseJsonOptions;
}

/** A parameter of one primitive or enumeration value. */
type ScalarParameter = OperationParameter & { readonly type: PrimitiveType | EnumType; readonly isCollection: false };

/** The types whose literals have quotes, which a client may omit in the query. */
const QUOTED: ReadonlySet<string> = new Set(["Edm.String", "Edm.Binary", "Edm.Duration"]);

const ONE_LITERAL = "takes one literal, such as 5 or 'text', or a parameter alias.";

const NO_ALIASES: ReadonlyMap<string, string> = new Map();

/**
 * Reads the value of an argument in parentheses: a literal, a parameter alias, or the JSON of a complex value or
 * collection.
 * @throws ODataError `InvalidParameter` or `MissingParameter`, target the parameter
 * @see OData URL Conventions 4.0, section 4.5; ABNF functionParameter, parameterValue
 */
export function bindArgument(parameter: OperationParameter, text: string, context: ArgumentContext): CallArgument {
  const resolved = resolveAlias(parameter, text, context);
  if (resolved === null) return { kind: "value", value: null };
  if (!isScalar(parameter)) return { kind: "json", json: readJson(parameter, resolved, context) };
  return { kind: "value", value: readLiteral(parameter, resolved) };
}

/**
 * Reads the value of `Name?parameter=value`. Besides the forms of `bindArgument` it accepts strings, durations,
 * enumeration members and binary values without quotes, unless the text is `null` or begins or ends with a quote. A
 * literal of the type takes precedence.
 * @throws ODataError as `bindArgument`
 * @see docs/reference/operations.md
 */
export function bindPlainArgument(parameter: OperationParameter, text: string, context: ArgumentContext): CallArgument {
  if (text === "") {
    throw invalid(parameter, "has no value: write '' for an empty string, or null.");
  }
  if (!isScalar(parameter) || isAlias(text)) return bindArgument(parameter, text, context);
  const value = attempt(() => readLiteral(parameter, text), ODataError);
  if (!(value instanceof ODataError)) return { kind: "value", value };
  if (!mayLackQuotes(parameter, text)) throw value;
  const codec = valueCodec(parameter.type, parameter.facets);
  return { kind: "value", value: convert(parameter, () => codec.fromText(text)) };
}

function isScalar(parameter: OperationParameter): parameter is ScalarParameter {
  return !parameter.isCollection && parameter.type.kind !== "ComplexType";
}

function mayLackQuotes({ type }: ScalarParameter, text: string): boolean {
  if (type.kind !== "EnumType" && !QUOTED.has(type.name)) return false;
  return text.trim() !== "null" && !/^\s*['"]|['"]\s*$/u.test(text);
}

function isAlias(text: string): boolean {
  return text.startsWith("@") && isIdentifier(text.slice(1));
}

/**
 * Replaces a parameter alias by its value until the value is not an alias. An alias without a value is null.
 * @see OData URL Conventions 4.0, section 5.3
 */
function resolveAlias(parameter: OperationParameter, text: string, { aliases }: ArgumentContext): string | null {
  const met = new Set<string>();
  let resolved = text;
  while (isAlias(resolved)) {
    if (met.has(resolved)) {
      throw invalid(parameter, `uses the parameter alias ${quotedName(resolved)}, which refers to itself.`);
    }
    met.add(resolved);
    const value = aliases.get(resolved);
    if (value === undefined) {
      if (parameter.nullable && !parameter.isCollection) return null;
      throw protocolError(
        "MissingParameter",
        `The parameter '${parameter.name}' must not be null: give the alias ${quotedName(resolved)} a value in the query, as in ${resolved.slice(0, 40)}=….`,
        { target: parameter.name },
      );
    }
    resolved = value.trim();
  }
  return resolved;
}

function readJson(
  parameter: OperationParameter,
  text: string,
  { json }: ArgumentContext,
): ReturnType<typeof parseJson> {
  const value = attempt(() => attempt(() => parseJson(text, json), JsonSyntaxError), JsonLimitError);
  if (value instanceof JsonLimitError) throw invalid(parameter, `has ${value.message}. Send less at once.`);
  if (!(value instanceof JsonSyntaxError)) return value;
  const form = parameter.isCollection ? "a JSON array" : "a JSON object";
  throw invalid(parameter, `takes ${form}. ${value.message}`);
}

function readLiteral(parameter: ScalarParameter, text: string): PrimitiveValue | null {
  const node = parseValue(parameter, text);
  if (node.kind === "null") {
    if (parameter.nullable) return null;
    const hint = parameter.type.name === "Edm.String" ? " Write 'null' in quotes for that string." : "";
    throw invalid(parameter, `must not be null: give it a value.${hint}`);
  }
  if (node.kind !== "literal") throw invalid(parameter, ONE_LITERAL);
  const { literal } = node;
  return convert(parameter, () => fromLiteral(literal, parameter.type, parameter.facets));
}

/** Parses one value without a name, by the grammar of a key. */
function parseValue(parameter: ScalarParameter, text: string): SyntaxNode {
  const counters = { tokens: 0, nodes: 0 };
  const context = { limits: DEFAULT_SYNTAX_LIMITS, literals: [], aliases: NO_ALIASES, counters };
  const target = parameter.name;
  const predicate = attempt(() => parseKeyPredicate(text, context, { target }), ODataError);
  if (predicate instanceof ODataError) throw protocolError("InvalidParameter", predicate.message, { target });
  const [part, ...more] = predicate.parts;
  if (part !== undefined && part.name === null && more.length === 0) return part.value;
  throw invalid(parameter, ONE_LITERAL);
}

function convert(parameter: OperationParameter, read: () => PrimitiveValue): PrimitiveValue {
  const value = attempt(read, InvalidValueError);
  if (value instanceof InvalidValueError) throw invalid(parameter, `has an invalid value. ${value.message}`);
  return value;
}

/** @param problem the fault and its correction; follows the name of the parameter */
function invalid({ name }: OperationParameter, problem: string): ODataError {
  return protocolError("InvalidParameter", `The parameter '${name}' ${problem}`, { target: name });
}
