import type { JsonValue } from "../../base/json/write-json.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPerPair } from "../../base/memo.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { EntitySet, StructuralProperty } from "../../edm/model.ts";
import { wholeEntity } from "../../engine/entities/canonical-entity.ts";
import { answeredValue } from "../../engine/entities/handler-answer.ts";
import { definitionIn, type Reader, withFaults, withKept } from "../../engine/entities/reader.ts";
import { requireCreatable } from "../../engine/rules/authorize-body.ts";
import {
  comparedProperties,
  keptProperties,
  storedValues,
  withoutCompared,
} from "../../engine/rules/judge-properties.ts";
import type { RuledUser } from "../../engine/rules/property-access.ts";
import { withoutUnwritten } from "../../engine/rules/unwritten-values.ts";
import { runReplace } from "../../engine/writes/write-entity.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import { WRITTEN_ENTITY_OPTIONS } from "../../language/binder/option-rules.ts";
import {
  type BodyObject,
  bodyRoot,
  checkKeyMatch,
  checkNewKey,
  compileFieldWriter,
  nullNotAllowed,
} from "../../payload/body-members.ts";
import { type FacetFaults, newEntityOf, requireWhole, type ReplacementBody } from "../../payload/body-readers.ts";
import { compileImmutableKeeper } from "../../payload/immutable-keeper.ts";
import type { BoundLink } from "../../payload/link-reading.ts";
import { requireConcrete } from "../../payload/named-type.ts";
import { requireObject } from "../../payload/property-reader.ts";
import type { ExpectedValues } from "../sets/given-values.ts";
import { openBody } from "./authorized-request.ts";
import { bindEntity, queryReaderOf, readJsonFormat } from "./bind-query.ts";
import { withBoundLinks } from "./bound-links.ts";
import { copyForeignKeys } from "./bound-values.ts";
import { callCreate } from "./create-entity.ts";
import {
  type AddressedEntity,
  addressEntity,
  authorizeCreation,
  entityNotFound,
  checkPreconditions,
  expectedValues,
  missingEntityError,
  type CurrentEntity,
  type EntityState,
} from "./current-entity.ts";
import type { EntityWrite, SavedPayload, WantedEntity, WriteOutcome } from "./entity-result.ts";
import type { Execution } from "./execution.ts";
import { executeJudged } from "./judged-write.ts";
import { linkReading, withLinks } from "./link-reading.ts";
import { namedSet } from "./named-set.ts";
import { logIgnoredEntities } from "./patch-entity.ts";
import { entityPathOf } from "./read-entity.ts";
import { type EntitySetRuntime, facetFaults, runtimeOf, type ServiceRuntime } from "./service-runtime.ts";
import { routed } from "./stages.ts";

/** An entity to save under the key of the URL. */
interface Replacement {
  readonly entitySet: EntitySet;
  /** The key as written in the URL. */
  readonly keyText: string;
  readonly key: unknown;
  readonly body: ReplacementBody;
  /** Returns the body as that of a new entity. */
  readonly added: () => NewBody;
  /** The properties that keep their stored values if the body omits them. */
  readonly kept: ReadonlySet<StructuralProperty>;
  /** The facet faults of the body, reported together with the issues of `validate`. */
  readonly faults: FacetFaults;
  readonly mayCreate: boolean;
  /** Whether the handler of the set would create a missing entity, but this request must not. */
  readonly mustExist: boolean;
}

/** A bound PUT of an entity. */
interface BoundReplacement extends Replacement, SavedPayload, WantedEntity {
  /** The set of the URL, which the body may see as another type. */
  readonly addressed: EntitySet;
  readonly links: readonly BoundLink[];
}

/** The body of a PUT that creates an entity, as it was sent and as it was read. */
interface NewBody {
  readonly json: JsonValue;
  readonly body: ReplacementBody;
}

/** An entity as saved, and whether it existed before. */
interface Saved {
  readonly entity: unknown;
  /** The handler that saved it. */
  readonly handler: object;
  readonly outcome: WriteOutcome;
}

/**
 * The stages of `PUT /Set(key)`, without those of nested entities: it replaces an entity, and creates it where it is missing and
 * the set allows that.
 * @throws ODataError for negotiation, the key, the body, a query option, a precondition, a missing entity; the error of
 * the handler
 * @see OData Protocol 4.0, section 11.4.4; docs/reference/writing.md
 */
