import type { StructuredType } from "../model/model.ts";
import type { EntityValues } from "./merge-columns.ts";

/** An entity as the service sent it. */
export interface Entity {
  readonly values: EntityValues;
  readonly etag: string | null;
}

/** Reads the body of an entity; null if it is none. */
export function toEntity(body: unknown): Entity | null {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  const values = body as EntityValues;
  const etag = values["@odata.etag"];
  return { values, etag: typeof etag === "string" ? etag : null };
}

/** Returns the values of an entity that a new one like it may state. */
export function writableValues({ properties }: StructuredType, values: EntityValues): EntityValues {
  const writable = [...properties.values()].filter((each) => !each.readOnly && Object.hasOwn(values, each.name));
  return Object.fromEntries(writable.map(({ name }) => [name, values[name]]));
}

/** Returns whether a new entity can have the content of an old one: keys, numbers and times the service sets again. */
export function isRepeatable({ properties, key }: StructuredType, values: EntityValues): boolean {
  return [...properties.values()].every((property) => {
    const { name, type } = property;
    const isLost = typeof values[name] === "object" || (type.kind === "primitive" && /String|Binary/u.test(type.name));
    return (values[name] ?? null) === null || !property.readOnly || key.includes(property) || !isLost;
  });
}
