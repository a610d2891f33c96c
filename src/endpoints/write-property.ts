import { chain, type Maybe } from "../base/maybe.ts";
import { keptPer, once } from "../base/memo.ts";
import { bindNoQuery } from "../binder/bind-query-options.ts";
import type { EntitySet, StructuralProperty } from "../edm/model.ts";
import { protocolError } from "../errors/odata-error.ts";
import { isSavedSeen } from "../execution/check-written.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { etagOf } from "../payload/etag.ts";
import {
  compileChangedPropertyReader,
  compilePropertyBodyReader,
  type PropertyBodyReader,
} from "../payload/read-property-body.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { callPatch, patchHandler, type PatchTarget } from "./patch-entity.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import { bindPropertyKey, isStructured, propertyPathOf } from "./read-property.ts";
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
  const { entitySet, property, key: keyText } = propertyPathOf(path);
  readJsonFormat(exchange);
  const key = bindPropertyKey(exchange, entitySet, keyText);
  const body = openBody(exchange, entitySet);
  bindNoQuery(readOptions(exchange));
  checkWritable(property);
  const read = bodyReaders(exchange, entitySet, property)[reading]();
  return chain(body.read(read), (value) => writeValue(exchange, { entitySet, keyText, key }, property, value));
}

/**
 * `PATCH /Set(key)/Property`: the same as PUT for a primitive property. For a complex property it changes the members in
 * the body, where the profile allows that.
 * @throws ODataError `NotSupported` for a collection, and for a complex property otherwise; else as for PUT
 * @see OData Protocol 4.0, section 11.4.9.3; docs/reference/properties.md
 */
export const patchProperty: Endpoint = (exchange, path) => {
  const { property } = propertyPathOf(path);
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
  const { entitySet, property, key: keyText } = propertyPathOf(path);
  readJsonFormat(exchange);
  const key = bindPropertyKey(exchange, entitySet, keyText);
  bindNoQuery(readOptions(exchange));
  checkWritable(property);
  if (!property.nullable || property.isCollection) {
    const advice = property.isCollection ? "A collection may be empty: PUT []." : "PUT another value.";
    throw protocolError("NullNotAllowed", `'${property.name}' is never null. ${advice}`, { target: property.name });
  }
  return writeValue(exchange, { entitySet, keyText, key }, property, null);
};

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
  const { entitySet, property, key } = propertyPathOf(path);
  readJsonFormat(exchange);
  bindPropertyKey(exchange, entitySet, key);
  openBody(exchange, entitySet);
  bindNoQuery(readOptions(exchange));
  checkWritable(property);
  const kind = property.isCollection ? "a collection" : "complex";
  throw protocolError("NotSupported", `'${property.name}' is ${kind}: PUT its whole value.`, { target: property.name });
};

/** Refuses to write keys, computed and immutable properties. */
function checkWritable({ name, isKey, computed, immutable }: StructuralProperty): void {
  if (isKey) {
    throw protocolError("ImmutableKey", `'${name}' is part of the key, which never changes.`, { target: name });
  }
  if (computed) {
    throw protocolError("NotSupported", `'${name}' is computed by the service and cannot be written.`, {
      target: name,
    });
  }
  if (immutable) {
    throw protocolError("NotSupported", `'${name}' can be set only when the entity is created.`, {
      target: name,
    });
  }
}

function writeValue(
  exchange: Exchange,
  target: PatchTarget,
  property: StructuralProperty,
  value: unknown,
): Maybe<ODataResponse> {
  // fromEntries defines members, so a property may be named __proto__.
  const delta: object = Object.fromEntries([[property.field, value]]);
  const { entitySet } = target;
  return chain(callPatch(exchange, target, delta), (entity) =>
    chain(isSavedSeen(entitySet, entity, patchHandler(exchange, entitySet), exchange.reader), (isSeen) =>
      chain(isSeen ? headersOf(exchange, entitySet, entity) : undefined, (headers) =>
        noContentResponse(exchange, headers),
      ),
    ),
  );
}

function headersOf(exchange: Exchange, entitySet: EntitySet, entity: unknown): Maybe<ExtraHeaders> {
  return chain(etagOf(entitySet, entity, undefined, exchange.turn), (etag) => {
    return { ...(etag === undefined ? {} : { ETag: etag }), ...minimalPreference(exchange) };
  });
}
