import { decodeBase64, encodeBase64Url } from "../edm/base64.ts";
import { sha256Base64 } from "./sha256.ts";

/** Makes tokens that only this service can read and nobody else can make. */
export interface TokenSeal {
  /**
   * Encrypts and signs a text. The same text, context and secret give the same token.
   * @param context what the token belongs to: it opens there and nowhere else
   * @returns base64url without padding
   */
  readonly seal: (text: string, context: string) => string;
  /** The text of a token; null for anything that was not sealed for this context with this secret. */
  readonly open: (token: string, context: string) => string | null;
}

/** The bytes that a hash takes in at a time. @see FIPS 180-4, section 1 */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const TAG_BYTES = 16;
/** Texts are filled up to a multiple of this, so that a token does not tell their exact length. */
const PADDING_BYTES = 32;
const END_OF_TEXT = 0x80;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Makes the seal of a service: authenticated encryption with a synthetic initialisation vector. The tag is the HMAC of
 * context and text, and it is also what the key stream, HMAC in counter mode, begins with; the two keys are derived from
 * the secret. No random numbers are needed, and a token that is used twice gives nothing away.
 * @param secret the secret of the service, which all of its processes share
 * @see RFC 5297, section 1.1 (the construction); RFC 2104 (HMAC)
 */
export function tokenSeal(secret: string | Uint8Array): TokenSeal {
  const key = typeof secret === "string" ? encoder.encode(secret) : secret;
  const authenticationKey = hmacSha256(key, encoder.encode("odatakit skiptoken authentication"));
  const encryptionKey = hmacSha256(key, encoder.encode("odatakit skiptoken encryption"));
  const tagOf = (text: Uint8Array, context: string): Uint8Array => {
    const owner = encoder.encode(context);
    return hmacSha256(authenticationKey, concat(encoder.encode(`${String(owner.length)}:`), owner, text)).slice(
      0,
      TAG_BYTES,
    );
  };
  return Object.freeze<TokenSeal>({
    seal: (text, context) => {
      const padded = pad(encoder.encode(text));
      const tag = tagOf(padded, context);
      return encodeBase64Url(concat(tag, applyKeyStream(padded, encryptionKey, tag)));
    },
    open: (token, context) => {
      const bytes = decodeBase64(token);
      // One token has one text: another spelling of the same bytes is not one that was issued.
      if (bytes === null || bytes.length <= TAG_BYTES || encodeBase64Url(bytes) !== token) return null;
      const tag = bytes.slice(0, TAG_BYTES);
      const padded = applyKeyStream(bytes.slice(TAG_BYTES), encryptionKey, tag);
      return areEqual(tag, tagOf(padded, context))
        ? decoder.decode(padded.slice(0, padded.lastIndexOf(END_OF_TEXT)))
        : null;
    },
  });
}

/**
 * The keyed hash of bytes: 32 bytes.
 * @see RFC 2104, section 2
 */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  const inner = sha256(
    concat(
      block.map((byte) => byte ^ 0x36),
      message,
    ),
  );
  return sha256(
    concat(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  );
}

function sha256(bytes: Uint8Array): Uint8Array {
  const digest = decodeBase64(sha256Base64(bytes));
  if (digest === null) throw new Error("The hash of the host gave no Base64.");
  return digest;
}

/** Encrypts and decrypts: the bytes xor the key stream. */
function applyKeyStream(bytes: Uint8Array, key: Uint8Array, tag: Uint8Array): Uint8Array {
  const result = bytes.slice();
  for (let start = 0; start < bytes.length; start += DIGEST_BYTES) {
    const stream = hmacSha256(key, concat(tag, Uint8Array.of(start >> 24, start >> 16, start >> 8, start)));
    for (const [index, byte] of stream.entries()) {
      const at = start + index;
      // Beyond the end nothing is stored.
      result[at] = (bytes[at] ?? 0) ^ byte;
    }
  }
  return result;
}

function pad(text: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((text.length + 1) / PADDING_BYTES) * PADDING_BYTES);
  padded.set(text);
  padded[text.length] = END_OF_TEXT;
  return padded;
}

/** Takes the same time wherever the first difference is. */
function areEqual(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
