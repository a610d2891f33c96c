import type { BatchDefinition } from "../definition/service-definition.ts";
import type { DocumentObject } from "./open-api-document.ts";
import { errorReferences } from "./responses.ts";
import type { ServiceScope } from "./service-scope.ts";

/**
 * Describes `POST /$batch`. The schemas of the formats do not repeat the schemas of the operations in a batch.
 * @param tag the tag of routes without a set
 */
export function addBatchPath(scope: ServiceScope, tag: string): void {
  const { batch, defaultSettings } = scope.definition;
  if (batch === null) return;
  const limited = defaultSettings.maxRequestBodyBytes === null && batch.maxParts === null ? [] : ([413] as const);
  scope.add({
    method: "POST",
    path: "/$batch",
    id: "Batch",
    tag,
    summary: "Send several requests in one",
    access: { rules: [] },
    parameters: [PREFER_CONTINUE],
    requestBody: { required: true, content: contentOf(batch, MULTIPART_REQUEST, JSON_REQUEST) },
    responses: {
      200: {
        description: "The responses of the operations, in their order.",
        content: contentOf(batch, MULTIPART_RESPONSE, JSON_RESPONSE),
      },
      ...errorReferences([400, ...limited, 415, 500, 503]),
    },
  });
}

function contentOf(
  { multipart, json }: BatchDefinition,
  asMultipart: DocumentObject,
  asJson: DocumentObject,
): DocumentObject {
  return {
    ...(multipart ? { "multipart/mixed": asMultipart } : {}),
    ...(json ? { "application/json": asJson } : {}),
  };
}

const PREFER_CONTINUE: DocumentObject = {
  name: "Prefer",
  in: "header",
  description: "Whether operations after a failed one are executed.",
  schema: { type: "string", examples: ["continue-on-error"] },
};

const MULTIPART_REQUEST: DocumentObject = {
  schema: { type: "string", description: "Parts of the type application/http, or change sets of such parts." },
  example: [
    "--batch_1",
    "Content-Type: application/http",
    "Content-Transfer-Encoding: binary",
    "",
    "GET $metadata HTTP/1.1",
    "",
    "",
    "--batch_1--",
    "",
  ].join("\r\n"),
};

const MULTIPART_RESPONSE: DocumentObject = {
  schema: { type: "string", description: "Parts of the type application/http, or change sets of such parts." },
};

const TEXT: DocumentObject = { type: "string" };
const HEADERS: DocumentObject = { type: "object", additionalProperties: TEXT };

const JSON_REQUEST: DocumentObject = {
  schema: {
    type: "object",
    properties: {
      requests: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: TEXT,
            method: TEXT,
            url: TEXT,
            atomicityGroup: TEXT,
            dependsOn: { type: "array", items: TEXT },
            headers: HEADERS,
            body: {},
          },
          required: ["id", "method", "url"],
        },
      },
    },
    required: ["requests"],
  },
  example: { requests: [{ id: "1", method: "get", url: "$metadata" }] },
};

const JSON_RESPONSE: DocumentObject = {
  schema: {
    type: "object",
    properties: {
      responses: {
        type: "array",
        items: {
          type: "object",
          properties: { id: TEXT, atomicityGroup: TEXT, status: { type: "integer" }, headers: HEADERS, body: {} },
          required: ["id", "status"],
        },
      },
    },
    required: ["responses"],
  },
};
