import { bindEntityKey } from "../binder/bind-key.ts";
import { bindCountQuery, bindEntityQuery } from "../binder/bind-query-options.ts";
import type { OptionRules } from "../binder/check-capabilities.ts";
import { RELATED_COLLECTION_OPTIONS, RELATED_COUNT_OPTIONS, RELATED_ENTITY_OPTIONS } from "../binder/option-rules.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySetHandlers } from "../definition/handlers.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { chain } from "../execution/chain.ts";
import type { MaybeResult } from "../execution/handler-answer.ts";
import { findByKey, readRelatedEntities, readRelatedEntity } from "../execution/read-navigation.ts";
import { runCount } from "../execution/run-count.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { collectionNavigationContext, entityNavigationContext } from "../payload/context-url.ts";
import { keyPredicateOf } from "../payload/entity-url.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { collectionResponse } from "./collection-response.ts";
import { entityResponse } from "./entity-response.ts";
import type { Endpoint, Exchange, NavigationRuntime } from "./exchange.ts";
import { readJsonFormat, readOptions, readTextFormat } from "./read-options.ts";
import { okResponse } from "./response.ts";

/** What a path behind an entity leads to. */
interface Navigation {
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
  /** The text of the key of the parent. */
  readonly key: string;
  readonly runtime: NavigationRuntime;
}

/** The part of a response that is the same for one entity, however it was found. */
interface RelatedEntity {
  readonly navigation: Navigation;
  /** The key of the parent in the application's form. */
  readonly key: unknown;
  readonly missing: () => ODataError;
}

/**
 * `GET /Set(key)/Nav`: the related entities of one entity, or its one related entity.
 * @throws ODataError for negotiation, the key, a query option, a missing parent or entity, or what the handler answered
 * @see specification, Navigation routes, rules 1, 3 and 4
 */
export const readNavigation: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const format = readJsonFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const { entitySet, navigationProperty, runtime } = navigation;
  if (!navigationProperty.isCollection) {
    const missing = (): ODataError => noRelatedEntity(navigation);
    const read = (): MaybeResult<unknown> => readRelatedEntity(runtime.source, key, exchange.context);
    return relatedEntityResponse(exchange, format, { navigation, key, missing }, read);
  }
  const { profile } = exchange.service.definition;
  const { serviceRoot } = exchange;
  return collectionResponse(exchange, format, {
    target: runtime.target,
    rules: RELATED_COLLECTION_OPTIONS,
    form: "get-all",
    handlers: handlersOf(navigation, key),
    origin: runtime.origin,
    selectPushdownEnabled: runtime.selectPushdownEnabled,
    countsAfterSkip: !profile.navigationCountsBeforeSkip,
    contextUrl: (contextSelect) => {
      const predicate = keyPredicateOf(entitySet.entityType, key);
      return collectionNavigationContext(serviceRoot, entitySet, predicate, navigationProperty.name, contextSelect);
    },
  });
};

/**
 * `GET /Set(key)/Nav/$count`: how many related entities an entity has, as text.
 * @throws ODataError as for the related entities themselves
 * @see specification, Navigation routes, rules 2 and 4
 */
export const readNavigationCount: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const contentType = readTextFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const { target } = navigation.runtime;
  const query = bindCountQuery(readOptions(exchange), target, exchange.service.shapes, RELATED_COUNT_OPTIONS);
  return chain(runCount("get-all", query, handlersOf(navigation, key), exchange.context), (count) =>
    okResponse(exchange, contentType, String(count)),
  );
};

/**
 * `GET /Set(key)/Nav(key)`: one of the related entities of an entity.
 * @throws ODataError as for the related entities themselves, and `NotFound` when the entity is none of them
 * @see decisions, Keys and URLs
 */
export const readRelated: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  if (path.kind !== "relatedEntity") throw new Error(`A path of kind ${path.kind} addresses no related entity.`);
  const { relatedKey } = path;
  const { navigationProperty, runtime } = navigation;
  const { entityType, name } = navigationProperty;
  const format = readJsonFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const wanted = bindEntityKey(relatedKey, entityType, exchange.options.options.aliases, name);
  const read = (): MaybeResult<unknown> =>
    chain(readRelatedEntities(runtime.source, key, exchange.context), (entities) => {
      if (entities === null) throw noParent(navigation);
      return findByKey(entities, entityType, wanted);
    });
  const missing = (): ODataError => noSuchRelated(navigation, relatedKey);
  return relatedEntityResponse(exchange, format, { navigation, key, missing }, read);
};

function relatedEntityResponse(
  exchange: Exchange,
  format: JsonFormat,
  { navigation, key, missing }: RelatedEntity,
  read: () => MaybeResult<unknown>,
): MaybeResult<ODataResponse> {
  const { entitySet, navigationProperty, runtime } = navigation;
  const rules: OptionRules = RELATED_ENTITY_OPTIONS;
  const query = bindEntityQuery(readOptions(exchange), runtime.target, exchange.service.shapes, rules);
  return chain(read(), (entity) => {
    if (entity === null) throw missing();
    const predicate = keyPredicateOf(entitySet.entityType, key);
    const { contextSelect } = query.selectExpand;
    const { name } = navigationProperty;
    const contextUrl = entityNavigationContext(exchange.serviceRoot, entitySet, predicate, name, contextSelect);
    const resource = { origin: runtime.origin, query, contextUrl };
    return entityResponse(exchange, format, resource, { entity, rowShape: undefined });
  });
}

/** A set of no more than the related entities: the pipeline of collections reads them as it reads any rows. */
function handlersOf(navigation: Navigation, key: unknown): EntitySetHandlers<Context> {
  return {
    getAll: (context) =>
      chain(readRelatedEntities(navigation.runtime.source, key, context), (entities) => {
        if (entities === null) throw noParent(navigation);
        return entities;
      }),
  };
}

function navigationOf(exchange: Exchange, path: ResourcePath): Navigation {
  if (!("navigationProperty" in path)) throw new Error(`A path of kind ${path.kind} addresses no navigation property.`);
  const { entitySet, navigationProperty, key } = path;
  const runtime = exchange.entitySet(entitySet).navigations.get(navigationProperty.name);
  if (runtime === undefined) throw new Error(`${entitySet.name}/${navigationProperty.name} has no definition.`);
  return { entitySet, navigationProperty, key, runtime };
}

function bindParentKey(exchange: Exchange, { entitySet, key }: Navigation): unknown {
  return bindEntityKey(key, entitySet.entityType, exchange.options.options.aliases, entitySet.name);
}

function noParent({ entitySet, key }: Navigation): ODataError {
  return protocolError("NotFound", `${entitySet.name} has no entity with the key (${key}).`);
}

function noRelatedEntity({ entitySet, navigationProperty, key }: Navigation): ODataError {
  const parent = `${entitySet.name}(${key})`;
  return protocolError("NotFound", `There is no entity at '${navigationProperty.name}' of ${parent}, or no ${parent}.`);
}

function noSuchRelated({ entitySet, navigationProperty, key }: Navigation, relatedKey: string): ODataError {
  const { name } = navigationProperty;
  return protocolError(
    "NotFound",
    `${entitySet.name}(${key}) has no entity with the key (${relatedKey}) at '${name}'.`,
  );
}
