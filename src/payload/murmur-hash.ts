/** The number of bytes of a block, and of a hash. */
const BLOCK = 16;

const C1 = 0x239b961b;
const C2 = 0xab0e9789 | 0;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93 | 0;

/**
 * Hashes bytes by MurmurHash3_x86_128. It is many times faster than a cryptographic hash for short texts, and none: who
 * wants to can make two texts with one hash. Texts of equal length that differ within one block of 16 bytes have different
 * hashes, since each step is a permutation.
 * @param seed the words to start with; those of the original are equal
 * @param hash gets the hash
 * @see https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp
 */
export function murmurHash(view: DataView, start: number, end: number, seed: Int32Array, hash: Int32Array): void {
  let h1 = seed[0] ?? 0;
  let h2 = seed[1] ?? 0;
  let h3 = seed[2] ?? 0;
  let h4 = seed[3] ?? 0;
  let at = start;
  for (const last = end - BLOCK; at <= last; at += BLOCK) {
    h1 ^= mixed(view.getInt32(at, true), C1, 15, C2);
    h1 = (Math.imul((rotated(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= mixed(view.getInt32(at + 4, true), C2, 16, C3);
    h2 = (Math.imul((rotated(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= mixed(view.getInt32(at + 8, true), C3, 17, C4);
    h3 = (Math.imul((rotated(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= mixed(view.getInt32(at + 12, true), C4, 18, C1);
    h4 = (Math.imul((rotated(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  if (at < end) {
    h1 ^= mixed(tailWord(view, at, end), C1, 15, C2);
    h2 ^= mixed(tailWord(view, at + 4, end), C2, 16, C3);
    h3 ^= mixed(tailWord(view, at + 8, end), C3, 17, C4);
    h4 ^= mixed(tailWord(view, at + 12, end), C4, 18, C1);
  }
  const length = end - start;
  h2 ^= length;
  h3 ^= length;
  h4 ^= length;
  h1 = ((h1 ^ length) + h2 + h3 + h4) | 0;
  h2 = finished((h2 + h1) | 0);
  h3 = finished((h3 + h1) | 0);
  h4 = finished((h4 + h1) | 0);
  h1 = (finished(h1) + h2 + h3 + h4) | 0;
  hash[0] = h1;
  hash[1] = h2 + h1;
  hash[2] = h3 + h1;
  hash[3] = h4 + h1;
}

function mixed(word: number, first: number, rotation: number, second: number): number {
  return Math.imul(rotated(Math.imul(word, first), rotation), second);
}

function rotated(word: number, count: number): number {
  return (word << count) | (word >>> (32 - count));
}

/** Returns the word at a place behind the last whole block, with zeros after the end. */
function tailWord(view: DataView, at: number, end: number): number {
  let word = 0;
  for (let index = Math.min(at + 4, end) - 1; index >= at; index -= 1) word = (word << 8) | view.getUint8(index);
  return word;
}

function finished(word: number): number {
  let mixing = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixing = Math.imul(mixing ^ (mixing >>> 13), 0xc2b2ae35);
  return mixing ^ (mixing >>> 16);
}
