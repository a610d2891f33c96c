/** Bits of non-negative integers up to Number.MAX_SAFE_INTEGER: JavaScript's own operators end at 32 bits. */

const HALF = 2 ** 32;

/** Whether all bits of `bits` are set in `value`. */
export function hasAllBits(value: number, bits: number): boolean {
  return withBits(value, bits) === value;
}

/** `value` with the bits of `bits` set. */
export function withBits(value: number, bits: number): number {
  const high = Math.floor(value / HALF) | Math.floor(bits / HALF);
  const low = (value | bits) >>> 0;
  return high * HALF + low;
}
