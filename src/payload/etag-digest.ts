import { once } from "../base/memo.ts";
import type { EtagDigest } from "../edm/model.ts";
import { sha256Base64, sha256Base64OfText } from "./sha256.ts";

/** Separates the key of digests from everything else that is made of the secret. */
const PURPOSE = "odatakit ETag of all properties\n";
/** 132 bits, which do not collide by chance, and do not let anyone continue the hash. */
const DIGEST_LENGTH = 22;

/**
 * Makes the digest of the JSON of an entity: SHA-256 with a key in front, truncated. Without the key, a user could find a property
 * with few values that only others may read, by trying them.
 * @param secret the secret of the service; undefined: the digest has no key
 * @see docs/reference/etags.md
 */
export function etagDigest(secret: string | Uint8Array | undefined): EtagDigest {
  const keyOf = once(() => (secret === undefined ? "" : deriveKey(secret)));
  return (text) => sha256Base64OfText(keyOf() + text).slice(0, DIGEST_LENGTH);
}

function deriveKey(secret: string | Uint8Array): string {
  const encoder = new TextEncoder();
  const [purpose, bytes] = [encoder.encode(PURPOSE), typeof secret === "string" ? encoder.encode(secret) : secret];
  const input = new Uint8Array(purpose.length + bytes.length);
  input.set(purpose);
  input.set(bytes, purpose.length);
  return sha256Base64(input);
}
