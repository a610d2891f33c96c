/**
 * The SHA-256 of bytes as Base64 text with padding, synchronously. Where the host offers a native synchronous hash
 * it does the work; everywhere else `sha256Portable` does.
 * @see FIPS 180-4
 */
export const sha256Base64: (bytes: Uint8Array) => string = nativeHash() ?? ((bytes) => toBase64(sha256Portable(bytes)));

/** The fractional parts of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS = Uint32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);

/** The fractional parts of the square roots of the first 8 primes. */
const INITIAL_STATE = Uint32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);

const BLOCK = 64;
/** The length of the message in bits, at the end of the last block. */
const LENGTH_BYTES = 8;

/**
 * The SHA-256 of bytes in plain JavaScript: 32 bytes.
 * @see FIPS 180-4, section 6.2
 */
export function sha256Portable(bytes: Uint8Array): Uint8Array {
  const state = INITIAL_STATE.slice();
  const schedule = new Uint32Array(BLOCK);
  const padded = pad(bytes);
  const view = new DataView(padded.buffer);
  for (let offset = 0; offset < padded.length; offset += BLOCK) {
    extendSchedule(schedule, view, offset);
    compress(state, schedule);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setUint32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK);
  const padded = new Uint8Array(blocks * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  // The count of bits may exceed 32 bits where that of bytes does not.
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  return padded;
}

function extendSchedule(schedule: Uint32Array, block: DataView, offset: number): void {
  for (let index = 0; index < 16; index += 1) schedule[index] = block.getUint32(offset + index * 4);
  for (let index = 16; index < BLOCK; index += 1) {
    const near = at(schedule, index - 15);
    const far = at(schedule, index - 2);
    const sigma0 = rotate(near, 7) ^ rotate(near, 18) ^ (near >>> 3);
    const sigma1 = rotate(far, 17) ^ rotate(far, 19) ^ (far >>> 10);
    schedule[index] = (at(schedule, index - 16) + sigma0 + at(schedule, index - 7) + sigma1) | 0;
  }
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < BLOCK; index += 1) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + at(ROUND_CONSTANTS, index) + at(schedule, index)) | 0;
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = at(state, index) + word;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

type HashFunction = (algorithm: string, data: Uint8Array, encoding: string) => unknown;

/** The one-shot hash of Node.js and what is compatible with it, without importing a module that others lack. */
function nativeHash(): ((bytes: Uint8Array) => string) | null {
  const host: { readonly process?: { readonly getBuiltinModule?: (name: string) => unknown } } = globalThis;
  const crypto = host.process?.getBuiltinModule?.("node:crypto");
  if (typeof crypto !== "object" || crypto === null || !("hash" in crypto)) return null;
  const { hash } = crypto;
  if (typeof hash !== "function") return null;
  const digest = hash as HashFunction;
  return (bytes) => String(digest("sha256", bytes, "base64"));
}
