/** An operation of a batch. */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path with its query, encoded, or a reference such as `$1`. */
  readonly url: string;
  readonly id?: string;
  readonly body?: unknown;
}

/** A single operation, or the operations of a change set. */
export type BatchItem = Operation | readonly Operation[];

/** The response to one operation. */
export interface OperationAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** One response for each item: several for a change set that succeeded. */
export type ItemAnswer = readonly OperationAnswer[];

const BOUNDARY = "batch_soak";
const INNER = "changes_soak";
const BREAK = "\r\n";

/** The media type of the batches. */
export const MULTIPART: string = `multipart/mixed; boundary=${BOUNDARY}`;

/** Writes a batch as `multipart/mixed`. */
export function toMultipart(items: readonly BatchItem[]): string {
  return write(
    BOUNDARY,
    items.map((item) =>
      isChangeSet(item)
        ? `Content-Type: multipart/mixed; boundary=${INNER}${BREAK}${BREAK}${write(INNER, item.map(writeOperation))}`
        : writeOperation(item),
    ),
  );
}

function isChangeSet(item: BatchItem): item is readonly Operation[] {
  return Array.isArray(item);
}

function write(boundary: string, parts: readonly string[]): string {
  return [...parts.map((part) => `--${boundary}${BREAK}${part}${BREAK}`), `--${boundary}--${BREAK}`].join("");
}

function writeOperation({ method, url, id, body }: Operation): string {
  const contentId = id === undefined ? "" : `Content-ID: ${id}${BREAK}`;
  const type = body === undefined ? "" : `Content-Type: application/json${BREAK}`;
  const head = `Content-Type: application/http${BREAK}${contentId}${BREAK}${method} ${url} HTTP/1.1${BREAK}${type}${BREAK}`;
  return head + (body === undefined ? "" : JSON.stringify(body));
}

/** Reads the response to a batch. @throws Error if it is cut off */
export function readMultipart(body: Buffer, contentType: string): readonly ItemAnswer[] {
  return read(body.toString("latin1"), contentType).map((part) => {
    const [head, rest] = cut(part);
    return head.includes("multipart/mixed") ? read(rest, head).map(readOperation) : [readOperation(part)];
  });
}

/** Returns the parts without their delimiters. */
function read(text: string, contentType: string): readonly string[] {
  const boundary = /boundary="?([^";\s]+)/u.exec(contentType)?.[1] ?? "";
  if (!text.includes(`--${boundary}--`)) throw new Error(`The closing delimiter ${boundary} is missing.`);
  const parts = text.split(`--${boundary}`).slice(1, -1);
  return parts.map((part) => part.slice(BREAK.length, -BREAK.length));
}

function readOperation(part: string): OperationAnswer {
  const [, message] = cut(part);
  const [head, body] = cut(message);
  return { status: Number(head.split(" ", 2)[1]), body: Buffer.from(body, "latin1") };
}

/** Cuts a text at its first empty line. */
function cut(text: string): readonly [head: string, rest: string] {
  const at = text.indexOf(BREAK + BREAK);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 2 * BREAK.length)];
}

/** Writes a batch in JSON. Each change set is an atomicity group. */
export function toJsonBatch(items: readonly BatchItem[]): string {
  const requests = items.flatMap((item, place) => {
    const operations = isChangeSet(item) ? item : [item];
    return operations.map(({ method, url, id, body }, index) => ({
      id: id ?? `${String(place)}.${String(index)}`,
      method,
      url,
      ...(isChangeSet(item) ? { atomicityGroup: `g${String(place)}` } : {}),
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body }),
    }));
  });
  return JSON.stringify({ requests });
}
