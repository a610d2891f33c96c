import type { ODataError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { needsResource, refusal } from "../../definition/sets/authorization.ts";
import { keyHolderOf, keyPairsOf, reversedPairs } from "../../edm/key-holder.ts";
import type { NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import { answeredValue } from "../../engine/entities/handler-answer.ts";
import { definitionIn, withFaults } from "../../engine/entities/reader.ts";
import { fieldOf } from "../../engine/memory/compile-property.ts";
import { requireCreatable } from "../../engine/rules/authorize-body.ts";
import { actionAlong, judgeEntity, requireRules, navigationRules } from "../../engine/rules/judge-rules.ts";
import { ServiceContext } from "../../engine/rules/row-access.ts";
import { withoutUnwritten } from "../../engine/rules/unwritten-values.ts";
import type { WritingHandler } from "../../engine/writes/judged-write.ts";
import { linkedPart, runCreateRelated } from "../../engine/writes/write-entity.ts";
import type { BodyObject } from "../../payload/body-members.ts";
import type { FacetFaults } from "../../payload/body-readers.ts";
import type { BoundLink } from "../../payload/link-reading.ts";
import { type BoundNavigation, noParent, openNavigation, optionsOf } from "./addressed-navigation.ts";
import { openBody } from "./authorized-request.ts";
import { bindEntity, queryReaderOf } from "./bind-query.ts";
import { withBoundLinks } from "./bound-links.ts";
import {
  requireEntity,
  type AddressedEntity,
  loadParent,
  checkPreconditions,
  missingEntityError,
} from "./current-entity.ts";
import { type EntityWrite, type SavedPayload, savesEntity, type WantedEntity } from "./entity-result.ts";
import type { Execution } from "./execution.ts";
import { executeJudged } from "./judged-write.ts";
import { linkReading, withLinks } from "./link-reading.ts";
import { navigationContext } from "./read-navigation.ts";
import { facetFaults, runtimeOf, type ServiceRuntime } from "./service-runtime.ts";
import { type Endpoint, routed } from "./stages.ts";

/**
 * The stages of `POST /Set(key)/Nav`: it creates a related entity in a collection. It has a URL where the navigation has a target set.
 * @throws ODataError for negotiation, the key, the body, a query option, a precondition, a missing parent; the error of
 * the handler
 * @see docs/reference/navigation.md
 */
export const creatingRelated: EntityWrite<BoundRelated> = {
  bind: (request) => {
    const { navigation, format } = openNavigation(request);
    const { entitySet, navigationProperty, runtime, parentKey } = navigation;
    const creation = creationAlong(request.service, navigation);
    const { handler, by } = routed(creation, `POST ${entitySet.name}/${navigationProperty.name}`);
    const body = openBody(request, entitySet);
    const query = bindEntity(request, runtime.target, optionsOf(request).written);
    const { return: preferred } = request.preferences;
    const contextUrl = (contextSelect: readonly string[]): string =>
      navigationContext(request, navigation, false, contextSelect);
    const along = { entitySet, navigation: navigationProperty };
    const faults = facetFaults(request.service, runtime.origin, "create");
    const ruled = queryReaderOf(request);
    return body.read((sent, ieee754Compatible) => {
      const json = withoutUnwritten(ruled, runtime.origin, sent, { act: "create", ieee754Compatible });
      const links = linkReading(request, runtime.origin);
      const given = runtime.readNew(json, ieee754Compatible, parentKey, faults, links);
      requireCreatable(ruled, runtime.origin, json, { along });
      const { found = [] } = links ?? {};
      return { navigation, handler, by, format, query, preferred, contextUrl, given, faults, links: found };
    });
  },
  save: async (bound, execution) => {
    const { navigation, handler, by, links } = bound;
    const { entitySet, runtime, parentKey: key } = navigation;
    const { origin } = runtime;
    const judged = isJudged(execution, navigation);
    const create = async (outer: Execution): Promise<{ readonly entity: unknown }> => {
      const parent = { entitySet, key, handler };
      const entity = await executeJudged(outer, parent, judged, (inner) => createAlong(inner, bound));
      if (entity === null || entity === undefined) throw noParent(navigation);
      return { entity };
    };
    if (origin.kind !== "EntitySet") return { ...(await create(execution)), origin, ...CREATED, handler };
    const write = { ...by, entitySet: origin, key: undefined, write: "create", links } as const;
    return { ...(await withBoundLinks(execution, write, create)), origin, ...CREATED, handler };
  },
  bodyOf: ({ given }) => given,
  linked: (bound, more) => {
    const given = { ...bound.given };
    return { ...bound, given, links: withLinks(bound.links, bound.given, given, more) };
  },
};

/** `POST /Set(key)/Nav`. @see docs/reference/navigation.md */
export const createRelated: Endpoint = savesEntity(creatingRelated);

/** The handler that creates entities along a navigation, and the one of a set that saves them. */
interface CreationAlong {
  readonly handler: NonNullable<BoundNavigation["runtime"]["source"]["handlers"]["create"]>;
  readonly by: WritingHandler;
}

/**
 * Returns the handler that creates entities along a navigation: its own, which has a route, or that of the target set, which gets the
 * foreign key in the entity. The latter creates nested entities only.
 * @returns undefined if there is none, or no entity that the target set creates contains the foreign key
 */
export function creationAlong(
  service: ServiceRuntime,
  { entitySet, navigationProperty, runtime }: Pick<BoundNavigation, "entitySet" | "navigationProperty" | "runtime">,
): CreationAlong | undefined {
  const { origin, source } = runtime;
  const { create: own } = source.handlers;
  const { definition } = service;
  if (own !== undefined) return { handler: own, by: { set: definitionIn(definition, entitySet), handler: own } };
  if (origin.kind !== "EntitySet" || keyHolderOf(entitySet, navigationProperty) !== "related") return undefined;
  const { create } = runtimeOf(service, origin).handlers;
  const pairs = reversedPairs(keyPairsOf(entitySet, navigationProperty));
  const isWritten = ({ serverSet, ...property }: StructuralProperty): boolean =>
    serverSet === true || origin.entityType.properties.some(({ field }) => field === property.field);
  if (create === undefined || !pairs.every(({ property }) => isWritten(property))) return undefined;
  const handler: CreationAlong["handler"] = async (key, given, context) => {
    const parent = await linkedPart({ entitySet, key }, pairs, { context, gate: null });
    const linked = pairs.filter(({ property }) => property.serverSet !== true);
    const values = linked.map(({ property, related }) => [property.field, fieldOf(parent, related.field)] as const);
    return create({ ...(given as object), ...Object.fromEntries(values) }, ServiceContext.ofSet(origin, context));
  };
  return { handler, by: { set: definitionIn(definition, origin), handler: create } };
}

/** A bound POST along a navigation. */
interface BoundRelated extends CreatedAlong, SavedPayload, WantedEntity {
  readonly given: BodyObject;
  readonly links: readonly BoundLink[];
}

const CREATED = Object.freeze({ outcome: "upserted", inserted: null } as const);

/** A new entity along a navigation. */
interface CreatedAlong extends CreationAlong {
  readonly navigation: BoundNavigation;
  readonly given: object;
  readonly faults: FacetFaults;
}

async function createAlong(
  execution: Execution,
  { navigation, handler, given, faults }: CreatedAlong,
): Promise<unknown> {
  const { entitySet, runtime, parentKey: key } = navigation;
  const missing = (): ODataError => missingEntityError(execution, () => noParent(navigation));
  const parent = requireEntity(execution, { entitySet, key, mustBeSeen: true }, missing);
  const current = chain(parent, (addressed) =>
    chain(authorizeCreationAlong(execution, navigation, given, addressed), () =>
      checkPreconditions(execution, { entitySet, key, addressed }),
    ),
  );
  const saved = chain(current, ({ expected }) =>
    runCreateRelated(runtime.source, handler, key, given, withFaults(execution.writer(expected), faults)),
  );
  return answeredValue(await saved);
}

/** Whether rules read the stored parent: its own, or those of the target set for an entity with its values. */
function isJudged({ service, access }: Execution, { entitySet, navigationProperty }: BoundNavigation): boolean {
  const set = definitionIn(service.definition, entitySet);
  return access.pending.length > 0 || navigationRules(set, navigationProperty).target.create.some(needsResource);
}

/**
 * Checks the `create` rules of the target set for a new entity along a navigation.
 * @param given the argument of the create handler
 * @param parent the entity of the URL, as far as it is loaded
 * @throws ODataError `Unauthorized`, `Forbidden`; the error of a handler or rule
 */
function authorizeCreationAlong(
  execution: Execution,
  { entitySet, navigationProperty, parentKey: key }: BoundNavigation,
  given: object,
  parent: AddressedEntity,
): Maybe<void> {
  const { service, access } = execution;
  const { user } = access;
  if (!service.hasRules) return;
  const set = definitionIn(service.definition, entitySet);
  const { name } = navigationProperty;
  const action = actionAlong("create", set, navigationProperty);
  const pending = requireRules(navigationRules(set, navigationProperty).target.create, user, {
    action,
    target: name,
  });
  if (pending.length === 0) return;
  return chain(parent?.entity ?? loadParent(execution, { entitySet, key }), async (owner) => {
    const entity = owner === null ? given : { ...given, ...linkedValues(set, navigationProperty, owner) };
    if (!(await judgeEntity(pending, execution.context, entity))) throw refusal(user, action, name);
  });
}

function linkedValues({ entitySet }: EntitySetDefinition, navigation: NavigationProperty, parent: object): object {
  const pairs = keyPairsOf(entitySet, navigation).flatMap(({ property, related }) => {
    const value = fieldOf(parent, property.field);
    return value === undefined ? [] : [[related.field, value] as const];
  });
  return Object.fromEntries(pairs);
}
