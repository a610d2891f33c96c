import { once } from "../base/memo.ts";
import { ETAG_DIGEST_LENGTH, type EtagDigest, type EtagDigests } from "../edm/model.ts";
import { sha256Base64 } from "./sha256.ts";

/** Separates the key of digests from everything else that is made of the secret. */
const PURPOSE = "odatakit ETag of all properties\n";

/**
 * Makes the digests of the JSON of entities: the start of SHA-256, with a key in front for entities with hidden values. Without
 * the key, a user could find a property with few values that only others may read, by trying them.
 * @param secret the secret of the service; undefined: no set needs a key
 * @see docs/reference/etags.md
 */
export function etagDigests(secret: string | Uint8Array | undefined): EtagDigests {
  return { plain, keyed: secret === undefined ? plain : keyedDigest(secret) };
}

const plain: EtagDigest = (text) => sha256Base64(text).slice(0, ETAG_DIGEST_LENGTH);

function keyedDigest(secret: string | Uint8Array): EtagDigest {
  const keyOf = once(() => deriveKey(secret));
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  // The digest is cut, so nobody can continue a hash without its key.
  return (text) => plain(keyOf() + (typeof text === "string" ? text : decoder.decode(text)));
}

function deriveKey(secret: string | Uint8Array): string {
  const encoder = new TextEncoder();
  const [purpose, bytes] = [encoder.encode(PURPOSE), typeof secret === "string" ? encoder.encode(secret) : secret];
  const input = new Uint8Array(purpose.length + bytes.length);
  input.set(purpose);
  input.set(bytes, purpose.length);
  return sha256Base64(input);
}
