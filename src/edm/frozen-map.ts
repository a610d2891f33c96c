/**
 * Makes a map that cannot be changed: `set`, `delete` and `clear` throw a TypeError. Reads are those of a native map.
 */
export function frozenMap<Key, Value>(entries: Iterable<readonly [Key, Value]>): ReadonlyMap<Key, Value> {
  const map = new Map<Key, Value>(entries);
  return Object.freeze(
    Object.defineProperties(map, {
      set: { value: refuseChange },
      delete: { value: refuseChange },
      clear: { value: refuseChange },
    }),
  );
}

/** Makes a set that cannot be changed: `add`, `delete` and `clear` throw a TypeError. Reads are those of a native set. */
export function frozenSet<Value>(values: Iterable<Value>): ReadonlySet<Value> {
  return Object.freeze(
    Object.defineProperties(new Set<Value>(values), {
      add: { value: refuseChange },
      delete: { value: refuseChange },
      clear: { value: refuseChange },
    }),
  );
}

function refuseChange(): never {
  throw new TypeError("This cannot be changed: it is part of a frozen model.");
}

/**
 * Freezes plain objects, arrays and maps recursively. Instances of classes and functions are not frozen. References may be
 * circular.
 * @returns the same value
 */
export function deepFreeze<Value>(value: Value): Value {
  const seen = new Set<object>();
  const pending: object[] = isContainer(value) ? [value] : [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    Object.freeze(next);
    const held: Iterable<unknown> = next instanceof Map ? next.values() : Object.values(next);
    for (const item of held) if (isContainer(item)) pending.push(item);
  }
  return value;
}

function isContainer(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) || value instanceof Map) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
