import { isMediaType } from "./media-type.ts";
import type { StoredBytes } from "./stream-property.ts";

/** The reference to bytes that an entity has. */
export interface StreamReference extends StoredBytes {
  readonly contentType: string;
}

/** The most characters of a Content-Type, an id and an ETag. */
export const MAX_STREAM_TEXT = 255;
const ETAG = /^[!#-~]{1,255}$/u;

/** Returns the text of a reference, as the entity stores it. */
export function writeStreamReference({ id, contentType, length, etag }: StreamReference): string {
  return JSON.stringify({ id, type: contentType, length, etag });
}

/**
 * Reads the text of a reference.
 * @returns null without one
 * @throws Error for a text that no service wrote
 */
export function readStreamReference(text: unknown): StreamReference | null {
  if (text === null || text === undefined) return null;
  const given: Readonly<Record<string, unknown>> = typeof text === "string" ? parsed(text) : {};
  const { id, type: contentType, length, etag } = given;
  if (typeof id !== "string" || typeof length !== "number" || typeof etag !== "string" || !isMediaType(contentType)) {
    throw new Error("The stored reference of a stream is none that the service wrote.");
  }
  return { id, contentType, length, etag };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    // Anything but an object lacks the members.
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** Checks what a store returns. @throws TypeError for bytes that no reference can name */
export function checkStored({ id, length, etag }: StoredBytes): void {
  const isId = typeof id === "string" && id !== "" && id.length <= MAX_STREAM_TEXT;
  if (isId && Number.isSafeInteger(length) && length >= 0 && typeof etag === "string" && ETAG.test(etag)) return;
  throw new TypeError("`write` of a stream store returned no { id, length, etag } of stored bytes.");
}
