/** The hidden field of an entity that shows other values than are stored. */
const STORED: unique symbol = Symbol("stored");

/** Returns a stored entity as a response shows it. Its ETag follows from the stored values. */
export function showing(stored: object, members: object): object {
  return Object.defineProperty({ ...stored, ...members }, STORED, { value: storedBehind(stored) });
}

/** Returns the stored entity of an entity that shows other values; any other value unchanged. */
export function storedBehind(entity: unknown): unknown {
  if (typeof entity !== "object" || entity === null) return entity;
  return (entity as { readonly [STORED]?: object })[STORED] ?? entity;
}

/** The hidden field of an entity with null in place of cells that cannot be read. Copies have it, too. */
const NULLS: unique symbol = Symbol("nulls");

/** Notes on an entity that properties which must have a value are null. */
export function withNulls(entity: object): object {
  return Object.assign(entity, { [NULLS]: true });
}

/** Whether properties of an entity may be null although they must have a value. */
export function hasNulls(entity: object): boolean {
  return (entity as { readonly [NULLS]?: true })[NULLS] === true;
}
