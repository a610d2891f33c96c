/**
 * Returns a copy of a value that is frozen at every depth. The value itself stays as it is. Octets are copied, because they
 * cannot be frozen.
 */
export function frozenCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return value.slice();
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const own = frozenCopy(member);
    // To assign it would not create a member.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: own, enumerable: true });
    else copy[name] = own;
  }
  return Object.freeze(copy);
}
