import { chain, type Maybe } from "../../base/maybe.ts";
import { NO_JOINS } from "../../engine/plan/join-expansions.ts";
import type { ExpandPlan } from "../../engine/plan/plan-expand.ts";
import { runExpand } from "../../engine/reads/run-expand.ts";
import { showEntities } from "../../engine/reads/show-virtual.ts";
import { bindNoQuery } from "../../language/binder/bind-query-options.ts";
import { selectReadable } from "../../language/binder/bind-select-expand.ts";
import { resultOptions, SHAPED_RESULT_OPTIONS } from "../../language/binder/option-rules.ts";
import type { BoundEntityQuery } from "../../language/query/clauses.ts";
import { showsVirtual } from "../../language/query/virtual-values.ts";
import { isEntityResult } from "../../payload/write-result.ts";
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
  { called, query, plan }: PlannedResult,
  result: SeenResult,
): Maybe<SeenResult> {
  const { returnType } = called.operation;
  if (result === null || execution.readsLater) return result;
  if (returnType === undefined || !isEntityResult(returnType)) return result;
  const { value } = result;
  const entities = returnType.isCollection ? (value as readonly unknown[]) : [value];
  const { type } = returnType;
  const { reader, maxEntities } = execution;
  const clause = query?.selectExpand ?? selectReadable(ownSet(called, type) ?? type, execution.access.properties);
  const page = { entities, rowShape: undefined, entityType: type, joined: NO_JOINS };
  const request = { ...reader, values: query?.values ?? [], maxEntities, links: query?.links };
  const expanded = plan === null ? { entities, total: entities.length } : runExpand(plan, page, request);
  return chain(expanded, ({ entities: all, total }) => {
    execution.countEntities(total);
    if (plan === null && !showsVirtual(clause)) return result;
    const shown = showEntities({ entities: all, rowShape: undefined }, clause, type, reader);
    return chain(shown, (seen) => ({ value, expanded: { entities: seen.entities, total } }));
  });
}
