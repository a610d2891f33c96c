import type { ODataError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { entityKeyReader } from "../../engine/entities/entity-key.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { requireCategory } from "../../engine/rules/judge-rules.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import type { EntityAddress, NavigationStep, ResourcePath } from "../../language/query/resource-path.ts";
import { keyTextOf } from "../../payload/urls.ts";
import { bindRelated, type BoundNavigation, navigationAt, noRelatedEntity } from "./addressed-navigation.ts";
import { AuthorizedRequest } from "./authorized-request.ts";
import { missingEntityError } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { findRelated } from "./read-navigation.ts";
import {
  answerMissing,
  checkSameEntity,
  isRead,
  noEntity,
  singletonDefinition,
  singletonKey,
} from "./singleton-key.ts";
import type { Endpoint } from "./stages.ts";

/**
 * Passes a request to the endpoint of its path. Where the path does not state the key of its entity, because it begins with a
 * singleton or has steps along navigations, this finds the key before, and the endpoint answers as for the path of that entity.
 * @throws ODataError `NotFound` without an entity; the error of the application
 * @see docs/guides/singletons.md; docs/reference/navigation.md, Further along navigations
 */
export function answerAddressed(
  answer: Endpoint,
  request: AuthorizedRequest,
  execution: Execution,
): Maybe<ODataResponse> {
  const { path } = request;
  const address = soughtAddress(path);
  if (address === null) return answer(request, execution);
  const { singleton } = address;
  return chain(keyAt(request, execution, address), (key) => {
    if (key === null && singleton !== undefined) {
      return answerMissing(request, execution, singletonDefinition(execution, singleton));
    }
    const keyText = keyTextOf(address.entitySet.entityType, key);
    checkSameEntity(execution, keyText);
    const found: ResourcePath = "key" in path ? { ...path, key: keyText } : path;
    return answer(new AuthorizedRequest(request.service, request.arrival, request.access, found), execution);
  });
}

/** Returns the address of the entity of a path whose key is to be found; null if the path states it, or has no entity. */
function soughtAddress(path: ResourcePath): EntityAddress | null {
  if (!("entitySet" in path) || !("key" in path) || path.key === null) return null;
  const { entitySet, key, singleton, step } = path;
  return singleton === undefined && step === undefined ? null : { entitySet, key, singleton, step };
}

/** Returns the key at an address, in the application's form; null for a singleton without an entity. */
function keyAt(request: AuthorizedRequest, execution: Execution, address: EntityAddress): Maybe<unknown> {
  const { entitySet, key, singleton, step } = address;
  if (step !== undefined) return keyBehind(request, execution, step);
  if (singleton !== undefined) return singletonKey(execution, singletonDefinition(execution, singleton));
  return bindEntityKey(key, entitySet.entityType, request.options.options.aliases, entitySet.name);
}

/**
 * Returns the key of the entity behind a step, which the user sees, as its row and that of the entity before it.
 * @throws ODataError `NotFound`, or `PreconditionFailed` for a write with If-Match
 */
function keyBehind(request: AuthorizedRequest, execution: Execution, step: NavigationStep): Maybe<unknown> {
  const { from, navigationProperty, relatedKey } = step;
  const { entitySet, singleton } = from;
  const fail = (error: ODataError): ODataError =>
    isRead(execution) ? error : missingEntityError(execution, () => error);
  return chain(keyAt(request, execution, from), (parentKey) => {
    if (parentKey === null && singleton !== undefined) throw fail(noEntity(singleton));
    const key = keyTextOf(entitySet.entityType, parentKey);
    const along = navigationAt(request.service, { entitySet, singleton, key, navigationProperty });
    const navigation: BoundNavigation = { ...along, parentKey };
    const { wanted, missing } =
      relatedKey === null
        ? { wanted: undefined, missing: () => noRelatedEntity(navigation) }
        : bindRelated(request, navigation, relatedKey);
    const { access } = execution;
    const pending = requireCategory(definitionIn(execution.service.definition, entitySet), "read", access.user);
    const { runtime } = navigation;
    const owned = execution.under({ ...access, pending, isTargetSkipped: false });
    return chain(findRelated(owned, navigation, wanted, null), (found): unknown => {
      if (found === null) throw fail(missing());
      return entityKeyReader(runtime.target.entitySet.entityType, found.rowShape)(found.entity).value;
    });
  });
}
