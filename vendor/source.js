// What `npm run vendor` bundles into cryptography.js.
export { aessiv } from "@noble/ciphers/aes.js";
export { hkdf } from "@noble/hashes/hkdf.js";
export { sha256 } from "@noble/hashes/sha2.js";
