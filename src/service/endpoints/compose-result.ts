import { tooManyBytes } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import {
  type ComplexType,
  type EntitySet,
  type EntityType,
  publishedSets,
  type StructuralProperty,
} from "../../edm/model.ts";
import { isSource } from "../../engine/entities/handler-answer.ts";
import { planCollection } from "../../engine/plan/plan-collection.ts";
import { planExpand } from "../../engine/plan/plan-expand.ts";
import { storedSelection } from "../../engine/plan/properties-to-read.ts";
import { type CollectionRows, runCollection } from "../../engine/reads/run-collection.ts";
import { runExpand } from "../../engine/reads/run-expand.ts";
import { showEntities } from "../../engine/reads/show-virtual.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import type { QueryTarget } from "../../language/binder/bind-query-options.ts";
import { COMPOSED_OPTIONS } from "../../language/binder/option-rules.ts";
import type { BodyObject } from "../../payload/body-members.ts";
import { originContext } from "../../payload/urls.ts";
import { writeCollection } from "../../payload/write-collection.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindCollection, returnedBy } from "./bind-query.ts";
import { startBody } from "./collection-page.ts";
import { readsCollection } from "./collection-response.ts";
import type { Execution } from "./execution.ts";
import type { JudgedWrite } from "./judged-write.ts";
import {
  bareFormat,
  type CalledOperation,
  isEnvelopedByType,
  ownSet,
  mayBeHidden,
  seenEntities,
} from "./operation-result.ts";
import { wholeEnd } from "./response-bytes.ts";
import { entityWriterFor, type EntityOrigin, runtimeOf, type ServiceRuntime } from "./service-runtime.ts";
import { jsonResponse, noContentResponse, type Endpoint, inPlannedStages, inStages } from "./stages.ts";

/** The arguments of a call by parameter name, in canonical form, with defaults. */
export type OperationArguments = BodyObject;

/** A call whose headers are checked, and whose arguments are still to be read. */
export interface OpenedCall {
  readonly format: JsonFormat;
  readonly called: CalledOperation;
  /** Reads the arguments. @throws ODataError for them */
  readonly readArguments: () => Maybe<OperationArguments>;
  readonly call: (execution: Execution, given: OperationArguments) => Maybe<unknown>;
  /** The entity to which the operation is bound; null without one. */
  readonly owner: JudgedWrite | null;
}

/** Opens the call of a request. @throws ODataError for negotiation, the key, the headers */
type OpenCall = (request: AuthorizedRequest) => OpenedCall;

/** The form of the collection that a composable function returns. */
type ComposedForm = "page" | "bare" | "values";

/**
 * Returns the form of a composable function's result: entities of the set's own type are a page of the set, others a bare
 * array unless the profile has an envelope for them; complex values are values.
 */
export function composedForm(called: CalledOperation, service: ServiceRuntime): ComposedForm {
  const { operation } = called;
  const type = operation.returnType?.type;
  if (type?.kind === "ComplexType") return "values";
  if (type?.kind !== "EntityType") throw new Error(`${operation.name} is composable, but returns no entities.`);
  return ownSet(called, type) === null && !isEnvelopedByType(service) ? "bare" : "page";
}

/**
 * Makes the endpoints for the collections that composable functions return. The query options are applied in memory. A
 * function is called after its options are bound.
 * @throws ODataError for a query option, or the error of the call
 * @see docs/reference/operations.md
 */
export function composedEndpoints(open: OpenCall): Readonly<Record<ComposedForm, Endpoint>> {
  return { page: readsPage(open), bare: readsBare(open), values: readsValues(open) };
}

/** Calls a function after its arguments are read. */
function callOf({ readArguments, call }: OpenedCall, execution: Execution): Maybe<unknown> {
  return chain(readArguments(), (given) => call(execution, given));
}

/** The entities that a composable function returns. */
interface ComposedEntities {
  readonly type: EntityType;
  /** The set of the entities; null: they are bare. */
  readonly own: EntitySet | null;
  readonly rows: (execution: Execution) => CollectionRows;
  /** Whether the function, which has been called, returned null: the response has no content. */
  readonly isNull: () => boolean;
}