export const replacing: EntityWrite<BoundReplacement> = {
  bind: (request) => {
    const { entitySet: addressed, key: keyText, singleton, step } = entityPathOf(request.path);
    const { entityType } = addressed;
    const { settings, target } = runtimeOf(request.service, addressed);
    const format = readJsonFormat(request);
    const key = bindEntityKey(keyText, entityType, request.options.options.aliases, addressed.name);
    const opened = openBody(request, addressed);
    const query = bindEntity(request, target, WRITTEN_ENTITY_OPTIONS);
    const { return: preferred } = request.preferences;
    // No request creates the entity of a singleton, or one that is related to another.
    const mustExist = settings.allowUpsert && (singleton !== undefined || step !== undefined);
    // A URL cannot choose a key that the server generates.
    const mayCreate = settings.allowUpsert && !mustExist && !entityType.key.some(({ computed }) => computed);
    const ruled = queryReaderOf(request);
    const faults = facetFaults(request.service, addressed, "create");
    return opened.read((json, ieee754Compatible) => {
      const entitySet = namedSet(request.service, addressed, json);
      requireConcrete(entitySet.entityType);
      const { bodies } = runtimeOf(request.service, entitySet);
      const kept = keptProperties(ruled, entitySet);
      const sent = withoutUnwritten(ruled, entitySet, json, { act: "update", ieee754Compatible });
      const links = linkReading(request, entitySet);
      const body = bodies.readReplacement(sent, ieee754Compatible, key, { kept, faults, links });
      const added = (): NewBody => {
        const given = withoutUnwritten(ruled, entitySet, json, { act: "create", ieee754Compatible });
        if (given === sent) return { json: given, body };
        const reading = { kept, links: linkReading(request, entitySet) };
        const again = bodies.readReplacement(given, ieee754Compatible, key, reading);
        copyForeignKeys(links?.found ?? [], again.entity);
        return { json: given, body: again };
      };
      const found = links?.found ?? [];
      const sentBody = { mayCreate, mustExist, body, faults, added, kept, links: found };
      return { addressed, entitySet, keyText, key, format, query, preferred, ...sentBody };
    });
  },
  save: async (bound, execution) => {
    const { entitySet, key, body, links } = bound;
    logIgnoredEntities(execution, entitySet, body.ignored);
    const handler = replaceHandler(execution.service, entitySet);
    const isJudged = execution.access.pending.length > 0;
    const set = definitionIn(execution.service.definition, entitySet);
    const write = { set, handler, entitySet, key, write: "replace", links } as const;
    const saved = await withBoundLinks(execution, write, (outer) =>
      executeJudged(outer, { entitySet, key, handler }, isJudged, async (inner) => {
        const addressed = await addressEntity(inner, { entitySet, key });
        checkKeyMatch(entitySet.entityType, body.key, key);
        return replaceOrCreate(inner, bound, addressed);
      }),
    );
    return { ...saved, origin: bound.addressed, inserted: null };
  },
  bodyOf: ({ body }) => body.entity,
  linked: (bound, more) => {
    const entity = { ...bound.body.entity };
    const links = withLinks(bound.links, bound.body.entity, entity, more);
    const added = (): NewBody => {
      const { json, body } = bound.added();
      const whole = { ...body.entity };
      copyForeignKeys(links, whole);
      return { json, body: { ...body, entity: whole } };
    };
    return { ...bound, body: { ...bound.body, entity }, links, added };
  },
};

/** Returns the replace handler of a set. @throws Error for a set that has none, and so no route */
function replaceHandler(
  service: ServiceRuntime,
  entitySet: EntitySet,
): NonNullable<EntitySetRuntime["handlers"]["replace"]> {
  return routed(runtimeOf(service, entitySet).handlers.replace, `PUT ${entitySet.name}`);
}

async function replaceOrCreate(
  execution: Execution,
  replacement: Replacement,
  addressed: AddressedEntity,
): Promise<Saved> {
  const { entitySet, key, mayCreate, mustExist } = replacement;
  const { definition } = execution.service;
  const set = definitionIn(definition, entitySet);
  const { putChecksIfNoneMatch } = definition.profile;
  const byDefault = mayCreate ? "star" : "nothing";
  const ifNoneMatch = putChecksIfNoneMatch ? "every" : byDefault;
  const isWholeNeeded = keeperOf(set, definition) !== null || needsStored(execution, replacement);
  const wholeSelected = selectionOf(set, definition);
  const isLooked = mayCreate || mustExist;
  const target = { entitySet, key, mayCreate: isLooked, ifNoneMatch, isWholeNeeded, wholeSelected, addressed } as const;
  return chain(checkPreconditions(execution, target), (found) => {
    if (found.state !== "missing") return replace(execution, replacement, found);
    if (!mayCreate) throw missing(execution, replacement);
    // Without a create handler, the replace handler may create the entity.
    return create(execution, replacement) ?? replace(execution, replacement, found);
  });
}

