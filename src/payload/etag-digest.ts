import { once } from "../base/memo.ts";
import { ETAG_DIGEST_LENGTH, type EtagDigest, type EtagDigests } from "../edm/model.ts";
import { etagOfJson } from "./etag.ts";
import { murmurHash } from "./murmur-hash.ts";
import { sha256Base64 } from "./sha256.ts";

/** Separates the key of digests from everything else that is made of the secret. */
const PURPOSE = "odatakit ETag of all properties\n";

/**
 * Makes the digests of the JSON of entities. Entities that everyone may read have a fast hash; the others the start of SHA-256, with
 * a key in front. Without the key, a user could find a property with few values that only others may read, by trying them.
 * @param secret the secret of the service; undefined: no set needs a key
 * @see docs/reference/etags.md
 */
export function etagDigests(secret: string | Uint8Array | undefined): EtagDigests {
  return {
    plain: fastDigest(noSeed),
    seeded: fastDigest(secret === undefined ? noSeed : () => deriveKey(`${PURPOSE}seed\n`, secret)),
    keyed: textDigest(ETAG_DIGEST_LENGTH, cutSha256(secret)),
    ofValues: (entityType, etag) => textDigest(VALUES_LENGTH, etagOfJson(entityType, etag)),
  };
}

/** The characters of a SHA-256 with padding. */
const VALUES_LENGTH = 44;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Makes a digest of a function of texts.
 * @param length the number of characters that it returns, which are ASCII
 */
function textDigest(length: number, ofText: (text: string) => string): EtagDigest {
  return {
    length,
    ofText,
    write: (page, start, end, place) => {
      const digest = ofText(decoder.decode(new Uint8Array(page.buffer, page.byteOffset + start, end - start)));
      for (let index = 0; index < length; index += 1) page.setUint8(place + index, digest.charCodeAt(index));
    },
  };
}

function cutSha256(secret: string | Uint8Array | undefined): (text: string) => string {
  const keyOf = once(() => (secret === undefined ? "" : deriveKey(PURPOSE, secret)));
  // The digest is cut, so nobody can continue a hash without its key.
  return (text) => sha256Base64(keyOf() + text).slice(0, ETAG_DIGEST_LENGTH);
}

function deriveKey(purposeText: string, secret: string | Uint8Array): string {
  const [purpose, bytes] = [encoder.encode(purposeText), typeof secret === "string" ? encoder.encode(secret) : secret];
  const input = new Uint8Array(purpose.length + bytes.length);
  input.set(purpose);
  input.set(bytes, purpose.length);
  return sha256Base64(input);
}

/** Longer texts, in UTF-16 units, have bytes of their own. */
const MOST_UNITS = 4096;
/** A UTF-16 unit takes at most three bytes of UTF-8. */
const MOST_BYTES = 3;

function noSeed(): string {
  return "";
}

/** Returns four words of a text. */
function seedOf(text: string): Int32Array {
  const bytes = encoder.encode(text);
  const seed = new Int32Array(WORDS);
  if (text !== "") murmurHash(new DataView(bytes.buffer, 0, bytes.length), 0, bytes.length, seed, seed);
  return seed;
}

/** The words of a hash. */
const WORDS = 4;

/** Makes the digest that is the Base64 of MurmurHash3, without padding. @param seedText empty: the seed is 0 */
function fastDigest(seedText: () => string): EtagDigest {
  const hash = new Int32Array(WORDS);
  const seed = once(() => seedOf(seedText()));
  const pairs = once(base64Pairs);
  const bytes = new Uint8Array(MOST_UNITS * MOST_BYTES);
  const view = new DataView(bytes.buffer);
  const made = new Uint8Array(ETAG_DIGEST_LENGTH);
  const madeView = new DataView(made.buffer);
  const put = (from: DataView, start: number, end: number, page: DataView, place: number): void => {
    murmurHash(from, start, end, seed(), hash);
    writeBase64(hash, pairs(), page, place);
  };
  return {
    length: ETAG_DIGEST_LENGTH,
    ofText: (text) => {
      if (text.length <= MOST_UNITS) {
        put(view, 0, encoder.encodeInto(text, bytes).written, madeView, 0);
      } else {
        const all = encoder.encode(text);
        put(new DataView(all.buffer, 0, all.length), 0, all.length, madeView, 0);
      }
      // A spread of bytes takes longer than the hash.
      return decoder.decode(made);
    },
    write: (page, start, end, place) => put(page, start, end, page, place),
  };
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Returns the two characters of each 12 bits. */
function base64Pairs(): Uint16Array {
  const code = (index: number): number => BASE64.charCodeAt(index);
  return Uint16Array.from({ length: BASE64.length ** 2 }, (_none, bits) => (code(bits >> 6) << 8) | code(bits & 63));
}

/** Writes the Base64 of 128 bits, without padding. */
function writeBase64(words: Int32Array, pairs: Uint16Array, page: DataView, place: number): void {
  const first = words[0] ?? 0;
  const second = words[1] ?? 0;
  const third = words[2] ?? 0;
  const fourth = words[3] ?? 0;
  page.setUint16(place, pairs[first >>> 20] ?? 0);
  page.setUint16(place + 2, pairs[(first >>> 8) & 0xfff] ?? 0);
  page.setUint16(place + 4, pairs[((first & 0xff) << 4) | (second >>> 28)] ?? 0);
  page.setUint16(place + 6, pairs[(second >>> 16) & 0xfff] ?? 0);
  page.setUint16(place + 8, pairs[(second >>> 4) & 0xfff] ?? 0);
  page.setUint16(place + 10, pairs[((second & 0xf) << 8) | (third >>> 24)] ?? 0);
  page.setUint16(place + 12, pairs[(third >>> 12) & 0xfff] ?? 0);
  page.setUint16(place + 14, pairs[third & 0xfff] ?? 0);
  page.setUint16(place + 16, pairs[fourth >>> 20] ?? 0);
  page.setUint16(place + 18, pairs[(fourth >>> 8) & 0xfff] ?? 0);
  page.setUint16(place + 20, pairs[(fourth & 0xff) << 4] ?? 0);
}
