import { cryptography } from "#cryptography";
import { builtinModule } from "../base/host.ts";
import { once } from "../base/memo.ts";

/**
 * Returns the SHA-256 of bytes, or of the UTF-8 of a well-formed text, as Base64 with padding, synchronously. It uses the native hash of the host if available,
 * otherwise the bundled library.
 * @see FIPS 180-4
 */
export function sha256Base64(data: Uint8Array | string): string {
  return hash()(data);
}

/** Looked up at the first use: Node.js takes longer to load its cryptography than odatakit to answer a request. */
const hash = once(() => nativeHash() ?? bundledHash);

function bundledHash(data: Uint8Array | string): string {
  return toBase64(cryptography().sha256(typeof data === "string" ? new TextEncoder().encode(data) : data));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

type HashFunction = (algorithm: string, data: Uint8Array | string, encoding: string) => unknown;

/** Returns the one-shot hash of Node.js and compatible hosts. */
function nativeHash(): ((data: Uint8Array | string) => string) | null {
  const crypto = builtinModule("node:crypto");
  if (typeof crypto !== "object" || crypto === null || !("hash" in crypto)) return null;
  const { hash } = crypto;
  if (typeof hash !== "function") return null;
  const digest = hash as HashFunction;
  return (data) => String(digest("sha256", data, "base64"));
}
