import { protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { bareMediaType, BYTES, isMediaType } from "../../edm/media-type.ts";
import type { StructuralProperty, ComplexType, EntityType } from "../../edm/model.ts";
import { rowReader, toRow } from "../../engine/entities/canonical-entity.ts";
import { selectProperty, propertiesToRead } from "../../engine/plan/properties-to-read.ts";
import { readByKey, type FoundEntity } from "../../engine/reads/read-by-key.ts";
import { showEntities } from "../../engine/reads/show-virtual.ts";
import { checkBytesAccepted } from "../../http/media-type.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import { bindNoQuery } from "../../language/binder/bind-query-options.ts";
import { type OptionRules, valueOptions } from "../../language/binder/option-rules.ts";
import type { PropertyPath, ResourcePath } from "../../language/query/resource-path.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import { etagOf } from "../../payload/etag.ts";
import { compileFieldReader, requireObject } from "../../payload/property-reader.ts";
import { propertyContext } from "../../payload/urls.ts";
import { propertyWriter, writeRawProperty } from "../../payload/write-property.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { readJsonFormat, readOptions, readTextFormat } from "./bind-query.ts";
import { addressEntity, entityNotFound, checkMissingMatch, checkReadMatch, readerFor } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { isUnchanged } from "./read-entity.ts";
import { runtimeOf } from "./service-runtime.ts";
import { addressedEtag, contextOwner } from "./singleton-key.ts";
import { jsonResponse, noContentResponse, notModifiedResponse, okResponse, type Endpoint, inStages } from "./stages.ts";

/**
 * `GET /Set(key)/Property`: the value, in the envelope of the profile; 204 for null, 304 when the client has the entity.
 * @throws ODataError for negotiation, the key, a query option, a precondition, a missing entity; the error of the handler
 * @see docs/reference/properties.md
 */
export const readProperty: Endpoint = inStages({
  bind: (request) => openProperty(request, readJsonFormat, valueOptions),
  execute: ({ addressed, key }, execution) => {
    const { entitySet } = addressed;
    return chain(readOwner(execution, addressed, key, true), (found) => {
      // The ETag of an entity does not show whether the links of the path still lead to it.
      const isConditional = addressed.step === undefined;
      if (found === null) {
        if (isConditional) checkMissingMatch(execution, entitySet);
        throw entityNotFound(entitySet, addressed.key);
      }
      const state = etagOf(entitySet, found.entity, found.rowShape, execution.access.properties);
      const etag = addressedEtag(state, addressed);
      if (isConditional) checkReadMatch(execution, etag);
      if (isConditional && isUnchanged(execution, entitySet, etag, [addressed.property])) return { etag, found: null };
      return chain(showOwner(execution, addressed, found), (shown) => ({ etag, found: shown }));
    });
  },
  write: ({ etag, found }, { addressed, format, key }, request) => {
    if (found === null) return notModifiedResponse(request, etag ?? "");
    const { entitySet } = addressed;
    const property = addressedProperty(addressed);
    const extra = etag === undefined ? undefined : { ETag: etag };
    const { owner: named, predicate } = contextOwner(addressed, key);
    const contextUrl = propertyContext(request.serviceRoot, named, predicate, propertyPathText(addressed));
    const { complexValuesBare } = request.service.definition.profile;
    const owner = ownerOf(addressed, found);
    // A collection is never null, even below a complex value that is.
    if (owner === null && !property.isCollection) return noContentResponse(request, extra);
    const { type, value: holder, rowShape } = owner ?? { type: entitySet.entityType, value: {}, rowShape: undefined };
    const writer = propertyWriter(type, property, format, rowShape, complexValuesBare);
    const body = writer.writeEnvelope(holder, contextUrl);
    return body === null ? noContentResponse(request, extra) : jsonResponse(request, format, body, extra);
  },
});

/**
 * `GET /Set(key)/Property/$value`: the raw value of a primitive property, without envelope and quotes. The profile
 * decides whether null is 204 or `NotFound`.
 * @throws ODataError as for readProperty; `NotSupported` for a complex property
 * @see docs/reference/properties.md
 */
export const readPropertyValue: Endpoint = inStages({
  bind: (request) => {
    const property = addressedProperty(propertyPathOf(request.path));
    const bound = openProperty(request, isBytes(property) ? () => checkBytesFormat(request, property) : readTextFormat);
    if (!isStructured(property)) return bound;
    const reason = property.isCollection ? "is a collection" : "is complex";
    throw protocolError("NotSupported", `'${property.name}' ${reason} and has no raw value: read it without /$value.`, {
      target: propertyPathText(bound.addressed),
    });
  },
  execute: readExistingOwner,
  write: (found, { addressed, format }, request) => {
    const property = addressedProperty(addressed);
    const owner = ownerOf(addressed, found);
    const body = owner === null ? null : writeRawProperty(owner.type, property, owner.value, owner.rowShape);
    if (body !== null && format !== null) return okResponse(request, format, body);
    if (body !== null && owner !== null) return bytesResponse(request, addressed, owner, body);
    if (request.service.definition.profile.nullRawValueIsEmpty) return noContentResponse(request);
    throw protocolError("NotFound", `'${property.name}' is null, so it has no raw value.`);
  },
});

function isBytes({ type, isCollection }: StructuralProperty): boolean {
  return type.name === "Edm.Binary" && !isCollection;
}

/**
 * Makes the response with bytes. Browsers save bytes of a declared type instead of showing them: clients may have stored a
 * page with scripts.
 * @throws ODataError `NotAcceptable` for a stored media type that the client does not accept
 */
function bytesResponse(
  request: AuthorizedRequest,
  addressed: PropertyPath,
  owner: PropertyOwner,
  body: string | Uint8Array,
): ODataResponse {
  const { mediaType } = addressedProperty(addressed);
  const declared = (type: string): ODataResponse => ({
    ...okResponse(request, type, body, ATTACHMENT),
    isStored: true,
  });
  if (mediaType?.kind === "constant") return declared(mediaType.type);
  if (mediaType === undefined || isHidden(request, addressed, mediaType.property)) {
    return okResponse(request, BYTES, body);
  }
  const stored = writeRawProperty(owner.type, mediaType.property, owner.value, owner.rowShape);
  const type = isMediaType(stored) ? stored : BYTES;
  checkAccepted(request, type);
  return declared(type);
}

const ATTACHMENT = Object.freeze({ "Content-Disposition": "attachment" });

/** Whether the user may not read a property beside the addressed one. */
function isHidden(
  { access }: AuthorizedRequest,
  { entitySet, members }: PropertyPath,
  property: StructuralProperty,
): boolean {
  return members.length === 0 && access.properties?.unreadableOf(entitySet).has(property) === true;
}

/**
 * Checks that the client accepts the bytes of a property, if their type is known before they are read.
 * @returns null: the response decides on its Content-Type
 * @throws ODataError `UnsupportedFormat` or `NotAcceptable`
 */
export function checkBytesFormat(request: AuthorizedRequest, { mediaType }: StructuralProperty): null {
  if (mediaType?.kind !== "stored") checkAccepted(request, mediaType?.type ?? BYTES);
  return null;
}

function checkAccepted(request: AuthorizedRequest, type: string): void {
  const { mediaParameters } = request.service.definition.profile;
  const accept = request.arrival.odata.header("accept");
  checkBytesAccepted(bareMediaType(type), request.options.format, accept, mediaParameters);
}

/**
 * `GET /Set(key)/Property/$count`: the number of items of a collection, as plain text.
 * @throws ODataError for negotiation, the key, a query option, a missing entity; the error of the handler
 * @see OData URL Conventions 4.0, section 4.8; docs/reference/properties.md
 */
export const readPropertyCount: Endpoint = inStages({
  bind: (request) => openProperty(request, readTextFormat),
  execute: readExistingOwner,
  write: (found, { addressed, format }, request) => okResponse(request, format, String(countItems(addressed, found))),
});

/** Whether a property counts as complex: a complex value, or any collection. @see docs/reference/properties.md */
export function isStructured({ type, isCollection }: StructuralProperty): boolean {
  return isCollection || type.kind === "ComplexType";
}

/** Returns the property that a path addresses; the route table passes no other path. */
export function propertyPathOf(path: ResourcePath): PropertyPath {
  if ("property" in path) return path;
  throw new Error(`A path of kind ${path.kind} addresses no property.`);
}

/** Returns the key of the property's entity. @throws ODataError `InvalidKey` */
export function bindPropertyKey(request: AuthorizedRequest, { entitySet, key }: PropertyPath): unknown {
  return bindEntityKey(key, entitySet.entityType, request.options.options.aliases, entitySet.name);
}

/** A property whose key is bound. */
interface BoundProperty {
  readonly addressed: PropertyPath;
  readonly key: unknown;
}

/**
 * Chooses the format and binds the key.
 * @throws ODataError for negotiation, the key, a query option; `Unauthorized`, `Forbidden` for a property that the user may
 *   not read
 */
function openProperty<Format>(
  request: AuthorizedRequest,
  negotiate: (request: AuthorizedRequest) => Format,
  rulesOf?: (property: StructuralProperty) => OptionRules,
): BoundProperty & { readonly format: Format } {
  const addressed = propertyPathOf(request.path);
  const format = negotiate(request);
  const key = bindPropertyKey(request, addressed);
  bindNoQuery(readOptions(request), rulesOf?.(addressedProperty(addressed)));
  const { entitySet, property } = addressed;
  const { properties } = request.access;
  if (properties?.unreadableOf(entitySet).has(property) === true) throw properties.refusal(property, entitySet);
  return { addressed, key, format };
}

/** Reads the entity of a property. @throws ODataError `NotFound` */
function readExistingOwner({ addressed, key }: BoundProperty, execution: Execution): Maybe<FoundEntity> {
  return chain(readOwner(execution, addressed, key, true), (found) => {
    if (found === null) throw entityNotFound(addressed.entitySet, addressed.key);
    return showOwner(execution, addressed, found);
  });
}

/** Gives the entity of a virtual property the value of the property. */
function showOwner(
  execution: Execution,
  { entitySet, property }: PropertyPath,
  found: FoundEntity,
): Maybe<FoundEntity> {
  const { entity, rowShape } = found;
  const page = { entities: [entity], rowShape };
  const shown = showEntities(page, selectProperty(property), entitySet.entityType, execution.reader);
  return chain(shown, ({ entities: [first], ...layout }) => ({ ...found, ...layout, entity: first }));
}

/** Reads the entity of a property, or loads it for a rule. @param isUnbound as in `EntityAddress` */
export function readOwner(
  execution: Execution,
  { entitySet, property }: PropertyPath,
  key: unknown,
  isUnbound: boolean = false,
): Maybe<FoundEntity | null> {
  const { settings } = runtimeOf(execution.service, entitySet);
  const needs = { key: false, pushdown: settings.selectPushdownEnabled };
  return chain(addressEntity(execution, { entitySet, key, isUnbound }), (addressed) => {
    if (addressed !== undefined) return addressed;
    const selected = (): ReturnType<typeof propertiesToRead> =>
      propertiesToRead(entitySet, selectProperty(property), needs);
    return readByKey(entitySet, key, readerFor(execution, isUnbound), selected);
  });
}

/** The entity or complex value that contains an addressed property. */
interface PropertyOwner {
  readonly type: EntityType | ComplexType;
  /** An object, or a row if it is an entity. */
  readonly value: unknown;
  readonly rowShape: RowShape | undefined;
}

/** Returns the property that a path addresses. */
export function addressedProperty({ property, members }: PropertyPath): StructuralProperty {
  return members.at(-1) ?? property;
}

/** Returns the path of the addressed property below the entity, such as `Home/City`. */
export function propertyPathText({ property, members }: PropertyPath): string {
  return [property, ...members].map(({ name }) => name).join("/");
}

/**
 * Returns the entity or complex value that contains the addressed property.
 * @param found the entity, with at least the first property of the path
 * @returns null if a complex value on the way is null
 * @throws Error for a value of a handler that is not an object
 * @see OData URL Conventions 4.0, section 4.6
 */
export function ownerOf(path: PropertyPath, { entity, rowShape }: FoundEntity): PropertyOwner | null {
  const { entitySet, property, members } = path;
  const { entityType } = entitySet;
  if (members.length === 0) return { type: entityType, value: entity, rowShape };
  let type: EntityType | ComplexType = entityType;
  let value: unknown = rowShape === undefined ? entity : rowReader(rowShape)(toRow(entity));
  for (const step of [property, ...members.slice(0, -1)]) {
    const read = compileFieldReader(step.field);
    value = read(requireObject(value, type.qualifiedName)) ?? null;
    if (value === null) return null;
    if (step.type.kind !== "ComplexType") throw new Error(`${step.name} has no members.`);
    ({ type } = step);
  }
  return { type, value, rowShape: undefined };
}

/** Returns the number of items of the addressed collection: none where a complex value on the way is null. */
function countItems(path: PropertyPath, found: FoundEntity): number {
  const owner = ownerOf(path, found);
  if (owner === null) return 0;
  const { type, value, rowShape } = owner;
  const { field } = addressedProperty(path);
  const object = rowShape === undefined ? value : rowReader(rowShape)(toRow(value));
  const items = compileFieldReader(field)(requireObject(object, type.qualifiedName)) ?? [];
  if (Array.isArray(items)) return items.length;
  if (typeof items === "object" && Symbol.iterator in items) return [...(items as Iterable<unknown>)].length;
  throw new Error(`${type.qualifiedName}/${addressedProperty(path).name} is not a collection.`);
}
