import { sha256Base64 } from "../payload/sha256.ts";

/** One format of $metadata. */
export interface MetadataRepresentation {
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly etag: string;
}

/**
 * Makes one format of $metadata, whose ETag is the hash of its bytes.
 * @see docs/reference/formats.md
 */
export function metadataRepresentation(contentType: string, text: string): MetadataRepresentation {
  const body = new TextEncoder().encode(text);
  return { contentType, body, etag: `"${sha256Base64(body)}"` };
}
