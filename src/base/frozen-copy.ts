/**
 * Returns a copy of a value that is frozen at every depth. The value itself stays as it is. Octets are copied, because they
 * cannot be frozen.
 */
export function frozenCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return value.slice();
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  // fromEntries defines members, so a property may be named __proto__.
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozenCopy(member)])));
}
