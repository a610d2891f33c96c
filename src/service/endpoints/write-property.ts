import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer, once } from "../../base/memo.ts";
import { bareMediaType, BYTES } from "../../edm/media-type.ts";
import type { MediaType, StructuralProperty } from "../../edm/model.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import type { FoundEntity } from "../../engine/reads/read-by-key.ts";
import { refusalOfProperty, refusedProperties } from "../../engine/rules/property-access.ts";
import { isSavedSeen } from "../../engine/writes/check-written.ts";
import { readLeft } from "../../engine/writes/run-hooks.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { bindNoQuery } from "../../language/binder/bind-query-options.ts";
import type { PropertyPath } from "../../language/query/resource-path.ts";
import type { BodyObject } from "../../payload/body-members.ts";
import type { FacetFaults } from "../../payload/body-readers.ts";
import { etagOf } from "../../payload/etag.ts";
import {
  compileChangedPropertyReader,
  compilePropertyBodyReader,
  type PropertyBodyConversion,
} from "../../payload/read-property-body.ts";
import { compileRawBodyReader } from "../../payload/read-raw-body.ts";
import { type AuthorizedRequest, openBody, openBytes } from "./authorized-request.ts";
import { queryReaderOf, readJsonFormat, readOptions } from "./bind-query.ts";
import { requireEntity, entityNotFound, checkPreconditions, missingEntityError } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { callPatch, patchHandler } from "./patch-entity.ts";
import {
  addressedProperty,
  checkBytesFormat,
  ownerOf,
  propertyPathText,
  bindPropertyKey,
  isStructured,
  propertyPathOf,
  readOwner,
} from "./read-property.ts";
import {
  type EntitySetRuntime,
  facetFaults,
  keepsUnreadable,
  runtimeOf,
  type ServiceRuntime,
} from "./service-runtime.ts";
import { addressedEtag } from "./singleton-key.ts";
import { minimalPreference, noContentResponse, type Endpoint, inStages } from "./stages.ts";

/**
 * `PUT /Set(key)/Property`: replaces the value of one property, through the patch handler.
 * @throws ODataError for negotiation, the key, a read-only property, the body, a precondition, a missing entity; the
 * error of the handler
 * @see docs/reference/properties.md
 */
export const replaceProperty: Endpoint = writesBody("replace");
const changeProperty: Endpoint = writesBody("change");

/** Makes an endpoint that writes the value in the body through the patch handler. */
function writesBody(reading: "replace" | "change"): Endpoint {
  return inStages({
    bind: (request): Maybe<WrittenProperty> => {
      const addressed = propertyPathOf(request.path);
      readJsonFormat(request);
      const key = bindPropertyKey(request, addressed);
      const body = openBody(request, addressed.entitySet);
      bindNoQuery(readOptions(request));
      checkWritable(addressed);
      requireChangeable(request, addressed);
      const read = bodyReaders(request.service, addressed)[reading]();
      const name = propertyPathText(addressed);
      const faults = facetFaults(request.service, addressed.entitySet, "patch");
      return body.read((json, ieee754Compatible) => {
        const change = changeOf(addressed, read(json, ieee754Compatible, name, faults));
        return { addressed, key, change, faults };
      });
    },
    execute: writeValue,
    write: writtenResponse,
    refresh: readOwnerAgain,
  });
}

/**
 * `PUT /Set(key)/Property/$value`: replaces bytes by the body as it is, through the patch handler.
 * @throws ODataError `UnsupportedMediaType` for another media type than the property takes; else as for replaceProperty
 * @see OData Protocol 4.0, section 11.4.9.1; docs/reference/properties.md
 */
export const replacePropertyValue: Endpoint = inStages({
  bind: (request): Maybe<WrittenProperty> => {
    const addressed = propertyPathOf(request.path);
    const { entitySet, members } = addressed;
    const property = addressedProperty(addressed);
    const { mediaType } = property;
    checkBytesFormat(request, property);
    const key = bindPropertyKey(request, addressed);
    const body = openBytes(request, entitySet, acceptedTypes(mediaType));
    bindNoQuery(readOptions(request));
    checkWritable(addressed);
    requireChangeable(request, addressed);
    if (mediaType?.kind === "stored" && members.length === 0) {
      requireChangeable(request, { entitySet, property: mediaType.property });
    }
    const { raw } = bodyReaders(request.service, addressed);
    const faults = facetFaults(request.service, entitySet, "patch");
    return chain(body.read(), (bytes) => {
      const change = raw()(bytes, body.contentType, propertyPathText(addressed), faults);
      return { addressed, key, change, faults };
    });
  },
  execute: writeValue,
  write: writtenResponse,
  refresh: readOwnerAgain,
});

