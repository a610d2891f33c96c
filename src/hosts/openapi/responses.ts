import { ERROR_CODES, type ErrorCode } from "../../base/errors/error-codes.ts";
import type { DocumentObject, DocumentValue } from "./open-api-document.ts";

/** The statuses of errors that operations list. */
type ErrorStatus = 400 | 401 | 403 | 404 | 406 | 409 | 412 | 413 | 415 | 428 | 500 | 501 | 503;

/** The example code and the description of errors, by status. */
const ERRORS: Readonly<Record<ErrorStatus, readonly [ErrorCode, string]>> = {
  400: ["InvalidQueryOption", "The URL, a query option, a parameter or the body is invalid."],
  401: ["Unauthorized", "The request has no valid credentials."],
  403: ["Forbidden", "The user may not make this request."],
  404: ["NotFound", "The resource does not exist."],
  406: ["NotAcceptable", "The Accept header excludes all available formats."],
  409: ["Conflict", "The request conflicts with existing data."],
  412: ["PreconditionFailed", "The condition of If-Match or If-None-Match is not met."],
  413: ["PayloadTooLarge", "The body is larger than the limit of the service."],
  415: ["UnsupportedMediaType", "The body is not JSON."],
  428: ["PreconditionRequired", "The request needs If-Match with the ETag of the entity."],
  500: ["InternalServerError", "The service failed."],
  501: ["NotImplemented", "The request asks for something that the service does not support, such as @odata.bind."],
  503: ["ServiceUnavailable", "The service is temporarily unavailable; Retry-After states when to retry."],
};

/** The properties of a request that cause further errors. */
interface RefusalReasons {
  /** Whether the URL addresses an entity, or a part of an entity. */
  readonly isAddressed?: boolean;
  /** Whether the request changes data. */
  readonly isWrite?: boolean;
  /** Whether the request has a body; `limited` if its size is limited. */
  readonly body?: "limited" | "unlimited" | undefined;
  /** Whether the body is an entity, which may contain links. */
  readonly isEntity?: boolean;
  /** Whether the request may have If-Match or If-None-Match. */
  readonly isConditional?: boolean;
  /** Whether the request needs a precondition. */
  readonly needsCondition?: boolean;
}

/** Returns references to the responses of errors, except 401 and 403, by status. */
export function errorResponses(reasons: RefusalReasons): DocumentObject {
  return errorReferences([
    400,
    ...(reasons.isAddressed === true ? ([404] as const) : []),
    406,
    ...(reasons.isWrite === true ? ([409] as const) : []),
    ...(reasons.isConditional === true ? ([412] as const) : []),
    ...(reasons.body === "limited" ? ([413] as const) : []),
    ...(reasons.body === undefined ? [] : ([415] as const)),
    ...(reasons.needsCondition === true ? ([428] as const) : []),
    500,
    ...(reasons.isEntity === true ? ([501] as const) : []),
    503,
  ]);
}

/** Returns references to the responses of errors, by status. */
export function errorReferences(statuses: readonly ErrorStatus[]): DocumentObject {
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${ERRORS[status][0]}` }]),
  );
}

/** Returns the responses of errors by their names in the document. */
export function errorComponents(): Readonly<Record<string, DocumentObject>> {
  return Object.fromEntries(Object.values(ERRORS).map(([code, description]) => [code, toResponse(code, description)]));
}

/** The name of the schema of errors, which no type can have. */
export const ERROR_SCHEMA_NAME = "odata-error";

/** The body of every error. @see OData JSON Format 4.0, section 19 */
export const ERROR_SCHEMA: DocumentObject = {
  type: "object",
  description: "The reason for a failed request.",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "string", description: "The code of the error, for programs.", examples: ["NotFound"] },
        message: { type: "string", description: "The explanation of the error, for people." },
        target: { type: "string", description: "The property, parameter, option or header at fault." },
        details: {
          type: "array",
          description: "The single faults of a body with several of them.",
          items: {
            type: "object",
            properties: { code: { type: "string" }, message: { type: "string" }, target: { type: "string" } },
            required: ["code", "message"],
          },
        },
      },
      required: ["code", "message"],
    },
  },
  required: ["error"],
};

function toResponse(code: ErrorCode, description: string): DocumentObject {
  const headers: Readonly<Record<number, DocumentObject>> = {
    401: { "WWW-Authenticate": { description: "The authentication scheme.", schema: { type: "string" } } },
    503: { "Retry-After": { description: "The number of seconds to wait.", schema: { type: "integer" } } },
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

/** Makes a response with JSON. */
export function jsonResponse(description: string, schema: DocumentObject, headers?: DocumentObject): DocumentObject {
  return { description, headers, content: { "application/json": { schema } } };
}

/** Makes a response without content. */
export function emptyResponse(description: string, headers?: DocumentObject): DocumentObject {
  return { description, headers };
}

/** Makes a response with a raw value. */
export function rawResponse(description: string, mediaType: string, schema: DocumentObject): DocumentObject {
  return { description, content: { [mediaType]: { schema } } };
}

/** The header with the version of an entity. */
export const ETAG_HEADER: DocumentObject = {
  ETag: { description: "The version of the entity.", schema: { type: "string" } },
};

/** The header with the URL of a new entity. */
export const LOCATION_HEADER: DocumentObject = {
  Location: { description: "The URL of the entity.", schema: { type: "string", format: "uri" } },
};

/** The body of `POST …/$query`. @see docs/reference/long-queries.md */
export const QUERY_BODY: DocumentObject = {
  required: true,
  content: {
    "text/plain": {
      schema: { type: "string", description: "The query options, as in a URL, without the question mark." },
      example: "$top=10&$count=true",
    },
  },
};

/** Makes a required body with JSON. @param example a valid body */
export function jsonBody(schema: DocumentObject, example?: DocumentValue): DocumentObject {
  return { required: true, content: { "application/json": { schema, example } } };
}
