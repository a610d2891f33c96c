import { fromLiteral } from "../edm/literal.ts";
import type { EnumType, OperationParameter } from "../edm/model.ts";
import type { PrimitiveType } from "../edm/primitive-type.ts";
import { InvalidValueError, type PrimitiveValue } from "../edm/value-codec.ts";
import { valueCodec } from "../edm/value-codecs.ts";
import { isODataError, type ODataError, protocolError } from "../errors/odata-error.ts";
import { JsonLimitError, JsonSyntaxError } from "../json/json-errors.ts";
import { parseJson, type ParseJsonOptions } from "../json/parse-json.ts";
import type { CallArgument } from "../query/call-argument.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import { isIdentifier } from "../syntax/characters.ts";
import { parseKeyPredicate } from "../syntax/key-predicate-parser.ts";
import { DEFAULT_SYNTAX_LIMITS } from "../syntax/parse-context.ts";
import { quotedName } from "./binding-error.ts";

/** What values of arguments are read with. */
export interface ArgumentContext {
  readonly aliases: ReadonlyMap<string, string>;
  /** Bounds of one JSON value. */
  readonly json: ParseJsonOptions;
}

/** A parameter of one primitive or enumeration value. */
type ScalarParameter = OperationParameter & { readonly type: PrimitiveType | EnumType; readonly isCollection: false };

/** Types whose literals have quotes. Others are told by their spelling, so for them there is nothing to leave away. */
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
 * Reads the value of `Name?parameter=value`: as in parentheses, and a text, a duration, an enumeration member or
 * octets without the quotes of their literals too. That is unambiguous where the text is no literal of the type, is
 * not `null`, and has no quote at its ends.
 * @throws ODataError as `bindArgument`
 * @see decisions, Keys and URLs
 */
export function bindPlainArgument(parameter: OperationParameter, text: string, context: ArgumentContext): CallArgument {
  if (text === "") {
    throw invalid(parameter, "has no value: write '' for an empty text, and null for none.");
  }
  if (!isScalar(parameter) || isAlias(text)) return bindArgument(parameter, text, context);
  try {
    return { kind: "value", value: readLiteral(parameter, text) };
  } catch (error) {
    if (!isODataError(error) || !mayLackQuotes(parameter, text)) throw error;
    return {
      kind: "value",
      value: convert(parameter, () => valueCodec(parameter.type, parameter.facets).fromText(text)),
    };
  }
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
 * The text that an alias stands for, and so on while that is an alias; null where an alias has no value.
 * @see OData URL Conventions 4.0, section 5.3: such an alias is null
 */
function resolveAlias(parameter: OperationParameter, text: string, { aliases }: ArgumentContext): string | null {
  const met = new Set<string>();
  let resolved = text;
  while (isAlias(resolved)) {
    if (met.has(resolved)) {
      throw invalid(parameter, `has the parameter alias ${quotedName(resolved)}, whose value leads back to itself.`);
    }
    met.add(resolved);
    const value = aliases.get(resolved);
    if (value === undefined) {
      if (parameter.nullable && !parameter.isCollection) return null;
      throw protocolError(
        "MissingParameter",
        `The parameter '${parameter.name}' is never null: give the alias ${quotedName(resolved)} a value in the query, as in ${resolved.slice(0, 40)}=….`,
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
  try {
    return parseJson(text, json);
  } catch (error) {
    if (error instanceof JsonLimitError) throw invalid(parameter, `has ${error.message}. Send less at once.`);
    if (!(error instanceof JsonSyntaxError)) throw error;
    const form = parameter.isCollection ? "a JSON array" : "a JSON object";
    throw invalid(parameter, `takes ${form}. ${error.message}`);
  }
}

function readLiteral(parameter: ScalarParameter, text: string): PrimitiveValue | null {
  const node = parseValue(parameter, text);
  if (node.kind === "null") {
    if (parameter.nullable) return null;
    const hint = parameter.type.name === "Edm.String" ? " Write 'null' in quotes for that text." : "";
    throw invalid(parameter, `is never null: give it a value.${hint}`);
  }
  if (node.kind !== "literal") throw invalid(parameter, ONE_LITERAL);
  const { literal } = node;
  return convert(parameter, () => fromLiteral(literal, parameter.type, parameter.facets));
}

/** One value without a name, parsed as a key is: what is left over behind it is an error. */
function parseValue(parameter: ScalarParameter, text: string): SyntaxNode {
  const counters = { tokens: 0, nodes: 0 };
  const context = { limits: DEFAULT_SYNTAX_LIMITS, literals: [], aliases: NO_ALIASES, counters };
  try {
    const [part, ...more] = parseKeyPredicate(text, context, { target: parameter.name }).parts;
    if (part !== undefined && part.name === null && more.length === 0) return part.value;
  } catch (error) {
    if (!isODataError(error)) throw error;
    throw protocolError("InvalidParameter", error.message, { target: parameter.name });
  }
  throw invalid(parameter, ONE_LITERAL);
}

function convert(parameter: OperationParameter, read: () => PrimitiveValue): PrimitiveValue {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidValueError) throw invalid(parameter, `takes another value. ${error.message}`);
    throw error;
  }
}

/** @param problem what is wrong with the value, and what would be right, behind the name of the parameter */
function invalid({ name }: OperationParameter, problem: string): ODataError {
  return protocolError("InvalidParameter", `The parameter '${name}' ${problem}`, { target: name });
}