/** Returns the media types that PUT of bytes takes, in lower case; null: all. */
function acceptedTypes(mediaType: MediaType | undefined): readonly string[] | null {
  if (mediaType?.kind === "stored") return mediaType.accepts;
  return [bareMediaType(mediaType?.type ?? BYTES)];
}

/** A property to write, and its new value. */
interface WrittenProperty {
  readonly addressed: PropertyPath;
  readonly key: unknown;
  /** The changed members of the object that has the property. */
  readonly change: BodyObject;
  /** The facet faults of the body, reported together with the issues of `validate`. */
  readonly faults?: FacetFaults;
}

/**
 * `PATCH /Set(key)/Property`: the same as PUT for a primitive property. For a complex property it changes the members in
 * the body, where the profile allows that.
 * @throws ODataError `NotSupported` for a collection, and for a complex property otherwise; else as for PUT
 * @see OData Protocol 4.0, section 11.4.9.3; docs/reference/properties.md
 */
export const patchProperty: Endpoint = (request, execution) => {
  const property = addressedProperty(propertyPathOf(request.path));
  if (!isStructured(property)) return replaceProperty(request, execution);
  const { patchesComplexProperties } = request.service.definition.profile;
  const isRefused = property.isCollection || !patchesComplexProperties;
  return isRefused ? refusePatch(request) : changeProperty(request, execution);
};

/**
 * `DELETE /Set(key)/Property`, and `/$value` of bytes: sets the property to null.
 * @throws ODataError for negotiation, the key, a read-only or non-nullable property, a precondition, a missing entity;
 * the error of the handler
 * @see docs/reference/properties.md
 */
export const clearProperty: Endpoint = inStages({
  bind: (request) => {
    const addressed = propertyPathOf(request.path);
    const property = addressedProperty(addressed);
    if (addressed.kind === "propertyValue") checkBytesFormat(request, property);
    else readJsonFormat(request);
    const key = bindPropertyKey(request, addressed);
    bindNoQuery(readOptions(request));
    checkWritable(addressed);
    requireChangeable(request, addressed);
    if (!property.nullable || property.isCollection) {
      const advice = property.isCollection ? "A collection may be empty: PUT []." : "PUT another value.";
      const target = propertyPathText(addressed);
      throw protocolError("NullNotAllowed", `'${property.name}' is never null. ${advice}`, { target });
    }
    return { addressed, key, change: changeOf(addressed, null) };
  },
  execute: async (written, execution) =>
    (await isBelowNull(execution, written)) ? keepNull(execution, written) : writeValue(written, execution),
  write: writtenResponse,
  refresh: readOwnerAgain,
});

/** Whether a complex value on the way to a property is null, so that the property is null, too. */
async function isBelowNull(execution: Execution, { addressed, key }: WrittenProperty): Promise<boolean> {
  const { getByKey } = runtimeOf(execution.service, addressed.entitySet).handlers;
  if (addressed.members.length === 0 || getByKey === undefined) return false;
  const found = await readOwner(execution, addressed, key);
  return found !== null && ownerOf(addressed, found) === null;
}

/** The entity of a written property as it was saved; null where the user does not see it. */
type WrittenOwner = Pick<FoundEntity, "entity"> | null;

/** Leaves a property null, after the checks of a write: an absent complex value must not become an empty one. */
async function keepNull(execution: Execution, { addressed, key }: WrittenProperty): Promise<WrittenOwner> {
  const { entitySet, key: keyText } = addressed;
  const missing = (): ODataError => missingEntityError(execution, () => entityNotFound(entitySet, keyText));
  const found = await requireEntity(execution, { entitySet, key }, missing);
  const { entity } = await checkPreconditions(execution, { entitySet, key, addressed: found, isWholeNeeded: true });
  if (entity === undefined) throw missing();
  return { entity };
}

