import type { EntityType } from "../edm/model.ts";

/** Whether a value may be an entity. Any other value is rejected as an entity. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value is an entity, and not a list. */
export function isEntity(value: unknown): value is object {
  return isObject(value) && !Array.isArray(value);
}

/** Returns a row that must be an object. @throws TypeError for any other value: a fault of the application */
export function asEntity(row: unknown, type: EntityType): object {
  if (isObject(row)) return row;
  const kind = row === null ? "null" : `a ${typeof row}`;
  throw new TypeError(`A handler returned ${kind} among its entities of type ${type.name}.`);
}
