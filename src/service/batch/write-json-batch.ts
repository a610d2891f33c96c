import { isODataError } from "../../base/errors/odata-error.ts";
import { nextTurn } from "../../base/host.ts";
import { writeJsonString } from "../../base/json/write-json.ts";
import { Turn } from "../../base/maybe.ts";
import { encodeBase64Url } from "../../edm/base64.ts";
import { bareMediaType, BYTES } from "../../edm/media-type.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { BodyBuffer, LONG_BODY, parseBody } from "../../http/read-json-body.ts";
import { isUtf8Type } from "./text-type.ts";
import { chunksAround, chunksOf, type Chunks } from "./write-multipart.ts";

/** A response of a JSON batch. */
interface JsonResponse {
  readonly id: string;
  /** The name of the atomicity group, if the request has one. */
  readonly group: string | undefined;
  readonly response: ODataResponse;
}

/**
 * Writes the response of one request of a JSON batch, without a copy of JSON bodies.
 * @param separator the text between the response and the one before it
 * @see OData JSON Format 4.01, section 19.2
 */
export async function* writeJsonResponse({ id, group, response }: JsonResponse, separator: string): Chunks {
  const { status, headers, body } = response;
  const written = body === null || body === "" ? null : await writeBody(response, body);
  const sent = written?.isOctets === true ? { ...headers, "Content-Type": BYTES } : headers;
  const listed = Object.entries(sent)
    .filter(([name, value]) => name.toLowerCase() !== "content-type" || value !== "application/json")
    .map(([name, value]) => `${writeJsonString(name.toLowerCase())}:${writeJsonString(value)}`);
  const inGroup = group === undefined ? "" : `,"atomicityGroup":${writeJsonString(group)}`;
  const start = `${separator}{"id":${writeJsonString(id)}${inGroup},"status":${String(status)},"headers":{${listed.join(",")}}`;
  if (written === null) yield* chunksAround(start, null, "}");
  else yield* chunksAround(`${start},"body":`, written.body, "}");
}

type Body = NonNullable<ODataResponse["body"]>;

/** A body as a value of JSON. */
interface WrittenBody {
  readonly body: Body;
  /** Whether it is base64url although its type demands JSON or a string: the type must be that of octets. */
  readonly isOctets?: boolean;
}

/**
 * JSON stays as it is, text becomes a string, and anything else base64url. Stored bytes that are not what their type says
 * are octets: clients state the type, and must not forge responses of others with it.
 */
async function writeBody({ headers, isStored }: ODataResponse, body: Body): Promise<WrittenBody> {
  const contentType = headers["Content-Type"] ?? "";
  const type = bareMediaType(contentType);
  if (type === "application/json") {
    if (isStored !== true) return { body };
    const stored = await bytesOf(body);
    return (await isJson(stored)) ? { body: stored } : octets(stored);
  }
  const bytes = await bytesOf(body);
  if (!type.startsWith("text/")) return { body: `"${encodeBase64Url(bytes)}"` };
  const text = isUtf8Type(contentType) ? decode(bytes) : null;
  return text === null ? octets(bytes) : { body: writeJsonString(text) };
}

function octets(bytes: Uint8Array): WrittenBody {
  return { body: `"${encodeBase64Url(bytes)}"`, isOctets: true };
}

/** Clients read 64 levels of JSON, and a batch has three around a body. */
const STORED_DEPTH = 60;
/** The first byte of a byte order mark, which no JSON value within another begins with. */
const MARK = 0xef;

/** Whether bytes are JSON that may stand in other JSON. */
async function isJson(bytes: Uint8Array): Promise<boolean> {
  if (bytes[0] === MARK) return false;
  try {
    parseBody(bytes, STORED_DEPTH);
  } catch (error) {
    if (!isODataError(error)) throw error;
    return false;
  }
  if (bytes.length > LONG_BODY) await nextTurn();
  return true;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns text with its byte order mark; null for bytes that are not UTF-8. */
function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

async function bytesOf(body: Body): Promise<Uint8Array> {
  const bytes = new BodyBuffer(null, undefined);
  const turn = new Turn();
  for await (const chunk of chunksOf(body)) {
    bytes.add(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
    if (turn.isOver) await turn.next();
  }
  return bytes.end();
}
