import { aessiv, hkdf, sha256 } from "#cryptography";
import { decodeBase64, encodeBase64Url } from "../edm/base64.ts";

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

/** AES-256 twice: one half of the key authenticates, the other encrypts. */
const KEY_BYTES = 64;
const TAG_BYTES = 16;
/** Texts are filled up to a multiple of this, so that a token does not tell their exact length. */
const PADDING_BYTES = 32;
const END_OF_TEXT = 0x80;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Makes the seal of a service: AES-SIV with a key that is derived from the secret. It needs no random numbers, and two
 * tokens of the same text reveal only that they are the same.
 * @param secret the secret of the service, which all of its processes share
 * @see RFC 5297 (AES-SIV); RFC 5869 (the derivation of the key)
 */
export function tokenSeal(secret: string | Uint8Array): TokenSeal {
  const input = typeof secret === "string" ? encoder.encode(secret) : secret;
  const key = hkdf(sha256, input, undefined, encoder.encode("odatakit skiptoken"), KEY_BYTES);
  const cipherFor = (context: string): ReturnType<typeof aessiv> => aessiv(key, encoder.encode(context));
  return Object.freeze<TokenSeal>({
    seal: (text, context) => encodeBase64Url(cipherFor(context).encrypt(pad(encoder.encode(text)))),
    open: (token, context) => {
      const bytes = decodeBase64(token);
      // One token has one text: another spelling of the same bytes is not one that was issued.
      if (bytes === null || bytes.length <= TAG_BYTES || encodeBase64Url(bytes) !== token) return null;
      const padded = decryptOrNull(cipherFor(context), bytes);
      return padded === null ? null : decoder.decode(padded.subarray(0, padded.lastIndexOf(END_OF_TEXT)));
    },
  });
}

/** The cipher throws for bytes that it did not make; any other fault of it is one of the code. */
function decryptOrNull(cipher: ReturnType<typeof aessiv>, bytes: Uint8Array): Uint8Array | null {
  try {
    return cipher.decrypt(bytes);
  } catch (error) {
    if (error instanceof Error && error.message === INVALID_TAG) return null;
    throw error;
  }
}

/** What the cipher throws where the tag does not fit. */
const INVALID_TAG = "invalid siv tag";

function pad(text: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((text.length + 1) / PADDING_BYTES) * PADDING_BYTES);
  padded.set(text);
  padded[text.length] = END_OF_TEXT;
  return padded;
}