/** The readers of a property's bodies, each made on first use. */
interface PropertyReaders {
  readonly replace: () => PropertyBodyConversion;
  readonly change: () => PropertyBodyConversion;
  readonly raw: () => ReturnType<typeof compileRawBodyReader>;
}

const readersOf = keptPer((_runtime: EntitySetRuntime) => new Map<StructuralProperty, PropertyReaders>());

function bodyReaders(service: ServiceRuntime, path: PropertyPath): PropertyReaders {
  const runtime = runtimeOf(service, path.entitySet);
  const property = addressedProperty(path);
  const ofSet = readersOf(runtime);
  let known = ofSet.get(property);
  if (known === undefined) {
    const { unknownMembers } = runtime.settings;
    const { definition } = service;
    const { profile } = definition;
    const takesNull = path.members.length === 0 && keepsUnreadable(definitionIn(definition, path.entitySet), "patch");
    const reading = { ...profile, unknownMembers, keepsUnreadable: { patch: takesNull } };
    known = {
      replace: once(() => compilePropertyBodyReader(property, reading, profile.complexValuesBare)),
      change: once(() => compileChangedPropertyReader(property, reading)),
      raw: once(() => compileRawBodyReader(property, reading)),
    };
    ofSet.set(property, known);
  }
  return known;
}

function refusePatch(request: AuthorizedRequest): never {
  const addressed = propertyPathOf(request.path);
  readJsonFormat(request);
  bindPropertyKey(request, addressed);
  openBody(request, addressed.entitySet);
  bindNoQuery(readOptions(request));
  checkWritable(addressed);
  const { name, isCollection } = addressedProperty(addressed);
  const kind = isCollection ? "a collection" : "complex";
  const target = propertyPathText(addressed);
  throw protocolError("NotSupported", `'${name}' is ${kind}: PUT its whole value.`, { target });
}

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

/** @throws ODataError `Unauthorized`, `Forbidden` for a property that the user may not change */
function requireChangeable(
  request: AuthorizedRequest,
  { entitySet, property }: Pick<PropertyPath, "entitySet" | "property">,
): void {
  const ruled = queryReaderOf(request);
  if (!refusedProperties(ruled, entitySet, "update").has(property)) return;
  throw refusalOfProperty(ruled, "update", { property, owner: entitySet });
}

/** Returns a change of the addressed property alone. */
function changeOf(addressed: PropertyPath, value: unknown): BodyObject {
  // fromEntries defines members, so a property may be named __proto__.
  return Object.fromEntries([[addressedProperty(addressed).field, value]]);
}

async function writeValue(
  { addressed, key, change, faults }: WrittenProperty,
  execution: Execution,
): Promise<WrittenOwner> {
  const { entitySet, key: keyText, property, members } = addressed;
  const around = [property, ...members].slice(0, -1);
  const delta = around.reduceRight((inner, { field }) => Object.fromEntries([[field, inner]]), change);
  const entity = await callPatch(execution, { entitySet, keyText, key, faults }, delta);
  const handler = patchHandler(execution.service, entitySet);
  return (await isSavedSeen(entitySet, entity, handler, execution.reader)) ? { entity } : null;
}

/** Reads the entity of a written property again, after later writes of its change set. */
async function readOwnerAgain(
  owner: WrittenOwner,
  { addressed: { entitySet } }: WrittenProperty,
  { service, reader }: Execution,
): Promise<WrittenOwner> {
  if (owner === null) return null;
  const by = { set: definitionIn(service.definition, entitySet), handler: patchHandler(service, entitySet) };
  return { entity: await readLeft(by, owner.entity, false, reader) };
}

function writtenResponse(
  owner: WrittenOwner,
  { addressed }: WrittenProperty,
  request: AuthorizedRequest,
): ODataResponse {
  if (owner === null) return noContentResponse(request);
  const state = etagOf(addressed.entitySet, owner.entity, undefined, request.access.properties);
  const etag = addressedEtag(state, addressed);
  return noContentResponse(request, { ...(etag === undefined ? {} : { ETag: etag }), ...minimalPreference(request) });
}
