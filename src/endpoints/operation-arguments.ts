import type { Maybe } from "../base/maybe.ts";
import { keptPer, keptPerPair } from "../base/memo.ts";
import { bindArguments, refuseArguments } from "../binder/bind-arguments.ts";
import type { EntitySetSettings } from "../definition/service-definition.ts";
import type { EntitySet, Operation } from "../edm/model.ts";
import type { BodyObject } from "../payload/body-members.ts";
import { compileArgumentsReader, compileParametersReader } from "../payload/read-parameters.ts";
import type { Exchange } from "./exchange.ts";
import { readOptions } from "./read-options.ts";
import { openBody, type RequestBody } from "./request-body.ts";

/** The arguments of a call by the names of the parameters, in canonical form; defaults are filled in. */
export type OperationArguments = BodyObject;

/** Where the arguments of a call are. */
export interface ArgumentSource {
  readonly operation: Operation;
  /** The set that the operation is bound to; null for an unbound one. */
  readonly entitySet: EntitySet | null;
  /** The text in the parentheses of the path; null without them. */
  readonly parentheses: string | null;
}

/** Reads the arguments of a call, when their turn in the order of checks has come. */
export type ArgumentsReading = () => Maybe<OperationArguments>;

const argumentsReader = keptPer((operation: Operation) => compileArgumentsReader(operation));
const parametersReader = keptPerPair((operation: Operation, { unknownMembers }: EntitySetSettings) =>
  compileParametersReader(operation, unknownMembers),
);

/**
 * Checks what the headers tell of the arguments: those of an action with parameters are its body. A parameterless
 * action never looks at a body, nor at what its headers tell.
 * @returns reads the arguments: those of a function from parentheses, query and aliases, those of an action from the body. It
 * throws ODataError `MissingParameter`, `InvalidParameter`, target the parameter, `InvalidBody`, `PayloadTooLarge`
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 * @see specification, Operations, 1 and 2; Cross-cutting request rules, 4 and 5
 */
export function openArguments(exchange: Exchange, source: ArgumentSource): ArgumentsReading {
  const { operation, entitySet, parentheses } = source;
  if (operation.kind === "Function") return () => readCall(exchange, operation, parentheses);
  if (operation.parameters.length === 0) {
    return () => {
      refuseArguments(operation, parentheses);
      return {};
    };
  }
  const body: RequestBody = openBody(exchange, entitySet);
  return () => {
    refuseArguments(operation, parentheses);
    const { defaultSettings } = exchange.service.definition;
    const settings = entitySet === null ? defaultSettings : exchange.entitySet(entitySet).settings;
    return body.read(parametersReader(operation, settings));
  };
}

function readCall(exchange: Exchange, operation: Operation, parentheses: string | null): OperationArguments {
  const { limits } = exchange.service.definition;
  const given = bindArguments(operation, { parentheses, options: readOptions(exchange), limits });
  return argumentsReader(operation)(given);
}
