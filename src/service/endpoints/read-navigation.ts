import type { ODataError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { findByKey } from "../../engine/entities/entity-key.ts";
import { planExpand } from "../../engine/plan/plan-expand.ts";
import type { TargetWay } from "../../engine/plan/plan-related.ts";
import { keyProperties, propertiesToRead } from "../../engine/plan/properties-to-read.ts";
import type { FoundEntity } from "../../engine/reads/read-by-key.ts";
import {
  readRelatedEntities,
  readRelatedEntity,
  type SearchHandler,
  searchRelatedRows,
  parentExists,
} from "../../engine/reads/read-navigation.ts";
import {
  type TableParent,
  readParent,
  readRelatedRow,
  relatedSource,
  searchRelatedTable,
} from "../../engine/reads/read-table-navigation.ts";
import { type CollectionRows, runCount } from "../../engine/reads/run-collection.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import type { SelectExpandClause } from "../../language/query/clauses.ts";
import type { QueryableSource } from "../../language/query/source.ts";
import { collectionNavigationContext, entityNavigationContext, originContext } from "../../payload/urls.ts";
import {
  type BoundNavigation,
  bindParent,
  bindRelated,
  navigationOf,
  noParent,
  noRelatedEntity,
  openNavigation,
  optionsOf,
} from "./addressed-navigation.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindCount, bindEntity, readTextFormat } from "./bind-query.ts";
import type { CollectionResource } from "./collection-page.ts";
import { readsCollection } from "./collection-response.ts";
import { authorizeRelated, requireEntity } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { entityResponse, withETag } from "./read-entity.ts";
import { contextOwner } from "./singleton-key.ts";
import { okResponse, noContentResponse, type Endpoint, inStages } from "./stages.ts";

/** The related entity that a request addresses. */
interface RelatedAddress {
  readonly format: JsonFormat;
  readonly navigation: BoundNavigation;
  /** Its key in the application's form; undefined for the entity of a single-valued navigation. */
  readonly wanted: unknown;
  readonly missing: () => ODataError;
}

const readRelated: Endpoint = readsRelated((request) => {
  const { navigation, format } = openNavigation(request);
  return { format, navigation, wanted: undefined, missing: () => noRelatedEntity(navigation) };
});

const readRelatedCollection: Endpoint = readsCollection((request) => {
  const { navigation, format } = openNavigation(request);
  const { runtime } = navigation;
  return {
    format,
    resource: {
      target: runtime.target,
      rules: optionsOf(request).collection,
      ...collectionOf(navigation),
      origin: runtime.origin,
      countsAfterSkip: !request.service.definition.profile.navigationCountsBeforeSkip,
      contextUrl: (contextSelect) => navigationContext(request, navigation, true, contextSelect),
    },
  };
});

/**
 * `GET /Set(key)/Nav`: the related entities of one entity, or its single related entity.
 * @throws ODataError for negotiation, the key, a query option, a missing parent or entity; the error of the handler
 * @see docs/reference/navigation.md
 */
export const readNavigation: Endpoint = (request, execution) => {
  const { isCollection } = navigationOf(request).navigationProperty;
  return isCollection ? readRelatedCollection(request, execution) : readRelated(request, execution);
};

/**
 * `GET /Set(key)/Nav/$count`: the number of related entities, as plain text.
 * @throws ODataError as for readNavigation
 * @see docs/reference/navigation.md
 */
export const readNavigationCount: Endpoint = inStages({
  bind: (request) => {
    const addressed = navigationOf(request);
    const contentType = readTextFormat(request);
    const navigation = bindParent(request, addressed);
    const query = bindCount(request, navigation.runtime.target, optionsOf(request).count);
    return { contentType, query, ...collectionOf(navigation) };
  },
  execute: ({ form, query, rows }, execution) => runCount(form, query, rows(execution), execution.reader),
  write: (count, { contentType }, request) => okResponse(request, contentType, String(count)),
});

/**
 * `GET /Set(key)/Nav(key)`: one of the related entities of an entity.
 * @throws ODataError as for readNavigation, and `NotFound` when the entity is not related
 * @see docs/reference/navigation.md
 */
export const readNavigationEntity: Endpoint = readsRelated((request) => {
  const { path } = request;
  if (path.kind !== "relatedEntity") throw new Error(`A path of kind ${path.kind} addresses no related entity.`);
  const { navigation, format } = openNavigation(request);
  return { format, navigation, ...bindRelated(request, navigation, path.relatedKey) };
});

/** Makes an endpoint for one related entity. @param address returns the entity. @throws ODataError for negotiation, a key */
function readsRelated(address: (request: AuthorizedRequest) => RelatedAddress): Endpoint {
  return inStages({
    bind: (request) => {
      const addressed = address(request);
      const { origin, target } = addressed.navigation.runtime;
      return { ...addressed, origin, query: bindEntity(request, target, optionsOf(request).entity) };
    },
    execute: (bound, execution) => {
      const { navigation, wanted, missing, origin, query } = bound;
      return chain(findRelated(execution, navigation, wanted, query.selectExpand), (found) => {
        if (found !== null) {
          // The ETag of a related entity does not show whether the link still leads to it.
          return chain(authorizeRelated(execution, origin, found, missing), () => withETag(execution, bound, found));
        }
        return chain(requireEmpty(execution, navigation, missing), () => null);
      });
    },
    write: (result, { format, navigation, origin, query }, request, execution) => {
      if (result === null) return noContentResponse(request);
      const { contextSelect } = query.selectExpand;
      const contextUrl = navigationContext(request, navigation, false, contextSelect);
      return entityResponse(request, { format, origin, query, contextUrl }, result, execution);
    },
  });
}

/**
 * Reads one related entity that the user sees; null without one.
 * @param wanted its key, for a collection
 * @param clause the selected properties; null: only the key
 * @throws ODataError for a missing or refused parent
 */
export function findRelated(
  execution: Execution,
  navigation: BoundNavigation,
  wanted: unknown,
  clause: SelectExpandClause | null,
): Maybe<FoundEntity | null> {
  const { navigationProperty, runtime } = navigation;
  if (!navigationProperty.isCollection) return readOne(execution, navigation, clause);
  if (runtime.table !== null) return readFromTable(execution, navigation, { key: wanted, clause });
  return chain(readAll(execution, navigation), (entities) =>
    asObject(findByKey(entities, navigationProperty.entityType, wanted)),
  );
}

/**
 * Returns the related entities of one parent as a set, which is read like any collection. Without a handler, the
 * database reads them.
 */
export function collectionOf(
  navigation: BoundNavigation,
): Pick<CollectionResource, "form" | "rows" | "selectPushdownEnabled"> {
  const { source, table, search, target, selectPushdownEnabled } = navigation.runtime;
  if (table !== null) {
    const rows = (execution: Execution): CollectionRows => {
      const { reader } = execution;
      const open = (): Maybe<TableParent> => openTable(execution, navigation, table);
      const queryable = (): Maybe<QueryableSource> =>
        chain(open(), (parent) => relatedSource(source, table, parent, reader));
      const searchTable: SearchHandler = (clause) =>
        chain(open(), (parent) => searchRelatedTable(source, table, parent, { search, clause }, reader));
      return rowsWithoutSet({ queryable, search: searchTable });
    };
    return { form: "related", rows, selectPushdownEnabled };
  }
  const rows = (execution: Execution): CollectionRows => {
    const getAll = (): Maybe<Iterable<unknown>> => readAll(execution, navigation);
    const searchRows: SearchHandler = (clause) =>
      chain(getAll(), (all) => searchRelatedRows(all, target.entitySet, { search, clause }, execution.reader));
    return rowsWithoutSet({ getAll, search: searchRows });
  };
  return { form: "get-all", rows, selectPushdownEnabled };
}

/** Wraps handlers that return only visible entities. */
function rowsWithoutSet(handlers: CollectionRows["handlers"]): CollectionRows {
  return { handlers, entitySet: null };
}

/**
 * Reads the related entity of a single-valued navigation; null without a related entity or a parent.
 * @param clause the selected properties; null: only the key
 */
export function readOne(
  execution: Execution,
  navigation: BoundNavigation,
  clause: SelectExpandClause | null,
): Maybe<FoundEntity | null> {
  const { source, table } = navigation.runtime;
  if (table !== null) return readFromTable(execution, navigation, { key: undefined, clause });
  const related = chain(openParent(execution, navigation), () =>
    readRelatedEntity(source, navigation.parentKey, execution.reader),
  );
  return chain(related, asObject);
}

/** Reads the related entities through the handler. @throws ODataError for a missing parent */
function readAll(execution: Execution, navigation: BoundNavigation): Maybe<Iterable<unknown>> {
  const { runtime, parentKey } = navigation;
  const related = chain(openParent(execution, navigation), () =>
    readRelatedEntities(runtime.source, parentKey, execution.reader),
  );
  return chain(related, (entities) => {
    if (entities === null) throw noParent(navigation);
    return entities;
  });
}

/** Checks the parent where a rule needs it. @throws ODataError for a missing or refused parent */
function openParent(execution: Execution, navigation: BoundNavigation): Maybe<FoundEntity | undefined> {
  const { entitySet, runtime, parentKey: key } = navigation;
  // Between tables, the parent itself is read.
  const mustBeSeen = runtime.table === null;
  return requireEntity(execution, { entitySet, key, mustBeSeen }, () => noParent(navigation));
}

function openTable(execution: Execution, navigation: BoundNavigation, table: TargetWay): Maybe<TableParent> {
  const { runtime, parentKey } = navigation;
  const found = chain(openParent(execution, navigation), (loaded) =>
    // The join key is in an entity that a rule has loaded whole.
    readParent(runtime.source, table, parentKey, loaded, execution.reader),
  );
  return chain(found, (parent) => {
    if (parent === null) throw noParent(navigation);
    return parent;
  });
}

function readFromTable(
  execution: Execution,
  navigation: BoundNavigation,
  wanted: { readonly key: unknown; readonly clause: SelectExpandClause | null },
): Maybe<FoundEntity | null> {
  const { source, table, selectPushdownEnabled } = navigation.runtime;
  const { reader, service } = execution;
  if (table === null) throw new Error(`${navigation.navigationProperty.name} is not read from a table.`);
  const { target } = table;
  const selected =
    wanted.clause === null
      ? keyProperties(target.entityType)
      : // The links in the response contain the key, even if it is not selected.
        propertiesToRead(target, wanted.clause, {
          key: true,
          pushdown: selectPushdownEnabled,
          join: planExpand(wanted.clause, service.definition)?.joinProperties,
        });
  return chain(openTable(execution, navigation, table), (parent) =>
    readRelatedRow(source, table, parent, { key: wanted.key, selected }, reader),
  );
}

function asObject(entity: unknown): FoundEntity | null {
  return entity === null ? null : { entity, rowShape: undefined };
}

/**
 * Returns the context URL in the response of a navigation route. The profile decides whether it names the route or the
 * set of the related entities.
 * @param isCollection whether the response is a collection
 * @param contextSelect the items of `$select`, in the order of the client; empty without `$select`
 * @see OData Protocol 4.0, section 10
 */
export function navigationContext(
  { service, serviceRoot }: AuthorizedRequest,
  navigation: BoundNavigation,
  isCollection: boolean,
  contextSelect: readonly string[],
): string {
  const { navigationProperty, runtime, parentKey } = navigation;
  if (service.definition.profile.relatedContextOfTarget) {
    return originContext(serviceRoot, runtime.origin, isCollection, contextSelect);
  }
  const { owner, predicate } = contextOwner(navigation, parentKey);
  const context = isCollection ? collectionNavigationContext : entityNavigationContext;
  return context(serviceRoot, owner, predicate, navigationProperty.name, contextSelect);
}

/**
 * Requires that a navigation route without an entity has a response without content: the profile distinguishes a null
 * single-valued navigation from a missing parent.
 * @param missing makes the error
 * @throws ODataError that `missing` makes, or that the handler of the parent returned
 * @see OData Protocol 4.0, section 11.2.6
 */
export function requireEmpty(
  execution: Execution,
  { navigationProperty, runtime, parentKey }: BoundNavigation,
  missing: () => ODataError,
): Maybe<undefined> {
  const { profile } = execution.service.definition;
  if (navigationProperty.isCollection || !profile.nullEntityIsEmpty) throw missing();
  // A join reads the parent first.
  if (runtime.table !== null) return undefined;
  return chain(parentExists(runtime.source, parentKey, execution.reader), (exists): undefined => {
    if (!exists) throw missing();
  });
}
