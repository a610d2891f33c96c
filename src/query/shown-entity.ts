/** The hidden field of an entity that shows other values than are stored. */
const STORED: unique symbol = Symbol("stored");

/** Returns what a response shows of a stored entity, whose ETag follows from the stored values. */
export function showing(stored: object, members: object): object {
  return Object.defineProperty({ ...stored, ...members }, STORED, { value: stored });
}

/** Returns the stored entity behind one that shows other values; any other value as it is. */
export function storedBehind(entity: unknown): unknown {
  if (typeof entity !== "object" || entity === null) return entity;
  return (entity as { readonly [STORED]?: object })[STORED] ?? entity;
}
