import { ERROR_CODES, type ErrorCode } from "../errors/error-codes.ts";
import type { DocumentObject, DocumentValue } from "./open-api-document.ts";

/** The statuses of errors that operations list. */
type ErrorStatus = 400 | 401 | 403 | 404 | 406 | 409 | 412 | 413 | 415 | 500 | 501 | 503;

/** The responses of errors, by status: the code that stands for each, and what it means. */
const ERRORS: Readonly<Record<ErrorStatus, readonly [ErrorCode, string]>> = {
  400: ["InvalidQueryOption", "The address, a query option, a parameter or the body is not one that is understood."],
  401: ["Unauthorized", "Nobody is signed in."],
  403: ["Forbidden", "Whoever is signed in may not do that."],
  404: ["NotFound", "There is no such resource."],
  406: ["NotAcceptable", "The Accept header excludes what there is."],
  409: ["Conflict", "What is there already stands against it."],
  412: ["PreconditionFailed", "If-Match or If-None-Match does not hold."],
  413: ["PayloadTooLarge", "The body is larger than the service takes."],
  415: ["UnsupportedMediaType", "The body is no JSON."],
  500: ["InternalServerError", "The service failed."],
  501: ["NotImplemented", "The request asks for something that the service does not support, such as @odata.bind."],
  503: ["ServiceUnavailable", "What the service works on is not there; Retry-After says when to come back."],
};

/** What a request may be refused for, beside what any may be. */
export interface RefusalReasons {
  /** Whether the address names an entity, or something of one. */
  readonly isAddressed?: boolean;
  /** Whether it changes something. */
  readonly isWrite?: boolean;
  /** Whether it has a body; `limited` where its size is. */
  readonly body?: "limited" | "unlimited" | undefined;
  /** Whether the body is an entity, which may link to others. */
  readonly isEntity?: boolean;
  /** Whether it may name an ETag. */
  readonly isConditional?: boolean;
}

/** References to the responses that say why a request was refused, but for who may not send it, by status. */
export function errorResponses(reasons: RefusalReasons): DocumentObject {
  return errorReferences([
    400,
    ...(reasons.isAddressed === true ? ([404] as const) : []),
    406,
    ...(reasons.isWrite === true ? ([409] as const) : []),
    ...(reasons.isConditional === true ? ([412] as const) : []),
    ...(reasons.body === "limited" ? ([413] as const) : []),
    ...(reasons.body === undefined ? [] : ([415] as const)),
    500,
    ...(reasons.isEntity === true ? ([501] as const) : []),
    503,
  ]);
}

/** References to the responses of errors, by status. */
export function errorReferences(statuses: readonly ErrorStatus[]): DocumentObject {
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${ERRORS[status][0]}` }]),
  );
}

/** The responses of errors by the names under which operations refer to them. */
export function errorComponents(): Readonly<Record<string, DocumentObject>> {
  return Object.fromEntries(Object.values(ERRORS).map(([code, description]) => [code, toResponse(code, description)]));
}

/** The name of the schema of errors: no type is named like that. */
export const ERROR_SCHEMA_NAME = "odata-error";

/** The body of every error. @see OData JSON Format 4.0, section 19 */
export const ERROR_SCHEMA: DocumentObject = {
  type: "object",
  description: "Why a request was refused.",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "string", description: "For programs.", examples: ["NotFound"] },
        message: { type: "string", description: "For people." },
        target: { type: "string", description: "The property, parameter, option or header at fault." },
      },
      required: ["code", "message"],
    },
  },
  required: ["error"],
};

function toResponse(code: ErrorCode, description: string): DocumentObject {
  const headers: Readonly<Record<number, DocumentObject>> = {
    401: { "WWW-Authenticate": { description: "How to sign in.", schema: { type: "string" } } },
    503: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } },
  };
  return {
    description,
    headers: headers[ERROR_CODES[code]],
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${ERROR_SCHEMA_NAME}` },
        example: { error: { code, message: description } },
      },
    },
  };
}

/** A response of JSON. @param hasETag whether it carries an ETag */
export function jsonResponse(description: string, schema: DocumentObject, headers?: DocumentObject): DocumentObject {
  return { description, headers, content: { "application/json": { schema } } };
}

/** A response without content. */
export function emptyResponse(description: string, headers?: DocumentObject): DocumentObject {
  return { description, headers };
}

/** A response of a raw value. */
export function rawResponse(description: string, mediaType: string, schema: DocumentObject): DocumentObject {
  return { description, content: { [mediaType]: { schema } } };
}

/** The header of the version of an entity. */
export const ETAG_HEADER: DocumentObject = {
  ETag: { description: "The version of the entity.", schema: { type: "string" } },
};

/** The header that tells where a new entity is. */
export const LOCATION_HEADER: DocumentObject = {
  Location: { description: "Where the entity is.", schema: { type: "string", format: "uri" } },
};

/** A body of JSON that must be there. @param example one that can be sent as it is; absent: none is shown */
export function jsonBody(schema: DocumentObject, example?: DocumentValue): DocumentObject {
  return { required: true, content: { "application/json": { schema, example } } };
}
