import type { Operation, OperationParameter } from "../edm/model.ts";
import { nearestName } from "../errors/nearest-name.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import type { CallArgument, CallArguments } from "../query/call-argument.ts";
import type { Limits } from "../query/capabilities.ts";
import { isIdentifier } from "../syntax/characters.ts";
import type { QueryOptionsSyntax } from "../syntax/query-options-parser.ts";
import { splitArguments } from "../syntax/split-arguments.ts";
import { bindArgument, bindPlainArgument } from "./bind-argument.ts";
import { didYouMean, quotedName } from "./binding-error.ts";

/** A function call as written in the URL. */
export interface FunctionCall {
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

function isRequired({ defaultValue, nullable, isCollection }: OperationParameter): boolean {
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
