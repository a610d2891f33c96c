import { chain, type Maybe } from "../base/maybe.ts";
import { bindEntityKey } from "../binder/bind-key.ts";
import { type NavigationOptions, navigationOptions } from "../binder/option-rules.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { findByKey } from "../execution/entities/entity-key.ts";
import type { FoundEntity } from "../execution/reads/read-by-key.ts";
import {
  readRelatedEntities,
  readRelatedEntity,
  type SearchHandler,
  searchRelatedRows,
  parentExists,
} from "../execution/reads/read-navigation.ts";
import {
  type TableParent,
  readParent,
  readRelatedRow,
  relatedSource,
  searchRelatedTable,
} from "../execution/reads/read-table-navigation.ts";
import { type CollectionRows, runCount } from "../execution/reads/run-collection.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { collectionNavigationContext, entityNavigationContext, originContext } from "../payload/context-url.ts";
import { keyPredicateOf } from "../payload/entity-url.ts";
import { planExpand } from "../plan/plan-expand.ts";
import type { TargetWay } from "../plan/plan-related.ts";
import { keyProperties, propertiesToRead } from "../plan/properties-to-read.ts";
import type { SelectExpandClause } from "../query/clauses.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import type { QueryableSource } from "../query/source.ts";
import { authorizeRelated, requireEntity } from "./addressed-entity.ts";
import { bindCount, bindEntity } from "./bind-query.ts";
import type { CollectionResource } from "./collection-page.ts";
import { collectionResponse } from "./collection-response.ts";
import { checkMissingMatch } from "./current-entity.ts";
import { entityResponse } from "./entity-response.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { readJsonFormat, readTextFormat } from "./read-options.ts";
import { okResponse, noContentResponse } from "./response.ts";
import type { NavigationRuntime } from "./service-runtime.ts";

/** A navigation in a path, and its target. */
export interface AddressedNavigation {
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
  /** The key of the parent as written in the URL. */
  readonly key: string;
  readonly runtime: NavigationRuntime;
}

/** The part of a response with one entity that does not depend on how it was found. */
interface RelatedEntity {
  readonly navigation: AddressedNavigation;
  /** The key of the parent in the application's form. */
  readonly key: unknown;
  readonly missing: () => ODataError;
}

/** Finds the entity of a response. @param clause the selected properties */
type ReadEntity = (clause: SelectExpandClause) => Maybe<FoundEntity | null>;

/**
 * `GET /Set(key)/Nav`: the related entities of one entity, or its single related entity.
 * @throws ODataError for negotiation, the key, a query option, a missing parent or entity; the error of the handler
 * @see docs/reference/navigation.md
 */
export const readNavigation: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const format = readJsonFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const { navigationProperty, runtime } = navigation;
  if (!navigationProperty.isCollection) {
    const missing = (): ODataError => noRelatedEntity(navigation);
    const read: ReadEntity = (clause) => readOne(exchange, navigation, key, clause);
    return relatedEntityResponse(exchange, format, { navigation, key, missing }, read);
  }
  const { profile } = exchange.service.definition;
  return collectionResponse(exchange, format, {
    target: runtime.target,
    rules: optionsOf(exchange).collection,
    ...collectionOf(exchange, navigation, key),
    origin: runtime.origin,
    countsAfterSkip: !profile.navigationCountsBeforeSkip,
    contextUrl: (contextSelect) => navigationContext(exchange, navigation, key, true, contextSelect),
  });
};

/**
 * `GET /Set(key)/Nav/$count`: the number of related entities, as plain text.
 * @throws ODataError as for readNavigation
 * @see docs/reference/navigation.md
 */
export const readNavigationCount: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const contentType = readTextFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const { target } = navigation.runtime;
  const query = bindCount(exchange, target, optionsOf(exchange).count);
  const { form, rows } = collectionOf(exchange, navigation, key);
  return chain(runCount(form, query, rows, exchange.reader), (count) =>
    okResponse(exchange, contentType, String(count)),
  );
};

/**
 * `GET /Set(key)/Nav(key)`: one of the related entities of an entity.
 * @throws ODataError as for readNavigation, and `NotFound` when the entity is not related
 * @see docs/reference/navigation.md
 */
export const readNavigationEntity: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  if (path.kind !== "relatedEntity") throw new Error(`A path of kind ${path.kind} addresses no related entity.`);
  const { relatedKey } = path;
  const { navigationProperty, runtime } = navigation;
  const { entityType, name } = navigationProperty;
  const format = readJsonFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const wanted = bindEntityKey(relatedKey, entityType, exchange.options.options.aliases, name);
  const read: ReadEntity = (clause) => {
    if (runtime.table !== null) return readFromTable(exchange, navigation, key, { key: wanted, clause });
    return chain(readAll(exchange, navigation, key), (entities) => asObject(findByKey(entities, entityType, wanted)));
  };
  const missing = (): ODataError => noSuchRelated(navigation, relatedKey);
  return relatedEntityResponse(exchange, format, { navigation, key, missing }, read);
};

