import type { ODataError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import { keyProperties } from "../../engine/plan/properties-to-read.ts";
import { type FoundEntity, readByKey } from "../../engine/reads/read-by-key.ts";
import { parentExists } from "../../engine/reads/read-navigation.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import { REFERENCE_OPTIONS, REFERENCES_OPTIONS } from "../../language/binder/option-rules.ts";
import { referenceCollectionContext, referenceContext } from "../../payload/urls.ts";
import { compileReferenceWriter } from "../../payload/write-entity-reference.ts";
import {
  type AddressedNavigation,
  type BoundNavigation,
  navigationOf,
  noParent,
  noRelatedEntity,
  openNavigation,
  optionsOf,
} from "./addressed-navigation.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindEntity, readJsonFormat } from "./bind-query.ts";
import type { CollectionResource } from "./collection-page.ts";
import { readsCollection } from "./collection-response.ts";
import { addressEntity, authorizeRelated, entityNotFound, requireEntity } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { collectionAt } from "./read-collection.ts";
import { entityPathOf } from "./read-entity.ts";
import { collectionOf, readOne, requireEmpty } from "./read-navigation.ts";
import { runtimeOf } from "./service-runtime.ts";
import { jsonResponse, noContentResponse, type Endpoint, inStages } from "./stages.ts";

/**
 * `GET /Set(key)/Nav/$ref`: references to the related entities of one entity, or to its single related entity. The
 * response is empty where the navigation has no target set, since its entities have no URLs, and where nothing reads it.
 * @throws ODataError as for readNavigation
 * @see docs/reference/navigation.md
 */
export const readReferences: Endpoint = (request, execution) => {
  const { isCollection } = navigationOf(request).navigationProperty;
  return isCollection ? readReferenceCollection(request, execution) : readReference(request, execution);
};

/**
 * `GET /Set/$ref`: references to the entities of one page of a set.
 * @throws ODataError as for readCollection
 * @see OData Protocol 4.0, section 11.2.7; docs/reference/navigation.md
 */
export const readSetReferences: Endpoint = readsCollection((request) => ({
  format: readJsonFormat(request),
  resource: {
    ...collectionAt(request),
    rules: REFERENCES_OPTIONS,
    referencesOnly: true,
    contextUrl: () => referenceCollectionContext(request.serviceRoot),
  },
}));

/**
 * `GET /Set(key)/$ref`: the reference to an entity.
 * @throws ODataError for negotiation, the key, a query option, a missing entity, a rule; the error of the handler
 * @see OData Protocol 4.0, section 11.2.7; docs/reference/navigation.md
 */
export const readEntityReference: Endpoint = inStages({
  bind: (request) => {
    const { entitySet, key: keyText } = entityPathOf(request.path);
    const format = readJsonFormat(request);
    const key = bindEntityKey(keyText, entitySet.entityType, request.options.options.aliases, entitySet.name);
    bindEntity(request, runtimeOf(request.service, entitySet).target, REFERENCE_OPTIONS);
    return { entitySet, keyText, key, format };
  },
  execute: ({ entitySet, keyText, key }, execution) => {
    const found = chain(addressEntity(execution, { entitySet, key }), (addressed) => {
      if (addressed !== undefined) return addressed;
      return readByKey(entitySet, key, execution.reader, () => keyProperties(entitySet.entityType));
    });
    return chain(found, (entity): WrittenReference => {
      if (entity === null) throw entityNotFound(entitySet, keyText);
      return { ...entity, entitySet };
    });
  },
  write: (reference, { format }, request) => referenceResponse(request, format, reference),
});

const readReferenceCollection: Endpoint = readsCollection((request) => {
  const { navigation, format } = openNavigation(request);
  const { target, origin } = navigation.runtime;
  return {
    format,
    resource: {
      target,
      rules: optionsOf(request).references,
      ...(isRead(navigation) ? collectionOf(navigation) : emptyCollection(navigation)),
      origin,
      referencesOnly: true,
      countsAfterSkip: !request.service.definition.profile.navigationCountsBeforeSkip,
      contextUrl: () => referenceCollectionContext(request.serviceRoot),
    },
  };
});

const readReference: Endpoint = inStages({
  bind: (request) => {
    const { navigation, format } = openNavigation(request);
    bindEntity(request, navigation.runtime.target, optionsOf(request).reference);
    return { format, navigation };
  },
  execute: ({ navigation }, execution): Maybe<WrittenReference | null> => {
    const { origin } = navigation.runtime;
    if (!isRead(navigation)) return chain(requireParent(execution, navigation), () => NO_REFERENCE);
    const missing = (): ODataError => noRelatedEntity(navigation);
    return chain(readOne(execution, navigation, null), (found): Maybe<WrittenReference | null> => {
      if (found === null) return chain(requireEmpty(execution, navigation, missing), () => null);
      const entitySet = origin.kind === "EntitySet" ? origin : null;
      return chain(authorizeRelated(execution, origin, found, missing), () => ({ ...found, entitySet }));
    });
  },
  write: (reference, { format }, request) => {
    return reference === null ? noContentResponse(request) : referenceResponse(request, format, reference);
  },
});

function referenceResponse(
  request: AuthorizedRequest,
  format: JsonFormat,
  { entitySet, entity, rowShape }: WrittenReference,
): ODataResponse {
  const writer = compileReferenceWriter(entitySet, format, rowShape);
  const contextUrl = referenceContext(request.serviceRoot);
  return jsonResponse(request, format, writer.writeEntity(entity, request.serviceRoot, contextUrl));
}

/** An entity whose reference is written. Without a set, the reference is empty. */
interface WrittenReference extends Pick<FoundEntity, "entity" | "rowShape"> {
  readonly entitySet: EntitySet | null;
}

const NO_REFERENCE: WrittenReference = Object.freeze({ entitySet: null, entity: {}, rowShape: undefined });

/** Whether a handler or the table of the target set reads a navigation. Handlers of links do not. */
function isRead({ runtime: { source } }: AddressedNavigation): boolean {
  return source.ways.length > 0;
}

/** Returns the empty collection of a navigation that has only handlers of links. */
function emptyCollection(
  navigation: BoundNavigation,
): Pick<CollectionResource, "form" | "rows" | "selectPushdownEnabled"> {
  const rows: CollectionResource["rows"] = (execution) => ({
    handlers: { getAll: () => chain(requireParent(execution, navigation), () => []) },
    entitySet: null,
  });
  return { form: "get-all", rows, selectPushdownEnabled: false };
}

/** Loads the parent, if its set can read by key. @throws ODataError for a missing or refused parent */
function requireParent(execution: Execution, navigation: BoundNavigation): Maybe<undefined> {
  const { entitySet, runtime, parentKey: key } = navigation;
  const missing = (): ODataError => noParent(navigation);
  return chain(requireEntity(execution, { entitySet, key }, missing), () =>
    chain(parentExists(runtime.source, key, execution.reader), (exists): undefined => {
      if (!exists) throw missing();
    }),
  );
}
