import { chain, type Maybe } from "../base/maybe.ts";
import { keptPerPair } from "../base/memo.ts";
import { bindEntityKey } from "../binder/bind-key.ts";
import { WRITTEN_ENTITY_OPTIONS } from "../binder/option-rules.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/model/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import { answeredValue } from "../execution/entities/handler-answer.ts";
import { definitionIn, withFaults } from "../execution/entities/reader.ts";
import { runReplace } from "../execution/writes/write-entity.ts";
import { checkKeyMatch, checkNewKey } from "../payload/body-members.ts";
import {
  type FacetFaults,
  requireWhole,
  type ReplacementBody,
  compileImmutableKeeper,
} from "../payload/body-readers.ts";
import { requireObject } from "../payload/property-reader.ts";
import type { ExpectedValues } from "../sets/given-values.ts";
import { openBody } from "./authorized-request.ts";
import { bindEntity, readJsonFormat } from "./bind-query.ts";
import { callCreate } from "./create-entity.ts";
import {
  type AddressedEntity,
  addressEntity,
  authorizeCreation,
  entityNotFound,
  checkPreconditions,
  missingEntityError,
  type CurrentEntity,
  type EntityState,
} from "./current-entity.ts";
import { readSaved, savedResponse, type WriteOutcome } from "./entity-result.ts";
import type { Execution } from "./execution.ts";
import { logIgnoredEntities } from "./patch-entity.ts";
import { entityPathOf } from "./read-entity.ts";
import { facetFaults, runtimeOf } from "./service-runtime.ts";
import { type Endpoint, inStages, routed } from "./stages.ts";

/** An entity to save under the key of the URL. */
interface Replacement {
  readonly entitySet: EntitySet;
  /** The key as written in the URL. */
  readonly keyText: string;
  readonly key: unknown;
  readonly body: ReplacementBody;
  /** The facet faults of the body, reported together with the issues of `validate`. */
  readonly faults: FacetFaults;
  readonly mayCreate: boolean;
}

/** An entity as saved, and whether it existed before. */
interface Saved {
  readonly entity: unknown;
  /** The handler that saved it. */
  readonly handler: object;
  readonly outcome: WriteOutcome;
}

/**
 * `PUT /Set(key)`: replaces an entity; creates it where it is missing and the set allows that.
 * @throws ODataError for negotiation, the key, the body, a query option, a precondition, a missing entity; the error of
 * the handler
 * @see OData Protocol 4.0, section 11.4.4; docs/reference/writing.md
 */
export const replaceEntity: Endpoint = inStages({
  bind: (request) => {
    const { entitySet, key: keyText } = entityPathOf(request.path);
    const { entityType } = entitySet;
    const { settings, target, bodies } = runtimeOf(request.service, entitySet);
    const format = readJsonFormat(request);
    const key = bindEntityKey(keyText, entityType, request.options.options.aliases, entitySet.name);
    const opened = openBody(request, entitySet);
    const query = bindEntity(request, target, WRITTEN_ENTITY_OPTIONS);
    const { return: preferred } = request.preferences;
    // A URL cannot choose a key that the server generates.
    const mayCreate = settings.allowUpsert && !entityType.key.some(({ computed }) => computed);
    const faults = facetFaults(request.service, entitySet, "create");
    return chain(
      opened.read((json, ieee754Compatible) => bodies.readReplacement(json, ieee754Compatible, key, faults)),
      (body) => ({ entitySet, keyText, key, format, query, preferred, mayCreate, body, faults }),
    );
  },
  execute: (bound, execution) => {
    const { entitySet, key, body } = bound;
    logIgnoredEntities(execution, entitySet, body.ignored);
    const saved = chain(addressEntity(execution, { entitySet, key }), (addressed) => {
      checkKeyMatch(entitySet.entityType, body.key, key);
      return replaceOrCreate(execution, bound, addressed);
    });
    return chain(saved, (each) => readSaved(execution, bound, { ...each, origin: entitySet, inserted: null }));
  },
  write: savedResponse,
});

