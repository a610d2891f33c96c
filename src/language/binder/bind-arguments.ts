import type { Fault } from "../../base/errors/fault.ts";
import { nearestName } from "../../base/errors/nearest-name.ts";
import { ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { JsonLimitError, JsonSyntaxError } from "../../base/json/json-errors.ts";
import { parseJson, type ParseJsonOptions } from "../../base/json/parse-json.ts";
import { attempt } from "../../base/maybe.ts";
import { facetCheck, faultOf } from "../../edm/facet-check.ts";
import { fromLiteral } from "../../edm/literal.ts";
import type { Operation, OperationParameter, EnumType } from "../../edm/model.ts";
import type { PrimitiveType } from "../../edm/primitive-type.ts";
import { InvalidValueError, type PrimitiveValue } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import type { CallArgument, CallArguments } from "../query/call-argument.ts";
import type { Limits } from "../query/capabilities.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import { DEFAULT_SYNTAX_LIMITS } from "../syntax/parse-context.ts";
import { parseKeyPredicate } from "../syntax/path-parser.ts";
import type { QueryOptionsSyntax } from "../syntax/query-options-parser.ts";
import { splitArguments } from "../syntax/split-arguments.ts";
import { isIdentifier } from "../syntax/token.ts";
import { didYouMean, quotedName } from "./binding-scope.ts";

/** A function call as written in the URL. */
interface FunctionCall {
  /** The text in the parentheses after the name; null without parentheses. */
  readonly parentheses: string | null;
  readonly options: Pick<QueryOptionsSyntax, "aliases" | "custom">;
  /** Bounds of each JSON value. */
  readonly limits: Pick<Limits, "maxJsonDepth" | "maxJsonValues">;
}

/**
 * Reads the arguments of a function from the parentheses after its name (`Name(days=7)`), from the query
 * (`Name?days=7`), or from both. Other names in the query are custom query options, which the handler reads.
 * @returns the given arguments; missing arguments are not checked
 * @throws ODataError `InvalidParameter`, target the parameter, for an unknown name in parentheses, a name in the query
 * that differs from a parameter only in letter case, a parameter given twice, and a value of another type;
 * `MissingParameter` for an alias without a value if the parameter is not nullable
 * @see OData Protocol 4.0, section 11.5.3.1; OData URL Conventions 4.0, section 5.2
 */
export function bindArguments(operation: Operation, call: FunctionCall): CallArguments {
  const given = new Map<string, CallArgument>();
  const { parentheses, options, limits } = call;
  const context = {
    aliases: options.aliases,
    json: { maxDepth: limits.maxJsonDepth ?? Infinity, maxValues: limits.maxJsonValues ?? Infinity },
  };
  for (const { name, text } of splitArguments(parentheses ?? "")) {
    const parameter = parameterOf(operation, requireName(operation, name, text));
    if (given.has(parameter.name)) throw givenTwice(parameter.name);
    given.set(parameter.name, bindArgument(parameter, text, context));
  }
  for (const [name, texts] of options.custom) {
    if (!isMeantAsParameter(operation, name)) continue;
    const parameter = parameterOf(operation, name);
    const [text = "", ...more] = texts;
    if (more.length > 0 || given.has(name)) throw givenTwice(name);
    given.set(name, bindPlainArgument(parameter, text, context));
  }
  refuseMisspelt(operation, given, options.custom.keys());
  return given;
}

/**
 * Refuses arguments in the path of an action, whose parameters belong in the body.
 * @throws ODataError `InvalidParameter`
 */
export function refuseArguments({ name }: Operation, parentheses: string | null): void {
  if (parentheses === null || splitArguments(parentheses).length === 0) return;
  throw invalid(name, `'${name}' is an action: send its parameters in the body, as a JSON object.`);
}

function requireName({ name: operation, parameters }: Operation, name: string | null, text: string): string {
  if (name !== null && isIdentifier(name)) return name;
  const [first] = parameters;
  const advice = first === undefined ? `'${operation}' takes none: write ${operation}().` : `Write ${first.name}=….`;
  throw invalid(operation, `${quotedName(name ?? text)} is not a named argument. ${advice}`);
}

/**
 * Returns whether a name in the query is that of a parameter, in any letter case: a name that differs from a parameter
 * only in letter case is a mistake, not a custom query option.
 */
export function isMeantAsParameter({ parameters }: Operation, name: string): boolean {
  const folded = name.toLowerCase();
  return parameters.some((parameter) => parameter.name.toLowerCase() === folded);
}

/** Explains a missing parameter by a custom query option with a similar name. */
function refuseMisspelt(operation: Operation, given: CallArguments, options: Iterable<string>): void {
  const missing = operation.parameters.filter((parameter) => isRequired(parameter) && !given.has(parameter.name));
  for (const option of missing.length === 0 ? [] : options) {
    const name = nearestName(
      option,
      missing.map((parameter) => parameter.name),
    );
    if (name === null) continue;
    const message = `The call lacks the parameter ${name}. It has ${quotedName(option)}: did you mean '${name}'?`;
    throw protocolError("MissingParameter", message, { target: name });
  }
}

/** Whether a call must give a parameter. */
export function isRequired({ defaultValue, nullable, isCollection }: OperationParameter): boolean {
  return defaultValue === undefined && (!nullable || isCollection);
}

function parameterOf(operation: Operation, name: string): OperationParameter {
  const parameter = operation.parameters.find((known) => known.name === name);
  if (parameter !== undefined) return parameter;
  const names = operation.parameters.map((known) => known.name);
  const hint = names.length === 0 ? " It takes none." : didYouMean(name, names);
  throw invalid(name, `The function '${operation.name}' has no parameter ${quotedName(name)}.${hint}`);
}

function givenTwice(name: string): ODataError {
  return invalid(name, `The parameter '${name}' is given twice: give one value.`);
}

function invalid(target: string, message: string): ODataError {
  return protocolError("InvalidParameter", message, { target: target.slice(0, 128) });
}

/** The parts of a request that values of arguments are read with. */
interface ArgumentContext {
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
function bindArgument(parameter: OperationParameter, text: string, context: ArgumentContext): CallArgument {
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
function bindPlainArgument(parameter: OperationParameter, text: string, context: ArgumentContext): CallArgument {
  if (text === "") {
    throw invalidArgument(parameter, "has no value: write '' for an empty string, or null.");
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
      throw invalidArgument(parameter, `uses the parameter alias ${quotedName(resolved)}, which refers to itself.`);
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
  if (value instanceof JsonLimitError) throw invalidArgument(parameter, `has ${value.message}. Send less at once.`);
  if (!(value instanceof JsonSyntaxError)) return value;
  const form = parameter.isCollection ? "a JSON array" : "a JSON object";
  throw invalidArgument(parameter, `takes ${form}. ${value.message}`);
}

function readLiteral(parameter: ScalarParameter, text: string): PrimitiveValue | null {
  const node = parseValue(parameter, text);
  if (node.kind === "null") {
    if (parameter.nullable) return null;
    const hint = parameter.type.name === "Edm.String" ? " Write 'null' in quotes for that string." : "";
    throw invalidArgument(parameter, `must not be null: give it a value.${hint}`);
  }
  if (node.kind !== "literal") throw invalidArgument(parameter, ONE_LITERAL);
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
  throw invalidArgument(parameter, ONE_LITERAL);
}

function convert(parameter: ScalarParameter, read: () => PrimitiveValue): PrimitiveValue {
  const value = attempt(read, InvalidValueError);
  if (value instanceof InvalidValueError) {
    throw invalidArgument(parameter, `has an invalid value. ${value.message}`, faultOf(value, parameter.type));
  }
  const violated = facetCheck(parameter.type, parameter.facets)?.(value) ?? null;
  if (violated !== null) throw invalidArgument(parameter, `has an invalid value. ${violated.problem}`, violated.fault);
  return value;
}

/** @param problem the fault and its correction; follows the name of the parameter */
function invalidArgument({ name }: OperationParameter, problem: string, fault?: Fault): ODataError {
  return protocolError("InvalidParameter", `The parameter '${name}' ${problem}`, { target: name, fault });
}
