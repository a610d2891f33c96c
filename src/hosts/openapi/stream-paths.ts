import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { type StructuralProperty, shownProperties } from "../../edm/model.ts";
import type { StreamTraits } from "../../edm/stream-property.ts";
import { addMemberOperation, type EntityPlace, type MemberScope } from "./entity-set-paths.ts";
import type { DocumentObject } from "./open-api-document.ts";
import { IF_NONE_MATCH, STREAM_CONDITIONS } from "./parameters.ts";
import { emptyResponse, errorResponses } from "./responses.ts";
import { accessOf, type OperationDescription, type ServiceScope } from "./service-scope.ts";
import { contentOf } from "./stream-content.ts";

type StreamScope = MemberScope<StructuralProperty> & { readonly traits: StreamTraits };

/** Describes the routes of streams, and of the bytes of media entities. @see docs/guides/streams.md */
export function addStreamPaths(scope: ServiceScope, set: EntitySetDefinition, place: EntityPlace): void {
  const { entityType } = set.entitySet;
  const { stream, media } = scope.routesOf(set);
  for (const member of [
    ...shownProperties(entityType),
    ...(entityType.media === undefined ? [] : [entityType.media]),
  ]) {
    const { stream: traits } = member;
    if (traits === undefined) continue;
    const isMedia = member === entityType.media;
    const segment = isMedia ? "$value" : encodeURIComponent(member.name);
    const named = isMedia ? { ...member, name: "media" } : member;
    const { name, key } = place;
    const each: StreamScope = { scope, set, member: named, name, path: `${place.path}/${segment}`, key, traits };
    const methods = isMedia ? media : stream;
    const what = isMedia ? "the bytes of the entity" : member.name;
    if (methods.has("GET")) addRead(each, what);
    if (methods.has("PUT")) addMemberOperation(each, { ...writeOf(each, "update"), ...replacing(traits, what) });
    if (methods.has("DELETE")) {
      const summary = isMedia ? "Delete the media entity" : `Delete the bytes of ${what}`;
      addMemberOperation(each, {
        ...writeOf(each, isMedia ? "delete" : "update"),
        method: "DELETE",
        id: "clear",
        summary,
      });
    }
  }
}

const HEADERS: DocumentObject = {
  ETag: { description: "Identifies the bytes.", schema: { type: "string" } },
};
const RANGE: DocumentObject = {
  name: "Range",
  in: "header",
  description: "One range of bytes, such as bytes=0-999.",
  schema: { type: "string" },
};

function addRead(each: StreamScope, what: string): void {
  addMemberOperation(each, {
    method: "GET",
    id: "read",
    summary: `Read ${what}`,
    access: accessOf(each.set, "read"),
    parameters: [RANGE, IF_NONE_MATCH],
    responses: {
      200: { description: "The bytes.", headers: HEADERS, content: contentOf(each.traits) },
      204: emptyResponse("There are no bytes."),
      206: { description: "The range of bytes.", headers: HEADERS, content: contentOf(each.traits) },
      304: emptyResponse("The client has the bytes."),
      ...errorResponses({ isAddressed: true, isConditional: true }),
      416: emptyResponse("No byte is in the range."),
    },
  });
}

function replacing(
  traits: StreamTraits,
  what: string,
): Pick<OperationDescription, "method" | "id" | "summary" | "requestBody"> {
  const requestBody = { required: true, content: contentOf(traits) };
  return { method: "PUT", id: "replace", summary: `Set ${what}`, requestBody };
}

/** The parts that all writes have. */
function writeOf(
  { set, traits }: StreamScope,
  category: "update" | "delete",
): Pick<OperationDescription, "access" | "parameters" | "responses"> {
  const body = traits.maxBytes === null ? "unlimited" : "limited";
  const needsCondition = set.settings.requireIfMatch;
  return {
    access: { ...accessOf(set, category), checksRows: set.rows !== null },
    parameters: STREAM_CONDITIONS,
    responses: {
      204: emptyResponse("It is done.", HEADERS),
      ...errorResponses({ isAddressed: true, isWrite: true, isConditional: true, needsCondition, body }),
    },
  };
}
