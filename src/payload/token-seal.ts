import { cryptography } from "#cryptography";
import { once } from "../base/memo.ts";
import { decodeBase64, encodeBase64Url } from "../edm/base64.ts";

/** Encrypts and authenticates texts as tokens, which only this service can read and make. */
export interface TokenSeal {
  /**
   * Encrypts and authenticates a text. The same text, context and secret give the same token.
   * @param context the token can be opened only with the same context
   * @returns base64url without padding
   */
  readonly seal: (text: string, context: string) => string;
  /** Returns the text of a token; null unless it was sealed with this context and secret. */
  readonly open: (token: string, context: string) => string | null;
}

/** Two keys of AES-256: one authenticates, the other encrypts. */
const KEY_BYTES = 64;
const TAG_BYTES = 16;
/** Texts are padded to a multiple of this, so that a token does not reveal their exact length. */
const PADDING_BYTES = 32;
const END_OF_TEXT = 0x80;

type Cipher = ReturnType<ReturnType<typeof cryptography>["aessiv"]>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Makes the seal of a service: AES-SIV with a key derived from the secret. It needs no random numbers. Two tokens of the same
 * text reveal only that they are equal.
 * @param secret the secret of the service, shared by all of its processes
 * @see RFC 5297 (AES-SIV); RFC 5869 (the derivation of the key)
 */
export function tokenSeal(secret: string | Uint8Array): TokenSeal {
  const input = typeof secret === "string" ? encoder.encode(secret) : secret.slice();
  // Derived at the first use, since many processes never write a next link.
  const key = once(() => {
    const { hkdf, sha256 } = cryptography();
    return hkdf(sha256, input, undefined, encoder.encode("odatakit skiptoken"), KEY_BYTES);
  });
  const cipherFor = (context: string): Cipher => cryptography().aessiv(key(), encoder.encode(context));
  return Object.freeze<TokenSeal>({
    seal: (text, context) => encodeBase64Url(cipherFor(context).encrypt(pad(encoder.encode(text)))),
    open: (token, context) => {
      const bytes = decodeBase64(token);
      // The service issues only one spelling of the same bytes.
      if (bytes === null || bytes.length <= TAG_BYTES || encodeBase64Url(bytes) !== token) return null;
      const padded = decryptOrNull(cipherFor(context), bytes);
      return padded === null ? null : decoder.decode(padded.subarray(0, padded.lastIndexOf(END_OF_TEXT)));
    },
  });
}

/** The cipher throws for bytes that it did not make. Other errors are programming errors. */
function decryptOrNull(cipher: Cipher, bytes: Uint8Array): Uint8Array | null {
  try {
    return cipher.decrypt(bytes);
  } catch (error) {
    if (error instanceof Error && error.message === INVALID_TAG) return null;
    throw error;
  }
}

/** The message of the cipher's error for an invalid tag. */
const INVALID_TAG = "invalid siv tag";

function pad(text: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((text.length + 1) / PADDING_BYTES) * PADDING_BYTES);
  padded.set(text);
  padded[text.length] = END_OF_TEXT;
  return padded;
}
