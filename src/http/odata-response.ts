/** What a body may be: text goes as UTF-8; an iterable is sent chunk by chunk, with pauses for other requests. */
export type ResponseBody = string | Uint8Array | Iterable<string> | AsyncIterable<string> | null;

/** A response as an adapter sends it. */
export interface ODataResponse {
  readonly status: number;
  /** Header names in their documented spelling; OData-Version is always there. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResponseBody;
}

const encoder = new TextEncoder();

/** Returns the Content-Length of a body that is there at once. */
export function bodyLength(body: string | Uint8Array): string {
  return String(typeof body === "string" ? encoder.encode(body).byteLength : body.byteLength);
}
