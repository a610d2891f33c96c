import { isPromiseLike } from "../base/maybe.ts";
import { BoundedCache, once } from "../base/memo.ts";
import { bindAnnotations } from "../definition/annotations/bind-annotations.ts";
import { type Logger, defaultLogger } from "../definition/logger.ts";
import {
  type ServiceDefinition,
  describeService,
  type EntitySetDefinition,
} from "../definition/model/service-definition.ts";
import type { ServiceOptions } from "../definition/model/service-options.ts";
import { buildServiceDefinition } from "../definition/startup/build-service-definition.ts";
import type { Model, EntitySet, NavigationProperty } from "../edm/model.ts";
import { readForm } from "../engine/plan/plan-collection.ts";
import { hasNavigationRoute, routeWays } from "../engine/plan/table-navigation.ts";
import { ROW_RULES } from "../engine/reads/gate.ts";
import { fromFetchRequest, toFetchResponse } from "../http/fetch-request.ts";
import { readRequestId } from "../http/headers.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import type { Capabilities } from "../language/query/capabilities.ts";
import { type BodySettings, compileBodyReaders, compileRelatedReader } from "../payload/body-readers.ts";
import { etagDigests } from "../payload/etag-digest.ts";
import { tokenSeal } from "../payload/token-seal.ts";
import { answerRequest, type ServiceRoutes, finishResponse } from "./answer-request.ts";
import { batchEndpoint } from "./batch-endpoint.ts";
import { withCors } from "./cors.ts";
import { hasRules } from "./endpoints/authorize.ts";
import { implicitSet } from "./endpoints/compose-result.ts";
import {
  keepsUnreadable,
  type ServiceRuntime,
  type EntitySetRuntime,
  type NavigationRuntime,
} from "./endpoints/service-runtime.ts";
import { StageClock } from "./endpoints/stage-clock.ts";
import { GuardedPlaces, openFurtherRoutes } from "./find-route.ts";
import { followStatements } from "./follow-statements.ts";
import { handleError, logBrokenResponse } from "./handle-error.ts";
import { heldBytesOf } from "./held-bytes-of.ts";
import { metadataOf } from "./metadata-of.ts";
import { PositionReports, withPosition } from "./position-reports.ts";
import { databaseProbe, type ProbeOptions, type ProbeReport } from "./probe-databases.ts";
import { ResponseReport } from "./report-responses.ts";
import { describedRoutes, RouteTable } from "./route-table.ts";
import { runWork, type RunWork } from "./run-work.ts";
import { databaseChecks, SchemaGate, tenantGates } from "./schema-gate.ts";
import { EntitySets } from "./sets/entity-sets.ts";

/** The number of query shapes that a service caches: more than the clients of an application usually need. */
const SHAPES_KEPT = 500;
/** The bytes of the secret of a process. */
const OWN_SECRET_BYTES = 32;
/** The total length of their keys: each character costs about fifty bytes of cache. */
const SHAPE_CHARACTERS = 250_000;

/** A service: the result of `odataService`. */
export interface ODataService {
  readonly name: string | undefined;
  /** Starts with a slash and does not end with one; empty for the root. */
  readonly prefix: string;
  readonly group: string | undefined;
  readonly model: Model;
  readonly logger: Logger;
  /**
   * Compares the declarations with the tables of their databases, once. `serve` awaits it before it listens; otherwise the
   * first request does. With `schemaCheck: false` or without a database, it does nothing.
   * @throws ConfigurationError with every difference; Error if a database cannot be reached
   * @see docs/reference/schema-check.md
   */
  ready(): Promise<void>;
  /**
   * Reports whether each database of the sets that `sqlEntitySet` declares responds in time. Never rejects because of a
   * database, and takes no longer than `timeout`.
   * @param options the milliseconds for each database, by default 2000
   * @throws ConfigurationError for an invalid timeout
   * @see docs/guides/production.md, Health checks
   */
  probe(options?: ProbeOptions): Promise<ProbeReport>;
  /**
   * Waits for the work of `ctx.afterCommit` that is running. `close()` of `serve` awaits it; other hosts call it before they
   * end the process.
   * @see docs/reference/handlers.md
   */
  drain(): Promise<void>;
  /**
   * Runs work without a request, such as a job, an import or a test, with the context that handlers get: rules, hooks, validation
   * and `set` apply to the given user as in a request. Work of `ctx.afterCommit` starts when its transaction is committed, else when the work has returned.
   * @param user the user of the work, as `authenticate` returns it; null for an anonymous one
   * @param work a function that uses the context it receives
   * @param options `set` makes the context that of the handlers of a set
   * @returns the result of the work
   * @throws the error that the work throws or returns; ODataError of the rules of the service; ConfigurationError and others of
   *   `ready`; Error for a strange set
   * @see docs/reference/services.md, Work without a request
   */
  readonly run: RunWork;
  /**
   * Handles a Fetch request, for every runtime with the Fetch API.
   * @param host the value of `ctx.host`, such as the second argument of a Worker's `fetch`; the `Request` if undefined
   */
  fetch(request: Request, host?: unknown): Promise<Response>;
  /** Handles a request of an adapter. Returns a promise only if a handler does. Never throws. */
  handle(request: ODataRequest): ODataResponse | Promise<ODataResponse>;
}