function entitiesOf(opened: OpenedCall): ComposedEntities {
  const { called } = opened;
  const { operation } = called;
  const type = operation.returnType?.type;
  if (type?.kind !== "EntityType") throw new Error(`${operation.name} returns no entities.`);
  const own = ownSet(called, type);
  const returned = { entityType: type, own, name: operation.name };
  let isNull = false;
  const rows = (execution: Execution): CollectionRows => {
    const getAll = (): Maybe<Iterable<unknown>> =>
      chain(callOf(opened, execution), (result) => {
        isNull = result === null || result === undefined;
        if (isNull) return [];
        if (mayBeHidden(execution.service, returned)) return seenEntities(execution, returned, result);
        // The reader of lists rejects any other value.
        return result as Iterable<unknown>;
      });
    // Hidden entities are removed.
    return { handlers: { getAll }, entitySet: null };
  };
  return { type, own, rows, isNull: () => isNull };
}

function readsPage(open: OpenCall): Endpoint {
  return readsCollection((request) => {
    const opened = open(request);
    const { type, own, rows, isNull } = entitiesOf(opened);
    const { service } = request;
    const { target, origin } =
      own === null ? bareTarget(service, type) : { target: runtimeOf(service, own).target, origin: own };
    return {
      format: opened.format,
      resource: {
        target,
        rules: COMPOSED_OPTIONS.entities,
        form: "get-all",
        rows,
        isNull,
        origin,
        isUnnamed: own === null,
        selectPushdownEnabled: own === null || runtimeOf(service, own).settings.selectPushdownEnabled,
        countsAfterSkip: false,
        contextUrl: (contextSelect) => originContext(request.serviceRoot, own ?? type, true, contextSelect),
      },
    };
  });
}

/** Makes a bare array. It has no count and no next link, so it contains all entities, or as many as `$top` requests. */
function readsBare(open: OpenCall): Endpoint {
  return inPlannedStages({
    bind: (request) => {
      const opened = open(request);
      const entities = entitiesOf(opened);
      const { target, origin } = bareTarget(request.service, entities.type);
      const query = bindCollection(request, returnedBy(target), COMPOSED_OPTIONS.bareEntities);
      return { ...entities, format: opened.format, target, origin, query };
    },
    plan: (bound, { service }) => {
      const { query, target } = bound;
      const { selectExpand } = query.shape;
      const expand = planExpand(selectExpand, service.definition);
      const capabilities = { ...target.capabilities, maxTop: null };
      const selected = storedSelection(selectExpand, bound.type);
      const needs = { selected, expand };
      return { ...bound, expand, plan: planCollection("get-all", query, capabilities, needs) };
    },
    execute: ({ type, rows, plan, expand, query }, execution) => {
      const { reader, maxEntities } = execution;
      return chain(runCollection(plan, rows(execution), reader, maxEntities), (result) => {
        const page = { entities: result.entities, rowShape: undefined, entityType: type, joined: result.joined };
        const expanded =
          expand === null
            ? { entities: result.entities, total: undefined }
            : runExpand(expand, page, { ...reader, values: query.values, maxEntities, links: query.links });
        return chain(expanded, (read) => {
          const { entities: all, total } = read;
          execution.countEntities(total ?? all.length);
          const shown = showEntities({ entities: all, rowShape: undefined }, query.shape.selectExpand, type, reader);
          return chain(shown, ({ entities }) => ({ entities, total }));
        });
      });
    },
    write: ({ entities, total }, { format, origin, query, isNull }, request, execution) => {
      if (isNull()) return noContentResponse(request);
      const { service, serviceRoot } = request;
      const writer = entityWriterFor(service, origin, query.shape.selectExpand, bareFormat(format), undefined);
      const parts = [{ entities, total, writer }] as const;
      const body = writeCollection({ contextUrl: null, serviceRoot, parts, end: wholeEnd(execution) });
      return jsonResponse(request, format, startBody(body));
    },
  });
}

/** The target of the options of a bare result, and the origin of its entities. */
interface BareTarget {
  readonly target: QueryTarget;
  readonly origin: EntityOrigin;
}

/** The only set of a type provides navigations and settings; with no set, or several, the type provides none. */
export function bareTarget(service: ServiceRuntime, entityType: EntityType): BareTarget {
  const { model, defaultCapabilities, entitySets, limits, profile } = service.definition;
  const { fullContextUrl } = profile;
  const [home, ...others] = publishedSets(model.entityContainer).filter(
    (entitySet) => entitySet.entityType === entityType,
  );
  if (home !== undefined && others.length === 0) return { target: runtimeOf(service, home).target, origin: home };
  const entitySet = setOfResults(entityType);
  const capabilitiesOf: QueryTarget["capabilitiesOf"] = (set) =>
    entitySets.get(set?.name ?? "")?.capabilities ?? defaultCapabilities;
  return {
    target: { model, entitySet, capabilities: defaultCapabilities, capabilitiesOf, limits, fullContextUrl },
    origin: entityType,
  };
}