function relatedEntityResponse(
  exchange: Exchange,
  format: JsonFormat,
  { navigation, key, missing }: RelatedEntity,
  read: ReadEntity,
): Maybe<ODataResponse> {
  const { runtime } = navigation;
  const { origin } = runtime;
  const query = bindEntity(exchange, runtime.target, optionsOf(exchange).entity);
  return chain(read(query.selectExpand), (found) => {
    if (found === null) {
      checkMissingMatch(exchange, origin);
      return noEntityResponse(exchange, navigation, key, missing);
    }
    const contextUrl = navigationContext(exchange, navigation, key, false, query.selectExpand.contextSelect);
    const resource = { origin, query, contextUrl };
    return chain(authorizeRelated(exchange, origin, found, missing), () =>
      entityResponse(exchange, format, resource, found),
    );
  });
}

/**
 * Returns the related entities of one parent as a set, which is read like any collection. Without a handler, the
 * database reads them.
 */
export function collectionOf(
  exchange: Exchange,
  navigation: AddressedNavigation,
  key: unknown,
): Pick<CollectionResource, "form" | "rows" | "selectPushdownEnabled"> {
  const { source, table, search, target, selectPushdownEnabled } = navigation.runtime;
  const { reader } = exchange;
  if (table !== null) {
    const queryable = (): Maybe<QueryableSource> =>
      chain(openTable(exchange, navigation, table, key), (parent) => relatedSource(source, table, parent, reader));
    const searchTable: SearchHandler = (clause) =>
      chain(openTable(exchange, navigation, table, key), (parent) =>
        searchRelatedTable(source, table, parent, { search, clause }, reader),
      );
    return { form: "related", rows: rowsWithoutSet({ queryable, search: searchTable }), selectPushdownEnabled };
  }
  const getAll = (): Maybe<Iterable<unknown>> => readAll(exchange, navigation, key);
  const searchRows: SearchHandler = (clause) =>
    chain(getAll(), (entities) => searchRelatedRows(entities, target.entitySet, { search, clause }, reader));
  return { form: "get-all", rows: rowsWithoutSet({ getAll, search: searchRows }), selectPushdownEnabled };
}

/** Wraps handlers that return only visible entities. */
function rowsWithoutSet(handlers: CollectionRows["handlers"]): CollectionRows {
  return { handlers, entitySet: null };
}

/**
 * Reads the related entity of a single-valued navigation; null without a related entity or a parent.
 * @param key the key of the parent in the application's form
 * @param clause the selected properties; null: only the key
 */
export function readOne(
  exchange: Exchange,
  navigation: AddressedNavigation,
  key: unknown,
  clause: SelectExpandClause | null,
): Maybe<FoundEntity | null> {
  const { source, table } = navigation.runtime;
  if (table !== null) return readFromTable(exchange, navigation, key, { key: undefined, clause });
  const related = chain(openParent(exchange, navigation, key), () => readRelatedEntity(source, key, exchange.reader));
  return chain(related, asObject);
}

/** Reads the related entities through the handler. @throws ODataError for a missing parent */
function readAll(exchange: Exchange, navigation: AddressedNavigation, key: unknown): Maybe<Iterable<unknown>> {
  const { source } = navigation.runtime;
  const related = chain(openParent(exchange, navigation, key), () => readRelatedEntities(source, key, exchange.reader));
  return chain(related, (entities) => {
    if (entities === null) throw noParent(navigation);
    return entities;
  });
}

/** Checks the parent where a rule needs it. @throws ODataError for a missing or refused parent */
function openParent(exchange: Exchange, navigation: AddressedNavigation, key: unknown): Maybe<FoundEntity | undefined> {
  const { entitySet, runtime } = navigation;
  // Between tables, the parent itself is read.
  const mustBeSeen = runtime.table === null;
  return requireEntity(exchange, { entitySet, key, mustBeSeen }, () => noParent(navigation));
}

function openTable(
  exchange: Exchange,
  navigation: AddressedNavigation,
  table: TargetWay,
  key: unknown,
): Maybe<TableParent> {
  const { source } = navigation.runtime;
  const found = chain(openParent(exchange, navigation, key), (loaded) =>
    // The join key is in an entity that a rule has loaded whole.
    readParent(source, table, key, loaded, exchange.reader),
  );
  return chain(found, (parent) => {
    if (parent === null) throw noParent(navigation);
    return parent;
  });
}