type Handled = ReturnType<ODataService["handle"]>;

/**
 * Publishes entity sets as one OData service. Later changes of the declarations have no effect.
 * @param options the entity sets of the service, its names, limits and defaults
 * @throws ConfigurationError with all faults of the declarations
 * @see docs/reference/services.md
 */
export function odataService(options: ServiceOptions): ODataService {
  const { schemaCheck = "error" } = options;
  const admit = tenantGates(schemaCheck, () => definition);
  const parts = { admit, digests: etagDigests(options.secret) };
  const definition = buildServiceDefinition(options, defaultLogger, ROW_RULES, bindAnnotations, parts);
  for (const { logTo } of options.entitySets ?? []) logTo?.(definition.logger);
  const schemaGate = new SchemaGate(databaseChecks(definition), schemaCheck, definition.logger);
  const furtherPaths = (options.routes ?? []).flatMap(({ paths }) => paths);
  const runtime = toRuntime(definition, options.secret, furtherPaths);
  const routes = new RouteTable(definition);
  const description = Object.freeze({ definition, routes: describedRoutes(routes), findings: schemaGate.findings });
  const { batch } = definition;
  const answerBatch = batch === null ? null : batchEndpoint(definition, batch, () => serviceRoutes);
  const resources = (options.routes ?? []).flatMap((route) => route.open(description));
  const further = openFurtherRoutes(resources, description, answerBatch);
  const [follow] = resources.flatMap((resource) => ("follow" in resource ? (resource.follow ?? []) : []));
  const positions = PositionReports.of(definition, runtime.seal);
  const guarded = new GuardedPlaces(definition, routes);
  const serviceRoutes: ServiceRoutes = { routes, further, follow, guarded, schemaGate, positions };
  const answer = (request: ODataRequest, id: string, clock: StageClock | null): Handled => {
    const reading = positions?.readingFor(request, id) ?? null;
    const report = definition.onResponse === undefined ? null : new ResponseReport(request, id);
    const finish = (response: ODataResponse): ODataResponse => {
      const timed = clock === null ? response : clock.end(response);
      const made = finishResponse(request, id, withCors(definition.cors, request, withPosition(reading, timed)));
      return report === null ? made : report.follow(made, definition);
    };
    const fail = (error: unknown): ODataResponse => finish(handleError(definition, request, id, error));
    try {
      const response = answerRequest({ odata: request, requestId: id, reading, clock, report }, runtime, serviceRoutes);
      return isPromiseLike(response) ? Promise.resolve(response).then(finish, fail) : finish(response);
    } catch (error) {
      return fail(error);
    }
  };
  const handle = (request: ODataRequest): Handled => {
    const id = readRequestId(request);
    const clock = definition.serverTiming ? new StageClock() : null;
    if (definition.onStatement === undefined && clock === null) return answer(request, id, clock);
    const { method, target } = request;
    const response = followStatements(definition, { id, method, target }, clock, () => answer(request, id, clock));
    return isPromiseLike(response) ? Promise.resolve(response) : response;
  };
  const { name, prefix, group, model, logger } = definition;
  const service: ODataService = {
    name,
    prefix,
    group,
    model,
    logger,
    ready: () => schemaGate.ready(),
    probe: databaseProbe(definition),
    drain: () => runtime.sets.work.drain(),
    run: runWork({ ...runtime, positions, ready: () => schemaGate.ready() }),
    handle,
    fetch: fetchWith(definition, handle),
  };
  describeService(service, description);
  return Object.freeze(service);
}

/** Makes `service.fetch`. */
function fetchWith(definition: ServiceDefinition, handle: ODataService["handle"]): ODataService["fetch"] {
  return async (request, host) => {
    const odata = fromFetchRequest(request, { hostRequest: host });
    const response = await handle(odata);
    return toFetchResponse(response, (error) => logBrokenResponse(definition, odata, response, error));
  };
}

