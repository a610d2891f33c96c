import { chain, type Maybe } from "../base/maybe.ts";
import { keptPer, keptPerPair } from "../base/memo.ts";
import { bindArguments, refuseArguments } from "../binder/bind-arguments.ts";
import { bindEntityKey } from "../binder/bind-key.ts";
import { bindNoQuery } from "../binder/bind-query-options.ts";
import { resultOptions } from "../binder/option-rules.ts";
import type { OperationDefinition, EntitySetSettings } from "../definition/service-definition.ts";
import type { EntitySet, Operation } from "../edm/model.ts";
import type { ODataError } from "../errors/odata-error.ts";
import { answeredValue } from "../execution/entities/handler-answer.ts";
import type { Reader } from "../execution/entities/reader.ts";
import { ServiceContext } from "../execution/rules/row-access.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import type { BodyObject } from "../payload/body-members.ts";
import { compileArgumentsReader, compileParametersReader } from "../payload/read-parameters.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { requireEntity } from "./addressed-entity.ts";
import { composedResponse } from "./compose-result.ts";
import { checkPreconditions, missingEntityError } from "./current-entity.ts";
import { type Endpoint, type Exchange, routed } from "./exchange.ts";
import { actionResult, operationResult } from "./operation-result.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import { entityNotFound } from "./read-property.ts";
import { openBody, type RequestBody } from "./request-body.ts";

/**
 * `GET` of a function, bound or unbound: calls it and returns its result, 204 for null.
 * @throws ODataError for negotiation, the key, a query option, a parameter; the error of the handler
 * @see docs/reference/operations.md
 */
export const invokeFunction: Endpoint = (exchange, path) => invoke(exchange, path, "Function");

/**
 * `POST` of an action, bound or unbound: calls it and returns its result, 204 without one.
 * @throws ODataError for negotiation, the key, the body, a query option, a parameter, a precondition; the error of the
 * handler
 * @see docs/reference/operations.md
 */
export const invokeAction: Endpoint = (exchange, path) => invoke(exchange, path, "Action");

/** An operation in a path. */
interface OperationTarget {
  readonly definition: OperationDefinition;
  /** The set to which it, or whose entities, it is bound; null for an unbound operation. */
  readonly entitySet: EntitySet | null;
  /** The key in the URL of an operation bound to an entity. */
  readonly key: string | null;
  /** The content of the parentheses after its name; null without parentheses. */
  readonly parentheses: string | null;
}

function invoke(
  exchange: Exchange,
  path: ResourcePath,
  kind: "Function" | "Action",
): ODataResponse | PromiseLike<ODataResponse> {
  const target = operationTarget(exchange, path, kind);
  const { definition, entitySet } = target;
  const { operation, handler } = definition;
  const format = readJsonFormat(exchange);
  const key = bindKeyOf(exchange, target);
  const readArguments = openArguments(exchange, { ...target, operation });
  const isBoundToEntity = operation.binding?.isCollection === false;
  const call = (): Maybe<unknown> =>
    chain(readArguments(), (given) => {
      const run = (reader: Pick<Reader, "context">): Maybe<unknown> => {
        const context = entitySet === null ? reader.context : ServiceContext.ofSet(entitySet, reader.context);
        const answer = isBoundToEntity ? handler(key, given, context) : handler(given, context);
        return chain(answer, (result) => answeredValue(result));
      };
      if (!isBoundToEntity || entitySet === null) return run(exchange);
      return chain(openOwner(exchange, { entitySet, keyText: target.key ?? "", key }, kind), run);
    });
  if (operation.isComposable) return composedResponse(exchange, format, { operation, entitySet }, call);
  bindNoQuery(readOptions(exchange), resultOptions(operation));
  const respond = kind === "Action" ? actionResult : operationResult;
  return chain(call(), (result) => respond(exchange, format, { operation, entitySet }, result));
}

/** The entity that an operation is bound to. */
interface Owner {
  readonly entitySet: EntitySet;
  /** The key as written in the URL. */
  readonly keyText: string;
  readonly key: unknown;
}

/**
 * Checks the rules of the entity to which an operation is bound, and the preconditions of an action, which may change
 * it.
 * @returns the reader of the call
 */
function openOwner(exchange: Exchange, { entitySet, keyText, key }: Owner, kind: "Function" | "Action"): Maybe<Reader> {
  const missing = (): ODataError => entityNotFound(entitySet, keyText);
  const address = { entitySet, key, mustBeSeen: true };
  if (kind === "Function") return chain(requireEntity(exchange, address, missing), () => exchange.reader);
  const owner = requireEntity(exchange, address, () => missingEntityError(exchange, missing));
  const current = chain(owner, (addressed) => checkPreconditions(exchange, { entitySet, key, addressed }));
  return chain(current, ({ expected }) => exchange.writer(expected));
}

/** Returns the operation of a path and a method; the route table passes no other path. */
function operationTarget(exchange: Exchange, path: ResourcePath, kind: "Function" | "Action"): OperationTarget {
  if (!("operations" in path)) throw new Error(`A path of kind ${path.kind} addresses no operation.`);
  const operation = path.operations.find((each) => each.kind === kind);
  const entitySet = "entitySet" in path ? path.entitySet : null;
  const { entitySets, operations } = exchange.service.definition;
  const declared = entitySet === null ? operations : entitySets.get(entitySet.name)?.operations;
  const definition = declared?.get(operation?.name ?? "");
  const parentheses = "arguments" in path ? path.arguments : null;
  return {
    definition: routed(definition, `The ${kind}`),
    entitySet,
    key: "key" in path ? path.key : null,
    parentheses,
  };
}

/** Returns the key in the application's form; undefined for an operation without one. @throws ODataError `InvalidKey` */
function bindKeyOf(exchange: Exchange, { entitySet, key }: OperationTarget): unknown {
  if (entitySet === null || key === null) return undefined;
  return bindEntityKey(key, entitySet.entityType, exchange.options.options.aliases, entitySet.name);
}

/** The arguments of a call by parameter name, in canonical form, with defaults. */
type OperationArguments = BodyObject;

/** The place of the arguments of a call. */
interface ArgumentSource {
  readonly operation: Operation;
  /** The set that the operation is bound to; null for an unbound one. */
  readonly entitySet: EntitySet | null;
  /** The content of the parentheses in the path; null without parentheses. */
  readonly parentheses: string | null;
}

/** Reads the arguments of a call, at their turn in the order of checks. */
type ArgumentsReading = () => Maybe<OperationArguments>;

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
function openArguments(exchange: Exchange, source: ArgumentSource): ArgumentsReading {
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
