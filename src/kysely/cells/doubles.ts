/** Returns the next double above (1) or below (-1) a finite one. */
export function nextDouble(double: number, direction: 1 | -1): number {
  if (double === 0) return direction * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  // The bits of a double, read as an integer, grow with its magnitude.
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(double > 0 ? direction : -direction));
  return view.getFloat64(0);
}
