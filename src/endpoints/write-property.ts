import { chain, type Maybe } from "../base/maybe.ts";
import { keptPer, once } from "../base/memo.ts";
import { bindNoQuery } from "../binder/bind-query-options.ts";
import type { EntitySet, StructuralProperty } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { isSavedSeen } from "../execution/writes/check-written.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { etagOf } from "../payload/etag.ts";
import {
  compileChangedPropertyReader,
  compilePropertyBodyReader,
  type PropertyBodyReader,
} from "../payload/read-property-body.ts";
import type { PropertyPath, ResourcePath } from "../query/resource-path.ts";
import { requireEntity } from "./addressed-entity.ts";
import { checkPreconditions, missingEntityError } from "./current-entity.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { callPatch, patchHandler, type PatchTarget } from "./patch-entity.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import {
  addressedProperty,
  ownerOf,
  propertyPathText,
  bindPropertyKey,
  entityNotFound,
  isStructured,
  propertyPathOf,
  readOwner,
} from "./read-property.ts";
import { openBody } from "./request-body.ts";
import { type ExtraHeaders, minimalPreference, noContentResponse } from "./response.ts";
import type { EntitySetRuntime } from "./service-runtime.ts";

/**
 * `PUT /Set(key)/Property`: replaces the value of one property, through the patch handler.
 * @throws ODataError for negotiation, the key, a read-only property, the body, a precondition, a missing entity; the
 * error of the handler
 * @see docs/reference/properties.md
 */
export const replaceProperty: Endpoint = (exchange, path) => writeBody(exchange, path, "replace");

/** Writes the value in the body through the patch handler. */
function writeBody(
  exchange: Exchange,
  path: ResourcePath,
  reading: keyof PropertyReaders,
): ODataResponse | PromiseLike<ODataResponse> {
  const addressed = propertyPathOf(path);
  const { entitySet, key: keyText } = addressed;
  readJsonFormat(exchange);
  const key = bindPropertyKey(exchange, entitySet, keyText);
  const body = openBody(exchange, entitySet);
  bindNoQuery(readOptions(exchange));
  checkWritable(addressed);
  const read = bodyReaders(exchange, entitySet, addressedProperty(addressed))[reading]();
  const name = propertyPathText(addressed);
  return chain(
    body.read((json, ieee754Compatible) => read(json, ieee754Compatible, name)),
    (value) => writeValue(exchange, { entitySet, keyText, key }, addressed, value),
  );
}

/**
 * `PATCH /Set(key)/Property`: the same as PUT for a primitive property. For a complex property it changes the members in
 * the body, where the profile allows that.
 * @throws ODataError `NotSupported` for a collection, and for a complex property otherwise; else as for PUT
 * @see OData Protocol 4.0, section 11.4.9.3; docs/reference/properties.md
 */
export const patchProperty: Endpoint = (exchange, path) => {
  const property = addressedProperty(propertyPathOf(path));
  if (!isStructured(property)) return replaceProperty(exchange, path);
  const { patchesComplexProperties } = exchange.service.definition.profile;
  if (property.isCollection || !patchesComplexProperties) return refusePatch(exchange, path);
  return writeBody(exchange, path, "change");
};

/**
 * `DELETE /Set(key)/Property`: sets the property to null.
 * @throws ODataError for negotiation, the key, a read-only or non-nullable property, a precondition, a missing entity;
 * the error of the handler
 * @see docs/reference/properties.md
 */
export const clearProperty: Endpoint = (exchange, path) => {
  const addressed = propertyPathOf(path);
  const { entitySet, key: keyText } = addressed;
  const property = addressedProperty(addressed);
  readJsonFormat(exchange);
  const key = bindPropertyKey(exchange, entitySet, keyText);
  bindNoQuery(readOptions(exchange));
  checkWritable(addressed);
  if (!property.nullable || property.isCollection) {
    const advice = property.isCollection ? "A collection may be empty: PUT []." : "PUT another value.";
    const target = propertyPathText(addressed);
    throw protocolError("NullNotAllowed", `'${property.name}' is never null. ${advice}`, { target });
  }
  const target = { entitySet, keyText, key };
  return chain(isBelowNull(exchange, addressed, key), (isNull) =>
    isNull ? keepNull(exchange, target) : writeValue(exchange, target, addressed, null),
  );
};