async function replace(
  execution: Execution,
  replacement: Replacement,
  { state, entity, expected }: CurrentEntity,
): Promise<Saved> {
  const { entitySet, key, faults } = replacement;
  const call = replaceHandler(execution.service, entitySet);
  const { whole, kept, version }: KeptEntity =
    state === "missing" ? { whole: newEntity(execution, replacement) } : keepStored(execution, replacement, entity);
  const cause = state === "missing" ? "create" : "update";
  const condition = expected ?? version;
  const writer = withKept(withFaults(execution.writer(condition), faults), kept);
  const authorized = authorizeReplacing(execution, replacement, state, whole);
  const saved = answeredValue(await chain(authorized, () => runReplace(entitySet, key, whole, writer, cause)));
  if (saved !== null && saved !== undefined) {
    return { entity: saved, handler: call, outcome: state === "missing" ? "upserted" : "updated" };
  }
  // The entity was not loaded before, so the handler reports that it is missing.
  const isKnown = state === "missing" || condition !== expected;
  const created = isKnown ? null : await create(execution, replacement, { isJudged: true });
  if (created !== null) return created;
  throw missing(execution, replacement, condition);
}

/** Returns the entity of a PUT that creates it. @throws ODataError for a property that the user may not give to it */
function newEntity(execution: Execution, { entitySet, key, added }: Replacement): BodyObject {
  const { json, body } = added();
  requireCreatable(queryReaderOf(execution), entitySet, json);
  const entity = newEntityOf(body);
  checkNewKey(entitySet.entityType, key);
  // No response has shown a null of this entity.
  const missing = entitySet.entityType.properties.find(({ field, nullable }) => !nullable && entity[field] === null);
  if (missing === undefined) return entity;
  throw nullNotAllowed(bodyRoot(false), missing.name, "give it a value");
}

/** Whether the stored values of properties are compared with the body, or passed on to a handler of the application. */
function needsStored({ service }: Execution, { entitySet, kept, body: { entity } }: Replacement): boolean {
  if (kept.size === 0) return false;
  return (
    !keepsAbsent(service, entitySet) ||
    isSeen(definitionIn(service.definition, entitySet)) ||
    [...kept].some(({ field }) => Object.hasOwn(entity, field))
  );
}

/** Whether the handler of a set does not write absent members: handlers of tables do not. */
function keepsAbsent(service: ServiceRuntime, entitySet: EntitySet): boolean {
  const { replace: handler } = runtimeOf(service, entitySet).handlers;
  return service.definition.handlersCheckingRows.has(handler);
}

/** Whether functions of the application see the replacement before a table stores it. */
function isSeen({ validators, hooks }: EntitySetDefinition): boolean {
  return validators?.create !== undefined || hooks?.before.replace !== undefined;
}

/**
 * Returns the properties that the server sets for new entities only, where a handler or function of the application sees the
 * replacement: no body has their values.
 */
const setOnceOf = keptPerPair(
  (set: EntitySetDefinition, { handlersCheckingRows }: ServiceDefinition): readonly StructuralProperty[] => {
    const { setValues, handlers } = set;
    if (setValues === null || (handlersCheckingRows.has(handlers.replace) && !isSeen(set))) return [];
    return setValues.properties.flatMap(({ property, update }) =>
      update === null && !property.isKey ? [property] : [],
    );
  },
);

/** Returns the selection of a replaced row that has ignored properties of `setOnceOf`; null without such properties. */
const selectionOf = keptPerPair((set: EntitySetDefinition, definition: ServiceDefinition) => {
  const { entitySet, handlers } = set;
  const ignored = setOnceOf(set, definition).filter((each) => entitySet.entityType.ignoredProperties.includes(each));
  if (ignored.length === 0 || !definition.handlersCheckingRows.has(handlers.replace)) return null;
  const properties = new Set([...wholeEntity(entitySet).map(({ property }) => property), ...ignored]);
  const selected = Object.freeze(Array.from(properties, (property) => ({ property })));
  return () => selected;
});

