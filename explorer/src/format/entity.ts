import type { Property, StructuredType } from "../model/model.ts";
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

/** Returns whether a write may state the value of a property. */
export function isWritable({ readOnly }: Property): boolean {
  return !readOnly;
}

/** Returns the values of an entity that a new one like it may state. */
export function writableValues({ properties }: StructuredType, values: EntityValues): EntityValues {
  const writable = [...properties.values()].filter((each) => isWritable(each) && Object.hasOwn(values, each.name));
  return Object.fromEntries(writable.map(({ name }) => [name, values[name]]));
}

/**
 * Returns whether a new entity can have the content of an old one. Keys, numbers and times that the service sets, it sets
 * again; texts, bytes and documents that no write may state would be lost.
 */
export function isRepeatable({ properties, key }: StructuredType, values: EntityValues): boolean {
  return [...properties.values()].every((property) => {
    const { name, type } = property;
    const isLost = typeof values[name] === "object" || (type.kind === "primitive" && /String|Binary/u.test(type.name));
    return (values[name] ?? null) === null || isWritable(property) || key.includes(property) || !isLost;
  });
}
