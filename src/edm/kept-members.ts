import type { ComplexType, StructuralProperty } from "./model.ts";

/** A property, for the members of its values. */
type Valued = Pick<StructuralProperty, "type" | "isCollection">;

/**
 * Whether values of a property may have members that no request writes, at any depth: ignored and computed ones. Items of
 * collections do not count, because a write replaces them all.
 */
export function hasKeptMembers(property: Valued): boolean {
  return visit(property, []);
}

/** @param around the complex types around the property, because a complex type may contain itself */
function visit({ type, isCollection }: Valued, around: readonly ComplexType[]): boolean {
  if (type.kind !== "ComplexType" || isCollection || around.includes(type)) return false;
  if (type.ignoredProperties.length > 0) return true;
  return type.properties.some((member) => member.computed || visit(member, [...around, type]));
}
