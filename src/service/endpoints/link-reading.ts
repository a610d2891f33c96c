import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { required } from "../../base/required.ts";
import type { EntitySet } from "../../edm/model.ts";
import { resolveReference } from "../../language/binder/resolve-reference.ts";
import type { BodyObject } from "../../payload/body-members.ts";
import type { BoundLink, LinkReading, NamedEntity } from "../../payload/link-reading.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { type EntityOrigin, type NavigationRuntime, runtimeOf, type ServiceRuntime } from "./service-runtime.ts";

/**
 * Makes the reader of the links in the body of a request.
 * @param origin the set of the entity in the body
 * @returns null if bodies of the set state no links
 * @see docs/reference/writing.md, Links to existing entities
 */
export function linkReading(request: AuthorizedRequest, origin: EntityOrigin): LinkReading | null {
  const { service, arrival, own } = request;
  if (origin.kind !== "EntitySet") return null;
  const nested = own?.nested() ?? NONE;
  if (!runtimeOf(service, origin).settings.bindEnabled && nested.size === 0) return null;
  return {
    found: [],
    nested,
    earlier: arrival.batch?.named.total ?? 0,
    accepts: (entitySet) => runtimeOf(service, entitySet).settings.bindEnabled,
    resolve: (url, from, fail) => resolveNamed(request, url, from, fail),
  };
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Resolves the URL of an entity in the target set of a navigation.
 * @throws ODataError as `fail` makes it; `NotImplemented` if the navigation has no target set
 */
export function resolveNamed(
  { service, serviceRoot, requestUrl, arrival }: AuthorizedRequest,
  url: string,
  from: Pick<BoundLink, "entitySet" | "navigation">,
  fail: BoundLink["fail"],
): NamedEntity {
  const { model, limits } = service.definition;
  const { related } = relatedSet(service, from, fail);
  const sent = arrival.batch?.dereference(url) ?? url;
  if (limits.maxUrlLength !== null && sent.length > limits.maxUrlLength) {
    throw fail(`The URL has more than ${String(limits.maxUrlLength)} characters.`);
  }
  const found = resolveReference(sent, { model, serviceRoot, requestUrl }, fail);
  if (found.entitySet === related) return { id: sent, key: found.key, singleton: found.singleton };
  throw fail(`It is an entity of ${found.entitySet.name}, but '${from.navigation.name}' leads to ${related.name}.`);
}

/**
 * Adds links to those of a body, of which a copy is written.
 * @param body the entity as it was read
 * @param copy receives the foreign keys
 */
export function withLinks(
  links: readonly BoundLink[],
  body: object,
  copy: BodyObject,
  more: readonly Omit<BoundLink, "entity">[],
): readonly BoundLink[] {
  const own = links.map((link) => (link.entity === body ? { ...link, entity: copy } : link));
  return [...own, ...more.map((link) => ({ ...link, entity: copy }))];
}

/** A navigation of links, with its target set. */
export interface LinkTarget {
  readonly runtime: NavigationRuntime;
  readonly related: EntitySet;
}

/** @throws ODataError `NotImplemented` if no set is declared for the related entities */
export function relatedSet(
  service: ServiceRuntime,
  { entitySet, navigation }: Pick<BoundLink, "entitySet" | "navigation">,
  fail: BoundLink["fail"],
): LinkTarget {
  const { name } = entitySet;
  const found = runtimeOf(service, entitySet).navigations.get(navigation.name);
  const runtime = required(found, `The navigation of a link of ${name} has no state.`);
  if (runtime.origin.kind === "EntitySet") return { runtime, related: runtime.origin };
  throw unsupported(`The service knows no entity set for the entities of this navigation property of ${name}.`, fail);
}

/** Makes the error for a link that the service does not write. */
export function unsupported(problem: string, fail: BoundLink["fail"]): ODataError {
  return protocolError("NotImplemented", problem, { target: fail(problem).target });
}
