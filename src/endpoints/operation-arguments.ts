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

/** The arguments of a call by parameter name, in canonical form, with defaults. */
export type OperationArguments = BodyObject;

/** The place of the arguments of a call. */
export interface ArgumentSource {
  readonly operation: Operation;
  /** The set that the operation is bound to; null for an unbound one. */
  readonly entitySet: EntitySet | null;
  /** The content of the parentheses in the path; null without parentheses. */
  readonly parentheses: string | null;
}

/** Reads the arguments of a call, at their turn in the order of checks. */
export type ArgumentsReading = () => Maybe<OperationArguments>;

const argumentsReader = keptPer((operation: Operation) => compileArgumentsReader(operation));
const parametersReader = keptPerPair((operation: Operation, { unknownMembers }: EntitySetSettings) =>
  compileParametersReader(operation, unknownMembers),
);

/**
 * Checks the headers of the arguments: those of an action with parameters are its body. An action without parameters
 * ignores the body and its headers.
 * @returns reads the arguments: of a function from parentheses, query and aliases, of an action from the body. It throws
 * ODataError `MissingParameter`, `InvalidParameter`, target the parameter, `InvalidBody`, `PayloadTooLarge`
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 * @see docs/reference/operations.md
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
