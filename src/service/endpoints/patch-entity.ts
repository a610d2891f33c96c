import type { ODataError } from "../../base/errors/odata-error.ts";
import { chain } from "../../base/maybe.ts";
import { logInfo } from "../../definition/model/request-fields.ts";
import { IncompleteValueError } from "../../definition/sets/merge-delta.ts";
import type { EntitySet, StructuralProperty } from "../../edm/model.ts";
import { wirePath } from "../../edm/wire-path.ts";
import { answeredValue } from "../../engine/entities/handler-answer.ts";
import { definitionIn, withFaults } from "../../engine/entities/reader.ts";
import { comparedProperties, withoutCompared } from "../../engine/rules/judge-properties.ts";
import { withoutUnwritten } from "../../engine/rules/unwritten-values.ts";
import { runPatch } from "../../engine/writes/write-entity.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import { WRITTEN_ENTITY_OPTIONS } from "../../language/binder/option-rules.ts";
import { checkKeyMatch } from "../../payload/body-members.ts";
import type { DeltaBody, FacetFaults } from "../../payload/body-readers.ts";
import type { BoundLink } from "../../payload/link-reading.ts";
import type { ExpectedValues } from "../sets/given-values.ts";
import { openBody } from "./authorized-request.ts";
import { bindEntity, queryReaderOf, readJsonFormat } from "./bind-query.ts";
import { withBoundLinks } from "./bound-links.ts";
import { requireEntity, entityNotFound, checkPreconditions, missingEntityError } from "./current-entity.ts";
import type { EntityWrite, SavedPayload, WantedEntity } from "./entity-result.ts";
import type { Execution } from "./execution.ts";
import { executeJudged } from "./judged-write.ts";
import { linkReading, withLinks } from "./link-reading.ts";
import { namedSet } from "./named-set.ts";
import { entityPathOf } from "./read-entity.ts";
import { type EntitySetRuntime, facetFaults, runtimeOf, type ServiceRuntime } from "./service-runtime.ts";
import { routed } from "./stages.ts";

/**
 * The stages of `PATCH /Set(key)`, without those of nested entities.
 * @throws ODataError for negotiation, the key, the body, a query option, a precondition, a missing entity; the error of
 * the handler
 * @see docs/reference/writing.md
 */
export const patching: EntityWrite<BoundPatch> = {
  bind: (request) => {
    const { entitySet: addressed, key: keyText } = entityPathOf(request.path);
    const { target } = runtimeOf(request.service, addressed);
    const format = readJsonFormat(request);
    const key = bindEntityKey(keyText, addressed.entityType, request.options.options.aliases, addressed.name);
    const body = openBody(request, addressed);
    const query = bindEntity(request, target, WRITTEN_ENTITY_OPTIONS);
    const { return: preferred } = request.preferences;
    const faults = facetFaults(request.service, addressed, "patch");
    const ruled = queryReaderOf(request);
    return body.read((json, ieee754Compatible) => {
      const origin = namedSet(request.service, addressed, json);
      const { bodies } = runtimeOf(request.service, origin);
      const written = withoutUnwritten(ruled, origin, json, { act: "update", ieee754Compatible });
      const links = linkReading(request, origin);
      const given = bodies.readDelta(written, ieee754Compatible, faults, links);
      const compared = comparedProperties(ruled, origin, given.delta);
      const { found = [] } = links ?? {};
      return { origin, addressed, keyText, key, format, query, preferred, given, faults, compared, links: found };
    });
  },
  save: async (bound, execution) => {
    const { origin, addressed, keyText, key, given, links } = bound;
    logIgnoredEntities(execution, origin, given.ignored);
    const handler = patchHandler(execution.service, origin);
    const target = { ...bound, entitySet: origin, keyText };
    const set = definitionIn(execution.service.definition, origin);
    const write = { set, handler, entitySet: origin, key, write: "patch", links } as const;
    const { entity } = await withBoundLinks(execution, write, async (inner) => ({
      entity: await callPatch(inner, target, given.delta, () => checkKeyMatch(origin.entityType, given.key, key)),
    }));
    return { origin: addressed, outcome: "patched", entity, handler, inserted: null };
  },
  bodyOf: ({ given }) => given.delta,
  linked: (bound, more) => {
    const { given, links } = bound;
    const delta = { ...given.delta };
    return { ...bound, given: { ...given, delta }, links: withLinks(links, given.delta, delta, more) };
  },
};