/** A replacement with the stored values that it keeps. */
interface KeptEntity {
  readonly whole: BodyObject;
  /** The fields of these values, and of immutable ones that the user does not see; absent: none. */
  readonly kept?: ReadonlySet<string> | undefined;
  /**
   * The values of the ETag of the stored entity, for a handler of the application that writes its values again; absent: none. A
   * write that ignores a change in between would undo that of a user who may change these properties.
   */
  readonly version?: ExpectedValues | undefined;
}

/**
 * Returns the replacement of an entity with the stored values that it keeps.
 * @param stored the entity as its handler returned it; undefined if it was not loaded
 * @throws ODataError for a property that the user may not change
 */
function keepStored(execution: Execution, { entitySet, body, kept }: Replacement, stored: unknown): KeptEntity {
  const { entityType } = entitySet;
  const ruled = queryReaderOf(execution);
  const compared = comparedProperties(ruled, entitySet, body.entity);
  // A copy: if the entity is deleted meanwhile, the body may create it.
  const whole = { ...withoutCompared(ruled, entitySet, { changes: body.entity, compared, stored }) };
  if (stored === undefined) {
    requireWhole(body);
    return { whole };
  }
  const { definition } = execution.service;
  const set = definitionIn(definition, entitySet);
  keeperOf(set, definition)?.(whole, requireObject(stored, entityType.qualifiedName));
  const isTable = keepsAbsent(execution.service, entitySet);
  const fixed = [...setOnceOf(set, definition), ...unseenFixed(ruled, entitySet)];
  if (kept.size + fixed.length === 0 || (isTable && !isSeen(set))) return { whole };
  const absent = [...kept].filter(({ field }) => !Object.hasOwn(whole, field));
  const current = absent.length === 0 ? {} : storedValues(entitySet, stored);
  for (const { field } of absent) compileFieldWriter(field)(whole, current[field]);
  const fields = new Set([...absent, ...fixed].map(({ field }) => field));
  if (isTable || absent.length === 0 || entitySet.etag.length === 0) return { whole, kept: fields };
  return { whole, kept: fields, version: expectedValues(entitySet, { entity: stored, rowShape: undefined }) };
}

/** Returns the properties that no update changes, and the user does not see. */
function unseenFixed({ properties }: RuledUser, entitySet: EntitySet): readonly StructuralProperty[] {
  if (properties === null) return [];
  return [...properties.unreadableOf(entitySet)].filter(({ computed, immutable }) => computed || immutable);
}

/** Checks the `create` rules where the replace handler may create the entity. */
function authorizeReplacing(
  execution: Execution,
  { entitySet, mayCreate }: Replacement,
  state: EntityState,
  entity: unknown,
): Maybe<void> {
  const { create: other } = runtimeOf(execution.service, entitySet).handlers;
  const creates = mayCreate && state !== "present" && other === undefined;
  if (creates) return authorizeCreation(execution, entitySet, entity);
}

/** Creates the entity; null where this request must not create it. @param judged whether `validate` has judged the replacement */
function create(
  execution: Execution,
  replacement: Replacement,
  judged: Pick<Reader, "isJudged"> = {},
): Promise<Saved> | null {
  const { entitySet, faults, mayCreate } = replacement;
  const { create: call } = runtimeOf(execution.service, entitySet).handlers;
  if (call === undefined || !mayCreate || execution.arrival.odata.header("if-match") !== undefined) return null;
  const whole = newEntity(execution, replacement);
  const reader = { ...withFaults(execution.reader, faults), ...judged, namesKey: true } as const;
  const authorized = authorizeCreation(execution, entitySet, whole);
  const created = chain(authorized, () => callCreate(entitySet, whole, reader));
  return Promise.resolve(created).then((entity) => ({ entity, handler: call, outcome: "upserted" }));
}

function missing(execution: Execution, { entitySet, keyText }: Replacement, expected?: ExpectedValues): Error {
  return missingEntityError(execution, () => entityNotFound(entitySet, keyText), expected);
}

/**
 * Copies values of the entity to its replacement that no body has: of immutable properties, and of the properties of `setOnceOf`.
 * A statement of a table leaves their columns out. Null without such properties.
 */
const keeperOf = keptPerPair((set: EntitySetDefinition, definition: ServiceDefinition) =>
  compileImmutableKeeper(set.entitySet.entityType, setOnceOf(set, definition)),
);
