import { Turn } from "../base/turn.ts";
import { encodeBase64Url } from "../edm/base64.ts";
import { BodyBuffer } from "../http/body-buffer.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { writeJsonString } from "../json/write-json.ts";
import { type Chunks, chunksAround, chunksOf } from "./write-multipart.ts";

/** A response of a JSON batch. */
export interface JsonResponse {
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
  const listed = Object.entries(headers)
    .filter(([name, value]) => name.toLowerCase() !== "content-type" || value !== "application/json")
    .map(([name, value]) => `${writeJsonString(name.toLowerCase())}:${writeJsonString(value)}`);
  const inGroup = group === undefined ? "" : `,"atomicityGroup":${writeJsonString(group)}`;
  const start = `${separator}{"id":${writeJsonString(id)}${inGroup},"status":${String(status)},"headers":{${listed.join(",")}}`;
  if (body === null || body === "") {
    yield* chunksAround(start, null, "}");
    return;
  }
  const type = headers["Content-Type"] ?? "";
  const written = type.startsWith("application/json") ? body : await writeBody(type, body);
  yield* chunksAround(`${start},"body":`, written, "}");
}

/** Text becomes a string, and anything that is neither text nor JSON becomes base64url. */
async function writeBody(contentType: string, body: NonNullable<ODataResponse["body"]>): Promise<string> {
  const bytes = await bytesOf(body);
  return contentType.startsWith("text/")
    ? writeJsonString(new TextDecoder().decode(bytes))
    : `"${encodeBase64Url(bytes)}"`;
}

async function bytesOf(body: NonNullable<ODataResponse["body"]>): Promise<Uint8Array> {
  const bytes = new BodyBuffer(null, undefined);
  const turn = new Turn();
  for await (const chunk of chunksOf(body)) {
    bytes.add(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
    if (turn.isOver) await turn.next();
  }
  return bytes.end();
}
