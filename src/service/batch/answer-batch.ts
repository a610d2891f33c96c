import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { nextTurn } from "../../base/host.ts";
import { Turn } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import { ODATA_VERSION } from "../../http/base-url.ts";
import { readContinueOnError } from "../../http/headers.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { LONG_BODY, parseBody, checkBodyHeaders, checkContentHeaders } from "../../http/read-json-body.ts";
import { unreadable, type BatchItem, type PartPipeline } from "./batch-request.ts";
import { BatchRun, type BatchSettings, type ItemResult } from "./batch-run.ts";
import type { BatchOrigin } from "./part-url.ts";
import { readJsonBatch } from "./read-json-batch.ts";
import { readMultipart, readMultipartType } from "./read-multipart.ts";
import { writeJsonResponse } from "./write-json-batch.ts";
import { type Chunks, closing, writeChangeSet, writePart } from "./write-multipart.ts";

/** The batch formats and limits of a service. */
export interface BatchLimits {
  readonly multipart: boolean;
  readonly json: boolean;
  /** The most operations; null for no limit. */
  readonly maxParts: number | null;
  /** The milliseconds that all operations may take together; null for no limit. */
  readonly timeout: number | null;
  /** The milliseconds that the transaction of a change set may take; null for no limit. */
  readonly transactionTimeout: number | null;
  /** Whether change sets that cannot be atomic are executed operation by operation. */
  readonly isSequential: boolean;
  readonly maxBytes: number | null;
  readonly maxJsonDepth: number | null;
  readonly maxJsonValues: number | null;
  /** Whether the URL of a JSON request may be empty: the service root. */
  readonly takesEmptyUrls: boolean;
}

/** The depth of the bodies within a JSON batch: object, array, object. */
const ENVELOPE_DEPTH = 3;
/** The most levels of such a body, also without `maxJsonDepth`: bodies are written again, by recursion. */
const MOST_LEVELS = 1000;

/** A batch request that has passed authentication. */
interface BatchArrival {
  readonly request: ODataRequest;
  readonly context: Context;
  readonly origin: BatchOrigin;
}

/**
 * `POST /$batch`: reads the whole batch, and then executes its operations in order while the response is sent.
 * @throws ODataError `UnsupportedMediaType`, `PayloadTooLarge` and `InvalidBody` for a batch that cannot be read: nothing
 * of it is executed
 * @see docs/reference/batch.md
 */
export async function answerBatch(
  { request, context, origin }: BatchArrival,
  limits: BatchLimits,
  pipeline: PartPipeline,
): Promise<ODataResponse> {
  checkBodyHeaders(request, limits.maxBytes);
  const { type, boundary } = readMultipartType(request.header("content-type") ?? "");
  const isMultipart = type === "multipart/mixed" && limits.multipart;
  if (!isMultipart && !(type === "application/json" && limits.json)) throw unsupportedType(type, limits);
  if (isMultipart && boundary === null) {
    throw unreadable(
      "The Content-Type",
      "needs a boundary of at most 70 characters: multipart/mixed; boundary=batch_1.",
    );
  }
  if (!isMultipart) checkContentHeaders(request, limits.maxBytes);
  const bytes = await request.readBody(limits.maxBytes);
  const items =
    boundary !== null && isMultipart ? readMultipart(bytes, boundary, limits.maxParts) : await readJson(bytes, limits);
  if (bytes.length > LONG_BODY) await nextTurn();
  const wish = readContinueOnError(request.header("prefer"));
  const settings: BatchSettings = {
    origin,
    continueOnError: wish?.value ?? !isMultipart,
    isSequential: limits.isSequential,
    brokenReference: isMultipart ? unknownReference : failedDependency,
    answersEach: !isMultipart,
    timeout: limits.timeout,
    transactionTimeout: limits.transactionTimeout,
  };
  const results = new BatchRun(request, context, pipeline, settings).results(items);
  const applied = wish === undefined ? undefined : { "Preference-Applied": wish.applied };
  return isMultipart ? multipartResponse(results, applied) : jsonResponse(results, applied);
}

async function readJson(bytes: Uint8Array, limits: BatchLimits): Promise<readonly BatchItem[]> {
  const { maxJsonDepth, maxJsonValues } = limits;
  const depth = Math.min(maxJsonDepth ?? MOST_LEVELS, MOST_LEVELS) + ENVELOPE_DEPTH;
  const body = parseBody(bytes, depth, maxJsonValues ?? Infinity);
  if (bytes.length > LONG_BODY) await nextTurn();
  return readJsonBatch(body, limits);
}

type ExtraHeaders = Readonly<Record<string, string>> | undefined;

function multipartResponse(results: AsyncIterable<ItemResult>, extra: ExtraHeaders): ODataResponse {
  const boundary = `batchresponse_${crypto.randomUUID()}`;
  return batchResponse(`multipart/mixed; boundary=${boundary}`, extra, writeParts(results, boundary));
}

async function* writeParts(results: AsyncIterable<ItemResult>, boundary: string): Chunks {
  const turn = new Turn();
  for await (const { item, responses, isFailed } of results) {
    if (item.kind === "changeSet" && !isFailed) {
      yield* writeChangeSet(boundary, `changesetresponse_${crypto.randomUUID()}`, responses);
    } else {
      for (const each of responses) yield* writePart(boundary, each);
    }
    if (turn.isOver) await turn.next();
  }
  yield closing(boundary);
}

function jsonResponse(results: AsyncIterable<ItemResult>, extra: ExtraHeaders): ODataResponse {
  return batchResponse("application/json", extra, writeResponses(results));
}

async function* writeResponses(results: AsyncIterable<ItemResult>): Chunks {
  yield '{"responses":[';
  const turn = new Turn();
  let separator = "";
  for await (const { item, responses } of results) {
    const group = item.kind === "changeSet" ? item.id : undefined;
    for (const { id = "", response } of responses) {
      yield* writeJsonResponse({ id, group, response }, separator);
      separator = ",";
    }
    if (turn.isOver) await turn.next();
  }
  yield "]}";
}

function batchResponse(contentType: string, extra: ExtraHeaders, body: Chunks): ODataResponse {
  return {
    status: 200,
    headers: {
      "OData-Version": ODATA_VERSION,
      "Content-Type": contentType,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...extra,
    },
    body,
  };
}

function unknownReference(id: string): ODataError {
  return protocolError(
    "InvalidUrl",
    `$${id} refers to no earlier operation of the batch that succeeded. Give the operation the Content-ID ${id}.`,
    { target: "url" },
  );
}

function failedDependency(id: string): ODataError {
  return protocolError(
    "FailedDependency",
    `The request depends on ${JSON.stringify(id)}, which failed or does not exist.`,
  );
}

function unsupportedType(type: string, { multipart, json }: BatchLimits): ODataError {
  const types = [...(multipart ? ["multipart/mixed"] : []), ...(json ? ["application/json"] : [])];
  const message = `A batch has the Content-Type ${types.join(" or ")}.`;
  const option = new Map([
    ["application/json", "json"],
    ["multipart/mixed", "multipart"],
  ]).get(type);
  const hint = option === undefined ? "" : ` The option \`batch: { ${option}: true }\` of the service accepts ${type}.`;
  return protocolError("UnsupportedMediaType", message + hint, { target: "Content-Type" });
}
