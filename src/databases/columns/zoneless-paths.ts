import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import { isObject } from "../../definition/option-table.ts";
import type { EntitySetDeclaration } from "../../definition/sets/entity-set.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { StructuralProperty } from "../../edm/model.ts";

type ZonelessPath = NonNullable<EntitySetDeclaration["withoutZone"]>[number];

/** The zones of timestamps whose cells name none, or may do so: values of `Etc/UTC` may have an offset. */
const ZONES: ReadonlyMap<unknown, string> = new Map([
  ["utc", "UTC"],
  ["sqlite-datetime", "UTC"],
  ["text", "Etc/UTC"],
]);

/** Returns the timestamps of a type in columns without a time zone, by their keys, and the zone in which they are. */
export function zonelessPaths(type: EntityTypeDeclaration, columns: object | undefined): readonly ZonelessPath[] {
  return columns === undefined ? [] : pathsIn(declaredEntityType(type).properties, columns);
}

function pathsIn(properties: readonly StructuralProperty[], columns: object): readonly ZonelessPath[] {
  const options = new Map<string, unknown>(Object.entries(columns));
  return properties.flatMap(({ field, type, isCollection }) => {
    const option = options.get(field);
    if (!isObject(option) || isCollection) return [];
    const { storage, columns: members } = option;
    if (type.kind !== "ComplexType") {
      const zone = type.name === "Edm.DateTimeOffset" ? ZONES.get(storage) : undefined;
      return zone === undefined ? [] : [{ path: [field], zone }];
    }
    if (!isObject(members)) return [];
    return pathsIn(type.properties, members).map(({ path, zone }) => ({ path: [field, ...path], zone }));
  });
}
