import type { ODataError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { FoundEntity } from "../../engine/reads/read-by-key.ts";
import { parentExists } from "../../engine/reads/read-navigation.ts";
import { referenceCollectionContext, referenceContext } from "../../payload/urls.ts";
import { compileReferenceWriter } from "../../payload/write-entity-reference.ts";
import { bindEntity } from "./bind-query.ts";
import type { CollectionResource } from "./collection-page.ts";
import { readsCollection } from "./collection-response.ts";
import { authorizeRelated, requireEntity } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import {
  collectionOf,
  type AddressedNavigation,
  type BoundNavigation,
  navigationOf,
  noParent,
  noRelatedEntity,
  openNavigation,
  optionsOf,
  readOne,
  requireEmpty,
} from "./read-navigation.ts";
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
    if (reference === null) return noContentResponse(request);
    const { entitySet, entity, rowShape } = reference;
    const writer = compileReferenceWriter(entitySet, format, rowShape);
    const contextUrl = referenceContext(request.serviceRoot);
    return jsonResponse(request, format, writer.writeEntity(entity, request.serviceRoot, contextUrl));
  },
});

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
