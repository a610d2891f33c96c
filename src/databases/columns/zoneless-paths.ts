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

/**
 * Returns the timestamps of a type in columns without a time zone, by their keys, and the zone in which they are.
 * @param isUsual whether columns without a `storage` have none, as a `datetime` of MariaDB
 */
export function zonelessPaths(
  type: EntityTypeDeclaration,
  columns: object | undefined,
  isUsual: boolean,
): readonly ZonelessPath[] {
  return pathsIn(
    declaredEntityType(type).properties,
    columns,
    isUsual ? new Map([...ZONES, [undefined, "UTC"]]) : ZONES,
  );
}

function pathsIn(
  properties: readonly StructuralProperty[],
  columns: unknown,
  zones: typeof ZONES,
): readonly ZonelessPath[] {
  const options = new Map<string, unknown>(Object.entries(isObject(columns) ? columns : {}));
  return properties.flatMap(({ field, type, isCollection }) => {
    const option = options.get(field);
    const { storage, columns: members, convert } = isObject(option) ? option : {};
    if (isCollection || convert !== undefined) return [];
    if (type.kind !== "ComplexType") {
      const zone = type.name === "Edm.DateTimeOffset" ? zones.get(storage) : undefined;
      return zone === undefined ? [] : [{ path: [field], zone }];
    }
    // Values in JSON have their zone.
    if (storage !== undefined) return [];
    return pathsIn(type.properties, members, zones).map(({ path, zone }) => ({ path: [field, ...path], zone }));
  });
}
