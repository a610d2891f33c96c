import { sha256 } from "#cryptography";

/**
 * The SHA-256 of bytes as Base64 text with padding, synchronously. The native hash of the host does the work where it
 * has one; everywhere else the bundled library does.
 * @see FIPS 180-4
 */
export const sha256Base64: (bytes: Uint8Array) => string =
  nativeHash() ?? ((bytes) => btoa(String.fromCharCode(...sha256(bytes))));

type HashFunction = (algorithm: string, data: Uint8Array, encoding: string) => unknown;

/** The one-shot hash of Node.js and of what is compatible with it, without an import that other hosts lack. */
function nativeHash(): ((bytes: Uint8Array) => string) | null {
  const host: { readonly process?: { readonly getBuiltinModule?: (name: string) => unknown } } = globalThis;
  const crypto = host.process?.getBuiltinModule?.("node:crypto");
  if (typeof crypto !== "object" || crypto === null || !("hash" in crypto)) return null;
  const { hash } = crypto;
  if (typeof hash !== "function") return null;
  const digest = hash as HashFunction;
  return (bytes) => String(digest("sha256", bytes, "base64"));
}
