import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { namedProperties } from "../../edm/hierarchy.ts";
import { BYTES, takesBytes } from "../../edm/media-type.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { bodyLimit, addMemberOperation, type EntityPlace, type MemberScope, memberScopes } from "./entity-set-paths.ts";
import { exampleOf } from "./examples.ts";
import type { DocumentObject } from "./open-api-document.ts";
import { writeConditionsOf, hasConditions, hasNotModified, IF_NONE_MATCH, readConditionsOf } from "./parameters.ts";
import { ETAG_HEADER, emptyResponse, errorResponses, jsonBody, jsonResponse, rawResponse } from "./responses.ts";
import { accessOf, type OperationDescription, type ServiceScope } from "./service-scope.ts";
import { envelope, withContext, objectSchema, valueSchema } from "./value-schemas.ts";

type PropertyScope = MemberScope<StructuralProperty>;

/**
 * Describes the routes of single properties, if the set has `propertyRouteDocsEnabled`.
 * @see docs/reference/properties.md
 */
export function addPropertyPaths(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace): void {
  if (!set.settings.propertyRouteDocsEnabled) return;
  const { property: methods, propertyValue } = scope.routesOf(set);
  for (const each of memberScopes(scope, set, place, valuesOf(set))) {
    const { member: property } = each;
    const isStructured = property.isCollection || property.type.kind === "ComplexType";
    const isWritable = !property.isKey && !property.computed && !property.immutable;
    if (methods.has("GET")) addRead(each);
    if (propertyValue.has("GET") && !isStructured) addValue(each);
    const isBytes = isWritable && takesBytes(property, scope.definition.profile.takesRawBytes);
    if (methods.has("PUT") && isBytes) addBytes(each);
    if (methods.has("DELETE") && isBytes && property.nullable) addClear(each, "/$value");
    if (methods.has("PUT") && isWritable) addWrite(each, "PUT");
    if (methods.has("PATCH") && isWritable && (!isStructured || isPatched(each))) addWrite(each, "PATCH");
    if (methods.has("DELETE") && isWritable && property.nullable && !property.isCollection) addClear(each);
  }
}

/** Returns the properties that have values: streams have routes of their own. */
function valuesOf({ entitySet: { entityType } }: EntitySetDefinition): readonly StructuralProperty[] {
  return namedProperties(entityType).filter(({ stream }) => stream === undefined);
}

/** Returns whether PATCH changes members of a complex value. */
function isPatched({ scope, member: { isCollection } }: PropertyScope): boolean {
  return scope.definition.profile.patchesComplexProperties && !isCollection;
}

/** Returns whether bodies are the value itself. */
function isBare({ scope, member: { type, isCollection } }: PropertyScope): boolean {
  return scope.definition.profile.complexValuesBare && type.kind === "ComplexType" && !isCollection;
}

function addRead(each: PropertyScope): void {
  const { scope, set, member: property } = each;
  const hasETag = set.entitySet.etag.length > 0;
  const headers = hasETag ? ETAG_HEADER : undefined;
  // Null is returned without content.
  const shown = { ...property, nullable: property.isCollection && property.nullable };
  const schema = valueSchema(shown, "answer", scope.schemas);
  const value = isBare(each) ? withContext(schema) : envelope({ value: schema });
  addMemberOperation(each, {
    method: "GET",
    id: "read",
    summary: `Read ${property.name}`,
    access: accessOf(set, "read"),
    parameters: readConditionsOf(set),
    responses: {
      200: jsonResponse("The value.", value, headers),
      ...(property.nullable && !property.isCollection ? { 204: emptyResponse("It is null.", headers) } : {}),
      ...(hasNotModified(set) ? { 304: emptyResponse("The client has it.", headers) } : {}),
      ...errorResponses({ isAddressed: true, isConditional: hasETag }),
    },
  });
}

function addValue(each: PropertyScope): void {
  const { scope, set, member: property } = each;
  const { nullRawValueIsEmpty } = scope.definition.profile;
  const isBinary = property.type.name === "Edm.Binary";
  const hasETag = set.entitySet.etag.length > 0;
  const shown = "The value without quotes.";
  const responses = {
    200: isBinary
      ? { description: shown, content: bytesOf(property) }
      : rawResponse(shown, "text/plain", { type: "string" }),
    ...(property.nullable && nullRawValueIsEmpty ? { 204: emptyResponse("It is null.") } : {}),
    ...(hasETag ? { 304: emptyResponse("The client has it.") } : {}),
    ...errorResponses({ isAddressed: true }),
  };
  const parameters = hasETag ? [IF_NONE_MATCH] : [];
  addMemberOperation(
    each,
    {
      method: "GET",
      id: "value",
      summary: `Read the raw value of ${property.name}`,
      access: accessOf(set, "read"),
      parameters,
      responses,
    },
    "/$value",
  );
}

/** Returns the content of bytes by media type. */
function bytesOf({ mediaType }: StructuralProperty): DocumentObject {
  const types = mediaType?.kind === "stored" ? (mediaType.accepts ?? ["*/*"]) : [mediaType?.type ?? BYTES];
  return Object.fromEntries(types.map((type) => [type, { schema: {} }]));
}

function addBytes(each: PropertyScope): void {
  const { member: property } = each;
  addMemberOperation(
    each,
    {
      ...writeParts(each),
      method: "PUT",
      id: "replaceValue",
      summary: `Set the bytes of ${property.name}`,
      requestBody: { required: true, content: bytesOf(property) },
    },
    "/$value",
  );
}

/** The parts that all writes with a body have. */
function writeParts({ set }: PropertyScope): Pick<OperationDescription, "access" | "parameters" | "responses"> {
  const isConditional = hasConditions(set);
  const needsCondition = set.settings.requireIfMatch;
  const reasons = { isAddressed: true, isWrite: true, isConditional, needsCondition, body: bodyLimit(set.settings) };
  return {
    access: { ...accessOf(set, "update"), checksRows: set.rows !== null },
    parameters: writeConditionsOf(set),
    responses: {
      204: emptyResponse("It is done.", set.entitySet.etag.length > 0 ? ETAG_HEADER : undefined),
      ...errorResponses(reasons),
    },
  };
}

function addWrite(each: PropertyScope, method: "PUT" | "PATCH"): void {
  const { scope, member: property } = each;
  const value = valueSchema({ ...property, nullable: property.nullable && !isBare(each) }, "body", scope.schemas);
  const body = isBare(each) ? value : objectSchema(undefined, { value }, ["value"]);
  const example = exampleOf(property);
  addMemberOperation(each, {
    ...writeParts(each),
    method,
    id: method === "PUT" ? "replace" : "patch",
    summary: `Set ${property.name}`,
    requestBody: jsonBody(body, isBare(each) ? example : { value: example }),
  });
}

function addClear(each: PropertyScope, suffix = ""): void {
  const { set, member: property } = each;
  const isConditional = hasConditions(set);
  const operation = {
    method: "DELETE",
    id: suffix === "" ? "clear" : "clearValue",
    summary: `Set ${property.name} to null`,
    access: { ...accessOf(set, "update"), checksRows: set.rows !== null },
    parameters: writeConditionsOf(set),
    responses: {
      204: emptyResponse("It is null.", set.entitySet.etag.length > 0 ? ETAG_HEADER : undefined),
      ...errorResponses({
        isAddressed: true,
        isWrite: true,
        isConditional,
        needsCondition: set.settings.requireIfMatch,
      }),
    },
  } as const;
  addMemberOperation(each, operation, suffix);
}
