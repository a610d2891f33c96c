import type { Operation, OperationParameter } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import type { CallArgument, CallArguments } from "../query/call-argument.ts";
import { isIdentifier } from "../syntax/identifier.ts";
import type { QueryOptionsSyntax } from "../syntax/query-options-parser.ts";
import { splitArguments } from "../syntax/split-arguments.ts";
import { bindArgument, bindPlainArgument } from "./bind-argument.ts";
import { didYouMean, quotedName } from "./did-you-mean.ts";

/** A call of a function as its URL has it. */
export interface FunctionCall {
  /** The text in the parentheses behind the name; null without them. */
  readonly parentheses: string | null;
  readonly options: Pick<QueryOptionsSyntax, "aliases" | "custom">;
  /** Most arrays and objects within one another; null for no limit. */
  readonly maxJsonDepth: number | null;
}

/**
 * Reads the arguments of a function from the parentheses behind its name (`Name(days=7)`), from the query
 * (`Name?days=7`), or from both. A call with parentheses says there what it passes, so names in the query that are of
 * no parameter are then options of the application's own; without parentheses they are mistakes.
 * @returns the arguments that are given; whether one is missing is not looked at
 * @throws ODataError `InvalidParameter`, target the parameter, for a name that is of none, one that is given twice, and
 * a value that is none of its parameter's; `MissingParameter` for an alias without value where null is none
 * @see OData Protocol 4.0, section 11.5.3.1; decisions, Keys and URLs
 */
export function bindArguments(operation: Operation, call: FunctionCall): CallArguments {
  const given = new Map<string, CallArgument>();
  const { parentheses, options } = call;
  const context = { aliases: options.aliases, maxJsonDepth: call.maxJsonDepth ?? Infinity };
  for (const { name, text } of splitArguments(parentheses ?? "")) {
    const parameter = parameterOf(operation, requireName(operation, name, text));
    if (given.has(parameter.name)) throw givenTwice(parameter.name);
    given.set(parameter.name, bindArgument(parameter, text, context));
  }
  for (const [name, texts] of options.custom) {
    if (parentheses !== null && !isParameter(operation, name)) continue;
    const parameter = parameterOf(operation, name);
    const [text = "", ...more] = texts;
    if (more.length > 0 || given.has(name)) throw givenTwice(name);
    given.set(name, bindPlainArgument(parameter, text, context));
  }
  return given;
}

/**
 * Refuses arguments in the path of an action: they stand in its body.
 * @throws ODataError `InvalidParameter`
 */
export function refuseArguments({ name }: Operation, parentheses: string | null): void {
  if (parentheses === null || splitArguments(parentheses).length === 0) return;
  throw invalid(name, `'${name}' is an action: its parameters stand in the body, in a JSON object.`);
}

function requireName({ name: operation, parameters }: Operation, name: string | null, text: string): string {
  if (name !== null && isIdentifier(name)) return name;
  const [first] = parameters;
  const advice = first === undefined ? `'${operation}' takes none: write ${operation}().` : `Write ${first.name}=….`;
  throw invalid(operation, `${quotedName(name ?? text)} is no argument with its name. ${advice}`);
}

function isParameter({ parameters }: Operation, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name);
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
  return protocolError("InvalidParameter", message, { target: target === "" ? undefined : target.slice(0, 128) });
}