const setOfResults = keptPer((entityType: EntityType) => implicitSet(`/${entityType.name}`, entityType));

/**
 * Makes an endpoint for the complex values that a composable function returns. A source over a database applies the query
 * options; those of a list are applied in memory.
 */
function readsValues(open: OpenCall): Endpoint {
  return inStages({
    bind: (request) => {
      const opened = open(request);
      const { returnType } = opened.called.operation;
      if (returnType?.type.kind !== "ComplexType") throw new Error("The function returns no complex values.");
      const { definition } = request.service;
      const { model, defaultCapabilities, limits, profile } = definition;
      const type = rowTypeOf(returnType.type);
      const capabilities = { ...defaultCapabilities, maxTop: null };
      const target = {
        model,
        entitySet: setOfRows(type),
        capabilities,
        capabilitiesOf: () => defaultCapabilities,
        limits,
        fullContextUrl: profile.fullContextUrl,
      };
      const isEnveloped = isEnvelopedByType(request.service);
      const query = bindCollection(request, target, COMPOSED_OPTIONS[isEnveloped ? "values" : "bareValues"]);
      return { opened, type, capabilities, isEnveloped, query };
    },
    execute: ({ opened, capabilities, query }, execution) =>
      chain(callOf(opened, execution), (result) => {
        if (result === null || result === undefined) return null;
        const values = result as Iterable<unknown>;
        const source = isSource(values) ? values : null;
        const handlers = source === null ? { getAll: () => values } : { queryable: () => source };
        const needs = { selected: query.shape.selectExpand.selected };
        const plan = planCollection(source === null ? "get-all" : "queryable", query, capabilities, needs);
        const { reader, maxEntities } = execution;
        return chain(runCollection(plan, { handlers, entitySet: null }, reader, maxEntities), (page) => {
          execution.countEntities(page.entities.length);
          if (page.hasMore) throw tooManyBytes("The result of the function");
          return page;
        });
      }),
    write: (page, { opened: { format }, type, isEnveloped, query }, request, execution) => {
      if (page === null) return noContentResponse(request);
      const { service, serviceRoot } = request;
      const { entities, rowShape, count } = page;
      const { selectExpand } = query.shape;
      const written = isEnveloped ? format : bareFormat(format);
      const writer = entityWriterFor(service, type, selectExpand, written, rowShape);
      const contextUrl = isEnveloped ? originContext(serviceRoot, type, true, selectExpand.contextSelect) : null;
      const parts = [{ entities, writer }] as const;
      const body = writeCollection({ contextUrl, serviceRoot, count, parts, end: wholeEnd(execution) });
      return jsonResponse(request, format, startBody(body));
    },
  });
}

/** The types whose values have an order. */
const isOrdered = ({ type, isCollection }: StructuralProperty): boolean =>
  !isCollection && type.kind === "PrimitiveType" && type.name !== "Edm.Binary";

/** Returns a complex type as the type of rows. All ordered properties together make an order total, in place of a key. */
const rowTypeOf = keptPer((complexType: ComplexType): EntityType => {
  const key = complexType.properties.filter(isOrdered);
  const others = { kind: "EntityType", key, ignoredProperties: [], navigationProperties: [] } as const;
  return Object.freeze({ ...complexType, ...others });
});

const setOfRows = keptPer((type: EntityType) => implicitSet(`/${type.name}`, type));

/**
 * Makes a set for entities that have none. Queries are bound to it; clients cannot name it, and its entities have no URL
 * and no ETag.
 * @param name contains a slash, as no name of the model does, so the shapes of no other set have the same keys
 */
export function implicitSet(name: string, entityType: EntityType): EntitySet {
  const entitySet: EntitySet = {
    kind: "EntitySet",
    name,
    entityType,
    navigationProperties: new Map(),
    navigationPropertyBindings: new Map(),
    navigationJoins: new Map(),
    etag: [],
  };
  return Object.freeze(entitySet);
}
