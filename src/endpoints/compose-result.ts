import { chain, type Maybe } from "../base/maybe.ts";
import { keptPer, keeper } from "../base/memo.ts";
import type { QueryTarget } from "../binder/bind-query-options.ts";
import {
  BARE_RESULT_OPTIONS,
  COMPOSED_OPTIONS,
  BARE_VALUES_OPTIONS,
  COMPOSED_VALUES_OPTIONS,
} from "../binder/option-rules.ts";
import type { EntitySet, EntityType, ComplexType, StructuralProperty } from "../edm/model.ts";
import { isSource } from "../execution/entities/handler-answer.ts";
import { type CollectionRows, runCollection } from "../execution/reads/run-collection.ts";
import { runExpand } from "../execution/reads/run-expand.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { originContext } from "../payload/context-url.ts";
import { writeCollection } from "../payload/write-collection.ts";
import { planCollection } from "../plan/plan-collection.ts";
import { planExpand } from "../plan/plan-expand.ts";
import { bindCollection, returnedBy } from "./bind-query.ts";
import { startBody } from "./collection-page.ts";
import { collectionResponse } from "./collection-response.ts";
import { entityWriterFor, type EntityOrigin } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";
import {
  bareFormat,
  type CalledOperation,
  isEnvelopedByType,
  ownSet,
  mayBeHidden,
  seenEntities,
} from "./operation-result.ts";
import { jsonResponse, noContentResponse } from "./response.ts";

/**
 * Makes the response with the collection of entities that a composable function returns. The query options are applied
 * in memory. Entities of the set's own type are a page of the set, others a bare array.
 * @param call calls the function after its options are bound
 * @throws ODataError for a query option, or the error of the call
 * @see docs/reference/operations.md
 */
export function composedResponse(
  exchange: Exchange,
  format: JsonFormat,
  called: CalledOperation,
  call: () => Maybe<unknown>,
): Maybe<ODataResponse> {
  const { operation } = called;
  const type = operation.returnType?.type;
  if (type?.kind === "ComplexType") return composedValues(exchange, format, type, call);
  if (type?.kind !== "EntityType") throw new Error(`${operation.name} is composable, but returns no entities.`);
  const own = ownSet(called, type);
  const returned = { entityType: type, own, name: operation.name };
  let isNull = false;
  const getAll = (): Maybe<Iterable<unknown>> =>
    chain(call(), (result) => {
      isNull = result === null || result === undefined;
      if (isNull) return [];
      if (mayBeHidden(exchange, returned)) return seenEntities(exchange, returned, result);
      // The reader of lists rejects any other value.
      return result as Iterable<unknown>;
    });
  return chain(pageOf(exchange, format, { type, own, getAll }), (answer) =>
    isNull ? noContentResponse(exchange) : answer,
  );
}

/** The result type of a function, and its set. */
interface ComposedResult {
  readonly type: EntityType;
  readonly own: EntitySet | null;
  readonly getAll: GetAll;
}

function pageOf(exchange: Exchange, format: JsonFormat, { type, own, getAll }: ComposedResult): Maybe<ODataResponse> {
  if (own === null && !isEnvelopedByType(exchange)) return bareResponse(exchange, format, type, getAll);
  const { target, origin } =
    own === null ? bareTarget(exchange, type) : { target: exchange.entitySet(own).target, origin: own };
  return collectionResponse(exchange, format, {
    target,
    rules: COMPOSED_OPTIONS,
    form: "get-all",
    rows: rowsOf(getAll),
    origin,
    isUnnamed: own === null,
    selectPushdownEnabled: own === null || exchange.entitySet(own).settings.selectPushdownEnabled,
    countsAfterSkip: false,
    contextUrl: (contextSelect) => originContext(exchange.serviceRoot, own ?? type, true, contextSelect),
  });
}

type GetAll = () => Maybe<Iterable<unknown>>;

/** Reads the entities that the function returned, without hidden ones. */
function rowsOf(getAll: GetAll): CollectionRows {
  return { handlers: { getAll }, entitySet: null };
}

/** Makes a bare array. It has no count and no next link, so it contains all entities, or as many as `$top` requests. */
function bareResponse(
  exchange: Exchange,
  format: JsonFormat,
  entityType: EntityType,
  getAll: GetAll,
): Maybe<ODataResponse> {
  const { service, reader, serviceRoot } = exchange;
  const { definition } = service;
  const { target, origin } = bareTarget(exchange, entityType);
  const query = bindCollection(exchange, returnedBy(target), BARE_RESULT_OPTIONS);
  const { selectExpand } = query.shape;
  const expand = planExpand(selectExpand, definition);
  const capabilities = { ...target.capabilities, maxTop: null };
  const { selected } = selectExpand;
  const plan = planCollection("get-all", query, capabilities, { maxPageSize: undefined, selected, expand });
  const { maxEntities } = exchange;
  return chain(runCollection(plan, rowsOf(getAll), reader, maxEntities), (result) => {
    const page = { entities: result.entities, rowShape: undefined, entityType, joined: result.joined };
    const expanded =
      expand === null
        ? { entities: result.entities, total: undefined }
        : runExpand(expand, page, { ...reader, values: query.values, maxEntities });
    return chain(expanded, ({ entities, total }) => {
      exchange.countEntities(total ?? entities.length);
      const writer = entityWriterFor(service, origin, selectExpand, bareFormat(format), undefined);
      const body = writeCollection({ contextUrl: null, serviceRoot, parts: [{ entities, total, writer }] });
      return jsonResponse(exchange, format, startBody(body));
    });
  });
}

