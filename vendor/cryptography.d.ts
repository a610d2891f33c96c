/** One key, and what is sealed with it. */
interface Cipher {
  /** @returns the tag of 16 bytes, then as many bytes as the plaintext has */
  encrypt: (plaintext: Uint8Array) => Uint8Array;
  /** @throws Error for bytes that were not encrypted with this key and these associated data */
  decrypt: (ciphertext: Uint8Array) => Uint8Array;
}

/**
 * Deterministic authenticated encryption.
 * @param key 32, 48 or 64 bytes
 * @param associatedData what is authenticated, and not part of the ciphertext
 * @see RFC 5297
 */
type AesSiv = (key: Uint8Array, ...associatedData: Uint8Array[]) => Cipher;

/** A SHA-256 that has begun. */
interface Hash {
  update: (message: Uint8Array) => unknown;
  digest: () => Uint8Array;
}

/** The SHA-256 of bytes: 32 bytes. `create` begins one over bytes that are not there at once. @see FIPS 180-4 */
type Sha256 = ((message: Uint8Array) => Uint8Array) & { create: () => Hash };

/** Derives a key of `length` bytes. @see RFC 5869 */
type Hkdf = (
  hash: Sha256,
  inputKey: Uint8Array,
  salt: Uint8Array | undefined,
  info: Uint8Array,
  length: number,
) => Uint8Array;

/** Returns the functions. The first call computes their tables. */
export declare const cryptography: () => { readonly aessiv: AesSiv; readonly hkdf: Hkdf; readonly sha256: Sha256 };
