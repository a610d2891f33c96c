import type { ODataError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer, keptPerPair } from "../../base/memo.ts";
import type { OperationDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { EntitySet, Operation } from "../../edm/model.ts";
import { answeredValue } from "../../engine/entities/handler-answer.ts";
import { definitionOf, type Reader } from "../../engine/entities/reader.ts";
import { planExpand } from "../../engine/plan/plan-expand.ts";
import { ServiceContext } from "../../engine/rules/row-access.ts";
import { explainingViolations, OF_OTHERS } from "../../engine/writes/explain-violation.ts";
import { bindArguments, isRequired, refuseArguments } from "../../language/binder/bind-arguments.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import { compileArgumentsReader, compileParametersReader } from "../../payload/read-parameters.ts";
import { type AuthorizedRequest, openBody, type RequestBody } from "./authorized-request.ts";
import { readJsonFormat, readOptions } from "./bind-query.ts";
import { composedEndpoints, composedForm, type OpenedCall, type OperationArguments } from "./compose-result.ts";
import { requireEntity, entityNotFound, checkPreconditions, missingEntityError } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { executeJudged } from "./judged-write.ts";
import { operationResponse, readResult, readResultAgain, type SeenResult } from "./operation-result.ts";
import { bindResult, expandResult } from "./shaped-result.ts";
import { noContentResponse, type Endpoint, inPlannedStages, routed } from "./stages.ts";

/**
 * `GET` of a function, bound or unbound: calls it and returns its result, 204 for null.
 * @throws ODataError for negotiation, the key, a query option, a parameter; the error of the handler
 * @see docs/reference/operations.md
 */
export const invokeFunction: Endpoint = (request, execution) => {
  const { definition, entitySet } = operationTarget(request, "Function");
  const { operation } = definition;
  if (!operation.isComposable) return callFunction(request, execution);
  return composeFunction[composedForm({ operation, entitySet }, request.service)](request, execution);
};

const callFunction = calls("Function");
const composeFunction = composedEndpoints((request) => openCall(request, "Function"));

/**
 * `POST` of an action, bound or unbound: calls it and returns its result as the client prefers; 204 without one.
 * @throws ODataError for negotiation, the key, the body, a query option, a parameter, a precondition; the error of the
 * handler
 * @see docs/reference/operations.md
 */
export const invokeAction: Endpoint = calls("Action");

/** Makes an endpoint that calls an operation, and returns its result, which options shape at most. */
function calls(kind: "Function" | "Action"): Endpoint {
  return inPlannedStages({
    bind: (request) => {
      const { format, called, readArguments, call, owner } = openCall(request, kind);
      const query = bindResult(request, called);
      const preferred = kind === "Action" ? request.preferences.return : undefined;
      return chain(readArguments(), (given) => ({ format, called, query, preferred, given, call, owner }));
    },
    plan: (bound, { service }) => {
      const { query } = bound;
      return { ...bound, plan: query === null ? null : planExpand(query.selectExpand, service.definition) };
    },
    execute: (planned, execution) => {
      const { called, preferred, given, call, owner } = planned;
      const run = (inner: Execution): Maybe<SeenResult> =>
        chain(call(inner, given), (result) => (preferred === "minimal" ? null : readResult(inner, called, result)));
      // Only a handler that uses the transaction can be part of it.
      const isJudged = owner?.transactional === true && execution.access.pending.length > 0;
      const read = owner === null ? run(execution) : executeJudged(execution, owner, isJudged, run);
      return chain(read, (result) => expandResult(execution, planned, result));
    },
    write: (result, { format, called, query, preferred }, request, execution) => {
      const writing = { execution, clause: query?.selectExpand ?? null };
      if (preferred === undefined) return operationResponse(request, format, called, result, writing);
      const applied = { "Preference-Applied": `return=${preferred}` };
      if (preferred === "minimal") return noContentResponse(request, applied);
      const response = operationResponse(request, format, called, result, writing);
      // Without a result, the preference for a representation cannot be applied.
      return response.status === 204 ? response : { ...response, headers: { ...response.headers, ...applied } };
    },
    refresh: (result, planned, execution) =>
      chain(readResultAgain(execution, planned.called, result), (read) => expandResult(execution, planned, read)),
    content: (result, planned, execution) => expandResult(execution, planned, result),
  });
}

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

/** Chooses the format, binds the key and checks the headers of the arguments. @throws ODataError for them */
function openCall(request: AuthorizedRequest, kind: "Function" | "Action"): OpenedCall {
  const target = operationTarget(request, kind);
  const { definition, entitySet } = target;
  const { operation, handler, transactional } = definition;
  const format = readJsonFormat(request);
  const key = bindKeyOf(request, target);
  const readArguments = openArguments(request, { ...target, operation });
  const isBoundToEntity = operation.binding?.isCollection === false;
  const call = (execution: Execution, given: OperationArguments): Maybe<unknown> => {
    const run = (reader: Pick<Reader, "context">): Maybe<unknown> => {
      const context = entitySet === null ? reader.context : ServiceContext.ofSet(entitySet, reader.context);
      const invoke = (): Maybe<unknown> => (isBoundToEntity ? handler(key, given, context) : handler(given, context));
      const set = entitySet === null ? null : definitionOf(entitySet, reader.context);
      const answer = set === null ? invoke() : explainingViolations(set, OF_OTHERS, invoke);
      return chain(answer, (result) => {
        const value = answeredValue(result);
        execution.commit();
        return value;
      });
    };
    if (!isBoundToEntity || entitySet === null) return run(execution);
    return chain(openOwner(execution, { entitySet, keyText: target.key ?? "", key }, kind), run);
  };
  const owner = isBoundToEntity && entitySet !== null ? { entitySet, key, handler, transactional } : null;
  return { format, called: { operation, entitySet }, readArguments, call, owner };
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
function openOwner(
  execution: Execution,
  { entitySet, keyText, key }: Owner,
  kind: "Function" | "Action",
): Maybe<Reader> {
  const missing = (): ODataError => entityNotFound(entitySet, keyText);
  const address = { entitySet, key, mustBeSeen: true };
  if (kind === "Function") return chain(requireEntity(execution, address, missing), () => execution.reader);
  const owner = requireEntity(execution, address, () => missingEntityError(execution, missing));
  const current = chain(owner, (addressed) => checkPreconditions(execution, { entitySet, key, addressed }));
  return chain(current, ({ expected }) => execution.writer(expected));
}

/** Returns the operation of a path and a method; the route table passes no other path. */
function operationTarget({ service, path }: AuthorizedRequest, kind: "Function" | "Action"): OperationTarget {
  if (!("operations" in path)) throw new Error(`A path of kind ${path.kind} addresses no operation.`);
  const operation = path.operations.find((each) => each.kind === kind);
  const entitySet = "entitySet" in path ? path.entitySet : null;
  const { entitySets, operations } = service.definition;
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
function bindKeyOf(request: AuthorizedRequest, { entitySet, key }: OperationTarget): unknown {
  if (entitySet === null || key === null) return undefined;
  return bindEntityKey(key, entitySet.entityType, request.options.options.aliases, entitySet.name);
}

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
const parametersReader = keptPerPair((operation: Operation, definition: ServiceDefinition) => {
  const { entitySets, defaultSettings, profile } = definition;
  const { unknownMembers } = entitySets.get(operation.binding?.entitySet ?? "")?.settings ?? defaultSettings;
  return compileParametersReader(operation, { ...profile, unknownMembers });
});

/**
 * Checks the headers of the arguments: those of an action with parameters are its body. An action without parameters
 * ignores the body and its headers.
 * @returns reads the arguments: of a function from parentheses, query and aliases, of an action from the body. It throws
 * ODataError `MissingParameter`, `InvalidParameter`, target the parameter, `InvalidBody`, `PayloadTooLarge`
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 * @see docs/reference/operations.md
 */
function openArguments(request: AuthorizedRequest, source: ArgumentSource): ArgumentsReading {
  const { operation, entitySet, parentheses } = source;
  if (operation.kind === "Function") return () => readCall(request, operation, parentheses);
  if (operation.parameters.length === 0) {
    return () => {
      refuseArguments(operation, parentheses);
      return {};
    };
  }
  const { absentBodyIsEmpty } = request.service.definition.profile;
  const mayBeAbsent = absentBodyIsEmpty && !operation.parameters.some(isRequired);
  const body: RequestBody = openBody(request, entitySet, mayBeAbsent);
  return () => {
    refuseArguments(operation, parentheses);
    return body.read(parametersReader(operation, request.service.definition));
  };
}

function readCall(request: AuthorizedRequest, operation: Operation, parentheses: string | null): OperationArguments {
  const { limits } = request.service.definition;
  const given = bindArguments(operation, { parentheses, options: readOptions(request), limits });
  return argumentsReader(operation)(given);
}