/** The target of the options of a bare result, and the origin of its entities. */
interface BareTarget {
  readonly target: QueryTarget;
  readonly origin: EntityOrigin;
}

/** The only set of a type provides navigations and settings; with no set, or several, the type provides none. */
function bareTarget(exchange: Exchange, entityType: EntityType): BareTarget {
  const { model, defaultCapabilities, entitySets, limits, profile } = exchange.service.definition;
  const { fullContextUrl } = profile;
  const [home, ...others] = [...model.entityContainer.entitySets.values()].filter(
    (entitySet) => entitySet.entityType === entityType,
  );
  if (home !== undefined && others.length === 0) return { target: exchange.entitySet(home).target, origin: home };
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
 * Makes the response with the complex values that a composable function returns. A source over a database applies the query
 * options; those of a list are applied in memory.
 * @param call calls the function after its options are bound
 * @throws ODataError for a query option, or the error of the call
 * @see docs/reference/operations.md
 */
function composedValues(
  exchange: Exchange,
  format: JsonFormat,
  complexType: ComplexType,
  call: () => Maybe<unknown>,
): Maybe<ODataResponse> {
  const { service, reader, serviceRoot, maxEntities } = exchange;
  const { model, defaultCapabilities, limits, profile } = service.definition;
  const type = rowTypeOf(complexType);
  const capabilities = { ...defaultCapabilities, maxTop: null };
  const target = {
    model,
    entitySet: setOfRows(type),
    capabilities,
    capabilitiesOf: () => defaultCapabilities,
    limits,
    fullContextUrl: profile.fullContextUrl,
  };
  const isEnveloped = isEnvelopedByType(exchange);
  const query = bindCollection(exchange, target, isEnveloped ? COMPOSED_VALUES_OPTIONS : BARE_VALUES_OPTIONS);
  const { selectExpand } = query.shape;
  return chain(call(), (result) => {
    if (result === null || result === undefined) return noContentResponse(exchange);
    const values = result as Iterable<unknown>;
    const source = isSource(values) ? values : null;
    const handlers = source === null ? { getAll: () => values } : { queryable: () => source };
    const needs = { maxPageSize: undefined, selected: selectExpand.selected };
    const plan = planCollection(source === null ? "get-all" : "queryable", query, capabilities, needs);
    return chain(runCollection(plan, { handlers, entitySet: null }, reader, maxEntities), (page) => {
      const { entities, rowShape, count } = page;
      exchange.countEntities(entities.length);
      const written = isEnveloped ? format : bareFormat(format);
      const writer = entityWriterFor(service, type, selectExpand, written, rowShape);
      const contextUrl = isEnveloped ? originContext(serviceRoot, type, true, selectExpand.contextSelect) : null;
      const body = writeCollection({ contextUrl, serviceRoot, count, parts: [{ entities, writer }] });
      return jsonResponse(exchange, format, startBody(body));
    });
  });
}

/** The types whose values have an order. */
const isOrdered = ({ type, isCollection }: StructuralProperty): boolean =>
  !isCollection && type.kind === "PrimitiveType" && type.name !== "Edm.Binary";

/** Returns a complex type as the type of rows. All ordered properties together make an order total, in place of a key. */
const rowTypeOf = keptPer((complexType: ComplexType): EntityType => {
  const key = complexType.properties.filter(isOrdered);
  const others = { kind: "EntityType", key, ignoredProperties: [], navigationProperties: [] } as const;
  return Object.freeze(keeper<EntityType>({ ...complexType, ...others }));
});

const setOfRows = keptPer((type: EntityType) => implicitSet(`/${type.name}`, type));

/**
 * Makes a set for entities that have none. Queries are bound to it; clients cannot name it, and its entities have no URL
 * and no ETag.
 * @param name contains a slash, as no name of the model does, so the shapes of no other set have the same keys
 */
export function implicitSet(name: string, entityType: EntityType): EntitySet {
  const entitySet = keeper<EntitySet>({
    kind: "EntitySet",
    name,
    entityType,
    navigationProperties: new Map(),
    navigationPropertyBindings: new Map(),
    navigationJoins: new Map(),
    etag: [],
  });
  return Object.freeze(entitySet);
}
