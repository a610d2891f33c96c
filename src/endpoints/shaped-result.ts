import { chain, type Maybe } from "../base/maybe.ts";
import { bindNoQuery } from "../binder/bind-query-options.ts";
import { resultOptions, SHAPED_RESULT_OPTIONS } from "../binder/option-rules.ts";
import { runExpand } from "../execution/reads/run-expand.ts";
import { isEntityResult } from "../payload/write-result.ts";
import { NO_JOINS } from "../plan/join-expansions.ts";
import type { ExpandPlan } from "../plan/plan-expand.ts";
import type { BoundEntityQuery } from "../query/clauses.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindEntity, readOptions, returnedBy } from "./bind-query.ts";
import { bareTarget } from "./compose-result.ts";
import type { Execution } from "./execution.ts";
import { type CalledOperation, ownSet, type SeenResult } from "./operation-result.ts";
import { runtimeOf } from "./service-runtime.ts";

/**
 * Binds the options of a request that calls an operation: the profile decides whether they shape the entities of its result.
 * @returns null where the result is not shaped
 * @throws ODataError for a query option
 * @see OData Protocol 4.0, sections 11.5.3.1 and 11.5.4.1; docs/reference/operations.md
 */
export function bindResult(request: AuthorizedRequest, called: CalledOperation): BoundEntityQuery | null {
  const { service } = request;
  const { operation } = called;
  const { returnType } = operation;
  const isShaped = service.definition.profile.resultsTakeSelectExpand;
  if (!isShaped || returnType === undefined || !isEntityResult(returnType)) {
    bindNoQuery(readOptions(request), resultOptions(operation));
    return null;
  }
  const { type, isCollection } = returnType;
  const own = ownSet(called, type);
  const target = own === null ? bareTarget(service, type).target : runtimeOf(service, own).target;
  return bindEntity(request, returnedBy(target), SHAPED_RESULT_OPTIONS[isCollection ? "entities" : "entity"]);
}

/** The options of a result, with the plan of its expansions. */
interface PlannedResult {
  readonly called: CalledOperation;
  readonly query: BoundEntityQuery | null;
  readonly plan: ExpandPlan | null;
}

/**
 * Reads the expansions of a result, and counts its entities, unless that is done after its transaction.
 * @throws ODataError that a handler of an expansion returned or threw, `InvalidQueryOption` for too many entities
 */
export function expandResult(
  execution: Execution,
  { called: { operation }, query, plan }: PlannedResult,
  result: SeenResult,
): Maybe<SeenResult> {
  const { returnType } = operation;
  if (result === null || execution.readsLater) return result;
  if (returnType === undefined || !isEntityResult(returnType)) return result;
  const { value } = result;
  const entities = returnType.isCollection ? (value as readonly unknown[]) : [value];
  if (query === null || plan === null) {
    execution.countEntities(entities.length);
    return result;
  }
  const page = { entities, rowShape: undefined, entityType: returnType.type, joined: NO_JOINS };
  const { reader, maxEntities } = execution;
  const request = { ...reader, values: query.values, maxEntities, links: query.links };
  return chain(runExpand(plan, page, request), ({ entities: expanded, total }) => {
    execution.countEntities(total);
    return { value, expanded: { entities: expanded, total } };
  });
}
