import { chain } from "../base/maybe.ts";
import type { User } from "../definition/context.ts";
import { requestFields } from "../definition/model/request-fields.ts";
import type {
  BatchDefinition,
  EntitySetDefinition,
  OperationDefinition,
  ServiceDefinition,
} from "../definition/model/service-definition.ts";
import {
  databasesOf,
  type PlannedWrite,
  type TransactionalDatabase,
} from "../definition/sets/transactional-database.ts";
import { definitionIn } from "../engine/entities/reader.ts";
import { refuseIsolation } from "../http/base-url.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { bindNoQuery } from "../language/binder/bind-query-options.ts";
import type { ResourcePath } from "../language/query/resource-path.ts";
import { answerBatched, isJsonBody, type ServiceRoutes, withoutBody } from "./answer-request.ts";
import { answerBatch, type BatchLimits } from "./batch/answer-batch.ts";
import type { PartPipeline, PlannedOperation } from "./batch/batch-request.ts";
import { readOptions } from "./endpoints/bind-query.ts";
import type { Execution } from "./endpoints/execution.ts";
import { plannedWrites, type SetPath } from "./endpoints/planned-writes.ts";
import { StageClock } from "./endpoints/stage-clock.ts";
import type { Endpoint } from "./endpoints/stages.ts";
import { placeOf, type RoutedRequest, routeAt } from "./find-route.ts";
import { followStatements } from "./follow-statements.ts";
import { handleError } from "./handle-error.ts";
import { positionAdder, withPosition } from "./position-reports.ts";
import { mayGather } from "./sets/gathered-creates.ts";

/**
 * Makes the endpoint of `POST /$batch`.
 * @param routes returns the routes of the service
 * @see docs/reference/batch.md
 */
export function batchEndpoint(
  definition: ServiceDefinition,
  batch: BatchDefinition,
  routes: () => ServiceRoutes,
): Endpoint {
  const { limits, defaultSettings, prefix, profile } = definition;
  const { batchTakesLooseUrls } = profile;
  const settings: BatchLimits = {
    ...batch,
    transactionTimeout: limits.transactionTimeout,
    isSequential: batch.changeSets === "sequential",
    maxBytes: defaultSettings.maxRequestBodyBytes,
    maxJsonDepth: limits.maxJsonDepth,
    maxJsonValues: limits.maxJsonValues,
    takesEmptyUrls: batchTakesLooseUrls,
  };
  const databases = databasesOf(definition.entitySets.values());
  const database = databases.length === 1 ? (databases[0] ?? null) : null;
  return (request, execution) => {
    bindNoQuery(readOptions(request));
    const { odata, baseUrl } = request.arrival;
    const { context } = execution;
    const publicPath = baseUrl.replace(/^[^:/]+:\/\/[^/]*/, "");
    const takesSlashedReferences = batchTakesLooseUrls;
    const origin = { baseUrl, host: odata.host, publicPath, prefix, takesSlashedReferences };
    return answerBatch({ request: odata, context, origin }, settings, pipelineOf(execution, routes(), database));
  };
}

function pipelineOf(execution: Execution, routes: ServiceRoutes, database: TransactionalDatabase | null): PartPipeline {
  const { service, arrival, access } = execution;
  const { requestId, baseUrl, reading } = arrival;
  const { user } = access;
  const { definition } = service;
  const isJson = isJsonBody(arrival.odata);
  /** The clock of the operation in execution. */
  let running: StageClock | null = null;
  return {
    database,
    plan: (request) => {
      const { path, route } = batchedRoute(request, { user, baseUrl }, definition, routes);
      route.endpoint(request.method);
      return planOperation(definition, path, request.method);
    },
    ready: () => {
      const { odata, url } = arrival;
      const fields = requestFields(definition, { id: requestId, method: odata.method, path: url.path });
      return routes.schemaGate.isOpen ? undefined : routes.schemaGate.enter(fields);
    },
    answer: (request, batch) => {
      const { method, target } = request;
      const clock = definition.serverTiming ? new StageClock() : null;
      running = clock;
      return followStatements(definition, { id: requestId, method, target }, clock, () =>
        chain(
          answerBatched({ odata: request, requestId, baseUrl, user, batch, isJson, reading, clock }, service, routes),
          (response) => {
            if (running === clock) running = null;
            return withoutBody(request, withPosition(reading, clock === null ? response : clock.end(response)));
          },
        ),
      );
    },
    committed: (responses) =>
      chain(routes.positions?.report(execution), () => {
        const add = positionAdder(reading);
        return responses.map(({ id, response }) => ({ id, response: add(response) }));
      }),
    fail: (request, error, contentId) => {
      const response = handleError(definition, request, requestId, error, contentId);
      const timed = running === null ? response : running.end(response);
      // Operations that fail because of this one are not executed.
      running = null;
      return withoutBody(request, withPosition(reading, timed));
    },
  };
}

/** Returns the handlers that a write would call, and where it would create an entity. */
function planOperation(definition: ServiceDefinition, path: ResourcePath, method: string): PlannedOperation {
  if (path.kind === "operationImport") {
    const operations = path.operations.map(({ name }) => definition.operations.get(name));
    return { writes: operations.flatMap((each) => toOperationWrite(each)), created: null, gathered: null };
  }
  if (!("entitySet" in path)) return { writes: [], created: null, gathered: null };
  const set = definitionIn(definition, path.entitySet);
  if (path.kind === "boundOperation") {
    const operations = path.operations.map(({ name }) => set.operations.get(name));
    const { database } = set;
    return { writes: operations.flatMap((each) => toOperationWrite(each, database)), created: null, gathered: null };
  }
  const writes = plannedWrites(definition, path, method);
  const isCreation = method === "POST" && (path.kind === "entitySet" || path.kind === "navigation");
  const isGathered = isCreation && path.kind === "entitySet" && mayGather(set, definition);
  return {
    writes,
    created: isCreation ? createdPath(definition, set, path) : null,
    gathered: isGathered ? set : null,
  };
}

function toOperationWrite(
  operation: OperationDefinition | undefined,
  database?: TransactionalDatabase,
): readonly PlannedWrite[] {
  if (operation?.operation.kind !== "Action") return [];
  const { transactional } = operation;
  return [{ name: operation.operation.name, database, by: transactional ? "transactional" : "handler" }];
}

/** Returns the path of an entity that a POST creates. The key does not matter: only the set is looked up. */
function createdPath({ prefix }: ServiceDefinition, { entitySet }: EntitySetDefinition, path: SetPath): string | null {
  const name =
    path.kind === "navigation"
      ? entitySet.navigationPropertyBindings.get(path.navigationProperty.name)
      : entitySet.name;
  return name === undefined ? null : `${prefix}/${name}(0)`;
}

/**
 * Finds the route of an operation of a change set, before any operation of it runs.
 * @throws ODataError `Unauthorized` for an anonymous user where all routes need a user, before any name is looked up;
 *   `PreconditionFailed` for snapshot isolation
 */
function batchedRoute(
  request: ODataRequest,
  { user, baseUrl }: { readonly user: User | null; readonly baseUrl: string },
  definition: ServiceDefinition,
  routes: ServiceRoutes,
): RoutedRequest {
  refuseIsolation(request);
  const place = placeOf(request, definition, routes.further, baseUrl);
  const refusal = routes.guarded.refusalAt(place, user);
  if (refusal !== null) throw refusal;
  return routeAt(place, definition, routes);
}