/** Whether a complex value on the way to a property is null, so that the property is null, too. */
function isBelowNull(exchange: Exchange, path: PropertyPath, key: unknown): Maybe<boolean> {
  if (path.members.length === 0 || exchange.entitySet(path.entitySet).handlers.getByKey === undefined) return false;
  return chain(readOwner(exchange, path, key), (found) => found !== null && ownerOf(path, found) === null);
}

/** Leaves a property null, after the checks of a write: an absent complex value must not become an empty one. */
function keepNull(exchange: Exchange, { entitySet, keyText, key }: PatchTarget): Maybe<ODataResponse> {
  const missing = (): ODataError => missingEntityError(exchange, () => entityNotFound(entitySet, keyText));
  const current = chain(requireEntity(exchange, { entitySet, key }, missing), (addressed) =>
    checkPreconditions(exchange, { entitySet, key, addressed, isWholeNeeded: true }),
  );
  return chain(current, ({ entity }) => {
    if (entity === undefined) throw missing();
    return noContentResponse(exchange, headersOf(exchange, entitySet, entity));
  });
}

/** The readers of a property's bodies, each made on first use. */
interface PropertyReaders {
  readonly replace: () => PropertyBodyReader;
  readonly change: () => PropertyBodyReader;
}

const readersOf = keptPer((_runtime: EntitySetRuntime) => new Map<StructuralProperty, PropertyReaders>());

function bodyReaders(exchange: Exchange, entitySet: EntitySet, property: StructuralProperty): PropertyReaders {
  const runtime = exchange.entitySet(entitySet);
  const ofSet = readersOf(runtime);
  let known = ofSet.get(property);
  if (known === undefined) {
    const { unknownMembers } = runtime.settings;
    const { complexValuesBare } = exchange.service.definition.profile;
    known = {
      replace: once(() => compilePropertyBodyReader(property, unknownMembers, complexValuesBare)),
      change: once(() => compileChangedPropertyReader(property, unknownMembers)),
    };
    ofSet.set(property, known);
  }
  return known;
}

const refusePatch: Endpoint = (exchange, path) => {
  const addressed = propertyPathOf(path);
  const { entitySet, key } = addressed;
  readJsonFormat(exchange);
  bindPropertyKey(exchange, entitySet, key);
  openBody(exchange, entitySet);
  bindNoQuery(readOptions(exchange));
  checkWritable(addressed);
  const { name, isCollection } = addressedProperty(addressed);
  const kind = isCollection ? "a collection" : "complex";
  const target = propertyPathText(addressed);
  throw protocolError("NotSupported", `'${name}' is ${kind}: PUT its whole value.`, { target });
};

/** Refuses to write keys, computed and immutable properties, and members of them. */
function checkWritable(path: PropertyPath): void {
  const target = propertyPathText(path);
  for (const { name, isKey, computed, immutable } of [path.property, ...path.members]) {
    if (isKey) {
      throw protocolError("ImmutableKey", `'${name}' is part of the key, which never changes.`, { target });
    }
    if (computed) {
      throw protocolError("NotSupported", `'${name}' is computed by the service and cannot be written.`, { target });
    }
    if (immutable) {
      throw protocolError("NotSupported", `'${name}' can be set only when the entity is created.`, { target });
    }
  }
}

function writeValue(
  exchange: Exchange,
  target: PatchTarget,
  { property, members }: PropertyPath,
  value: unknown,
): Maybe<ODataResponse> {
  const delta = [property, ...members].reduceRight(
    // fromEntries defines members, so a property may be named __proto__.
    (inner, { field }): unknown => Object.fromEntries([[field, inner]]),
    value,
  ) as object;
  const { entitySet } = target;
  return chain(callPatch(exchange, target, delta), (entity) =>
    chain(isSavedSeen(entitySet, entity, patchHandler(exchange, entitySet), exchange.reader), (isSeen) =>
      noContentResponse(exchange, isSeen ? headersOf(exchange, entitySet, entity) : undefined),
    ),
  );
}

function headersOf(exchange: Exchange, entitySet: EntitySet, entity: unknown): ExtraHeaders {
  const etag = etagOf(entitySet, entity, undefined);
  return { ...(etag === undefined ? {} : { ETag: etag }), ...minimalPreference(exchange) };
}
