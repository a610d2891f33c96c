import { chain, type Maybe } from "../base/maybe.ts";
import { keptPer } from "../base/memo.ts";
import { bindEntityKey } from "../binder/bind-key.ts";
import { WRITTEN_ENTITY_OPTIONS } from "../binder/option-rules.ts";
import type { EntitySet, EntityType } from "../edm/model.ts";
import { answeredValue } from "../execution/entities/handler-answer.ts";
import { runReplace } from "../execution/writes/write-entity.ts";
import { checkKeyMatch } from "../payload/body-key.ts";
import { entityContext } from "../payload/context-url.ts";
import { requireObject } from "../payload/property-reader.ts";
import { requireWhole, type ReplacementBody, compileImmutableKeeper } from "../payload/read-changes.ts";
import type { ExpectedValues } from "../sets/given-values.ts";
import { type AddressedEntity, addressEntity, authorizeCreation } from "./addressed-entity.ts";
import { bindEntity } from "./bind-query.ts";
import { callCreate } from "./create-entity.ts";
import { checkPreconditions, missingEntityError, type CurrentEntity, type EntityState } from "./current-entity.ts";
import { entityResult, type WriteOutcome } from "./entity-result.ts";
import { type Endpoint, type Exchange, routed } from "./exchange.ts";
import { logIgnoredEntities } from "./patch-entity.ts";
import { entityPathOf } from "./read-entity.ts";
import { readJsonFormat } from "./read-options.ts";
import { entityNotFound } from "./read-property.ts";
import { openBody } from "./request-body.ts";

/** An entity to save under the key of the URL. */
interface Replacement {
  readonly entitySet: EntitySet;
  /** The key as written in the URL. */
  readonly keyText: string;
  readonly key: unknown;
  readonly body: ReplacementBody;
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
export const replaceEntity: Endpoint = (exchange, path) => {
  const { entitySet, key: keyText } = entityPathOf(path);
  const { entityType } = entitySet;
  const { settings, target, bodies } = exchange.entitySet(entitySet);
  const format = readJsonFormat(exchange);
  const key = bindEntityKey(keyText, entityType, exchange.options.options.aliases, entitySet.name);
  const body = openBody(exchange, entitySet);
  const query = bindEntity(exchange, target, WRITTEN_ENTITY_OPTIONS);
  // A URL cannot choose a key that the server generates.
  const mayCreate = settings.allowUpsert && !entityType.key.some(({ computed }) => computed);
  const given = body.read((json, ieee754Compatible) => bodies.readReplacement(json, ieee754Compatible, key));
  return chain(given, (replacement) => {
    logIgnoredEntities(exchange, entitySet, replacement.ignored);
    const saved = chain(addressEntity(exchange, { entitySet, key }), (addressed) => {
      checkKeyMatch(entityType, replacement.key, key);
      return replaceOrCreate(exchange, { entitySet, keyText, key, body: replacement, mayCreate }, addressed);
    });
    return chain(saved, ({ entity, outcome, handler }) =>
      entityResult(exchange, format, {
        origin: entitySet,
        query,
        outcome,
        entity,
        handler,
        inserted: null,
        contextUrl: (contextSelect) => entityContext(exchange.serviceRoot, entitySet, contextSelect),
      }),
    );
  });
};

function replaceOrCreate(exchange: Exchange, replacement: Replacement, addressed: AddressedEntity): Maybe<Saved> {
  const { entitySet, key, mayCreate } = replacement;
  const keep = keeperOf(entitySet.entityType);
  const { putChecksIfNoneMatch } = exchange.service.definition.profile;
  const byDefault = mayCreate ? "star" : "nothing";
  const ifNoneMatch = putChecksIfNoneMatch ? "every" : byDefault;
  const isWholeNeeded = keep !== null;
  const current = checkPreconditions(exchange, { entitySet, key, mayCreate, ifNoneMatch, isWholeNeeded, addressed });
  return chain(current, (found) => {
    if (found.state !== "missing") return replace(exchange, replacement, found);
    if (!mayCreate) throw missing(exchange, replacement);
    // Without a create handler, the replace handler may create the entity.
    return create(exchange, replacement) ?? replace(exchange, replacement, found);
  });
}

function replace(
  exchange: Exchange,
  replacement: Replacement,
  { state, entity, expected }: CurrentEntity,
): Maybe<Saved> {
  const { entitySet, key, body } = replacement;
  const call = routed(exchange.entitySet(entitySet).handlers.replace, `PUT ${entitySet.name}`);
  const { entityType } = entitySet;
  const keep = keeperOf(entityType);
  if (keep !== null && entity !== undefined) keep(body.entity, requireObject(entity, entityType.qualifiedName));
  const whole = entity === undefined ? requireWhole(body) : body.entity;
  const replaced = chain(authorizeReplacing(exchange, replacement, state, whole), () =>
    runReplace(entitySet, key, whole, exchange.writer(expected)),
  );
  return chain(replaced, (answer) => {
    const saved = answeredValue(answer);
    if (saved !== null && saved !== undefined) {
      return { entity: saved, handler: call, outcome: state === "missing" ? "upserted" : "updated" };
    }
    // The entity was not loaded before, so the handler reports that it is missing.
    const created = state === "missing" ? null : create(exchange, replacement);
    if (created !== null) return created;
    throw missing(exchange, replacement, expected);
  });
}

/** Checks the `create` rules where the replace handler may create the entity. */
function authorizeReplacing(
  exchange: Exchange,
  { entitySet, mayCreate }: Replacement,
  state: EntityState,
  entity: unknown,
): Maybe<undefined> {
  const { create: other } = exchange.entitySet(entitySet).handlers;
  const creates = mayCreate && state !== "present" && other === undefined;
  return creates ? authorizeCreation(exchange, entitySet, entity) : undefined;
}

/** Creates the entity; null where this request must not create it. */
function create(exchange: Exchange, { entitySet, body, mayCreate }: Replacement): Maybe<Saved> | null {
  const { create: call } = exchange.entitySet(entitySet).handlers;
  if (call === undefined || !mayCreate || exchange.odata.header("if-match") !== undefined) return null;
  const whole = requireWhole(body);
  const created = chain(authorizeCreation(exchange, entitySet, whole), () =>
    callCreate(entitySet, whole, exchange.reader),
  );
  return chain(created, (entity): Saved => ({ entity, handler: call, outcome: "upserted" }));
}

function missing(exchange: Exchange, { entitySet, keyText }: Replacement, expected?: ExpectedValues): Error {
  return missingEntityError(exchange, () => entityNotFound(entitySet, keyText), expected);
}

/** Copies the immutable values of the entity to its replacement; null for a type without immutable properties. */
const keeperOf = keptPer((entityType: EntityType) => compileImmutableKeeper(entityType));
