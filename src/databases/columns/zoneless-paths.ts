import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import { isObject } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { StructuralProperty } from "../../edm/model.ts";

/** The forms of timestamps whose cells name no time zone, or may do so. */
const ZONELESS: ReadonlySet<unknown> = new Set(["utc", "sqlite-datetime", "text"]);

/** Returns the timestamps of a type in columns without a time zone, by their keys: `["placedAt"]`, `["address", "since"]`. */
export function zonelessPaths(
  type: EntityTypeDeclaration,
  columns: object | undefined,
): readonly (readonly string[])[] {
  return columns === undefined ? [] : pathsIn(declaredEntityType(type).properties, columns);
}

function pathsIn(properties: readonly StructuralProperty[], columns: object): readonly (readonly string[])[] {
  const options = new Map<string, unknown>(Object.entries(columns));
  return properties.flatMap(({ field, type, isCollection }) => {
    const option = options.get(field);
    if (!isObject(option) || isCollection) return [];
    const { storage, columns: members } = option;
    if (type.kind !== "ComplexType")
      return type.name === "Edm.DateTimeOffset" && ZONELESS.has(storage) ? [[field]] : [];
    return isObject(members) ? pathsIn(type.properties, members).map((path) => [field, ...path]) : [];
  });
}
