import type { EntityType } from "../edm/model.ts";

/** Whether a value may hold an entity: nothing else holds data, and is refused as an entity wherever it goes. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value is an entity, and no list of some. */
export function isEntity(value: unknown): value is object {
  return isObject(value) && !Array.isArray(value);
}

/** A row that is an object. @throws TypeError when it is none: a fault of the application */
export function asEntity(row: unknown, type: EntityType): object {
  if (isObject(row)) return row;
  const kind = row === null ? "null" : `a ${typeof row}`;
  throw new TypeError(`A handler returned ${kind} among its entities of type ${type.name}.`);
}