/** A bound PATCH of an entity. */
interface BoundPatch extends SavedPayload, WantedEntity {
  /** The set of the URL, seen as the type that the body names. */
  readonly origin: EntitySet;
  /** The set of the URL. */
  readonly addressed: EntitySet;
  /** The key as written in the URL. */
  readonly keyText: string;
  readonly key: unknown;
  readonly given: DeltaBody;
  readonly faults: FacetFaults;
  readonly compared: readonly StructuralProperty[];
  readonly links: readonly BoundLink[];
}

/** Returns the patch handler of a set. @throws Error for a set that has none, and so no route */
export function patchHandler(
  service: ServiceRuntime,
  entitySet: EntitySet,
): NonNullable<EntitySetRuntime["handlers"]["patch"]> {
  return routed(runtimeOf(service, entitySet).handlers.patch, `PATCH ${entitySet.name}`);
}

/** The entity to change. */
interface PatchTarget {
  readonly entitySet: EntitySet;
  /** The key as written in the URL. */
  readonly keyText: string;
  readonly key: unknown;
  /** The properties of the delta that the user may send with their stored values only; absent: none. */
  readonly compared?: readonly StructuralProperty[];
  /** The facet faults of the body, reported together with the issues of `validate`. */
  readonly faults?: FacetFaults;
}

/**
 * Checks rules, the given check and preconditions, and calls the patch handler.
 * @returns the entity as the handler saved it
 * @throws ODataError `Forbidden`; `PreconditionFailed`; `NotFound` for a missing entity; the error of the handler
 */
export async function callPatch(
  execution: Execution,
  target: PatchTarget,
  delta: Record<string, unknown>,
  check?: () => void,
): Promise<unknown> {
  const { entitySet, key } = target;
  const handler = patchHandler(execution.service, entitySet);
  const { validators } = definitionIn(execution.service.definition, entitySet);
  const isJudged = execution.access.pending.length > 0 || validators?.readsStored === true;
  const entity = await executeJudged(execution, { entitySet, key, handler }, isJudged, (inner) =>
    patchStored(inner, target, delta, check),
  );
  execution.commit();
  return entity;
}

async function patchStored(
  execution: Execution,
  { entitySet, keyText, key, faults, compared = [] }: PatchTarget,
  delta: Record<string, unknown>,
  check: (() => void) | undefined,
): Promise<unknown> {
  const missing = (expected?: ExpectedValues): ODataError =>
    missingEntityError(execution, () => entityNotFound(entitySet, keyText), expected);
  const addressed = await requireEntity(execution, { entitySet, key }, missing);
  check?.();
  const target = { entitySet, key, addressed, isWholeNeeded: compared.length > 0 };
  return chain(checkPreconditions(execution, target), async ({ state, entity: stored, expected }) => {
    if (state === "missing") throw missing();
    const changes = withoutCompared(queryReaderOf(execution), entitySet, { changes: delta, compared, stored });
    let saved: unknown;
    try {
      saved = answeredValue(await runPatch(entitySet, key, changes, withFaults(execution.writer(expected), faults)));
    } catch (error) {
      throw toClients(entitySet, error);
    }
    if (saved === null || saved === undefined) throw missing(expected);
    return saved;
  });
}

/** Returns an error as clients see it: that of an incomplete delta names the property as they do. */
function toClients({ entityType }: EntitySet, error: unknown): unknown {
  if (!(error instanceof IncompleteValueError)) return error;
  return new IncompleteValueError(error.path, wirePath(entityType, error.path));
}

/**
 * Logs that PATCH or PUT ignores the related entities of a body, once for each navigation of a set.
 * @param names the wire names of the navigation properties
 * @see OData Protocol 4.0, sections 11.4.3 and 11.4.4; docs/reference/writing.md
 */
export function logIgnoredEntities(execution: Execution, { name: set }: EntitySet, names: readonly string[]): void {
  const { definition, warned } = execution.service;
  for (const navigation of names) {
    const record = `ignored entities ${set}/${navigation}`;
    if (warned.has(record)) continue;
    warned.add(record);
    const message = `PATCH and PUT of '${set}' ignore the related entities of '${navigation}' in their bodies. Write them with requests of their own.`;
    logInfo(definition, execution.context, message, { set, navigation });
  }
}
