import { abandon, type ODataResponse, type ResponseBody } from "../../http/odata-response.ts";
import { reasonPhrase } from "../../http/reason-phrase.ts";

/** A response with the id of its operation. */
export interface OperationResponse {
  readonly id: string | undefined;
  readonly response: ODataResponse;
}

/** Chunks of a body. Each is sent alone, which costs more than to write a small response. */
export type Chunks = AsyncGenerator<string | Uint8Array, void, void>;

/**
 * Writes the response of one operation as a part, with its delimiter. Clients depend on the spelling of the names, on the
 * empty line after the headers, and on the version in each part.
 * @see OData Protocol 4.0, section 11.7.4
 */
export async function* writePart(boundary: string, { id, response }: OperationResponse): Chunks {
  const { status, headers, body } = response;
  const names = Object.entries(headers).map(([name, value]) => `${name}: ${oneLine(value)}\r\n`);
  const contentId = id === undefined ? "" : `Content-ID: ${id}\r\n`;
  const start =
    `--${boundary}\r\n` +
    `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n${contentId}\r\n` +
    `HTTP/1.1 ${String(status)} ${reasonPhrase(status)}\r\n${names.join("")}\r\n`;
  yield* chunksAround(start, body, "\r\n");
}

/** Writes the responses of a change set that succeeded, as one part of the batch. */
export async function* writeChangeSet(
  boundary: string,
  inner: string,
  responses: readonly OperationResponse[],
): Chunks {
  yield `--${boundary}\r\nContent-Type: multipart/mixed; boundary=${inner}\r\n\r\n`;
  for (const each of responses) yield* writePart(inner, each);
  yield closing(inner);
}

/** Returns the closing delimiter. */
export function closing(boundary: string): string {
  return `--${boundary}--\r\n`;
}

/**
 * Yields the chunks of a body between two texts. The end is a separate chunk: a stream requests one chunk more than the
 * client has read, and this must not begin the next operation.
 */
export async function* chunksAround(start: string, body: ResponseBody, end: string): Chunks {
  if (body === null || typeof body === "string") {
    yield start + (body ?? "");
  } else {
    yield* startedBy(start, body);
  }
  yield end;
}

/** A reader that leaves at the first chunk has not begun the body. */
async function* startedBy(start: string, body: ResponseBody): Chunks {
  let isBegun = false;
  try {
    yield start;
    isBegun = true;
    yield* chunksOf(body);
  } finally {
    if (!isBegun) abandon(body);
  }
}

/** Yields the chunks of a body. */
export async function* chunksOf(body: ResponseBody): Chunks {
  if (body === null || body === "") return;
  if (typeof body === "string" || body instanceof Uint8Array) yield body;
  else yield* body;
}

/** A line break in a value would start another header. */
function oneLine(value: string): string {
  return value.replaceAll(/[\r\n]+/g, " ");
}
