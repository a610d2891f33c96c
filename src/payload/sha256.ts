import { sha256 } from "#cryptography";
import { builtinModule } from "../base/host.ts";

/**
 * Returns the SHA-256 of bytes as Base64 with padding, synchronously. It uses the native hash of the host if available,
 * otherwise the bundled library.
 * @see FIPS 180-4
 */
export const sha256Base64: (bytes: Uint8Array) => string = nativeHash() ?? ((bytes) => toBase64(sha256(bytes)));

/** A SHA-256 over bytes that are not there at once. */
export interface Sha256 {
  readonly update: (bytes: Uint8Array) => void;
  /** Ends the hash. */
  readonly toBase64: () => string;
}

/** Begins a SHA-256, of the host if available. */
export function startSha256(): Sha256 {
  const native = nativeHashObject();
  if (native !== null) {
    return { update: (bytes) => void native.update(bytes), toBase64: () => native.digest("base64") };
  }
  const hash = sha256.create();
  return { update: (bytes) => void hash.update(bytes), toBase64: () => toBase64(hash.digest()) };
}

/** A `Hash` of Node.js. */
interface HashObject {
  readonly update: (bytes: Uint8Array) => unknown;
  readonly digest: (encoding: "base64") => string;
}

function nativeHashObject(): HashObject | null {
  const crypto = builtinModule("node:crypto");
  if (typeof crypto !== "object" || crypto === null || !("createHash" in crypto)) return null;
  const { createHash } = crypto;
  if (typeof createHash !== "function") return null;
  return (createHash as (algorithm: string) => HashObject)("sha256");
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

type HashFunction = (algorithm: string, data: Uint8Array, encoding: string) => unknown;

/** Returns the one-shot hash of Node.js and compatible hosts. */
function nativeHash(): ((bytes: Uint8Array) => string) | null {
  const crypto = builtinModule("node:crypto");
  if (typeof crypto !== "object" || crypto === null || !("hash" in crypto)) return null;
  const { hash } = crypto;
  if (typeof hash !== "function") return null;
  const digest = hash as HashFunction;
  return (bytes) => String(digest("sha256", bytes, "base64"));
}
