import type { EntityType } from "../edm/model.ts";

/** A row that is an object. @throws TypeError when it is none: a fault of the application */
export function asEntity(row: unknown, type: EntityType): object {
  if (typeof row === "object" && row !== null) return row;
  const kind = row === null ? "null" : `a ${typeof row}`;
  throw new TypeError(`A handler returned ${kind} among its entities of type ${type.name}.`);
}