/** Passes the secret only to the seal, because handlers and logs see the definition. */
function toRuntime(
  definition: ServiceDefinition,
  secret: ServiceOptions["secret"],
  furtherPaths: readonly string[],
): ServiceRuntime {
  const { profile } = definition;
  const metadata = metadataOf(definition);
  const sets = Array.from(definition.entitySets.values(), (set) => ({
    set,
    runtime: toEntitySetRuntime(definition, set),
  }));
  return {
    definition,
    entitySets: new Map(sets.map(({ set, runtime }) => [set.entitySet, runtime])),
    furtherPaths,
    metadata,
    shapes: new BoundedCache(SHAPES_KEPT, { most: SHAPE_CHARACTERS, weightOf: (key) => key.length }),
    routes: {
      linksOf: (entitySet, name) => {
        const navigation = hasNavigationRoute(definition, entitySet, name);
        return { navigation, association: navigation };
      },
      marksTransient: profile.marksTransientEntities,
      isReadByKey: ({ name }) => definition.entitySets.get(name)?.handlers.getByKey !== undefined,
      isEdited: ({ name }) => {
        const { patch, replace, delete: remove } = definition.entitySets.get(name)?.handlers ?? {};
        return (patch ?? replace ?? remove) !== undefined;
      },
    },
    seal: secret === undefined ? null : tokenSeal(secret),
    // Some hosts have random numbers only while they answer a request.
    ownSeal: once(() => tokenSeal(crypto.getRandomValues(new Uint8Array(OWN_SECRET_BYTES)))),
    hasRules: hasRules(definition),
    cachesReads: sets.some(({ set: { settings } }) => settings.cacheControl !== null || settings.vary !== ""),
    sets: new EntitySets(
      definition,
      sets.map(({ set, runtime: { bodies } }) => ({ set, bodies })),
    ),
    held: heldBytesOf(definition.limits),
    warned: new Set(),
  };
}

/** Prepares an entity set and its navigation properties for the endpoints. */
function toEntitySetRuntime(definition: ServiceDefinition, set: EntitySetDefinition): EntitySetRuntime {
  const { model, limits, profile } = definition;
  const { entitySet, capabilities, settings, handlers } = set;
  const navigations = [...entitySet.navigationProperties.values()].map((navigationProperty) => {
    return [navigationProperty.name, toNavigationRuntime(definition, set, navigationProperty)] as const;
  });
  return {
    handlers,
    capabilities,
    settings,
    target: {
      model,
      entitySet,
      capabilities,
      capabilitiesOf: capabilitiesIn(definition),
      limits,
      fullContextUrl: profile.fullContextUrl,
    },
    form: readForm(handlers),
    bodies: compileBodyReaders(entitySet, bodySettings(definition, set)),
    navigations: new Map(navigations),
  };
}

function capabilitiesIn({
  entitySets,
  defaultCapabilities,
}: ServiceDefinition): (set: EntitySet | null) => Capabilities {
  return (set) => entitySets.get(set?.name ?? "")?.capabilities ?? defaultCapabilities;
}

function bodySettings({ model, profile }: ServiceDefinition, set: EntitySetDefinition): BodySettings {
  const { unknownMembers, allowDeepInsert } = set.settings;
  return {
    ...profile,
    unknownMembers,
    allowDeepInsert,
    keepsUnreadable: { replace: keepsUnreadable(set, "replace"), patch: keepsUnreadable(set, "patch") },
    entitySets: model.entityContainer.entitySets,
  };
}

function toNavigationRuntime(
  definition: ServiceDefinition,
  set: EntitySetDefinition,
  navigationProperty: NavigationProperty,
): NavigationRuntime {
  const { entitySet, navigationHandlers } = set;
  const { model, limits, entitySets, defaultCapabilities, profile } = definition;
  const { name, entityType } = navigationProperty;
  const target = entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
  const declared = navigationHandlers.get(name) ?? {};
  const ways = routeWays(definition, entitySet, name);
  // Handlers that create related entities receive no nested entities.
  const bodies = { ...bodySettings(definition, set), allowDeepInsert: false };
  const table = ways.find((way) => way.kind === "target") ?? null;
  return {
    readNew: compileRelatedReader(entitySet, navigationProperty, bodies),
    table,
    source: {
      entitySet,
      navigationProperty,
      handlers: declared,
      ways,
      target: target?.entitySet ?? null,
      place: `${entitySet.name}/${name}`,
    },
    target: {
      model,
      entitySet: target?.entitySet ?? implicitSet(`${entitySet.name}/${name}`, entityType),
      capabilities: target?.capabilities ?? defaultCapabilities,
      capabilitiesOf: capabilitiesIn(definition),
      limits,
      fullContextUrl: profile.fullContextUrl,
      // A handler may put related entities into the objects that it returns.
      areObjects: table === null,
    },
    origin: target?.entitySet ?? entityType,
    search: target?.handlers.search,
    selectPushdownEnabled: target?.settings.selectPushdownEnabled ?? true,
  };
}