function readFromTable(
  exchange: Exchange,
  navigation: AddressedNavigation,
  key: unknown,
  wanted: { readonly key: unknown; readonly clause: SelectExpandClause | null },
): Maybe<FoundEntity | null> {
  const { source, table, selectPushdownEnabled } = navigation.runtime;
  const { reader, service } = exchange;
  const { definition } = service;
  if (table === null) throw new Error(`${navigation.navigationProperty.name} is not read from a table.`);
  const { target } = table;
  const selected =
    wanted.clause === null
      ? keyProperties(target.entityType)
      : // The links in the response contain the key, even if it is not selected.
        propertiesToRead(target, wanted.clause, {
          key: true,
          pushdown: selectPushdownEnabled,
          join: planExpand(wanted.clause, definition)?.joinProperties,
        });
  return chain(openTable(exchange, navigation, table, key), (parent) =>
    readRelatedRow(source, table, parent, { key: wanted.key, selected }, reader),
  );
}

/** Returns the query options of the routes below a navigation property, by the profile of the service. */
export function optionsOf({ service }: Exchange): NavigationOptions {
  return navigationOptions(service.definition.profile.navigationTakesEveryOption);
}

function asObject(entity: unknown): FoundEntity | null {
  return entity === null ? null : { entity, rowShape: undefined };
}

/** Returns the navigation that a path addresses; the route table passes no other path. */
export function navigationOf(exchange: Exchange, path: ResourcePath): AddressedNavigation {
  if (!("navigationProperty" in path)) throw new Error(`A path of kind ${path.kind} addresses no navigation property.`);
  const { entitySet, navigationProperty, key } = path;
  const runtime = exchange.entitySet(entitySet).navigations.get(navigationProperty.name);
  if (runtime === undefined) throw new Error(`${entitySet.name}/${navigationProperty.name} has no definition.`);
  return { entitySet, navigationProperty, key, runtime };
}

/** Returns the key of the parent in the application's form. @throws ODataError `InvalidKey` */
export function bindParentKey(exchange: Exchange, { entitySet, key }: AddressedNavigation): unknown {
  return bindEntityKey(key, entitySet.entityType, exchange.options.options.aliases, entitySet.name);
}

/** Makes the error for a missing parent. */
export function noParent({ entitySet, key }: AddressedNavigation): ODataError {
  return protocolError("NotFound", `${entitySet.name} has no entity with the key (${key}).`);
}

/** Makes the error for a single-valued navigation without a related entity. */
export function noRelatedEntity({ entitySet, navigationProperty, key }: AddressedNavigation): ODataError {
  const parent = `${entitySet.name}(${key})`;
  return protocolError("NotFound", `${parent} does not exist, or has no entity at '${navigationProperty.name}'.`);
}

function noSuchRelated({ entitySet, navigationProperty, key }: AddressedNavigation, relatedKey: string): ODataError {
  const { name } = navigationProperty;
  return protocolError(
    "NotFound",
    `${entitySet.name}(${key}) has no entity with the key (${relatedKey}) at '${name}'.`,
  );
}

/** A navigation route: the set of the parent, the property, and its target. */
interface NavigationRoute {
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
  readonly runtime: NavigationRuntime;
}

/**
 * Returns the context URL in the response of a navigation route. The profile decides whether it names the route or the
 * set of the related entities.
 * @param key the key of the parent in the application's form
 * @param isCollection whether the response is a collection
 * @param contextSelect the items of `$select`, in the order of the client; empty without `$select`
 * @see OData Protocol 4.0, section 10
 */
export function navigationContext(
  { service, serviceRoot }: Exchange,
  { entitySet, navigationProperty: { name }, runtime }: NavigationRoute,
  key: unknown,
  isCollection: boolean,
  contextSelect: readonly string[],
): string {
  if (service.definition.profile.relatedContextOfTarget) {
    return originContext(serviceRoot, runtime.origin, isCollection, contextSelect);
  }
  const predicate = keyPredicateOf(entitySet.entityType, key);
  const context = isCollection ? collectionNavigationContext : entityNavigationContext;
  return context(serviceRoot, entitySet, predicate, name, contextSelect);
}

/**
 * Makes the response of a navigation route without an entity: 404, or 204 where the profile distinguishes a null
 * single-valued navigation from a missing parent.
 * @param key the key of the parent in the application's form
 * @param missing makes the error
 * @throws ODataError that `missing` makes, or that the handler of the parent returned
 * @see OData Protocol 4.0, section 11.2.6
 */
export function noEntityResponse(
  exchange: Exchange,
  { navigationProperty, runtime }: NavigationRoute,
  key: unknown,
  missing: () => ODataError,
): Maybe<ODataResponse> {
  const { profile } = exchange.service.definition;
  if (navigationProperty.isCollection || !profile.nullEntityIsEmpty) throw missing();
  // A join reads the parent first.
  if (runtime.table !== null) return noContentResponse(exchange);
  return chain(parentExists(runtime.source, key, exchange.reader), (exists) => {
    if (exists) return noContentResponse(exchange);
    throw missing();
  });
}
