const encoder = new TextEncoder();

/** Returns the Content-Length of a body that is there at once. */
export function bodyLength(body: string | Uint8Array): string {
  return String(typeof body === "string" ? encoder.encode(body).byteLength : body.byteLength);
}
