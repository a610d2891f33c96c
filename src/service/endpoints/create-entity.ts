import { protocolError } from "../../base/errors/odata-error.ts";
import type { EntitySet } from "../../edm/model.ts";
import { answeredValue } from "../../engine/entities/handler-answer.ts";
import { type Reader, definitionIn, withFaults } from "../../engine/entities/reader.ts";
import { requireCreatable } from "../../engine/rules/authorize-body.ts";
import { authorizeNested } from "../../engine/rules/authorize-query.ts";
import { withoutUnwritten } from "../../engine/rules/unwritten-values.ts";
import { runCreate } from "../../engine/writes/write-entity.ts";
import { WRITTEN_ENTITY_OPTIONS } from "../../language/binder/option-rules.ts";
import type { BodyObject } from "../../payload/body-members.ts";
import type { FacetFaults } from "../../payload/body-readers.ts";
import type { BoundLink } from "../../payload/link-reading.ts";
import { openBody } from "./authorized-request.ts";
import { bindEntity, queryReaderOf, readJsonFormat } from "./bind-query.ts";
import { withBoundLinks } from "./bound-links.ts";
import { authorizeCreation } from "./current-entity.ts";
import { type EntityWrite, type SavedPayload, savesEntity, type WantedEntity } from "./entity-result.ts";
import { linkReading, withLinks } from "./link-reading.ts";
import { entitySetOf } from "./read-collection.ts";
import { type EntitySetRuntime, facetFaults, runtimeOf } from "./service-runtime.ts";
import { type Endpoint, routed } from "./stages.ts";

/**
 * The stages of `POST /Set`: it creates an entity, with nested entities where the set allows deep insert.
 * @throws ODataError for negotiation, the body, a query option, a rule; the error of the handler
 * @see docs/reference/writing.md
 */
export const creating: EntityWrite<BoundCreation> = {
  bind: (request) => {
    const origin = entitySetOf(request.path);
    const { handlers, settings, target, bodies } = runtimeOf(request.service, origin);
    const handler = routed(handlers.create, `POST ${origin.name}`);
    const format = readJsonFormat(request);
    const body = openBody(request, origin);
    const query = bindEntity(request, target, WRITTEN_ENTITY_OPTIONS);
    const { allowDeepInsert } = settings;
    const { return: preferred } = request.preferences;
    const faults = facetFaults(request.service, origin, "create");
    const ruled = queryReaderOf(request);
    return body.read((sent, ieee754Compatible) => {
      const json = withoutUnwritten(ruled, origin, sent, { act: "create", ieee754Compatible, nests: allowDeepInsert });
      const links = linkReading(request, origin);
      const given = bodies.readNew(json, ieee754Compatible, faults, links);
      requireCreatable(ruled, origin, json, { nests: allowDeepInsert });
      const { found = [] } = links ?? {};
      return { origin, handler, format, query, preferred, allowDeepInsert, given, faults, links: found };
    });
  },
  save: async (bound, execution) => {
    const { origin, handler, allowDeepInsert, given, faults, links } = bound;
    const { definition, hasRules } = execution.service;
    const set = definitionIn(definition, origin);
    const write = { set, handler, entitySet: origin, key: undefined, write: "create", links } as const;
    const { entity } = await withBoundLinks(execution, write, async (inner) => {
      await authorizeCreation(inner, origin, given);
      if (allowDeepInsert && hasRules) await authorizeNested(inner.context, set, given);
      return { entity: await callCreate(origin, given, withFaults(inner.reader, faults)) };
    });
    const inserted = allowDeepInsert ? given : null;
    return { origin, outcome: "created", entity, handler, inserted };
  },
  bodyOf: ({ given }) => given,
  linked: (bound, more) => {
    const given = { ...bound.given };
    return { ...bound, given, links: withLinks(bound.links, bound.given, given, more) };
  },
};

/** `POST /Set`. @see docs/reference/writing.md */
export const createEntity: Endpoint = savesEntity(creating);

/** A bound POST of an entity. */
interface BoundCreation extends SavedPayload, WantedEntity {
  readonly origin: EntitySet;
  readonly handler: NonNullable<EntitySetRuntime["handlers"]["create"]>;
  readonly allowDeepInsert: boolean;
  readonly given: BodyObject;
  readonly faults: FacetFaults;
  readonly links: readonly BoundLink[];
}

/**
 * Returns the entity that a create handler saved.
 * @throws ODataError `InvalidBody` when it returned null; the error of the handler
 */
export async function callCreate(entitySet: EntitySet, given: object, reader: Reader): Promise<unknown> {
  const saved = answeredValue(await runCreate(entitySet, given, reader));
  if (saved === null || saved === undefined) throw protocolError("InvalidBody", "Post handler returned null.");
  return saved;
}
