import { required } from "../../base/required.ts";
import { frozenMap } from "../../edm/frozen-map.ts";
import type { EntityType, ValueType } from "../../edm/model.ts";
import { basesBelow, isAbstract, ownProperties, seenAs } from "../types/hierarchy.ts";
import type { DeclaredValueType, EntityTypeDeclaration } from "../types/value-type.ts";
import { toEnumType } from "./declared-types.ts";

/** A type under construction. */
type Draft<T> = { -readonly [Member in keyof T]: T[Member] };

/**
 * Makes the types of a hierarchy, by the declarations that show them. Each has the properties of all of them, and states those
 * that it declares or inherits. Their members are to be added.
 * @param all the type of the set, which has all properties
 * @returns nothing for a type without a hierarchy
 */
export function hierarchyViews(
  whole: EntityTypeDeclaration,
  all: Draft<EntityType>,
  namespace: string,
): ReadonlyArray<readonly [EntityTypeDeclaration, Draft<EntityType>]> {
  if (whole.hierarchy === undefined) return [];
  const { types, seen } = whole.hierarchy;
  const discriminator = required(all.properties.at(-1), `${all.name} has no properties.`);
  const views = new Map(
    types.map((type): readonly [EntityTypeDeclaration, Draft<EntityType>] => {
      const { name } = type;
      return [type, type === seen ? all : { ...all, name, qualifiedName: `${namespace}.${name}` }];
    }),
  );
  for (const [type, view] of views) {
    const own = ownProperties(type);
    const properties = all.properties.filter(({ field }) => Object.hasOwn(type.properties, field));
    const below = [...views].filter(([each]) => basesBelow(type, each) !== null);
    view.hierarchy = {
      discriminator,
      base: type.base === undefined ? undefined : views.get(type.base),
      isAbstract: isAbstract(type),
      own: properties.filter(({ field }) => Object.hasOwn(own, field)),
      properties,
      types: frozenMap(below.map(([each, made]) => [each.name, made])),
    };
  }
  return Array.from(views, ([type, view]) => [seenAs(whole, type), view]);
}

/** Returns the type of the names of the types of a hierarchy, which is no type of the model. */
export function namesOfTypes(type: DeclaredValueType, namespace: string): ValueType {
  if (type.kind !== "EnumTypeDeclaration") throw new Error("The types of a hierarchy have names.");
  return toEnumType(type, namespace);
}