function replaceOrCreate(execution: Execution, replacement: Replacement, addressed: AddressedEntity): Maybe<Saved> {
  const { entitySet, key, mayCreate } = replacement;
  const { definition } = execution.service;
  const set = definitionIn(definition, entitySet);
  const { putChecksIfNoneMatch } = definition.profile;
  const byDefault = mayCreate ? "star" : "nothing";
  const ifNoneMatch = putChecksIfNoneMatch ? "every" : byDefault;
  const isWholeNeeded = keeperOf(set, definition) !== null;
  const current = checkPreconditions(execution, { entitySet, key, mayCreate, ifNoneMatch, isWholeNeeded, addressed });
  return chain(current, (found) => {
    if (found.state !== "missing") return replace(execution, replacement, found);
    if (!mayCreate) throw missing(execution, replacement);
    // Without a create handler, the replace handler may create the entity.
    return create(execution, replacement) ?? replace(execution, replacement, found);
  });
}

function replace(
  execution: Execution,
  replacement: Replacement,
  { state, entity, expected }: CurrentEntity,
): Maybe<Saved> {
  const { entitySet, key, body, faults } = replacement;
  const call = routed(runtimeOf(execution.service, entitySet).handlers.replace, `PUT ${entitySet.name}`);
  const { entityType } = entitySet;
  const { definition } = execution.service;
  const keep = keeperOf(definitionIn(definition, entitySet), definition);
  // A copy: if the entity is deleted meanwhile, the body may create it.
  const whole = entity === undefined ? requireWhole(body) : { ...body.entity };
  if (keep !== null && entity !== undefined) keep(whole, requireObject(entity, entityType.qualifiedName));
  if (state === "missing") checkNewKey(entityType, key);
  const cause = state === "missing" ? "create" : "update";
  const replaced = chain(authorizeReplacing(execution, replacement, state, whole), () =>
    runReplace(entitySet, key, whole, withFaults(execution.writer(expected), faults), cause),
  );
  return chain(replaced, (answer) => {
    const saved = answeredValue(answer);
    if (saved !== null && saved !== undefined) {
      return { entity: saved, handler: call, outcome: state === "missing" ? "upserted" : "updated" };
    }
    // The entity was not loaded before, so the handler reports that it is missing.
    const created = state === "missing" ? null : create(execution, replacement);
    if (created !== null) return created;
    throw missing(execution, replacement, expected);
  });
}

/** Checks the `create` rules where the replace handler may create the entity. */
function authorizeReplacing(
  execution: Execution,
  { entitySet, mayCreate }: Replacement,
  state: EntityState,
  entity: unknown,
): Maybe<undefined> {
  const { create: other } = runtimeOf(execution.service, entitySet).handlers;
  const creates = mayCreate && state !== "present" && other === undefined;
  return creates ? authorizeCreation(execution, entitySet, entity) : undefined;
}

/** Creates the entity; null where this request must not create it. */
function create(execution: Execution, { entitySet, key, body, faults, mayCreate }: Replacement): Maybe<Saved> | null {
  const { create: call } = runtimeOf(execution.service, entitySet).handlers;
  if (call === undefined || !mayCreate || execution.arrival.odata.header("if-match") !== undefined) return null;
  const whole = requireWhole(body);
  checkNewKey(entitySet.entityType, key);
  const created = chain(authorizeCreation(execution, entitySet, whole), () =>
    callCreate(entitySet, whole, withFaults(execution.reader, faults)),
  );
  return chain(created, (entity): Saved => ({ entity, handler: call, outcome: "upserted" }));
}

function missing(execution: Execution, { entitySet, keyText }: Replacement, expected?: ExpectedValues): Error {
  return missingEntityError(execution, () => entityNotFound(entitySet, keyText), expected);
}

/**
 * Copies values of the entity to its replacement that no body has: of immutable properties and, for a handler of the
 * application, of those that the server sets for new entities only. A statement of a table leaves their columns out. Null
 * without such properties.
 */
const keeperOf = keptPerPair(
  ({ entitySet, handlers, setValues }: EntitySetDefinition, { handlersCheckingRows }: ServiceDefinition) => {
    const isOfTable = handlersCheckingRows.has(handlers.replace);
    const set = isOfTable || setValues === null ? [] : setValues.properties;
    const kept = set.flatMap(({ property, update }) => (update === null && !property.isKey ? [property] : []));
    return compileImmutableKeeper(entitySet.entityType, kept);
  },
);
